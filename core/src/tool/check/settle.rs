//! What follows from all subschemas of a schema together.

use super::tree::{Additional, SchemaId, Subschema, Tree};
use super::types::Types;
use crate::tool::schema::{MAX_DEPTH, SchemaError};

/// Refuses references that lead back to themselves, finds out which types each subschema admits, and drops choices
/// that the tree cannot decide.
pub(super) fn settle(tree: &mut Tree, pointer: impl Fn(SchemaId) -> String) -> Result<(), SchemaError> {
    let mut progress = vec![Progress::Unseen; tree.subschemas.len()];
    for index in 0..tree.subschemas.len() {
        admits(tree, SchemaId(index), 0, &mut progress).map_err(|error| match error {
            Stuck::Endless(id) => SchemaError::Endless(pointer(id)),
            Stuck::TooDeep => SchemaError::TooDeep,
        })?;
    }
    if tree.subschemas.iter().any(|subschema| subschema.opaque) {
        drop_unclear_choices(tree);
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    Unseen,
    Open,
    Done,
}

enum Stuck {
    Endless(SchemaId),
    TooDeep,
}

/// The types that a subschema and all that apply to the same value leave.
fn admits(tree: &mut Tree, id: SchemaId, depth: usize, progress: &mut [Progress]) -> Result<Types, Stuck> {
    match progress.get_mut(id.0) {
        None | Some(Progress::Done) => return Ok(tree.get(id).admits),
        Some(Progress::Open) => return Err(Stuck::Endless(id)),
        Some(progress) => *progress = Progress::Open,
    }
    if depth > MAX_DEPTH {
        return Err(Stuck::TooDeep);
    }
    let mut below = |ids: Vec<SchemaId>, tree: &mut Tree| {
        ids.into_iter()
            .map(|id| admits(tree, id, depth.saturating_add(1), progress))
            .collect::<Result<Vec<_>, _>>()
    };
    let Subschema { types, all_of, any_of, one_of, in_place, .. } = tree.get(id);
    let (mut types, any_of, one_of) = (*types, any_of.clone(), one_of.clone());
    let (all_of, in_place) = (all_of.clone(), in_place.clone());
    for all in below(all_of, tree)? {
        types = types.intersection(all);
    }
    for choice in [any_of, one_of] {
        if !choice.is_empty() {
            let any = below(choice, tree)?.into_iter().fold(Types::NONE, Types::union);
            types = types.intersection(any);
        }
    }
    below(in_place, tree)?;
    if let Some(subschema) = tree.subschemas.get_mut(id.0) {
        subschema.admits = types;
    }
    if let Some(progress) = progress.get_mut(id.0) {
        *progress = Progress::Done;
    }
    Ok(types)
}

/// Where a branch has keywords that are not walked, the tree cannot say which branch takes a value.
fn drop_unclear_choices(tree: &mut Tree) {
    let mut clear: Vec<bool> = tree.subschemas.iter().map(|subschema| !subschema.opaque).collect();
    let is_clear = |clear: &[bool], id: &SchemaId| clear.get(id.0).copied().unwrap_or_default();
    loop {
        let mut changed = false;
        // Parents come before their children.
        for (index, subschema) in tree.subschemas.iter().enumerate().rev() {
            let now = is_clear(&clear, &SchemaId(index))
                && children(subschema).all(|child| is_clear(&clear, &child));
            if let Some(before) = clear.get_mut(index) {
                changed |= *before != now;
                *before = now;
            }
        }
        if !changed {
            break;
        }
    }
    for subschema in &mut tree.subschemas {
        for choice in [&mut subschema.any_of, &mut subschema.one_of] {
            if !choice.iter().all(|branch| is_clear(&clear, branch)) {
                choice.clear();
            }
        }
    }
}

fn children(subschema: &Subschema) -> impl Iterator<Item = SchemaId> {
    let array = subschema.array.as_deref();
    let object = subschema.object.as_deref();
    let of_array = array.into_iter().flat_map(|array| array.prefix.iter().copied().chain(array.items));
    let of_object = object.into_iter().flat_map(|object| {
        let additional = match object.additional {
            Additional::Schema(id) => Some(id),
            Additional::Anything | Additional::Nothing => None,
        };
        object.properties().iter().filter_map(|property| property.schema).chain(additional)
    });
    let in_place = [&subschema.all_of, &subschema.any_of, &subschema.one_of].into_iter().flatten().copied();
    of_array.chain(of_object).chain(in_place)
}
