use serde_json::Value;

/// How long a line may be that holds a whole object or array.
const WIDTH: usize = 110;

/// JSON over several lines, where an object or array that fits a line stays on it.
pub(super) fn lay_out(value: &Value) -> String {
    let mut out = String::new();
    write(value, 0, 0, &mut out);
    out
}

/// `used`: what is on the line already.
fn write(value: &Value, depth: usize, used: usize, out: &mut String) {
    let line = on_one_line(value);
    if line.chars().count().saturating_add(used) <= WIDTH {
        out.push_str(&line);
        return;
    }
    match value {
        Value::Array(items) => {
            let items = items.iter().map(|item| (String::new(), item));
            block(items, depth, ('[', ']'), out);
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| (format!("{}: ", quoted(name)), value));
            block(members, depth, ('{', '}'), out);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => out.push_str(&line),
    }
}

fn block<'a>(
    items: impl Iterator<Item = (String, &'a Value)>,
    depth: usize,
    (open, close): (char, char),
    out: &mut String,
) {
    let depth_of_items = depth.saturating_add(1);
    let indent = "  ".repeat(depth_of_items);
    out.push(open);
    for (index, (label, value)) in items.enumerate() {
        out.push_str(if index == 0 { "\n" } else { ",\n" });
        out.push_str(&indent);
        out.push_str(&label);
        let used = indent.len().saturating_add(label.chars().count()).saturating_add(1);
        write(value, depth_of_items, used, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push(close);
}

fn on_one_line(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            format!("[{}]", items.iter().map(on_one_line).collect::<Vec<_>>().join(", "))
        }
        Value::Object(members) if members.is_empty() => "{}".to_owned(),
        Value::Object(members) => {
            let members =
                members.iter().map(|(name, value)| format!("{}: {}", quoted(name), on_one_line(value)));
            format!("{{ {} }}", members.collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

fn quoted(name: &str) -> String {
    Value::from(name).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_fits_a_line_stays_on_it() {
        assert_eq!(lay_out(&json!({ "a": [1, { "b": {} }] })), r#"{ "a": [1, { "b": {} }] }"#);
    }

    #[test]
    fn what_is_too_long_is_broken_and_means_the_same() {
        let long = json!({ "a": "x".repeat(200), "b": [["Accept", "y".repeat(90)], []], "c": {} });
        let text = lay_out(&long);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), long);
        assert_eq!(text.lines().count(), 8, "{text}");
    }
}
