use crate::session::{REDACTED, Redaction};
use crate::target::Target;

/// Shorter words than this would be found where they are none.
const SHORTEST: usize = 6;

/// The letters of a reason that are kept: a server may have said more.
const REASON: usize = 1000;

/// What was sent as a credential, and stands nowhere in a report: a server may say it back, and requests that are sent
/// byte by byte have it in their midst.
#[derive(Debug, Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn of(target: &Target) -> Self {
        let redaction = Redaction::default();
        let mut words = Vec::new();
        for (name, value) in target.headers.iter() {
            let value = String::from_utf8_lossy(value);
            if redaction.header(name, &value) == REDACTED {
                // `Bearer abc`, and `a=b; c=d`.
                let parts = value
                    .split([' ', ';', ','])
                    .flat_map(|part| [part, part.split_once('=').map_or("", |(_, value)| value)]);
                words.extend(parts.map(str::to_owned));
                words.push(value.into_owned());
            }
        }
        for parameter in target.endpoint.url().query().unwrap_or_default().split('&') {
            if let Some((_, value)) = parameter.split_once('=')
                && redaction.target(&format!("?{parameter}")).ends_with(REDACTED)
            {
                words.push(value.to_owned());
            }
        }
        words.retain(|word| word.len() >= SHORTEST);
        // The longest first, which may have others in them.
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.dedup();
        Self(words)
    }

    /// A text without them.
    pub(crate) fn out_of(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, word| text.replace(word, REDACTED))
    }

    /// A reason without them, and of bearable length.
    pub(crate) fn out_of_reason(&self, text: &str) -> String {
        let text = self.out_of(text);
        match text.char_indices().nth(REASON).and_then(|(end, _)| text.get(..end)) {
            Some(short) => format!("{short}…"),
            None => text,
        }
    }
}
