//! What the whole-flow tests share.
#![allow(dead_code)] // each test uses its own part

pub(crate) mod archive;
pub(crate) mod authority;
pub(crate) mod collection;
pub(crate) mod h2_server;
pub(crate) mod judged;
pub(crate) mod large;
pub(crate) mod nginx;
pub(crate) mod played;
pub(crate) mod processes;
pub(crate) mod scripted;
pub(crate) mod stepped;
