#![allow(unused)]

use mcp_http::{Extension, tool, tools};
use std::borrow::Cow;
use std::sync::Arc;

struct Point {
    x: i64,
}

struct Counter;

#[tools]
impl Counter {
    /// Changes.
    #[tool]
    fn exclusive(&mut self) {}

    /// Is used up.
    #[tool]
    fn consumed(self) {}

    /// Is shared already.
    #[tool]
    fn shared(self: Arc<Self>) {}
}

/// Borrows.
#[tool]
fn borrows(a: &str, b: &[u8], c: Option<&str>, d: Cow<'static, str>, e: &mut String, f: &Point) {}

/// Is generic.
#[tool]
fn generic<T: Clone, const N: usize>(a: T, b: impl Into<String>) {}

/// Takes things apart.
#[tool]
fn patterns((a, b): (i64, i64), Point { x }: Point, _: u32, ref c: String, Extension(fine): Extension<u8>) {}

/// Makes promises.
#[tool]
unsafe fn unsafe_tool() {}

/// Is not the same everywhere.
#[tool]
fn conditional(#[cfg(unix)] a: u32) {}

/// Says things about what is not an argument.
#[tool]
fn context(#[param("The context")] cx: mcp_http::CallContext, #[param(from_call, min = 1)] other: u32) {}

fn main() {}
