//! The detect room.
