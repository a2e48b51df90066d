//! The archive room.
