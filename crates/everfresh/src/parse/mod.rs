//! The parse room.
