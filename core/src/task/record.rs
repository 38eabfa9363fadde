use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How a task stands, for a [`TaskStore`](super::TaskStore) to keep. It serialises, in a form that is nobody's business but
/// that of this crate.
///
/// Source: <https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md#tasks>
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    id: String,
    owner: Option<String>,
    version: u64,
    /// Since 1970.
    pub(crate) created: Duration,
    pub(crate) updated: Duration,
    pub(crate) ttl: Duration,
    /// What the request takes in memory while its tool runs, in bytes.
    request: usize,
    /// A word for people on how it stands.
    pub(crate) message: Option<String>,
    pub(crate) state: State,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum State {
    /// The tool runs, or will with these answers.
    Working {
        answers: Map<String, Value>,
    },
    /// What is asked, by keys that no other question of this task has, and the answers so far.
    InputRequired {
        questions: Map<String, Value>,
        answers: Map<String, Value>,
    },
    /// A result, in JSON.
    Completed(String),
    /// An error, in JSON.
    Failed(String),
    Cancelled,
}

/// What a task takes beside its texts, and at least for them, roughly.
const OVERHEAD: usize = 1024;

impl Task {
    pub(crate) fn new(
        id: String,
        owner: Option<String>,
        now: Duration,
        ttl: Duration,
        request: usize,
    ) -> Self {
        let state = State::Working { answers: Map::new() };
        Self { id, owner, version: 0, created: now, updated: now, ttl, request, message: None, state }
    }

    /// What clients call it: text that nobody can guess, in characters that a header takes.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Whose it is: the name of a [`Principal`](crate::Principal), or nobody's.
    #[must_use]
    pub fn owner(&self) -> Option<&str> {
        self.owner.as_deref()
    }

    /// Counts its changes, from 0.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// When its time is over, since the beginning of 1970. It can be forgotten then.
    #[must_use]
    pub fn expires(&self) -> Duration {
        self.created.saturating_add(self.ttl)
    }

    /// Whether it will stay as it is: it is completed, failed or cancelled.
    #[must_use]
    pub fn is_over(&self) -> bool {
        match self.state {
            State::Working { .. } | State::InputRequired { .. } => false,
            State::Completed(_) | State::Failed(_) | State::Cancelled => true,
        }
    }

    /// What it takes in memory, in bytes, roughly: with the request of a tool that runs.
    #[must_use]
    pub fn size(&self) -> usize {
        let texts = match &self.state {
            State::Working { answers } => self.request.saturating_add(weight(answers)),
            State::InputRequired { questions, answers } => {
                self.request.saturating_add(weight(questions)).saturating_add(weight(answers))
            }
            State::Completed(json) | State::Failed(json) => json.len(),
            State::Cancelled => 0,
        };
        // A short text takes what none does: so a task can fail, however full the store is.
        texts.max(OVERHEAD).saturating_add(OVERHEAD)
    }

    /// The one that comes after it.
    pub(crate) fn next(&self, now: Duration) -> Self {
        let version = self.version.saturating_add(1);
        Self { version, updated: self.updated.max(now), ..self.clone() }
    }

    /// Takes answers to what is asked, and says whether there was one. Others are ignored.
    pub(crate) fn answer(&mut self, responses: &Map<String, Value>) -> bool {
        let State::InputRequired { questions, answers } = &mut self.state else { return false };
        let before = questions.len();
        for (key, response) in responses {
            if questions.shift_remove(key).is_some() {
                answers.insert(key.clone(), response.clone());
            }
        }
        let answered = questions.len() < before;
        if questions.is_empty() {
            self.state = State::Working { answers: std::mem::take(answers) };
            self.message = None;
        }
        answered
    }
}

fn weight(members: &Map<String, Value>) -> usize {
    // A tree takes more than its text.
    members.iter().fold(0, |sum, (key, value)| {
        let text = key.len().saturating_add(value.to_string().len());
        sum.saturating_add(text.saturating_mul(4))
    })
}
