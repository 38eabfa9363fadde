#![allow(unused)]

use mcp_http::tool;
use serde_json::Value;
use std::collections::HashMap;

/// Repeats what fits no header.
#[tool]
fn types(
    #[param(header = "A")] a: f64,
    #[param(header = "B")] b: Vec<String>,
    #[param(header = "C")] c: HashMap<String, String>,
    #[param(header = "D")] d: Value,
    #[param(header = "E")] e: Option<f32>,
    #[param(header = "F", nullable)] f: Option<String>,
    #[param(header = "G")] fine: Option<bool>,
) {
}

/// Has names that are none.
#[tool]
fn names(
    #[param(header = "two words")] a: String,
    #[param(header = "")] b: String,
    #[param(header = "Region")] c: String,
    #[param(header = "region")] d: String,
) {
}

fn main() {}
