//! Names of all types of a file.

use std::collections::HashMap;

use proc_macro2::Ident;

use super::build::Built;
use super::{IndexId, Shape};
use crate::model::{Model, Record, RecordId, RecordKind, UnionId};
use crate::rust::names::{Scope, camel, shout, snake};

/// Names of types, variants and constants, by number.
#[derive(Debug)]
pub struct Naming {
    pub records: Vec<Ident>,
    pub unions: Vec<Ident>,
    pub variants: Vec<Vec<Ident>>,
    pub enums: Vec<Ident>,
    /// By enumeration: constants or variants.
    pub members: Vec<Vec<Ident>>,
    pub indices: Vec<Ident>,
}

impl Naming {
    /// Types that are used choose first, declared ones before cases, so that a name does not
    /// depend on what nobody sees.
    pub fn new(model: &Model, built: &Built<'_>) -> Naming {
        let mut scope = Scope::with(&["Self"]);
        let mut records: HashMap<RecordId, Ident> = HashMap::new();
        let mut unions: HashMap<UnionId, Ident> = HashMap::new();
        let has_type = |id: RecordId| {
            built.used.records[id.index()]
                && !built.transparent[id.index()]
                && built.twins[id.index()] == id
        };
        let declared =
            |record: &Record| matches!(record.kind, RecordKind::Struct | RecordKind::Word(_));
        // The root is called as it is declared, whatever else there is.
        let root = &model.records[model.root.index()];
        records.insert(model.root, scope.take(&[camel(&root.template)]));
        let ids = || (0..).map(RecordId).take(model.records.len());
        for id in ids().filter(|id| has_type(*id) && *id != model.root) {
            let record = &model.records[id.index()];
            if declared(record) {
                let alone = ids().all(|other| {
                    other == id
                        || !has_type(other)
                        || !declared(&model.records[other.index()])
                        || model.records[other.index()].template != record.template
                });
                records.insert(id, scope.take(&struct_names(record, alone)));
            }
        }
        let enums = model
            .enums
            .iter()
            .map(|e| scope.take(&[last_camel(&e.name), camel(&e.name)]))
            .collect();
        for (index, union) in (0..).zip(&model.unions) {
            if built.used.unions[UnionId(index).index()] {
                unions.insert(UnionId(index), scope.take(&union_names(&union.name, union.body)));
            }
        }
        for id in ids().filter(|id| has_type(*id)) {
            records.entry(id).or_insert_with(|| scope.take(&case_names(model, id)));
        }
        for id in ids().filter(|id| built.twins[id.index()] != *id) {
            let name = records.get(&built.twins[id.index()]).cloned();
            records.extend(name.map(|name| (id, name)));
        }
        let indices = index_names(model, built, &records, &mut scope);
        // What has no type is still named, for names of functions.
        for id in ids() {
            let name = || camel(&model.records[id.index()].name);
            records.entry(id).or_insert_with(|| scope.take(&[name()]));
        }
        for (index, union) in (0..).zip(&model.unions) {
            unions.entry(UnionId(index)).or_insert_with(|| scope.take(&[camel(&union.name)]));
        }
        Naming {
            records: ids().map(|id| records[&id].clone()).collect(),
            unions: (0..)
                .map(UnionId)
                .take(model.unions.len())
                .map(|id| unions[&id].clone())
                .collect(),
            variants: model
                .unions
                .iter()
                .map(|union| {
                    let mut scope = Scope::default();
                    union.cases.iter().map(|case| scope.take(&[camel(&case.name)])).collect()
                })
                .collect(),
            enums,
            members: model
                .enums
                .iter()
                .map(|e| {
                    let mut scope = Scope::default();
                    let name = |name: &str| if e.closed { camel(name) } else { shout(name) };
                    e.members.iter().map(|member| scope.take(&[name(&member.name)])).collect()
                })
                .collect(),
            indices,
        }
    }
}

/// A struct has the name of its declaration; if several uses of it with other arguments have
/// types, their arguments are part of it.
fn struct_names(record: &Record, alone: bool) -> Vec<String> {
    let short = last_camel(&record.template);
    let mut names = Vec::new();
    if alone {
        names.push(short.clone());
    }
    if let Some((_, arguments)) = record.name.split_once('<') {
        names.push(format!("{short}{}", camel(&arguments.replace(">", " "))));
    }
    names.push(camel(&record.template));
    names.push(camel(&record.name));
    names
}

/// `Event.data` is `EventData`; the body of a type has its name, or that and `Case`, if a struct
/// around it has taken it.
fn union_names(name: &str, body: bool) -> Vec<String> {
    if body { vec![camel(name), format!("{}Case", camel(name))] } else { vec![camel(name)] }
}

/// `Event.data.fork` is `EventFork`, or `EventDataFork` if that is taken.
fn case_names(model: &Model, id: RecordId) -> Vec<String> {
    let record = &model.records[id.index()];
    let RecordKind::Case(union, case) = record.kind else { return vec![camel(&record.name)] };
    let union = &model.unions[union.index()];
    let case = &union.cases[case as usize].name;
    let plain = union.name.split('<').next().unwrap_or_default();
    let owner = plain.rsplit_once('.').map_or(plain, |(owner, _)| owner);
    vec![
        format!("{}{}", camel(owner), camel(case)),
        format!("{}{}", camel(&union.name), camel(case)),
        camel(&record.name),
    ]
}

/// `EventIndex` for an array of `Event`. If several arrays have such elements, or if they are no
/// structs, the name says where the array is.
fn index_names(
    model: &Model,
    built: &Built<'_>,
    records: &HashMap<RecordId, Ident>,
    scope: &mut Scope,
) -> Vec<Ident> {
    let count = u32::try_from(built.indices.len()).unwrap_or(0);
    let element = |id: IndexId| {
        let (record, row) = built.indices.array(id)?;
        let record = &model.records[record.index()];
        match built.row_shape(record, &record.rows[row.index()]) {
            Shape::List(element) | Shape::Fixed(element, _) => match *element {
                Shape::Struct(record) | Shape::Word(record) => {
                    records.get(&record).map(|ident| bare(&ident.to_string()))
                }
                Shape::Choice(union) => Some(camel(&model.unions[union.index()].name)),
                _ => None,
            },
            _ => None,
        }
    };
    let elements: Vec<Option<String>> = (0..count).map(IndexId).map(element).collect();
    let mut names = Vec::new();
    for id in (0..count).map(IndexId) {
        let own = &elements[id.index()];
        let alone = elements.iter().filter(|other| *other == own).count() == 1;
        let mut candidates = Vec::new();
        if let (Some(own), true) = (own, alone) {
            candidates.push(format!("{own}Index"));
        }
        if let Some((record, row)) = built.indices.array(id) {
            let owner = last_camel(&model.records[record.index()].template);
            let row = &model.records[record.index()].rows[row.index()];
            let row = row.name.as_deref().unwrap_or("items");
            if let Some(own) = own {
                candidates.push(format!("{owner}{own}Index"));
            }
            candidates.push(format!("{owner}{}Index", camel(&snake(row))));
        }
        candidates.push("Index".to_owned());
        names.push(scope.take(&candidates));
    }
    names
}

/// Without what makes a keyword an identifier.
fn bare(name: &str) -> String {
    name.strip_prefix("r#").unwrap_or(name).to_owned()
}

/// Type name of the last part of a dotted name: `nn.Pool` is `Pool`.
fn last_camel(name: &str) -> String {
    camel(name.rsplit('.').next().unwrap_or(name))
}
