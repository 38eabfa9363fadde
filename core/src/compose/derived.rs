use std::sync::{Arc, Mutex, PoisonError};

use crate::tool::ToolList;

/// A list that is made of other lists, kept while they stay the same: so it is encoded once, as they are.
#[derive(Debug, Default)]
pub(super) struct Derived(Mutex<Option<Kept>>);

#[derive(Debug)]
struct Kept {
    from: Vec<Arc<ToolList>>,
    /// What else it depends on, counted up at every change.
    version: u64,
    list: Arc<ToolList>,
}

impl Derived {
    pub(super) fn get(
        &self,
        from: &[&Arc<ToolList>],
        version: u64,
        make: impl FnOnce() -> ToolList,
    ) -> Arc<ToolList> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = &*kept
            && kept.version == version
            && kept.from.len() == from.len()
            && kept.from.iter().zip(from).all(|(kept, now)| Arc::ptr_eq(kept, now))
        {
            return kept.list.clone();
        }
        let list = Arc::new(make());
        let from = from.iter().map(|list| Arc::clone(list)).collect();
        *kept = Some(Kept { from, version, list: list.clone() });
        list
    }
}
