//! The living room.
