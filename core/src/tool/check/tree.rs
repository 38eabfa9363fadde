//! A schema in the form that values are checked against: keywords read, references resolved.

use std::cmp::Ordering;

use serde_json::Value;

use super::number::Numeric;
use super::types::Types;

/// Names a subschema of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemaId(pub(super) usize);

/// All subschemas of a schema, the root first.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) subschemas: Vec<Subschema>,
}

impl Tree {
    pub(super) const ROOT: SchemaId = SchemaId(0);

    #[expect(clippy::indexing_slicing, reason = "an id is the index of a subschema that was pushed")]
    pub(super) fn get(&self, id: SchemaId) -> &Subschema {
        &self.subschemas[id.0]
    }
}

/// The keywords of one schema. All of them hold at once.
#[derive(Debug)]
pub(super) struct Subschema {
    /// `type`; nothing for the schema `false`.
    pub(super) types: Types,
    /// What is left of `types` when the schemas that apply to the same value are looked at too.
    pub(super) admits: Types,
    /// `enum`.
    pub(super) allowed: Option<Box<[Value]>>,
    /// `const`.
    pub(super) constant: Option<Box<Value>>,
    /// `minimum` and its kin.
    pub(super) limits: Vec<Limit>,
    /// `minLength` and `maxLength`, in code points.
    pub(super) length: Size,
    pub(super) array: Option<Box<ArrayRules>>,
    pub(super) object: Option<Box<ObjectRules>>,
    /// `allOf`, and where `$ref` leads.
    pub(super) all_of: Vec<SchemaId>,
    pub(super) any_of: Vec<SchemaId>,
    pub(super) one_of: Vec<SchemaId>,
    /// Schemas under keywords that are not walked, which apply to the same value all the same.
    pub(super) in_place: Vec<SchemaId>,
    /// Has keywords that are not walked.
    pub(super) opaque: bool,
}

impl Subschema {
    pub(super) fn new(types: Types) -> Self {
        Self {
            types,
            admits: types,
            allowed: None,
            constant: None,
            limits: Vec::new(),
            length: Size::default(),
            array: None,
            object: None,
            all_of: Vec::new(),
            any_of: Vec::new(),
            one_of: Vec::new(),
            in_place: Vec::new(),
            opaque: false,
        }
    }

    /// The values of `enum` or `const`.
    pub(super) fn values(&self) -> Option<&[Value]> {
        match (&self.constant, &self.allowed) {
            (Some(constant), _) => Some(std::slice::from_ref(&**constant)),
            (None, Some(allowed)) => Some(allowed),
            (None, None) => None,
        }
    }
}

/// A limit to the value of a number.
#[derive(Debug)]
pub(super) struct Limit {
    pub(super) keyword: LimitKeyword,
    pub(super) value: Numeric,
    /// As it is declared.
    pub(super) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LimitKeyword {
    Minimum,
    Maximum,
    ExclusiveMinimum,
    ExclusiveMaximum,
}

impl LimitKeyword {
    pub(super) fn parse(keyword: &str) -> Option<Self> {
        Some(match keyword {
            "minimum" => Self::Minimum,
            "maximum" => Self::Maximum,
            "exclusiveMinimum" => Self::ExclusiveMinimum,
            "exclusiveMaximum" => Self::ExclusiveMaximum,
            _ => return None,
        })
    }

    /// What a number must be, before the limit.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::Minimum => "at least",
            Self::Maximum => "at most",
            Self::ExclusiveMinimum => "more than",
            Self::ExclusiveMaximum => "less than",
        }
    }
}

impl Limit {
    pub(super) fn holds(&self, value: Numeric) -> bool {
        let ordering = value.compare(self.value);
        match self.keyword {
            LimitKeyword::Minimum => ordering != Ordering::Less,
            LimitKeyword::Maximum => ordering != Ordering::Greater,
            LimitKeyword::ExclusiveMinimum => ordering == Ordering::Greater,
            LimitKeyword::ExclusiveMaximum => ordering == Ordering::Less,
        }
    }
}

/// How much there may be of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) min: u64,
    pub(super) max: u64,
}

impl Default for Size {
    fn default() -> Self {
        Self { min: 0, max: u64::MAX }
    }
}

#[derive(Debug, Default)]
pub(super) struct ArrayRules {
    /// `prefixItems`.
    pub(super) prefix: Vec<SchemaId>,
    /// `items`, for those after the prefix.
    pub(super) items: Option<SchemaId>,
    pub(super) size: Size,
    pub(super) unique: bool,
}

impl ArrayRules {
    /// The schema of each item.
    pub(super) fn schemas(&self) -> impl Iterator<Item = Option<SchemaId>> {
        self.prefix.iter().copied().map(Some).chain(std::iter::repeat(self.items))
    }
}

#[derive(Debug, Default)]
pub(super) struct ObjectRules {
    /// In the order they were declared.
    properties: Vec<Property>,
    /// Indices of the properties by name, where there are too many to look at each.
    by_name: Vec<usize>,
    /// How many are required.
    pub(super) required: usize,
    pub(super) additional: Additional,
    pub(super) size: Size,
}

#[derive(Debug)]
pub(super) struct Property {
    pub(super) name: String,
    /// Its schema under `properties`; `None` for a name that is required but not declared.
    pub(super) schema: Option<SchemaId>,
    pub(super) required: bool,
}

/// What `additionalProperties` says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Additional {
    #[default]
    Anything,
    Nothing,
    Schema(SchemaId),
}

/// How many properties are compared one by one before an index is worth it.
const FEW: usize = 8;

impl ObjectRules {
    pub(super) fn set_properties(&mut self, properties: Vec<Property>) {
        self.required = properties.iter().filter(|property| property.required).count();
        if properties.len() > FEW {
            let mut named: Vec<(usize, &str)> =
                properties.iter().enumerate().map(|(index, property)| (index, &*property.name)).collect();
            named.sort_unstable_by_key(|(_, name)| *name);
            self.by_name = named.into_iter().map(|(index, _)| index).collect();
        }
        self.properties = properties;
    }

    pub(super) fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// The property of this name. Most objects come in the declared order, which `next` remembers.
    pub(super) fn find(&self, name: &str, next: &mut usize) -> Option<&Property> {
        let expected = self.properties.get(*next).filter(|property| property.name == name);
        if expected.is_some() {
            *next = next.saturating_add(1);
            return expected;
        }
        let index = if self.by_name.is_empty() {
            self.properties.iter().position(|property| property.name == name)
        } else {
            let name_of = |index: &usize| self.properties.get(*index).map(|property| property.name.as_str());
            let found = self.by_name.binary_search_by(|index| name_of(index).cmp(&Some(name))).ok();
            found.and_then(|at| self.by_name.get(at)).copied()
        }?;
        *next = index.saturating_add(1);
        self.properties.get(index)
    }

    /// The schema of a property that may be there.
    pub(super) fn schema_of(&self, property: Option<&Property>) -> Additional {
        property.and_then(|property| property.schema).map_or(self.additional, Additional::Schema)
    }
}
