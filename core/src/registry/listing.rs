use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use indexmap::IndexMap;

use super::set::Entry;
use crate::revision::{PerRevision, Revision};

/// What a registry lists.
#[derive(Debug)]
pub enum Listing<T> {
    /// The same for every caller: encoded once, and clients may share it.
    Shared(Arc<List<T>>),
    /// This caller's own: encoded for each request, and nobody else may be given a cached copy.
    Own(Vec<Arc<T>>),
}

impl<T> Listing<T> {
    /// What is listed, in its order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<T>> {
        let (shared, own) = match self {
            Self::Shared(list) => (Some(list.iter()), None),
            Self::Own(own) => (None, Some(own.iter())),
        };
        shared.into_iter().flatten().chain(own.into_iter().flatten())
    }
}

impl<T> Listing<T> {
    /// Only some of these: the caller's own listing.
    pub(crate) fn only(&self, keep: impl Fn(&T) -> bool) -> Self {
        Self::Own(self.iter().filter(|item| keep(item)).cloned().collect())
    }
}

impl<T> Clone for Listing<T> {
    fn clone(&self) -> Self {
        match self {
            Self::Shared(list) => Self::Shared(list.clone()),
            Self::Own(own) => Self::Own(own.clone()),
        }
    }
}

/// What is in a [`Set`](super::Set) at one moment.
#[derive(Debug)]
pub struct List<T> {
    pub(super) by_key: IndexMap<String, Arc<T>>,
    /// The JSON array of all, made when a client of the revision first asks.
    pub(super) encoded: PerRevision<OnceLock<Bytes>>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { by_key: IndexMap::new(), encoded: PerRevision::default() }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        Self { by_key: self.by_key.clone(), encoded: PerRevision::default() }
    }
}

impl<T> List<T> {
    /// The one of this name, URI or template.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Arc<T>> {
        self.by_key.get(key)
    }

    /// All, in the order they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<T>> {
        self.by_key.values()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_key.len()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_key.is_empty()
    }

    /// The JSON array of all, as the revision has it.
    pub(crate) fn encoded(&self, revision: Revision, encode: impl FnOnce() -> Bytes) -> Bytes {
        self.encoded.get(revision).get_or_init(encode).clone()
    }
}

impl<T: Entry> FromIterator<Arc<T>> for List<T> {
    /// A list to share: `Listing::Shared(Arc::new(tools.into_iter().collect()))`. Of two with one key the first stays.
    fn from_iter<I: IntoIterator<Item = Arc<T>>>(entries: I) -> Self {
        let mut by_key = IndexMap::new();
        for entry in entries {
            by_key.entry(entry.key().to_owned()).or_insert(entry);
        }
        Self { by_key, encoded: PerRevision::default() }
    }
}
