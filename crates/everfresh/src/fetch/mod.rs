//! The fetch room.
