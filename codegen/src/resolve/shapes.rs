//! What rows are, before their lengths and equations are known: on demand, because the arguments of
//! one type may be paths through others.

use super::described::describing;
use super::imports::Found;
use super::{Base, Cx, Memo, RecordId, ScopeId, Shape, Source, UnionDecl};
use crate::model::{
    Cell, Content, IntType, Meaning, RecordKind, RowId, Storage, Target, Type, UnionId,
};
use crate::span::Span;
use crate::syntax::ast::{DeclBody, Props, Row, RowWord, TypeEx, WordField};
use crate::syntax::builtin;

/// Whether a row holds several elements.
pub(super) fn is_array(row: &Row, base: &Base) -> bool {
    let props = &row.props;
    base.suffix.is_some()
        || props.has("last")
        || props.has("stride")
        || describing(row).is_some()
        || (!base.raw && (props.has("count") || props.has("until")))
        || (base.raw && props.has("count") && is_bounded(props))
        || props.flag("array")
}

/// Whether `bytes` or `text` have an end of their own, so that `count=` is about elements.
pub(super) fn is_bounded(props: &Props) -> bool {
    ["size", "terminator", "strip"].iter().any(|name| props.has(name))
}

/// A name without a pointer or arguments.
fn is_simple(ty: &TypeEx) -> bool {
    ty.prefix.is_none() && ty.suffix.is_none() && ty.args.is_empty()
}

/// A type in `value` rows, where nothing says how it is stored.
fn plain_cell(meaning: Meaning, bytes: u8) -> Type {
    let storage = Storage::Fixed(IntType { bytes, signed: false, order: None });
    Type::Cell(Cell { storage, meaning })
}

impl<'t> Cx<'t> {
    /// The type of a row as written.
    pub(super) fn variant_base(&mut self, id: RecordId, slot: usize, at: usize) -> Option<Base> {
        let variant = &mut self.rec_mut(id).slots[slot].variants[at];
        match &variant.base {
            Memo::Done(base) => return base.clone(),
            Memo::Busy => {
                let span = self.source_span(id, slot, at);
                self.d
                    .error("E0208", span, "the type of this row depends on itself")
                    .help("an argument is the path of a row whose type needs this one");
                return None;
            }
            Memo::Unknown => variant.base = Memo::Busy,
        }
        let source = variant.source.clone();
        let base = self.once(|cx| cx.source_base(id, &source));
        self.rec_mut(id).slots[slot].variants[at].base = Memo::Done(base.clone());
        base
    }

    fn source_base(&mut self, id: RecordId, source: &Source<'t>) -> Option<Base> {
        let plain = |element: Type| Some(Base::plain(element));
        let scope = self.rec(id).scope;
        match source {
            Source::Case(union) => plain(Type::Union(*union)),
            Source::Gap(first, last) => {
                let storage = Storage::Word { first: *first, last: *last, signed: false };
                plain(Type::Cell(Cell { storage, meaning: Meaning::Int }))
            }
            Source::Word(field) => {
                let ty = self.word_field(scope, Some(id), field)?;
                plain(ty)
            }
            Source::Logical(form, row, value) => match value {
                Some(row) => match &row.word {
                    RowWord::Value(ty) => self.value_base(id, ty),
                    _ => None,
                },
                None => {
                    let last = self.rec(*form).slots[row.index()].variants.len().checked_sub(1)?;
                    let base = self.variant_base(*form, row.index(), last)?;
                    // Where the bytes are is up to the forms.
                    Some(match base.sigil_only {
                        true => base,
                        false => Base { prefix: None, suffix: None, ..base },
                    })
                }
            },
            Source::Row(row, union) => match &row.word {
                RowWord::Typed(ty) if row.props.has("bits") => {
                    let letter = row.props.text("bits").and_then(|t| t.chars().next());
                    let ty = self.small_type(scope, Some(id), ty, letter)?;
                    plain(ty)
                }
                RowWord::Typed(ty) | RowWord::Object(ty) => {
                    let it = match describing(row) {
                        Some(_) => Some(self.describing_shape(id, row)?),
                        None => None,
                    };
                    let around = std::mem::replace(&mut self.it, it);
                    let base = self.base(scope, Some(id), ty);
                    self.it = around;
                    let mut base = base?;
                    if let (true, Type::Run(run)) = (base.raw, &mut base.element) {
                        run.content =
                            super::texts::content(row.props.word("encoding"), run.content);
                    }
                    Some(base)
                }
                RowWord::Value(ty) => self.value_base(id, ty),
                RowWord::Const(Some(ty)) => self.base(scope, Some(id), ty),
                RowWord::Const(None) | RowWord::Mark => plain(Type::Nothing),
                RowWord::Magic(_) | RowWord::Zero | RowWord::Reserved | RowWord::Runtime => {
                    let fill = crate::model::RunLength::Fill;
                    plain(super::base::run(Content::Bytes, fill))
                }
                RowWord::Zeros => plain(plain_cell(Meaning::Int, 8)),
                RowWord::ByteOrder => plain(Type::ByteOrderMark),
                RowWord::Tag => {
                    let own = ["enum", "ref", "none", "plus"];
                    let meaning = match own.iter().any(|name| row.props.has(name)) {
                        true => Meaning::Int,
                        false => self.meaning_of_tag(id),
                    };
                    plain(Type::Cell(Cell { storage: Storage::TagOf, meaning }))
                }
                RowWord::Union(..) => plain(Type::Union((*union)?)),
                RowWord::Slice => plain(Type::Nothing),
                RowWord::Pool(_) => {
                    let of = row.props.text("of").unwrap_or_default();
                    let span = row.props.span("of").unwrap_or(row.span);
                    let ty = self.named_string(scope, of, span)?;
                    plain(ty)
                }
            },
        }
    }

    /// What the number of a `tag` row means: that of the union's own.
    fn meaning_of_tag(&mut self, id: RecordId) -> Meaning {
        let union = match self.rec(id).kind {
            RecordKind::Case(union, _) | RecordKind::Form(union, ..) => union,
            _ => return Meaning::Int,
        };
        let props = match self.uni(union).decl {
            UnionDecl::Row(row) => &row.props,
            UnionDecl::Decl(decl) => &decl.props,
        };
        let scope = self.rec(id).scope;
        let word = props.text("tag").or_else(|| props.text("word"));
        let found = word.map(|word| self.lookup(scope, word)).unwrap_or_default();
        match found[..] {
            [Found::Decl(at, index)]
                if matches!(self.decl(at, index).body, DeclBody::Enum { .. }) =>
            {
                Meaning::Enum(self.enumeration(at, index))
            }
            _ => Meaning::Int,
        }
    }

    fn value_base(&mut self, id: RecordId, ty: &'t TypeEx) -> Option<Base> {
        let plain = |element: Type| Some(Base::plain(element));
        if ty.prefix.is_some() || ty.suffix.is_some() {
            self.d
                .error("E0209", ty.span, "a `value` has no bytes, so none that lead somewhere else")
                .help(format!("write `{}`", ty.name));
            return None;
        }
        if is_simple(ty) {
            match ty.name.as_str() {
                "text" => return plain(Type::Text),
                "bool" => return plain(plain_cell(Meaning::Bool { yes: 1 }, 1)),
                _ => {}
            }
        }
        let scope = self.rec(id).scope;
        self.base(scope, Some(id), ty)
    }

    /// Type of a field in a word.
    pub(super) fn word_field(
        &mut self,
        scope: ScopeId,
        id: Option<RecordId>,
        field: &'t WordField,
    ) -> Option<Type> {
        let width = field.last - field.first.value + 1;
        let bits = (u8::try_from(field.first.value).ok(), u8::try_from(field.last).ok());
        let (Some(first), Some(last)) = bits else {
            self.d.error("E0214", field.first.span, "a word has at most 64 bits");
            return None;
        };
        let ty = &field.ty;
        if let (Some((said, signed)), true) = (builtin::small(&ty.name), is_simple(ty)) {
            if i128::from(said) != width {
                self.d
                    .error(
                        "E0214",
                        ty.span,
                        format!("`{}` has {said} bits, but its place has {width}", ty.name),
                    )
                    .also(field.first.span, "first and last bit")
                    .help(format!("write `{}{width}`", &ty.name[..1]));
                return None;
            }
            let storage = Storage::Word { first, last, signed };
            let meaning = match field.props.text("enum") {
                Some(name) => {
                    let span = field.props.span("enum").unwrap_or(field.span);
                    Meaning::Enum(self.enum_named(scope, name, span)?)
                }
                None => Meaning::Int,
            };
            return Some(Type::Cell(Cell { storage, meaning }));
        }
        let mut ty = self.small_type(scope, id, ty, None)?;
        match &mut ty {
            Type::Cell(cell) => cell.storage = Storage::Word { first, last, signed: false },
            Type::Pointer(pointer) => {
                let storage = Storage::Word { first, last, signed: false };
                pointer.cell = Some(Cell { storage, meaning: Meaning::Int });
            }
            _ => {}
        }
        Some(ty)
    }

    /// Type of some bits of a word or pattern.
    fn small_type(
        &mut self,
        scope: ScopeId,
        id: Option<RecordId>,
        ty: &'t TypeEx,
        letter: Option<char>,
    ) -> Option<Type> {
        let storage = match letter {
            Some(letter) => Storage::Letter { letter, width: 0 },
            None => Storage::Word { first: 0, last: 0, signed: false },
        };
        let cell = |meaning| Some(Type::Cell(Cell { storage, meaning }));
        if is_simple(ty) {
            if ty.name == "bool" || ty.name == "bit" {
                return cell(Meaning::Bool { yes: 1 });
            }
            if builtin::small(&ty.name).is_some() || builtin::bit_width(&ty.name).is_some() {
                if letter.is_some() && ty.name.starts_with('i') {
                    let message = format!("bits of a pattern have no sign, as `{}` has", ty.name);
                    let bits = builtin::small(&ty.name).map_or(1, |(bits, _)| bits);
                    let below = 1_u128 << bits;
                    let unsigned = format!(
                        "write `u{bits}`; with `plus={below}` its numbers are -{below} to -1"
                    );
                    self.d.error("E0236", ty.span, message).help(unsigned);
                    return None;
                }
                return cell(Meaning::Int);
            }
            match self.lookup_one(scope, &ty.name, ty.span) {
                Some(Found::Decl(at, index)) => match &self.decl(at, index).body {
                    DeclBody::Enum { .. } => {
                        let id = self.enumeration(at, index);
                        return cell(Meaning::Enum(id));
                    }
                    DeclBody::Pointer { .. } => {
                        let mut base = self.base(scope, id, ty)?;
                        if let Type::Pointer(pointer) = &mut base.element
                            && matches!(pointer.target, Target::Pooled)
                        {
                            pointer.cell = Some(Cell { storage, meaning: Meaning::Int });
                            return Some(base.element);
                        }
                    }
                    _ => {}
                },
                Some(Found::Type(..)) => {}
                None => {
                    // Reports the unknown name.
                    self.base(scope, id, ty)?;
                }
            }
        }
        let what = if is_simple(ty) { format!("`{}`", ty.name) } else { "this type".to_owned() };
        self.d
            .error("E0209", ty.span, format!("{what} can't stand in some bits"))
            .help("write `u3`, `i3`, `bool`, an enumeration or a kind of pooled pointer");
        None
    }

    /// What a row is.
    pub(super) fn slot_shape(&mut self, id: RecordId, slot: usize) -> Option<Shape> {
        if self.placing && self.is_unfinished(id, slot) {
            self.unfinished = Some((id, slot));
            return Some(Shape::ANY);
        }
        let placing = std::mem::replace(&mut self.placing, false);
        let shape = self.whole_shape(id, slot);
        self.placing = placing;
        shape
    }

    /// Whether the type of a row is being found.
    fn is_unfinished(&self, id: RecordId, slot: usize) -> bool {
        let slot = &self.rec(id).slots[slot];
        matches!(slot.shape, Memo::Busy)
            || slot.variants.iter().any(|variant| matches!(variant.base, Memo::Busy))
    }

    fn whole_shape(&mut self, id: RecordId, slot: usize) -> Option<Shape> {
        match &self.rec(id).slots[slot].shape {
            Memo::Done(shape) => return shape.clone(),
            Memo::Busy => {
                let span = self.source_span(id, slot, 0);
                self.d.error("E0208", span, "what this row is depends on itself");
                return None;
            }
            Memo::Unknown => {}
        }
        if self.deep > super::MAX_NESTING {
            let span = self.source_span(id, slot, 0);
            self.d.error("E0208", span, "what this row is takes too many steps to find out");
            return None;
        }
        self.rec_mut(id).slots[slot].shape = Memo::Busy;
        self.deep += 1;
        let mut shape = None;
        for at in 0..self.rec(id).slots[slot].variants.len() {
            let found = self.once(|cx| cx.variant_shape(id, slot, at));
            shape = match (shape, found) {
                (None, found) => found,
                (Some(a), Some(b)) => Some(self.merge(a, b)),
                (known, None) => known,
            };
        }
        shape = shape.map(|shape| self.in_all_forms(id, slot, shape));
        self.deep -= 1;
        self.rec_mut(id).slots[slot].shape = Memo::Done(shape.clone());
        shape
    }

    fn variant_shape(&mut self, id: RecordId, slot: usize, at: usize) -> Option<Shape> {
        let source = self.rec(id).slots[slot].variants[at].source.clone();
        if let Source::Logical(form, row, None) = source {
            return self.slot_shape(form, row.index());
        }
        let base = self.variant_base(id, slot, at)?;
        let mut shape = self.type_shape(&base.element);
        let row = match source {
            Source::Row(row, _) | Source::Logical(_, _, Some(row)) => row,
            Source::Case(_) | Source::Word(_) | Source::Gap(..) | Source::Logical(..) => {
                return Some(shape);
            }
        };
        if let (Some(name), Shape::Int(_)) = (row.props.text("enum"), &shape) {
            let span = row.props.span("enum").unwrap_or(row.span);
            let scope = self.rec(id).scope;
            shape = Shape::Int(self.enum_named(scope, name, span));
        }
        if base.sigil_only {
            shape = match row.props.get("ref").map(|p| &p.value) {
                Some(crate::syntax::ast::PropValue::Ref(reference)) => {
                    let scope = self.rec(id).scope;
                    let env = self.env(scope, Some(id));
                    let (_, shape) = self.path(&env, &reference.array)?;
                    match self.owned_elsewhere(row, &env) {
                        Some(_) => Shape::Int(None),
                        None => shape.element(),
                    }
                }
                _ => Shape::ANY,
            };
        }
        match &row.word {
            RowWord::Slice => {
                let scope = self.rec(id).scope;
                let env = self.env(scope, Some(id));
                let of = row.props.ex("of").and_then(|ex| ex.path())?;
                let (_, shape) = self.path(&env, of)?;
                return Some(Shape::Array(Box::new(shape.element())));
            }
            RowWord::Pool(_) => return Some(Shape::Array(Box::new(Shape::Text))),
            RowWord::Mark => return Some(Shape::Address),
            RowWord::Zeros => return Some(Shape::Int(None)),
            _ => {}
        }
        if is_array(row, &base) {
            shape = Shape::Array(Box::new(shape));
        }
        Some(shape)
    }

    /// What a row of a case is that forms spell, if it is this by the last of them or as declared: of
    /// structs also those of the other forms, which may have other arguments.
    fn in_all_forms(&mut self, id: RecordId, slot: usize, shape: Shape) -> Shape {
        let RecordKind::Case(union, case) = self.rec(id).kind else { return shape };
        if self.records_of(shape.clone()).is_empty() {
            return shape;
        }
        let name = self.rec(id).slots[slot].name;
        let forms = self.uni(union).cases.get(case as usize).map(|case| &case.forms);
        let forms: Vec<RecordId> = forms.into_iter().flatten().map(|form| form.1).collect();
        let mut all = shape;
        for form in forms {
            let slots = &self.rec(form).slots;
            let Some(at) = slots.iter().position(|slot| slot.name == name) else { continue };
            if let Some(found) = self.slot_shape(form, at) {
                all = self.merge(all, found);
            }
        }
        all
    }

    /// What a value of a type is.
    pub(super) fn type_shape(&mut self, ty: &Type) -> Shape {
        match ty {
            Type::Cell(cell) => match cell.meaning {
                Meaning::Int => Shape::Int(None),
                Meaning::Enum(id) => Shape::Int(Some(id)),
                Meaning::Float(_) => Shape::Float,
                Meaning::Bool { .. } => Shape::Bool,
                Meaning::Word(id) => Shape::Nodes(vec![id]),
            },
            Type::Run(run) => match run.content {
                Content::Bytes => Shape::Bytes,
                Content::Text(_) => Shape::Text,
            },
            Type::Record(id) => Shape::Nodes(vec![*id]),
            Type::Union(id) => Shape::Union(*id),
            Type::Pointer(pointer) => match &pointer.target {
                Target::Own(target) => self.type_shape(target),
                Target::Pooled => Shape::Text,
                Target::Element => Shape::ANY,
            },
            Type::Array(array) => Shape::Array(Box::new(self.type_shape(&array.element))),
            Type::Region(region) => self.type_shape(&region.inner),
            Type::PerEpoch(types) => {
                let mut shape = None;
                for ty in types.iter().filter(|ty| !matches!(ty, Type::Nothing)) {
                    let one = self.type_shape(ty);
                    shape = Some(match shape {
                        None => one,
                        Some(known) => self.merge(known, one),
                    });
                }
                shape.unwrap_or(Shape::Nothing)
            }
            Type::ByteOrderMark => Shape::Order,
            Type::Text => Shape::Text,
            Type::Nothing => Shape::Nothing,
        }
    }

    /// Record of a case: its rows, or the struct that stands for it.
    pub(super) fn case_record(&mut self, union: UnionId, at: usize) -> Option<RecordId> {
        let case = &self.uni(union).cases[at];
        if !case.whole {
            return Some(case.record);
        }
        let (record, holder) = (case.record, self.uni(union).holder);
        let decl = case.decl;
        if !self.rec(record).name.is_empty() {
            let scope = self.rec(holder).scope;
            let name = decl.props.text("as")?.to_owned();
            let span = decl.props.span("as").unwrap_or(decl.span);
            match self.lookup_one(scope, &name, span) {
                Some(Found::Decl(at_scope, index))
                    if matches!(self.decl(at_scope, index).body, DeclBody::Struct { .. })
                        && self.decl(at_scope, index).params.is_empty() =>
                {
                    return self.instance(at_scope, index, Vec::new(), span);
                }
                Some(_) => {
                    self.d.error(
                        "E0211",
                        span,
                        format!("`{name}` is not a struct without parameters"),
                    );
                }
                None => {
                    self.undeclared(scope, "struct", &name, span, &[]);
                }
            }
        }
        None
    }

    /// Where a row is written.
    pub(super) fn source_span(&self, id: RecordId, slot: usize, at: usize) -> Span {
        let rec = self.rec(id);
        match rec.slots.get(slot).and_then(|s| s.variants.get(at)).map(|v| &v.source) {
            Some(Source::Row(row, _)) => row.span,
            Some(Source::Word(field)) => field.span,
            Some(Source::Logical(form, row, None)) => self.source_span(*form, row.index(), 0),
            Some(Source::Logical(_, _, Some(row))) => row.span,
            Some(Source::Case(_) | Source::Gap(..)) | None => rec.span,
        }
    }

    /// Number of a row by name.
    pub(super) fn row_named(&self, id: RecordId, name: &str) -> Option<RowId> {
        let at = self.rec(id).slot_named(name)?;
        Some(RowId(super::id32(at)))
    }

    /// What is one of two.
    pub(super) fn merge(&mut self, a: Shape, b: Shape) -> Shape {
        match (a, b) {
            (a, b) if a == b => a,
            (Shape::Nodes(mut a), Shape::Nodes(b)) => {
                for id in b {
                    if !a.contains(&id) {
                        a.push(id);
                    }
                }
                Shape::Nodes(a)
            }
            // A case of one of them.
            (Shape::Union(union), other @ (Shape::Nodes(_) | Shape::Union(_)))
            | (other @ Shape::Nodes(_), Shape::Union(union)) => {
                let cases = Shape::Nodes(self.case_records(union));
                self.merge(other, cases)
            }
            (Shape::Array(a), Shape::Array(b)) => Shape::Array(Box::new(self.merge(*a, *b))),
            (Shape::Int(_), Shape::Int(_)) => Shape::Int(None),
            (Shape::Text | Shape::Bytes | Shape::Run, Shape::Text | Shape::Bytes | Shape::Run) => {
                Shape::Run
            }
            (Shape::Nothing, other) | (other, Shape::Nothing) => other,
            (a, b) => {
                let mut records = self.records_of(a);
                for id in self.records_of(b) {
                    if !records.contains(&id) {
                        records.push(id);
                    }
                }
                Shape::Any(records)
            }
        }
    }

    /// Records whose fields a path can lead on to.
    pub(super) fn records_of(&mut self, shape: Shape) -> Vec<RecordId> {
        match shape {
            Shape::Nodes(records) | Shape::Any(records) => records,
            Shape::Union(union) => self.case_records(union),
            Shape::Array(element) => self.records_of(*element),
            _ => Vec::new(),
        }
    }
}
