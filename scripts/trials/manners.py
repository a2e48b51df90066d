"""Whether hosts were left alone as long as they are owed, by the log of the server that was asked."""

from itertools import pairwise

from trials.living_pages import CRAWL_DELAYS, ROBOTS


def violations(log, delay, act_ends, forgetful_acts, hurried_acts):
    """Every contact that came too early, in words.

    An exchange is over when its last byte was sent or when its process was over, by `act_ends`. `forgetful_acts` follow a kill:
    what the host said last may not have been written down. `hurried_acts` follow a clock that was set forward between two
    runs: the time that passed meanwhile is not what it seems.
    """
    found = []
    for host in sorted({contact.host for contact in log}):
        contacts = sorted((contact for contact in log if contact.host == host), key=lambda contact: contact.at)
        for before, after in pairwise(contacts):
            if is_same_contact(before, after) or (after.act != before.act and after.act in hurried_acts):
                continue
            least = owed(before, after, delay, forgetful_acts)
            # An answer without an end is over at its beginning at the earliest.
            gap = after.at - min(before.ended or before.at, act_ends[before.act])
            if gap < least:
                found.append(
                    f"{host}{after.path} was asked {gap * 1000:.0f} ms after {before.path}"
                    f" ({before.trouble or 'well'}), not {least * 1000:.0f} (acts {before.act}, {after.act})"
                )
        found += [f"{host}{contact.path} is forbidden" for contact in contacts if contact.path == "/secret" and host in ROBOTS]
    return found


def is_same_contact(before, after):
    """What died on a kept connection without a byte of an answer may be sent again at once (RFC 9112, 9.3.1), and so may what
    the server says not to have looked at (RFC 9113, 8.7)."""
    is_unheard = not before.was_seen or before.bytes_sent == 0 and before.place > 1
    return is_unheard and before.path == after.path


def owed(before, after, delay, forgetful_acts):
    is_new_process = after.act != before.act
    if is_new_process and after.act in forgetful_acts:
        # A robots.txt whose answer nobody wrote down is asked for again.
        return delay if after.path == "/robots.txt" else max(delay, CRAWL_DELAYS.get(after.host, 0))
    # Before its robots.txt was read, nobody knows what it asks for.
    crawl_delay = 0 if after.path == "/robots.txt" else CRAWL_DELAYS.get(after.host, 0)
    return max(delay, crawl_delay, before.asked_to_wait)
