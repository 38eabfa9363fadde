#![allow(unused)]

use mcp_http::tool;

/// Allows nothing.
#[tool]
fn empty_range(#[param(min = 10, max = 1)] a: u32, #[param(min = 0.5, max = -0.5)] b: f64) {}

/// Bounds what has no order.
#[tool]
fn not_numbers(#[param(min = 1)] a: String, #[param(max = 10)] b: Vec<u32>, #[param(min = 0, max = 1)] c: bool) {}

/// Cannot be reached.
#[tool]
fn out_of_range(#[param(min = -1)] a: u32, #[param(max = 256)] b: u8, #[param(min = 0.5)] c: Option<i64>) {}

/// Starts outside.
#[tool]
fn defaults(
    #[param(default = 0, min = 1)] a: u32,
    #[param(default = 101, max = 100)] b: i64,
    #[param(default = 1.5, max = 1)] c: f32,
    #[param(default = 300)] d: u8,
    #[param(default = -1, min = -1, max = 1)] fine: i8,
) {
}

fn main() {}
