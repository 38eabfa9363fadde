//! Types that a schema refers to by name, and which of them are inlined.
//!
//! Clients drop `$defs` and keep the references into it, so there are none where there can be none. A type that holds
//! itself has to have a name; and a type that is used all over may, when the schema would grow out of all proportion.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::{each_child, percent_decode, visit};

/// How many subschemas a schema may have when all is inlined.
const MANY: usize = 1_000;
/// In one that would have more, types of up to this many subschemas are inlined all the same.
const SMALL: usize = 32;

/// A schema, and the types that it refers to.
pub(super) struct References {
    root: Value,
    types: Map<String, Value>,
    /// Which types are referred to by the root (under the name `""`) and by each type, as often as they are.
    uses: HashMap<String, Vec<String>>,
}

impl References {
    /// Takes apart a schema, whose own type has this name.
    pub(super) fn new(mut root: Value, name: &str) -> Self {
        let mut types = match root.as_object_mut().and_then(|members| members.shift_remove("$defs")) {
            Some(Value::Object(types)) => types,
            Some(_) | None => Map::new(),
        };
        if refers_to_root(&root) || types.values().any(refers_to_root) {
            let name = unused(name, |name| types.contains_key(name));
            types.insert(name.clone(), root.clone());
            let named = format!("#/$defs/{}", encoded(&name));
            std::iter::once(&mut root).chain(types.values_mut()).for_each(|schema| name_root(schema, &named));
        }
        let of_types = types.iter().map(|(name, schema)| (name.clone(), referred(schema)));
        let uses = of_types.chain([(String::new(), referred(&root))]).collect();
        Self { root, types, uses }
    }

    /// The schema, where it refers to no type: then it is the same whether references are inlined or not.
    pub(super) fn alone(&mut self) -> Option<Value> {
        self.types.is_empty().then(|| self.root.take())
    }

    /// Whether all of them can be inlined.
    pub(super) fn are_few(&self) -> bool {
        let recursive = self.recursive();
        recursive.is_empty() && self.total(&recursive) <= MANY
    }

    /// Inlines all but those that have to keep their name.
    pub(super) fn inline(self) -> Value {
        let recursive = self.recursive();
        let kept = if self.total(&recursive) > MANY {
            self.large(&recursive)
        } else {
            recursive.into_iter().map(str::to_owned).collect()
        };
        let mut published = Published { types: &self.types, kept, names: Vec::new() };
        let mut root = match published.root_type(&self.root) {
            Some((target, siblings)) => merged(published.inlined(target), siblings).unwrap_or_default(),
            None => published.inlined(&self.root),
        };
        let mut named = Map::new();
        let mut next = 0;
        while let Some((name, public)) = published.names.get(next).cloned() {
            next = next.saturating_add(1);
            if let Some(schema) = self.types.get(&name) {
                named.insert(public, published.inlined(schema));
            }
        }
        if let Some(root) = root.as_object_mut().filter(|_| !named.is_empty()) {
            root.insert("$defs".to_owned(), Value::Object(named));
        }
        root
    }

    /// Types that hold themselves, on whatever way.
    fn recursive(&self) -> HashSet<&str> {
        let reaches_itself = |name: &&str| {
            let mut seen = HashSet::new();
            let mut open: Vec<&str> = self.used_by(name).collect();
            while let Some(next) = open.pop() {
                if next == *name {
                    return true;
                }
                if seen.insert(next) {
                    open.extend(self.used_by(next));
                }
            }
            false
        };
        self.types.keys().map(String::as_str).filter(reaches_itself).collect()
    }

    fn used_by<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.uses.get(name).into_iter().flatten().map(String::as_str)
    }

    /// How many subschemas there are when all but these are inlined.
    fn total(&self, kept: &HashSet<&str>) -> usize {
        let mut sizes = HashMap::new();
        let mut is_kept = |name: &str, _| kept.contains(name);
        std::iter::once("")
            .chain(kept.iter().copied())
            .map(|name| self.size(name, &mut is_kept, &mut sizes))
            .fold(0, usize::saturating_add)
    }

    /// Beside the recursive types, those that have grown large and are used more than once.
    fn large(&self, recursive: &HashSet<&str>) -> HashSet<String> {
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for name in self.uses.values().flatten() {
            let count = uses.entry(name).or_default();
            *count = count.saturating_add(1);
        }
        let mut kept: HashSet<String> = recursive.iter().copied().map(str::to_owned).collect();
        let mut is_kept = |name: &str, size: Option<usize>| {
            if size.is_some_and(|size| size > SMALL) && uses.get(name).is_some_and(|uses| *uses > 1) {
                kept.insert(name.to_owned());
            }
            kept.contains(name)
        };
        let mut sizes = HashMap::new();
        for name in std::iter::once("").chain(recursive.iter().copied()) {
            self.size(name, &mut is_kept, &mut sizes);
        }
        kept
    }

    /// The size of a type. `kept` is asked about each type that it uses: first without its size, whether to look into
    /// it, and then with it.
    fn size<'a>(
        &'a self,
        name: &'a str,
        kept: &mut impl FnMut(&str, Option<usize>) -> bool,
        sizes: &mut HashMap<&'a str, usize>,
    ) -> usize {
        if let Some(size) = sizes.get(name) {
            return *size;
        }
        let schema = if name.is_empty() { Some(&self.root) } else { self.types.get(name) };
        let mut size = schema.map_or(0, count);
        for used in self.used_by(name) {
            if kept(used, None) {
                continue;
            }
            let inner = self.size(used, kept, sizes);
            if !kept(used, Some(inner)) {
                // It takes the place of the reference.
                size = size.saturating_add(inner.saturating_sub(1));
            }
        }
        sizes.insert(name, size);
        size
    }
}

struct Published<'a> {
    types: &'a Map<String, Value>,
    kept: HashSet<String>,
    /// Types that are referred to, and their published names, in order of appearance.
    names: Vec<(String, String)>,
}

impl<'a> Published<'a> {
    /// What the root refers to, and what stands beside the reference: it is inlined whatever it is.
    fn root_type(&self, root: &'a Value) -> Option<(&'a Value, Map<String, Value>)> {
        let target = self.types.get(&target(root)?)?;
        let mut siblings = root.as_object()?.clone();
        siblings.shift_remove("$ref");
        Some((target, siblings))
    }

    fn inlined(&mut self, schema: &Value) -> Value {
        let mut schema = schema.clone();
        self.inline(&mut schema);
        schema
    }

    fn inline(&mut self, schema: &mut Value) {
        each_child(schema, &mut |child| self.inline(child));
        let types = self.types;
        let Some((name, target)) = target(schema).and_then(|name| types.get_key_value(&name)) else {
            return;
        };
        let Some(members) = schema.as_object_mut() else { return };
        if !self.kept.contains(name) {
            let mut siblings = members.clone();
            siblings.shift_remove("$ref");
            if let Some(merged) = merged(self.inlined(target), siblings) {
                *schema = merged;
                return;
            }
        }
        let public = self.public(name);
        members.insert("$ref".to_owned(), json!(format!("#/$defs/{public}")));
    }

    /// The published name of a type: of characters that need no encoding.
    fn public(&mut self, name: &str) -> String {
        if let Some((_, public)) = self.names.iter().find(|(own, _)| own == name) {
            return public.clone();
        }
        let plain = |char: char| if char.is_ascii_alphanumeric() || char == '_' { char } else { '_' };
        let plain: String = name.chars().map(plain).collect();
        let public = unused(&plain, |name| self.names.iter().any(|(_, public)| public == name));
        self.names.push((name.to_owned(), public.clone()));
        public
    }
}

/// A schema and what stood beside the reference to it, which says more. `None` where they cannot be one.
fn merged(target: Value, siblings: Map<String, Value>) -> Option<Value> {
    let Value::Object(mut target) = target else {
        return siblings.is_empty().then_some(target);
    };
    let applies_others = |keyword: &String| matches!(keyword.as_str(), "allOf" | "anyOf" | "oneOf" | "$ref");
    if siblings.keys().any(|keyword| applies_others(keyword) && target.contains_key(keyword)) {
        return None;
    }
    for (keyword, value) in siblings {
        match (keyword.as_str(), value, target.get_mut(&keyword)) {
            ("properties", Value::Object(mut own), Some(Value::Object(properties))) => {
                let rest = std::mem::take(properties);
                for (name, property) in rest {
                    own.entry(name).or_insert(property);
                }
                *properties = own;
            }
            ("required", Value::Array(mut own), Some(Value::Array(required))) => {
                let rest = required.drain(..).filter(|name| !own.contains(name)).collect::<Vec<_>>();
                own.extend(rest);
                *required = own;
            }
            (_, value, _) => {
                target.insert(keyword, value);
            }
        }
    }
    Some(Value::Object(target))
}

fn count(schema: &Value) -> usize {
    let mut count = 0_usize;
    visit(schema, 0, &mut |_, _| {
        count = count.saturating_add(1);
        true
    });
    count
}

fn reference(schema: &Value) -> Option<&str> {
    schema.get("$ref")?.as_str()
}

fn refers_to_root(schema: &Value) -> bool {
    !visit(schema, 0, &mut |subschema, _| reference(subschema) != Some("#"))
}

fn name_root(schema: &mut Value, name: &str) {
    each_child(schema, &mut |child| name_root(child, name));
    if reference(schema) == Some("#")
        && let Some(members) = schema.as_object_mut()
    {
        members.insert("$ref".to_owned(), json!(name));
    }
}

/// The name of the type that a schema refers to.
fn target(schema: &Value) -> Option<String> {
    let name = percent_decode(reference(schema)?.strip_prefix("#/$defs/")?)?;
    Some(name.replace("~1", "/").replace("~0", "~"))
}

fn encoded(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1").replace('%', "%25")
}

/// The types that a schema refers to.
fn referred(schema: &Value) -> Vec<String> {
    let mut names = Vec::new();
    visit(schema, 0, &mut |subschema, _| {
        names.extend(target(subschema));
        true
    });
    names
}

/// A name that is not taken: this, or this with a number.
fn unused(name: &str, taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2_u32..).map(|number| format!("{name}{number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !taken(name)).unwrap_or_default()
}
