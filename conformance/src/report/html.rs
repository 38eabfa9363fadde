//! A page for a browser.
//!
//! All that a server said is text in it: nothing becomes markup, and no script reads it.

use super::document::{Document, Found, Message, Said};

pub(super) fn page(document: &Document) -> String {
    let mut out = String::new();
    out.push_str("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    // The page runs its own script and loads nothing.
    out.push_str("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n");
    out.push_str(&format!("<title>MCP conformance: {}</title>\n", escaped(&document.url)));
    out.push_str(&format!("<style>{}</style>\n", include_str!("page.css")));
    head(document, &mut out);
    out.push_str("<main>\n");
    for (name, title) in [
        ("fail", "Failed"),
        ("known", "Known to fail"),
        ("warn", "Warnings"),
        ("pass", "Passed"),
        ("not-applicable", "Not applicable"),
    ] {
        let found: Vec<&Found> = document.results.iter().filter(|found| kind(found) == name).collect();
        if found.is_empty() {
            continue;
        }
        out.push_str(&format!(
            "<section data-outcome=\"{name}\"><h2>{title} <small>{}</small></h2>\n",
            found.len()
        ));
        found.into_iter().for_each(|found| finding(found, &mut out));
        out.push_str("</section>\n");
    }
    out.push_str("<p id=\"none\" hidden>Nothing fits the filter.</p>\n</main>\n");
    out.push_str(&format!("<script>{}</script>\n</html>\n", include_str!("page.js")));
    out
}

fn kind(found: &Found) -> &'static str {
    if found.known.is_some() { "known" } else { found.outcome }
}

fn head(document: &Document, out: &mut String) {
    let server = document.server.as_deref().unwrap_or("A server without a name");
    out.push_str(&format!(
        "<header>\n<h1>{}</h1>\n<p><code>{}</code></p>\n",
        escaped(server),
        escaped(&document.url)
    ));
    out.push_str(&format!(
        "<p>Checked in {}, in {} ms.</p>\n",
        if document.checked.is_empty() {
            "no revision".to_owned()
        } else {
            escaped(&document.checked.join(", "))
        },
        document.took_ms
    ));
    let summary = &document.summary;
    out.push_str("<ul class=\"summary\">\n");
    for (name, title, count) in [
        ("fail", "failed", summary.fail),
        ("known", "known", summary.known),
        ("warn", "warnings", summary.warn),
        ("pass", "passed", summary.pass),
        ("not-applicable", "not applicable", summary.not_applicable),
    ] {
        if count > 0 || name == "fail" {
            out.push_str(&format!("<li class=\"{name}\"><b>{count}</b> {title}</li>\n"));
        }
    }
    out.push_str("</ul>\n");
    let troubles =
        document.unchecked.iter().map(|it| format!("{} was not checked: {}", it.revision, it.reason));
    let stopped = document.stopped.iter().map(|why| format!("The check was stopped: {why}"));
    let stale = document.stale.iter().map(|entry| format!("The baseline has what does not fail: {entry}"));
    for trouble in troubles.chain(stopped).chain(stale) {
        out.push_str(&format!("<p class=\"trouble\">{}</p>\n", escaped(&trouble)));
    }
    let mut areas: Vec<String> = document.results.iter().map(|found| found.area.to_string()).collect();
    areas.dedup();
    areas.sort();
    areas.dedup();
    out.push_str("<form id=\"filter\" hidden>\n<label>Outcome <select name=\"outcome\"><option value=\"\">all</option>");
    for name in ["fail", "known", "warn", "pass", "not-applicable"] {
        out.push_str(&format!("<option>{name}</option>"));
    }
    out.push_str(
        "</select></label>\n<label>Revision <select name=\"revision\"><option value=\"\">all</option>",
    );
    for revision in &document.checked {
        out.push_str(&format!("<option>{}</option>", escaped(revision)));
    }
    out.push_str("</select></label>\n<label>Area <select name=\"area\"><option value=\"\">all</option>");
    for area in areas {
        out.push_str(&format!("<option>{}</option>", escaped(&area)));
    }
    out.push_str(
        "</select></label>\n<label>Text <input name=\"text\" type=\"search\"></label>\n</form>\n</header>\n",
    );
}

fn finding(found: &Found, out: &mut String) {
    let kind = kind(found);
    let open = if kind == "fail" { " open" } else { "" };
    out.push_str(&format!(
        "<details class=\"{kind}\" data-outcome=\"{kind}\" data-revision=\"{}\" data-area=\"{}\"{open}>\n",
        escaped(&found.revision),
        escaped(&found.area.to_string())
    ));
    out.push_str(&format!(
        "<summary><span class=\"mark\">{kind}</span> <b>{}</b> <span class=\"revision\">{}</span> <span>{}</span></summary>\n",
        found.rule,
        escaped(&found.revision),
        escaped(found.says)
    ));
    if !found.reason.is_empty() {
        out.push_str(&format!("<p class=\"reason\">{}</p>\n", escaped(&found.reason)));
    }
    if let Some(known) = &found.known {
        out.push_str(&format!("<p>Known: {}</p>\n", escaped(known)));
    }
    out.push_str(&format!(
        "<p>{} · <a href=\"{}\" rel=\"noreferrer\">the clause</a></p>\n",
        escaped(&found.level),
        escaped(&found.link)
    ));
    for (at, said) in found.exchanges.iter().enumerate() {
        exchange(at.saturating_add(1), said, out);
    }
    out.push_str("</details>\n");
}

fn exchange(number: usize, said: &Said, out: &mut String) {
    out.push_str(&format!("<div class=\"exchange\"><h3>Exchange {number}</h3>\n"));
    message("Sent", &said.request, out);
    if let Some(response) = &said.response {
        message("Came", response, out);
    }
    if let Some(error) = &said.error {
        out.push_str(&format!("<p class=\"reason\">{}</p>\n", escaped(error)));
    }
    out.push_str("</div>\n");
}

fn message(title: &str, message: &Message, out: &mut String) {
    out.push_str(&format!("<h4>{title}</h4>\n<pre>{}\n", escaped(&message.line)));
    for (name, value) in &message.headers {
        out.push_str(&format!("<i>{}</i>: {}\n", escaped(name), escaped(value)));
    }
    out.push_str(&format!("\n{}</pre>\n", escaped(&message.body)));
}

/// Text, as it stands in HTML and in its attributes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What would not be seen, or would turn the text around.
            '\u{0}'..='\u{8}'
            | '\u{b}'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}' => {
                out.push('\u{fffd}');
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup() {
        let hostile = "<script>alert(1)</script>\" onload='x' & \u{202e}\u{0}";
        let shown = escaped(hostile);
        assert!(!shown.contains(['<', '>', '"', '\'', '\u{202e}', '\u{0}']), "{shown}");
        assert!(shown.contains("&lt;script&gt;alert(1)"));
    }
}
