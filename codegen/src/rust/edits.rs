//! Edits of arrays that something refers to: the way to every reference, and functions that insert,
//! remove and move elements.
//!
//! The functions belong to the struct at which the paths of the references begin, so that whatever
//! refers to an element is in the value that they change.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

use super::mapping::held;
use super::names::{Scope, ident, snake};
use super::shape::{IndexId, Shape, Shapes, table_of};
use crate::model::{
    Expr, ExprId, Member, Model, Path, RecordId, RecordKind, Row, RowId, RowKind, Start, Step,
    Type, UnionId,
};

/// The ways to references, and the functions.
pub(super) fn emit(shapes: &Shapes<'_>) -> TokenStream {
    let targets = targets(shapes);
    let places = Leading::new(shapes, &targets);
    let mut code = places.emit();
    let mut scopes: BTreeMap<String, Scope> = BTreeMap::new();
    for target in &targets {
        code.extend(target.emit(shapes, &places, &mut scopes));
    }
    code
}

/// Whether there is a way to something that edits change in the values of a record.
pub(super) fn has_places(shapes: &Shapes<'_>, record: RecordId) -> bool {
    Leading::new(shapes, &targets(shapes)).is_emitted(record)
}

/// Records and unions whose values have something in them that edits change.
struct Leading<'s, 'm> {
    shapes: &'s Shapes<'m>,
    records: BTreeSet<RecordId>,
    unions: BTreeSet<UnionId>,
    /// Arrays that are edited.
    arrays: BTreeSet<(RecordId, RowId)>,
}

impl<'s, 'm> Leading<'s, 'm> {
    fn new(shapes: &'s Shapes<'m>, targets: &[Target]) -> Leading<'s, 'm> {
        let arrays = targets.iter().map(|target| target.array).collect();
        let mut leading =
            Leading { shapes, records: BTreeSet::new(), unions: BTreeSet::new(), arrays };
        let model = shapes.model();
        let all = held(shapes);
        loop {
            let before = (leading.records.len(), leading.unions.len());
            for (id, record) in model.records() {
                if record.numbered_rows().any(|(row, _)| leading.row(id, row)) {
                    leading.records.insert(id);
                }
            }
            for (holder, held) in all.values() {
                let leads = |id: &RecordId| leading.records.contains(id);
                if leads(holder) || held.iter().any(|held| leads(&held.record)) {
                    leading.records.insert(*holder);
                    leading.records.extend(held.iter().map(|held| held.record));
                }
            }
            for (id, union) in (0..).map(UnionId).zip(&model.unions) {
                for case in &union.cases {
                    if case.forms.iter().any(|form| leading.records.contains(&form.record)) {
                        leading.records.insert(case.record);
                    }
                    if leading.records.contains(&case.record) {
                        leading.unions.insert(id);
                    }
                }
            }
            if before == (leading.records.len(), leading.unions.len()) {
                return leading;
            }
        }
    }

    /// Whether something is changed in a row, or how its elements are spelled.
    fn row(&self, record: RecordId, row: RowId) -> bool {
        self.is_spelled_array(record, row) || self.leads(record, row)
    }

    fn is_spelled_array(&self, record: RecordId, row: RowId) -> bool {
        self.arrays.contains(&(record, row)) && self.shapes.has_spelling(record)
    }

    /// Whether something is changed in what a row holds.
    fn leads(&self, record: RecordId, row: RowId) -> bool {
        let model = self.shapes.model();
        let definition = &model.records[record.index()].rows[row.index()];
        let own = definition.reference.is_some() || self.is_of_references(definition);
        own || self.forms_lead(record, definition) || self.holds(definition)
    }

    fn holds(&self, row: &Row) -> bool {
        row.ty.unions().any(|union| self.unions.contains(&union))
            || self.shapes.model().held(&row.ty).any(|inner| self.records.contains(&inner))
    }

    /// Whether a slice is one of a table of references.
    fn is_of_references(&self, row: &Row) -> bool {
        let RowKind::Slice { table, .. } = &row.kind else { return false };
        let model = self.shapes.model();
        table_of(model, table).is_some_and(|(record, row)| {
            let row = &model.records[record.index()].rows[row.index()];
            row.reference.is_some() || self.holds(row)
        })
    }

    /// Whether a row of a case leads on in one of its forms.
    fn forms_lead(&self, record: RecordId, row: &Row) -> bool {
        let model = self.shapes.model();
        let RecordKind::Case(union, case) = model.records[record.index()].kind else {
            return false;
        };
        let forms = &model.unions[union.index()].cases[case as usize].forms;
        forms.iter().any(|form| {
            let rows = &model.records[form.record.index()].rows;
            let same = rows.iter().filter(|other| row.name.is_some() && other.name == row.name);
            same.into_iter().any(|row| row.reference.is_some() || self.holds(row))
        })
    }

    /// Whether values of a shape have a way to numbers in them.
    fn has_places(&self, shape: &Shape) -> bool {
        match shape {
            Shape::Int(_) | Shape::Index(_) => true,
            Shape::List(inner)
            | Shape::Fixed(inner, _)
            | Shape::Option(inner)
            | Shape::Boxed(inner) => self.has_places(inner),
            Shape::Kept(inner) => matches!(**inner, Shape::Int(_) | Shape::Index(_)),
            Shape::Struct(record) => self.is_emitted(*record),
            Shape::Choice(union) => self.unions.contains(union),
            _ => false,
        }
    }

    fn is_emitted(&self, record: RecordId) -> bool {
        self.records.contains(&record)
            || held(self.shapes).values().any(|(holder, held)| {
                let ident = |id: RecordId| self.shapes.ident(id);
                ident(*holder) == ident(record)
                    && held.iter().any(|held| self.records.contains(&held.record))
            })
    }

    fn emit(&self) -> TokenStream {
        let mut code = TokenStream::new();
        let shapes = self.shapes;
        for (holder, held) in held(shapes).values() {
            if !held.iter().any(|held| self.records.contains(&held.record)) {
                continue;
            }
            let ty = shapes.ty_for(&Shape::Struct(*holder), false, &quote!('_));
            let mut fields = TokenStream::new();
            for held in held {
                let record = Literal::u32_unsuffixed(held.record.0);
                for (row, field) in &held.fields {
                    let leads =
                        self.leads(held.record, RowId(*row)) || self.leads(*holder, field.row);
                    if leads && self.has_places(&field.shape) {
                        let (row, name) = (Literal::u32_unsuffixed(*row), &field.ident);
                        fields.extend(quote!(#record #row #name,));
                    }
                }
            }
            let spelled = shapes.has_spelling(*holder).then(|| {
                let of = |id: &RecordId| self.arrays.iter().any(|(record, _)| record == id);
                let all = held.iter().map(|held| held.record).filter(of);
                let all: Vec<_> = all.map(|id| Literal::u32_unsuffixed(id.0)).collect();
                if all.is_empty() { quote!() } else { quote!(spelling #(#all)*) }
            });
            code.extend(quote!(::formwork::__places! { [#ty] { #fields } { #spelled } }));
        }
        for id in &self.unions {
            if !shapes.has_union(*id) {
                continue;
            }
            let ty = shapes.ty_for(&Shape::Choice(*id), false, &quote!('_));
            let cases =
                0..u32::try_from(shapes.model().unions[id.index()].cases.len()).unwrap_or(0);
            let cases = cases.filter_map(|case| {
                let (variant, payload) = shapes.variant(*id, case);
                self.has_places(&shapes.record(payload?)).then_some(variant)
            });
            code.extend(quote!(::formwork::__place_cases! { [#ty] #(#cases)* }));
        }
        code
    }
}

/// An array that something refers to, as it is reached from where its functions are.
struct Target {
    /// The record with the functions.
    scope: RecordId,
    /// Its row.
    array: (RecordId, RowId),
    way: Vec<Part>,
    /// The fields by which something refers to elements.
    keys: BTreeSet<String>,
    /// The positions that something refers to elements by.
    index: Option<IndexId>,
}

/// A step of the way to an array.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Row { record: RecordId, row: RowId, only: bool },
    Element,
}

/// All arrays with references whose paths begin at one struct.
fn targets(shapes: &Shapes<'_>) -> Vec<Target> {
    let model = shapes.model();
    // By array: how the references lead there, and by which fields.
    type Led = (Vec<Option<(RecordId, Vec<Part>)>>, BTreeSet<String>, bool);
    let mut found: BTreeMap<(RecordId, RowId), Led> = BTreeMap::new();
    for (id, record) in model.records() {
        for row in &record.rows {
            let Some(reference) = &row.reference else { continue };
            let Some(array) = table_of(model, &reference.array) else { continue };
            let (ways, keys, by_position) = found.entry(array).or_default();
            let begins = begins(model, id, &reference.array);
            let found = begins.into_iter().map(|begin| {
                let way = way(shapes, begin, &reference.array)?;
                Some((begin, way))
            });
            let found: Vec<_> = found.collect();
            if found.is_empty() {
                ways.push(None);
            }
            ways.extend(found);
            match &reference.field {
                Some(field) => drop(keys.insert(field.clone())),
                None => *by_position = true,
            }
        }
    }
    let mut targets = Vec::new();
    for (array, (ways, keys, by_position)) in found {
        let Some(mut ways) = ways.into_iter().collect::<Option<Vec<_>>>() else { continue };
        ways.sort_by_key(|(begin, way)| (*begin, way.len()));
        ways.dedup();
        for (scope, way) in &ways {
            let passed = |way: &[Part], by: RecordId| {
                way.iter().any(|part| matches!(part, Part::Row { record, .. } if *record == by))
            };
            // A struct is only good for it if no reference into an array of it is outside.
            let good = ways.iter().all(|(other, its_way)| {
                other == scope && its_way == way
                    || other != scope
                        && !passed(its_way, *scope)
                        && (passed(way, *other)
                            || !model.holds(*scope, *other) && !model.holds(*other, *scope))
            });
            let Some(Part::Row { record, row, .. }) = way.last() else { continue };
            if !good || !shapes.has_type(*scope) {
                continue;
            }
            let index = by_position.then(|| shapes.index_into(array.0, array.1)).flatten();
            let (array, way, keys) = ((*record, *row), way.clone(), keys.clone());
            targets.push(Target { scope: *scope, array, way, keys, index });
        }
    }
    targets
}

/// The record at which a path begins that is evaluated in a record, and what subscripts in it need.
fn begins(model: &Model, record: RecordId, path: &Path) -> Vec<RecordId> {
    let all: Vec<RecordId> = match &path.start {
        Start::This => match model.records[record.index()].kind {
            RecordKind::Form(..) => Vec::new(),
            _ => vec![record],
        },
        Start::Root => vec![model.root],
        Start::Enclosing(records) => records.clone(),
        Start::Up(_) | Start::It | Start::Argument(_) => Vec::new(),
    };
    let inside = |expr: ExprId| {
        let mut inside = true;
        model.exprs.paths(expr, &mut |other| {
            inside &= match &other.start {
                Start::This | Start::It => true,
                Start::Enclosing(records) => records.iter().all(|record| all.contains(record)),
                Start::Root => all == [model.root],
                Start::Up(_) | Start::Argument(_) => false,
            };
        });
        inside
    };
    let subscripts = path.steps.iter().all(|step| match step {
        Step::Index(index) => inside(*index),
        Step::Field(_) | Step::Last => true,
    });
    if subscripts { all } else { Vec::new() }
}

/// The way along a path from a record on; none if it may lead to several places.
fn way(shapes: &Shapes<'_>, begin: RecordId, path: &Path) -> Option<Vec<Part>> {
    let mut walk = Walk { shapes, way: Vec::new(), at: At::Record(begin) };
    walk.steps(path, 8)?;
    walk.enter_row();
    matches!(walk.at, At::Type(ty) if matches!(behind(ty), Type::Array(_))).then_some(walk.way)
}

/// Where a way has come to.
#[derive(Clone, Copy)]
enum At<'m> {
    Record(RecordId),
    Type(&'m Type),
}

struct Walk<'s, 'm> {
    shapes: &'s Shapes<'m>,
    way: Vec<Part>,
    at: At<'m>,
}

impl<'m> Walk<'_, 'm> {
    fn steps(&mut self, path: &'m Path, lets: u32) -> Option<()> {
        let model = self.shapes.model();
        for step in &path.steps {
            match step {
                Step::Index(_) => {
                    self.enter_row();
                    let At::Type(ty) = self.at else { return None };
                    let Type::Array(array) = behind(ty) else { return None };
                    self.way.push(Part::Element);
                    self.at = At::Type(&array.element);
                }
                Step::Last => return None,
                Step::Field(field) => {
                    self.enter_record()?;
                    let At::Record(record) = self.at else { return None };
                    for member in field.way_in(record) {
                        self.enter_record()?;
                        let At::Record(record) = self.at else { return None };
                        match member {
                            Member::Row(row) | Member::Into(row) => self.enter(record, *row),
                            Member::Let(position) => {
                                let lets = lets.checked_sub(1)?;
                                let known = &model.records[record.index()].lets;
                                let expr = known.get(*position as usize)?.expr;
                                let Expr::Path(inner) = &model[expr] else { return None };
                                matches!(inner.start, Start::This).then_some(())?;
                                self.steps(inner, lets)?;
                            }
                        }
                    }
                    if field.way_in(record).is_empty() {
                        return None;
                    }
                }
            }
        }
        Some(())
    }

    fn enter(&mut self, record: RecordId, row: RowId) {
        let definition = &self.shapes.model().records[record.index()];
        let case = matches!(definition.kind, RecordKind::Case(..));
        let only = definition.transparent == Some(row) && !case;
        self.way.push(Part::Row { record, row, only });
        self.at = At::Type(&definition.rows[row.index()].ty);
    }

    /// Into the record that a row holds.
    fn enter_record(&mut self) -> Option<()> {
        if let At::Type(ty) = self.at {
            match behind(ty) {
                Type::Record(record) => self.at = At::Record(*record),
                _ => return None,
            }
        }
        Some(())
    }

    /// To what a record stands for that is nothing but a row.
    fn enter_row(&mut self) {
        for _ in 0..16 {
            let record = match self.at {
                At::Record(record) => record,
                At::Type(ty) => match behind(ty) {
                    Type::Record(record) => *record,
                    _ => return,
                },
            };
            match self.shapes.model().records[record.index()].transparent {
                Some(row) => self.enter(record, row),
                None => return,
            }
        }
    }
}

/// A type without regions, pointers and epochs around it.
fn behind(mut ty: &Type) -> &Type {
    loop {
        ty = match ty.stripped() {
            Type::Pointer(pointer) => match pointer.owned() {
                Some(target) => target,
                None => return ty,
            },
            Type::PerEpoch(types) => match types.iter().find(|ty| !matches!(ty, Type::Nothing)) {
                Some(ty) => ty,
                None => return ty,
            },
            ty => return ty,
        }
    }
}

/// How something is reached in a value, with what is around it taken off.
struct Reached {
    /// The place of it, or a reference to it; to change it, and to look at it.
    place: [TokenStream; 2],
    /// Whether it is a reference.
    referred: bool,
    /// The options that hold these references, if that is what was taken off last.
    options: Option<[TokenStream; 2]>,
    shape: Shape,
    /// Names and types of the positions on the way.
    on_way: Vec<(Ident, TokenStream)>,
}

impl Target {
    fn reach(&self, shapes: &Shapes<'_>) -> Option<Reached> {
        let model = shapes.model();
        let mut reached = Reached {
            place: [quote!(of), quote!(of)],
            referred: true,
            options: None,
            shape: Shape::Struct(self.scope),
            on_way: Vec::new(),
        };
        let mut names = Scope::with(&["at", "from", "to", "by", "new", "element", "of"]);
        let mut array: Option<(RecordId, RowId)> = None;
        for part in &self.way {
            reached.bare();
            let [place_mut, place] = reached.place.clone();
            match part {
                Part::Row { record, row, .. } => {
                    array = Some((*record, *row));
                    let field = match &reached.shape {
                        Shape::Struct(holder) if holder == record => shapes.field(*record, *row),
                        // What stands for its only row has no struct.
                        _ if shapes.is_transparent(*record) => continue,
                        _ => return None,
                    };
                    let field = field?;
                    let name = &field.ident;
                    reached.go([quote!(#place_mut.#name), quote!(#place.#name)], false);
                    reached.shape = field.shape.clone();
                }
                Part::Element => {
                    let (record, row) = array?;
                    let index = Literal::usize_unsuffixed(reached.on_way.len());
                    let at = quote!(::formwork::__rt::on_way(at, #index)?);
                    let place = [quote!(#place_mut.get_mut(#at)?), quote!(#place.get(#at)?)];
                    reached.go(place, true);
                    reached.shape = match &reached.shape {
                        Shape::List(inner) | Shape::Fixed(inner, _) => (**inner).clone(),
                        _ => return None,
                    };
                    let ty = match shapes.index_into(record, row) {
                        Some(id) => shapes.ty(&Shape::Index(id), false),
                        None => quote!(usize),
                    };
                    let name = model.records[record.index()].rows[row.index()].name.as_deref();
                    let name = names.take(&[singular(&snake(name.unwrap_or("item")))]);
                    reached.on_way.push((name, ty));
                }
            }
        }
        reached.bare();
        Some(reached)
    }

    fn emit(
        &self,
        shapes: &Shapes<'_>,
        leading: &Leading<'_, '_>,
        scopes: &mut BTreeMap<String, Scope>,
    ) -> Option<TokenStream> {
        let reached = self.reach(shapes)?;
        let [list_mut, list] = reached.found();
        let Reached { shape: Shape::List(element), on_way, .. } = reached else { return None };
        if !leading.is_emitted(self.scope) {
            return None;
        }
        let model = shapes.model();
        let scope = Shape::Struct(self.scope);
        let (name, element_ty) = (shapes.ty(&scope, false), shapes.ty(&element, false));
        let borrows = shapes.borrows(&scope) || shapes.borrows(&element);
        let generics = borrows.then(|| quote!('a));
        let file = shapes.ident(model.root);
        let record = Literal::u32_unsuffixed(self.scope.0);
        let way = self.way.iter().map(|part| match part {
            Part::Row { record, row, only } => {
                let record = Literal::u32_unsuffixed(record.0);
                let row = Literal::u32_unsuffixed(row.0);
                quote!(::formwork::__rt::Some((#record, #row, #only)))
            }
            Part::Element => quote!(::formwork::__rt::None),
        });
        let way: Vec<_> = way.collect();
        let on_way = on_way.iter().map(|(name, ty)| quote!(#name: #ty,));
        let on_way: Vec<_> = on_way.collect();
        let definition = &model.records[self.array.0.index()];
        let row = &definition.rows[self.array.1.index()];
        let array = row.name.clone().unwrap_or_default();
        let head =
            quote!([#generics] [#name] #file #record [#(#way),*] { #(#on_way)* } [#element_ty]);

        // No two functions of a type have one name.
        let taken = scopes.entry(shapes.ident(self.scope).to_string()).or_insert_with(|| {
            Scope::with(&[
                "read",
                "read_with",
                "read_noting",
                "read_owned",
                "write",
                "write_into",
                "validate",
                "into_owned",
                "same_spelling",
                "inspect",
                "clone",
                "from",
                "into",
                "default",
                "eq",
            ])
        });
        let (one, owner) = (singular(&snake(&array)), snake(&definition.template));
        let base = taken.take(&[one.clone(), format!("{owner}_{one}")]).to_string();
        let base = base.strip_prefix("r#").unwrap_or(&base).to_owned();
        let mut code = TokenStream::new();
        if let Some(index) = self.index.filter(|id| shapes.has_index(*id)) {
            let index = shapes.index_ident(index);
            let named = |name: String| ident(&name);
            let names = [
                base.clone(),
                format!("{base}_mut"),
                format!("insert_{base}"),
                format!("push_{base}"),
                format!("remove_{base}"),
                format!("replace_{base}"),
                format!("move_{base}"),
                format!("map_{base}_indices"),
            ];
            let names = names.map(named);
            code.extend(quote! {
                ::formwork::__edits! {
                    #head #index |of, at|
                    { #list_mut } { #list }
                    #array #(#names)*
                }
            });
        }
        for (number, key) in self.keys.iter().enumerate() {
            let Shape::Struct(holder) = *element else { continue };
            let fields = shapes.fields(holder).iter();
            let rows = &model.records[holder.index()].rows;
            let field = fields.filter(|field| matches!(field.shape, Shape::Int(_)));
            let named = |row: RowId| rows[row.index()].name.as_deref() == Some(key.as_str());
            let Some(field) = field.into_iter().find(|field| named(field.row)) else { continue };
            let (name, ty) = (&field.ident, shapes.ty(&field.shape, false));
            let rename = match snake(key).as_str() {
                "key" | "id" => ident(&format!("rename_{base}")),
                key => ident(&format!("rename_{base}_{key}")),
            };
            code.extend(quote! {
                ::formwork::__key_edits! {
                    #head |of, at| { #list_mut }
                    #array #key #name [#ty] #rename
                }
            });
            if number == 0 && self.index.is_none() {
                let remove = ident(&format!("remove_{base}"));
                code.extend(quote! {
                    ::formwork::__key_remove! {
                        #head |of, at| { #list_mut } #array #remove
                    }
                });
            }
        }
        Some(code)
    }
}

impl Reached {
    fn go(&mut self, place: [TokenStream; 2], referred: bool) {
        (self.place, self.referred, self.options) = (place, referred, None);
    }

    /// Takes off what may be none, and boxes.
    fn bare(&mut self) {
        loop {
            let [place_mut, place] = &self.place;
            match &self.shape {
                Shape::Option(inner) => {
                    let options = [quote!(#place_mut.as_mut()), quote!(#place.as_ref())];
                    let shape = (**inner).clone();
                    self.go(options.each_ref().map(|option| quote!(#option?)), true);
                    (self.options, self.shape) = (Some(options), shape);
                }
                Shape::Boxed(inner) => self.shape = (**inner).clone(),
                _ => return,
            }
        }
    }

    /// Options of references to it.
    fn found(&self) -> [TokenStream; 2] {
        let [place_mut, place] = &self.place;
        match (&self.options, self.referred) {
            (Some(options), _) => options.clone(),
            (None, true) => {
                [quote!(::formwork::__rt::Some(#place_mut)), quote!(::formwork::__rt::Some(#place))]
            }
            (None, false) => [
                quote!(::formwork::__rt::Some(&mut #place_mut)),
                quote!(::formwork::__rt::Some(&#place)),
            ],
        }
    }
}

/// What one element of an array is called: `entries` has an `entry`.
fn singular(name: &str) -> String {
    let irregular = [("indices", "index"), ("vertices", "vertex"), ("matrices", "matrix")];
    for (many, one) in irregular.into_iter().chain([("children", "child")]) {
        if let Some(before) = name.strip_suffix(many) {
            return format!("{before}{one}");
        }
    }
    for (many, one) in [("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh")]
    {
        if let Some(before) = name.strip_suffix(many).filter(|before| before.len() > 1) {
            return format!("{before}{one}");
        }
    }
    match name.strip_suffix('s') {
        Some(one) if one.len() > 1 && !one.ends_with(['s', 'u', 'i']) => one.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn one_of_many() {
        for (many, one) in [
            ("events", "event"),
            ("queries", "query"),
            ("tag_names", "tag_name"),
            ("boxes", "box"),
            ("houses", "house"),
            ("classes", "class"),
            ("bone_indices", "bone_index"),
            ("vertices", "vertex"),
            ("class", "class"),
            ("status", "status"),
            ("axis", "axis"),
            ("list", "list"),
            ("unicode", "unicode"),
            ("s", "s"),
        ] {
            assert_eq!(singular(many), one);
        }
    }
}
