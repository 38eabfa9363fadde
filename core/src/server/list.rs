//! Lists: one page of what a registry has for a caller, encoded.

use std::num::NonZeroUsize;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;

use super::Shared;
use super::project::Publish;
use crate::jsonrpc::{ErrorCode, ErrorObject, write_array};
use crate::registry::{Entry, Listing};
use crate::revision::Revision;
use crate::types::CacheScope;

/// One page of a list.
#[derive(Debug)]
pub(super) struct Page {
    /// The member of the result that has the items.
    pub(super) member: &'static str,
    /// A JSON array.
    pub(super) items: Bytes,
    pub(super) next_cursor: Option<String>,
    pub(super) scope: CacheScope,
}

impl Page {
    pub(super) fn new<T: Entry + Publish>(
        server: &Shared,
        listing: &Listing<T>,
        cursor: Option<&str>,
        revision: Revision,
    ) -> Result<Self, ErrorObject> {
        let size = server.settings.page_size;
        let (items, next_cursor, scope) = match listing {
            Listing::Shared(list) if size.is_none() && cursor.is_none() => {
                let items = list.encoded(revision, || encode(&mut list.iter(), revision));
                (items, None, server.settings.cache_scope)
            }
            Listing::Shared(list) => {
                let (page, next) = cut(list.iter(), cursor, size)?;
                (encode(&mut page.into_iter(), revision), next, server.settings.cache_scope)
            }
            Listing::Own(own) => {
                let (page, next) = cut(own.iter(), cursor, size)?;
                (encode(&mut page.into_iter(), revision), next, CacheScope::Private)
            }
        };
        Ok(Self { member: T::MEMBER, items, next_cursor, scope })
    }
}

fn encode<T: Publish>(items: &mut dyn Iterator<Item = &Arc<T>>, revision: Revision) -> Bytes {
    let mut out = Vec::new();
    write_array(&mut out, items, |out, item| item.publish(out, revision.rules()));
    out.shrink_to_fit();
    out.into()
}

/// What comes after the one that the cursor names, so that a page stays right when the list changes before it.
fn cut<'a, T: Entry>(
    mut rest: impl ExactSizeIterator<Item = &'a Arc<T>>,
    cursor: Option<&str>,
    size: Option<NonZeroUsize>,
) -> Result<(Vec<&'a Arc<T>>, Option<String>), ErrorObject> {
    let unknown = || ErrorObject::new(ErrorCode::InvalidParams, "unknown cursor: start again without one");
    if let Some(cursor) = cursor {
        let last = URL_SAFE_NO_PAD.decode(cursor).map_err(|_| unknown())?;
        size.and_then(|_| rest.find(|item| item.key().as_bytes() == last)).ok_or_else(unknown)?;
    }
    let size = size.map_or(usize::MAX, NonZeroUsize::get);
    let page: Vec<_> = rest.by_ref().take(size).collect();
    let more = rest.len() > 0;
    let next = page.last().filter(|_| more).map(|last| URL_SAFE_NO_PAD.encode(last.key()));
    Ok((page, next))
}
