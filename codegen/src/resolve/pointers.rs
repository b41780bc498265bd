//! Kinds of pointers, pools, and the sections of the relocation table.

use super::imports::Found;
use super::{Cx, Env, Expr, ExprId, PointerId, ScopeId, Shape, id32};
use crate::model::{
    BinaryOp, Cell, Field, IntType, Listed, Listing, Meaning, Member, Path, PointerKind, Policy,
    RecordId, RelocationSection, RowId, RowKind, Start, Step, Storage, Target, Type, WhenEmpty,
};
use crate::span::Span;
use crate::syntax::ast::{DeclBody, PropValue, Props, Row, RowWord, TypeEx};
use crate::syntax::expr::{PathEx, StepEx};

/// `never`, `set` or `always`.
pub(super) fn policy(word: &str) -> Option<Policy> {
    match word {
        "never" => Some(Policy::Never),
        "set" => Some(Policy::Set),
        "always" => Some(Policy::Always),
        _ => None,
    }
}

fn all(policy: Policy) -> Listing {
    Listing { object: policy, array: policy, dictionary: policy, string: policy, runtime: policy }
}

fn listing(props: &Props) -> Listing {
    let get = |name: &str| props.word(name).and_then(policy);
    let object = get("object").unwrap_or(Policy::Never);
    Listing {
        object,
        array: get("array").unwrap_or(object),
        dictionary: get("dictionary").unwrap_or(object),
        string: get("string").unwrap_or(object),
        runtime: get("runtime").unwrap_or(Policy::Never),
    }
}

/// Rows that lead from the root to a record.
#[derive(Clone)]
struct Way {
    steps: Vec<Step>,
    /// The records on it, the root and the last one among them.
    through: Vec<RecordId>,
}

impl Way {
    fn end(&self) -> RecordId {
        self.through[self.through.len() - 1]
    }
}

impl<'t> Cx<'t> {
    /// A way as paths say it: the choice of a union that is declared as a type has no name.
    fn way_shown(&self, way: &Way) -> String {
        let is_choice = |field: &Field| match field.members.as_slice() {
            [(id, way)] => matches!(way.last(), Some(Member::Row(row))
                if matches!(self.rec(*id).slots[row.index()].variants[0].source, super::Source::Case(_))),
            _ => false,
        };
        let names = way.steps.iter().filter_map(|step| match step {
            Step::Field(field) if !is_choice(field) => Some(field.name.as_str()),
            _ => None,
        });
        names.collect::<Vec<_>>().join(".")
    }

    /// The kind of pointer that a declaration is; completed in the end. Where it is stored as one of
    /// several types by epoch, there is a kind for each, and this is the first.
    pub(super) fn pointer_kind(&mut self, scope: ScopeId, index: usize) -> PointerId {
        if let Some(&id) = self.pointer_ids.get(&(scope, index)) {
            return id;
        }
        let ints = match &self.decl(scope, index).body {
            DeclBody::Pointer { storage, .. } => self.pointer_storage(scope, storage),
            _ => Vec::new(),
        };
        let id = PointerId(id32(self.pointers.len()));
        self.pointer_ids.insert((scope, index), id);
        let mut distinct: Vec<IntType> = Vec::new();
        let mut kinds = Vec::new();
        for int in ints {
            kinds.push(int.map(|int| {
                let known = distinct.iter().position(|known| *known == int);
                let at = known.unwrap_or(distinct.len());
                if known.is_none() {
                    distinct.push(int);
                    self.add_pointer_kind(scope, index, int);
                }
                PointerId(id.0 + id32(at))
            }));
        }
        if kinds.len() > 1 {
            self.pointer_families.insert(id, kinds);
        }
        id
    }

    /// What a pointer is stored as, in each epoch if that is not all the same.
    fn pointer_storage(&mut self, scope: ScopeId, storage: &'t TypeEx) -> Vec<Option<IntType>> {
        if let Some(int) = self.integer(scope, &storage.name) {
            return vec![Some(int)];
        }
        let plain = storage.prefix.is_none() && storage.suffix.is_none();
        let varies = match self.lookup(scope, &storage.name).as_slice() {
            [Found::Decl(at, index)] if plain => {
                matches!(self.decl(*at, *index).body, DeclBody::Alias(_))
            }
            _ => false,
        };
        let found = if varies { self.base(scope, None, storage) } else { None };
        let ints = found.and_then(|base| match base.element {
            Type::PerEpoch(types) => {
                let int = |ty: &Type| match ty {
                    Type::Nothing => Some(None),
                    ty => plain_integer(ty).map(Some),
                };
                types.iter().map(int).collect()
            }
            ty => plain_integer(&ty).map(|int| vec![Some(int)]),
        });
        ints.unwrap_or_else(|| {
            self.d
                .error("E0209", storage.span, "a pointer is stored as an integer")
                .help("write `pointer * u32`");
            vec![Some(super::int(4, false))]
        })
    }

    fn add_pointer_kind(&mut self, scope: ScopeId, index: usize, int: IntType) {
        let decl = self.decl(scope, index);
        self.pointer_decls.push((scope, index));
        let props = &decl.props;
        let none = props.numbers("none").first().copied();
        let unit = self.natural(props, "unit", 1).unwrap_or(1);
        let align = self.natural(props, "align", 1).unwrap_or(unit);
        if !align.is_multiple_of(unit) {
            let span = props.span("align").unwrap_or(decl.span);
            self.d
                .error("E0225", span, format!("the number counts units of {unit} bytes"))
                .help(format!("align targets to a multiple of {unit}, as without `align=`"));
        }
        let skip = self.natural(props, "skip", 0).unwrap_or(0);
        self.pointers.push(PointerKind {
            name: decl.name.value.clone(),
            doc: decl.doc.clone(),
            cell: Cell { storage: Storage::Fixed(int), meaning: Meaning::Int },
            base: None,
            none,
            when_empty: match props.word("when_empty") {
                Some("here") => WhenEmpty::Here,
                Some("kept") => WhenEmpty::Kept,
                Some("none") => WhenEmpty::None,
                _ if none.is_some() => WhenEmpty::None,
                _ => WhenEmpty::Here,
            },
            align,
            skip,
            unit,
            pool: None,
            text: None,
            listing: Vec::new(),
            span: decl.span,
        });
    }

    /// A type in one epoch, with the kinds that its pointers have in it.
    pub(super) fn settle_pointers(&self, ty: &mut Type, epoch: usize) {
        match ty {
            Type::Pointer(pointer) => {
                match self.pointer_families.get(&pointer.kind).map(|kinds| kinds[epoch]) {
                    Some(Some(kind)) => pointer.kind = kind,
                    Some(None) => {
                        *ty = Type::Nothing;
                        return;
                    }
                    None => {}
                }
                if let Target::Own(target) = &mut pointer.target {
                    self.settle_pointers(target, epoch);
                }
            }
            Type::Array(array) => self.settle_pointers(&mut array.element, epoch),
            Type::Region(region) => self.settle_pointers(&mut region.inner, epoch),
            Type::PerEpoch(types) => {
                if let Some(ty) = types.get_mut(epoch) {
                    self.settle_pointers(ty, epoch);
                }
            }
            _ => {}
        }
    }

    /// The number of a pointer, in each epoch if that is not all the same.
    pub(super) fn pointer_number(&self, kind: PointerId) -> Type {
        let cell = |kind: PointerId| Type::Cell(self.pointers[kind.index()].cell.clone());
        match self.pointer_families.get(&kind) {
            Some(kinds) => {
                let cells = kinds.iter().map(|kind| kind.map_or(Type::Nothing, cell));
                Type::PerEpoch(cells.collect())
            }
            None => cell(kind),
        }
    }

    /// What a named pointer with `to=` leads to.
    pub(super) fn pointer_target(&mut self, scope: ScopeId, index: usize) -> Option<Type> {
        let decl = self.decl(scope, index);
        let name = decl.props.text("to")?;
        let span = decl.props.span("to").unwrap_or(decl.span);
        match self.lookup_one(scope, name, span) {
            Some(super::imports::Found::Decl(at, inner)) => {
                let target = self.decl(at, inner);
                match &target.body {
                    DeclBody::Text if target.params.is_empty() => self.string(at, target, &[]),
                    DeclBody::Struct { .. } | DeclBody::Union { .. }
                        if target.params.is_empty() =>
                    {
                        self.instance(at, inner, Vec::new(), span).map(Type::Record)
                    }
                    _ => {
                        self.d.error("E0211", span, format!("a pointer can't lead to `{name}`"));
                        None
                    }
                }
            }
            _ => {
                self.undeclared(scope, "type", name, span, &[]);
                None
            }
        }
    }

    /// Bases, pools and relocation of all kinds of pointers.
    pub(super) fn complete_pointers(&mut self, root: RecordId) {
        let mut at = 0;
        while at < self.pointer_decls.len() {
            let (scope, index) = self.pointer_decls[at];
            let decl = self.decl(scope, index);
            let holders = self.holders(PointerId(id32(at)));
            let env = super::Env { holders, ..self.env(scope, None) };
            if let Some(ex) = decl.props.ex("base") {
                let named = ex.word();
                if named != Some("file") {
                    let found = match named {
                        // A struct's name is its address.
                        Some(_) => {
                            let found = ex.path().and_then(|path| self.path(&env, path));
                            found.map(|(path, _)| self.exprs.add(Expr::At(path)))
                        }
                        None => self.int(&env, ex),
                    };
                    self.pointers[at].base = found;
                }
            }
            if let (Some(path), Some(span)) =
                (decl.props.ex("in").and_then(|ex| ex.path()), decl.props.span("in"))
            {
                self.pointers[at].pool = self.pool_path(scope, root, path, span);
                match self.pointer_target(scope, index) {
                    Some(text) => self.pointers[at].text = Some(Box::new(text)),
                    None if decl.props.text("to").is_none() => {
                        self.d.error(
                            "E0225",
                            decl.span,
                            "`in=` needs `to=`, the type of the pool's texts",
                        );
                    }
                    None => {}
                }
            }
            let mut list = Vec::new();
            if let Some(policy) = decl.props.word("list").and_then(policy) {
                let mut listing = all(policy);
                if decl.props.has("in") {
                    // A label is a name, and storage for a pointer is none.
                    listing.runtime = Policy::Never;
                }
                list.push((None, listing));
            }
            if let DeclBody::Pointer { lists, .. } = &decl.body {
                let root_env = self.env(self.main, Some(root));
                for item in lists {
                    let condition = match &item.condition {
                        None => None,
                        Some(ex) => match self.truth(&root_env, ex) {
                            Some(condition) => Some(condition),
                            None => continue,
                        },
                    };
                    list.push((condition, listing(&item.props)));
                }
            }
            self.pointers[at].listing = list;
            at += 1;
        }
    }

    /// Records with rows of this kind of pointer.
    pub(super) fn holders(&self, kind: PointerId) -> Vec<RecordId> {
        let (scope, index) = self.pointer_decls[kind.index()];
        let kind = self.pointer_ids[&(scope, index)];
        let mut list = Vec::new();
        for at in 0..self.records.len() {
            let bases = self.records[at].slots.iter().flat_map(|slot| &slot.variants).filter_map(
                |variant| match &variant.base {
                    super::Memo::Done(Some(base)) => Some(base),
                    _ => None,
                },
            );
            let holds = bases.into_iter().any(|base| {
                base.prefix.is_some_and(|p| p.0 == kind)
                    || base.suffix.is_some_and(|s| s.0 == kind)
                    || holds_pointer(&base.element, kind)
            });
            if holds {
                list.push(RecordId(id32(at)));
            }
        }
        list
    }

    /// The way from the root to the pool that `in=` names.
    fn pool_path(
        &mut self,
        scope: ScopeId,
        root: RecordId,
        path: &PathEx,
        span: Span,
    ) -> Option<Path> {
        // A struct's name first, then rows.
        let mut names = vec![path.head.value.clone()];
        for step in &path.steps {
            match step {
                StepEx::Field(name) => names.push(name.value.clone()),
                _ => {
                    self.d.error("E0223", span, "a pool does not stand in an array");
                    return None;
                }
            }
        }
        let (mut struct_at, mut used) = (None, 0);
        for length in (1..=names.len()).rev() {
            let joined = names[..length].join(".");
            if let Some(super::imports::Found::Decl(at, index)) =
                self.lookup(scope, &joined).first()
            {
                struct_at = Some((*at, *index));
                used = length;
                break;
            }
        }
        let Some(key) = struct_at else {
            self.d
                .error("E0223", span, format!("`{}` is not a struct", names[0]))
                .help("write `in=Struct.pool`");
            return None;
        };
        let wanted = self.by_decl.get(&key).cloned().unwrap_or_default();
        let Some((way, other)) = self.way_to(root, &wanted) else {
            self.d
                .error(
                    "E0223",
                    span,
                    format!("`{}` is not reached from the root", names[..used].join(".")),
                )
                .help("the root must hold it, by a row, a pointer or an `object`, not in an array");
            return None;
        };
        if let Some(other) = other {
            let shown = self.rec(other.end()).name.clone();
            let rest: String = names[used..].iter().map(|name| format!(".{name}")).collect();
            let (one, two) = (self.way_shown(&way), self.way_shown(&other));
            let help = format!("`in={}.{one}{rest}`", self.rec(root).name);
            self.d
                .error("E0223", span, format!("`{shown}` is there more than once"))
                .label(format!("is it `{one}` or `{two}`?"))
                .help(format!("begin with the root: {help}"));
            return None;
        }
        let mut at = way.end();
        let mut steps = way.steps;
        for name in &names[used..] {
            let Some(row) = self.row_named(at, name) else {
                let shown = self.rec(at).name.clone();
                self.d.error("E0220", span, format!("`{shown}` has no row `{name}`"));
                return None;
            };
            steps.push(self.step(at, row));
            let next = match self.slot_shape(at, row.index()) {
                Some(Shape::Nodes(list)) if list.len() == 1 => list[0],
                _ => {
                    if self.is_pool(at, row) {
                        return Some(Path { start: Start::Root, steps, text: path.text() });
                    }
                    self.d.error("E0223", span, format!("`{name}` is not a pool"));
                    return None;
                }
            };
            at = next;
        }
        let pools: Vec<usize> = (0..self.rec(at).slots.len())
            .filter(|&slot| self.is_pool(at, RowId(id32(slot))))
            .collect();
        match pools.as_slice() {
            [only] => {
                steps.push(self.step(at, RowId(id32(*only))));
                Some(Path { start: Start::Root, steps, text: path.text() })
            }
            _ => {
                let shown = self.rec(at).name.clone();
                self.d
                    .error("E0223", span, format!("`{shown}` has no pool, or several"))
                    .help("name the `pool` row");
                None
            }
        }
    }

    fn is_pool(&self, id: RecordId, row: RowId) -> bool {
        self.rec(id).slots[row.index()].variants.iter().any(|v| {
            matches!(&v.source, super::Source::Row(row, _) if matches!(row.word, RowWord::Pool(_)))
        })
    }

    /// Whether a row leads to what others own.
    fn refers(&self, id: RecordId, slot: usize) -> bool {
        self.rec(id).slots[slot].variants.iter().any(
            |variant| matches!(&variant.source, super::Source::Row(row, _) if row.props.has("ref")),
        )
    }

    fn step(&self, id: RecordId, row: RowId) -> Step {
        let name = self.rec(id).slots[row.index()].name.unwrap_or_default().to_owned();
        Step::Field(Field { name, members: vec![(id, vec![Member::Row(row)])] })
    }

    /// Shortest way from a record to one of these, through rows that are no arrays, and another one,
    /// if there is one.
    fn way_to(&mut self, from: RecordId, wanted: &[RecordId]) -> Option<(Way, Option<Way>)> {
        let mut ways = vec![Way { steps: Vec::new(), through: vec![from] }];
        let mut others: Vec<Way> = Vec::new();
        let mut at = 0;
        while let Some(way) = ways.get(at).cloned() {
            at += 1;
            let id = way.end();
            for slot in 0..self.rec(id).slots.len() {
                let Some(Shape::Nodes(list)) = self.slot_shape(id, slot) else { continue };
                let [next] = list.as_slice() else { continue };
                if way.through.contains(next) || self.refers(id, slot) {
                    continue;
                }
                let known = ways.iter().any(|way| way.end() == *next);
                let mut longer = way.clone();
                longer.steps.push(self.step(id, RowId(id32(slot))));
                longer.through.push(*next);
                if known { &mut others } else { &mut ways }.push(longer);
            }
        }
        let mut found = ways.into_iter().filter(|way| wanted.contains(&way.end()));
        let way = found.next()?;
        let other = found
            .next()
            .or_else(|| others.into_iter().find(|other| way.through[1..].contains(&other.end())));
        Some((way, other))
    }

    /// The object that a sigil without a type leads to, if `ref=` names one and no array.
    pub(super) fn owned_elsewhere(&mut self, row: &'t Row, env: &Env) -> Option<Path> {
        let Some(PropValue::Ref(reference)) = row.props.get("ref").map(|prop| &prop.value) else {
            return None;
        };
        if reference.filter.is_some() {
            return None;
        }
        let found = self.attempt(|cx| cx.path(env, &reference.array));
        let (path, shape) = found?;
        let mut steps = Vec::new();
        let mut seen = shape.clone();
        self.through_transparent(&mut seen, &mut steps);
        let object = matches!(shape, Shape::Nodes(_) | Shape::Union(_)) && !seen.is_array();
        object.then_some(path)
    }

    /// The equation of a pointer to an object that somebody else owns: its address, and the number
    /// for nothing where it is not there.
    pub(super) fn points_to(&mut self, kind: PointerId, object: Path) -> ExprId {
        let kind = &self.pointers[kind.index()];
        let mut number = self.exprs.add(Expr::At(object));
        if kind.skip > 0 {
            let skip = self.exprs.add(Expr::Int(kind.skip.into()));
            number = self.exprs.add(Expr::Binary(BinaryOp::Add, number, skip));
        }
        if let Some(base) = kind.base {
            number = self.exprs.add(Expr::Binary(BinaryOp::Subtract, number, base));
        }
        match kind.none {
            Some(none) => {
                let none = self.exprs.add(Expr::Int(none));
                self.exprs.add(Expr::Coalesce(number, none))
            }
            None => number,
        }
    }

    /// What a number or a `runtime` row has to do with the relocation table.
    pub(super) fn listed(&mut self, row: &'t Row, kind: Option<PointerId>) -> Option<Listed> {
        let policy = row.props.word("list").and_then(policy);
        let section = self.section(row);
        if policy.is_none() && section.is_none() && kind.is_none() {
            return None;
        }
        if let (None, None, Some(span), RowWord::Typed(_)) =
            (policy, kind, row.props.span("section"), &row.word)
        {
            self.d
                .error("E0225", span, "`section=` of a number needs `list=`")
                .help("write `list=always` or `list=set`");
        }
        Some(Listed { policy, kind, section: section.unwrap_or(0) })
    }

    /// Sections of the relocation table.
    pub(super) fn relocation(&mut self, root: RecordId) -> Vec<RelocationSection> {
        let tree = self.scope(self.main).tree;
        let env = self.env(self.main, Some(root));
        let mut list = Vec::new();
        for section in &tree.relocation {
            let (from, to) = (self.int(&env, &section.from), self.int(&env, &section.to));
            if let (Some(from), Some(to)) = (from, to) {
                list.push(RelocationSection {
                    name: section.name.clone(),
                    from,
                    to,
                    span: section.span,
                });
            }
        }
        list
    }

    /// Whether a row is an object that no pointer of the record owns.
    pub(super) fn is_object(kind: &RowKind) -> bool {
        matches!(kind, RowKind::Object { .. })
    }
}

/// The integer that a type is, if it is nothing else.
fn plain_integer(ty: &Type) -> Option<IntType> {
    match ty {
        Type::Cell(Cell { storage: Storage::Fixed(int), meaning: Meaning::Int }) => Some(*int),
        _ => None,
    }
}

/// Whether a value of this type holds such a pointer in its own bytes.
fn holds_pointer(ty: &Type, kind: PointerId) -> bool {
    ty.parts().any(|part| matches!(part, Type::Pointer(pointer) if pointer.kind == kind))
}
