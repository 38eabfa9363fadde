use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indexmap::IndexMap;

use super::hook::{Hook, ToolCall};
use crate::context::CallContext;
use crate::tool::{ToolError, ToolResult};

/// How many scopes are counted at the same time.
const CAPACITY: usize = 10_000;

type Key = dyn Fn(&ToolCall, &CallContext) -> Option<String> + Send + Sync;

/// So many runs, and no more: a [`Hook`] that then tells the model not to call again.
///
/// What is counted together is its scope: all calls of this process, those of one caller, or those for which a function
/// gives one key. All tools of the registry count together; for a ceiling on one tool, make it part of the key or put
/// the ceiling around a registry of that tool. Counts are kept in this process only.
///
/// ```
/// use std::time::Duration;
/// use mcp_http::compose::{Ceiling, Compose};
/// use mcp_http::{Tool, ToolSet};
///
/// let tools = ToolSet::new()
///     .with(Tool::builder("search").description("Search the web").handler(|| "nothing"))?
///     // Each caller may call a hundred times an hour,
///     .hook(Ceiling::per_principal(100).every(Duration::from_secs(3600)))
///     // and with each batch three times.
///     .hook(Ceiling::per("batch", 3, |call, _| Some(call.arguments().get("batch")?.as_str()?.to_owned())));
/// # drop(tools);
/// # Ok::<_, mcp_http::RegisterError>(())
/// ```
///
/// At most 10,000 keys are counted: beyond that the oldest is forgotten, and starts anew. So let the key be something
/// that a caller cannot make up, such as a handle that was checked.
pub struct Ceiling {
    runs: u32,
    scope: &'static str,
    key: Box<Key>,
    period: Option<Duration>,
    counts: Mutex<IndexMap<String, Count>>,
}

#[derive(Debug)]
struct Count {
    runs: u32,
    /// Since 1970.
    since: Duration,
}

impl fmt::Debug for Ceiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ceiling")
            .field("runs", &self.runs)
            .field("scope", &self.scope)
            .field("period", &self.period)
            .finish_non_exhaustive()
    }
}

impl Ceiling {
    /// `runs` calls of all callers together, in this process.
    #[must_use]
    pub fn per_process(runs: u32) -> Self {
        Self::per("process", runs, |_, _| Some(String::new()))
    }

    /// `runs` calls of each caller. All anonymous callers are one.
    #[must_use]
    pub fn per_principal(runs: u32) -> Self {
        Self::per("caller", runs, |_, cx| {
            Some(cx.principal().map_or_else(String::new, |caller| format!("={caller}")))
        })
    }

    /// `runs` calls for which `key` gives one key. Calls for which it gives none are not counted.
    ///
    /// `scope` is what the model is told: "limit of 3 runs per batch".
    #[must_use]
    pub fn per(
        scope: &'static str,
        runs: u32,
        key: impl Fn(&ToolCall, &CallContext) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        Self { runs, scope, key: Box::new(key), period: None, counts: Mutex::default() }
    }

    /// Starts counting anew when this time has passed since the first call of a scope. Default: never.
    #[must_use]
    pub fn every(self, period: Duration) -> Self {
        Self { period: Some(period), ..self }
    }

    /// Counts a run, if there is one left.
    fn take(&self, key: String, now: Duration) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= CAPACITY && !counts.contains_key(&key) {
            // The first is the one that was counted first, as periods that ended are put last.
            counts.shift_remove_index(0);
        }
        let over =
            |count: &Count| self.period.is_some_and(|period| now.saturating_sub(count.since) >= period);
        if counts.get(&key).is_some_and(over) {
            counts.shift_remove(&key);
        }
        let count = counts.entry(key).or_insert(Count { runs: 0, since: now });
        let left = count.runs < self.runs;
        count.runs = count.runs.saturating_add(u32::from(left));
        left
    }
}

impl Hook for Ceiling {
    async fn before(&self, call: &mut ToolCall, cx: &CallContext) -> ControlFlow<ToolResult> {
        let Some(key) = (self.key)(call, cx) else { return ControlFlow::Continue(()) };
        if self.take(key, cx.now()) {
            return ControlFlow::Continue(());
        }
        let Self { runs, scope, .. } = self;
        let plural = if *runs == 1 { "" } else { "s" };
        let again = if self.period.is_some() { " for now" } else { "" };
        ControlFlow::Break(Err(ToolError::new(format!(
            "the limit of {runs} run{plural} per {scope} is reached: do not call this tool again{again}"
        ))))
    }
}
