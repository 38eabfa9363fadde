use std::collections::HashSet;
use std::sync::Arc;

use super::derived::Derived;
use crate::change::ChangeListener;
use crate::context::CallContext;
use crate::tool::{Listing, RegisterError, RegistryError, Reply, Tool, ToolList, ToolRegistry};

/// The tools of two registries. Made by [`Compose::merge`](super::Compose::merge).
#[derive(Debug)]
pub struct Merged<First, Second> {
    first: First,
    second: Second,
    list: Derived,
}

impl<First: ToolRegistry, Second: ToolRegistry> Merged<First, Second> {
    pub(super) fn new(first: First, second: Second) -> Result<Self, RegisterError> {
        let names = first.names();
        let taken: HashSet<&str> = names.iter().map(String::as_str).collect();
        match second.names().into_iter().find(|name| taken.contains(name.as_str())) {
            Some(name) => Err(RegisterError::DuplicateName(name)),
            None => Ok(Self { first, second, list: Derived::default() }),
        }
    }

    fn both(&self, first: Listing, second: Listing) -> Listing {
        match (&first, &second) {
            (Listing::Shared(one), Listing::Shared(two)) => {
                Listing::Shared(self.list.get(&[one, two], 0, || {
                    let (all, taken) = without_repeats(&first, &second);
                    report(&taken);
                    all.into_iter().collect::<ToolList>()
                }))
            }
            _ => {
                let (all, taken) = without_repeats(&first, &second);
                report(&taken);
                Listing::Own(all)
            }
        }
    }
}

/// The tools of both, and the names that the second has too.
fn without_repeats(first: &Listing, second: &Listing) -> (Vec<Arc<Tool>>, Vec<String>) {
    let names: HashSet<&str> = first.iter().map(|tool| tool.name()).collect();
    let (repeated, new): (Vec<&Arc<Tool>>, Vec<_>) =
        second.iter().partition(|tool| names.contains(tool.name()));
    let all = first.iter().chain(new).cloned().collect();
    (all, repeated.iter().map(|tool| tool.name().to_owned()).collect())
}

fn report(taken: &[String]) {
    if !taken.is_empty() {
        tracing::error!(names = ?taken, "two tools of one name: the second is not served");
    }
}

impl<First: ToolRegistry, Second: ToolRegistry> ToolRegistry for Merged<First, Second> {
    fn list<'a>(&'a self, cx: &'a CallContext) -> Reply<'a, Result<Listing, RegistryError>> {
        match (self.first.list(cx), self.second.list(cx)) {
            (Reply::Now(first), Reply::Now(second)) => {
                Reply::Now(first.and_then(|first| Ok(self.both(first, second?))))
            }
            (first, second) => {
                Reply::later(async move { Ok(self.both(first.wait().await?, second.wait().await?)) })
            }
        }
    }

    fn find<'a>(
        &'a self,
        name: &'a str,
        cx: &'a CallContext,
    ) -> Reply<'a, Result<Option<Arc<Tool>>, RegistryError>> {
        match self.first.find(name, cx) {
            Reply::Now(Ok(None)) => self.second.find(name, cx),
            Reply::Now(answer) => Reply::Now(answer),
            Reply::Later(first) => Reply::later(async move {
                match first.await? {
                    Some(tool) => Ok(Some(tool)),
                    None => self.second.find(name, cx).wait().await,
                }
            }),
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names = self.first.names();
        names.extend(self.second.names());
        names
    }

    fn has_tasks(&self) -> bool {
        self.first.has_tasks() || self.second.has_tasks()
    }

    fn watch(&self, listener: &ChangeListener) -> bool {
        let (first, second) = (self.first.watch(listener), self.second.watch(listener));
        first || second
    }
}
