"""What `scripts/faults` and `scripts/growth` share: scripted webs, collections of real processes, and what judges them."""
