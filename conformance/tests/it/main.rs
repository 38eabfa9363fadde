//! Sessions against a real server: one program, so that it is linked once.

#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod format;
