//! Complete types: lengths, regions, pointers around the types as written.

use super::base::{own_pointer, per_epoch, run};
use super::calls::digest;
use super::described::describing;
use super::shapes::is_array;
use super::{Base, Cx, Env, Expr, ExprId, RecordId, Shape, Source, id32};
use crate::model::{
    ArrayLength, ArrayType, Cell, Content, Extent, Function, Meaning, RecordKind, RegionType,
    RunLength, RunType, Storage, Target, Terminated, Trim, Type, WhenEmpty, text_units, unit_size,
};
use crate::syntax::ast::{LabelEx, LabelKind, Row, RowWord};
use crate::syntax::builtin;
use crate::syntax::expr::{Ex, ExKind};

impl<'t> Cx<'t> {
    /// The complete type of a row.
    pub(super) fn row_type(&mut self, id: RecordId, slot: usize) -> Option<Type> {
        let epochs = self.epoch_count();
        let mut types = vec![Type::Nothing; epochs];
        for at in 0..self.rec(id).slots[slot].variants.len() {
            let variant = &self.rec(id).slots[slot].variants[at];
            let mask = variant.epochs.clone();
            let Source::Row(row, _) = variant.source.clone() else { return None };
            let ty = self.full_type(id, slot, at, row)?;
            for (epoch, present) in mask.iter().enumerate() {
                if *present {
                    types[epoch] = match &ty {
                        Type::PerEpoch(list) => list[epoch].clone(),
                        ty => ty.clone(),
                    };
                }
            }
        }
        if !self.pointer_families.is_empty() {
            for (epoch, ty) in types.iter_mut().enumerate() {
                self.settle_pointers(ty, epoch);
            }
        }
        Some(per_epoch(types))
    }

    pub(super) fn full_type(
        &mut self,
        id: RecordId,
        slot: usize,
        at: usize,
        row: &'t Row,
    ) -> Option<Type> {
        let base = self.variant_base(id, slot, at)?;
        let env = self.record_env(id);
        match &row.word {
            RowWord::Magic(_) => {
                let size = self.magic_bytes(id, row)?.len();
                return Some(run(Content::Bytes, RunLength::Fixed(u64::try_from(size).ok()?)));
            }
            RowWord::Mark | RowWord::Const(None) => return Some(Type::Nothing),
            RowWord::Slice => {
                let of = row.props.ex("of").and_then(|ex| ex.path())?;
                let (_, shape) = self.path(&env, of)?;
                let (path, _) = self.path(&env, of)?;
                let element = match shape.element() {
                    Shape::Nodes(list) if list.len() == 1 => Type::Record(list[0]),
                    _ => self.element_of(&path).unwrap_or(Type::Nothing),
                };
                let length = match (row.props.ex("last"), row.props.ex("count")) {
                    (Some(ex), _) => {
                        let inner = Env { it: Some(shape.element()), ..env.clone() };
                        ArrayLength::Last(self.truth(&inner, ex)?)
                    }
                    (None, Some(ex)) if !is_fill(ex) && self.row_that_counts(id, ex).is_none() => {
                        ArrayLength::Count(self.int(&env, ex)?)
                    }
                    (None, _) => ArrayLength::Fill,
                };
                return Some(Type::Array(Box::new(ArrayType {
                    element,
                    length,
                    stride: None,
                    described: None,
                    in_step: None,
                })));
            }
            RowWord::Pool(_) => {
                let length = match row.props.ex("count") {
                    Some(ex) if !is_fill(ex) => ArrayLength::Count(self.int(&env, ex)?),
                    _ => ArrayLength::Fill,
                };
                return Some(Type::Array(Box::new(ArrayType {
                    element: base.element,
                    length,
                    stride: None,
                    described: None,
                    in_step: None,
                })));
            }
            RowWord::Value(_) => {
                let mut element = base.element;
                self.meaning(id, row, &mut element)?;
                if row.props.flag("array") {
                    let length = ArrayLength::Fill;
                    element = Type::Array(Box::new(ArrayType {
                        element,
                        length,
                        stride: None,
                        described: None,
                        in_step: None,
                    }));
                }
                return Some(element);
            }
            _ => {}
        }
        self.with_length(id, row, base, &env)
    }

    /// Type of the elements of the row that a path leads to.
    fn element_of(&mut self, path: &crate::model::Path) -> Option<Type> {
        let crate::model::Step::Field(field) = path.steps.last()? else { return None };
        let (record, members) = field.members.first()?;
        let [crate::model::Member::Row(row)] = members.as_slice() else { return None };
        let base = self.variant_base(*record, row.index(), 0)?;
        Some(match base.suffix {
            Some((kind, optional)) => own_pointer(kind, optional, base.element),
            None => base.element,
        })
    }

    /// `yes=` and `enum=` of a cell.
    pub(super) fn meaning(&mut self, id: RecordId, row: &'t Row, element: &mut Type) -> Option<()> {
        if let Some(yes) = row.props.int("yes") {
            let span = row.props.span("yes").unwrap_or(row.span);
            match element {
                Type::Cell(Cell { meaning: Meaning::Bool { yes: known }, .. }) => {
                    match u64::try_from(yes).ok().filter(|&n| n > 0) {
                        Some(number) => *known = number,
                        None => {
                            self.d.error("E0214", span, "the number for true is positive");
                        }
                    }
                }
                _ => {
                    self.d.error("E0225", span, "`yes=` belongs to `bool8`, `bool16` and `bool32`");
                }
            }
        }
        if let Some(name) = row.props.text("enum") {
            let span = row.props.span("enum").unwrap_or(row.span);
            let scope = self.rec(id).scope;
            let found = self.enum_named(scope, name, span)?;
            match element {
                Type::Cell(Cell { meaning, .. }) if *meaning == Meaning::Int => {
                    *meaning = Meaning::Enum(found);
                }
                Type::Cell(Cell { meaning, .. })
                    if matches!(meaning, Meaning::Bool { .. }) && row_is_bit(row) =>
                {
                    *meaning = Meaning::Enum(found);
                }
                _ => {
                    self.d.error("E0225", span, "`enum=` belongs to an integer");
                }
            }
        }
        Some(())
    }

    fn with_length(&mut self, id: RecordId, row: &'t Row, base: Base, env: &Env) -> Option<Type> {
        let props = &row.props;
        let array = is_array(row, &base);
        self.must_be_described(row, base.prefix.is_some() || base.suffix.is_some());
        let mut element = base.element.clone();
        self.meaning(id, row, &mut element)?;
        let cell = match &mut element {
            Type::Cell(cell) => Some(cell),
            Type::Pointer(pointer) => pointer.cell.as_mut(),
            _ => None,
        };
        if let Some(Cell { storage: Storage::Letter { letter, width }, .. }) = cell {
            *width = self.letter_width(id, *letter, row)?;
        }
        let content = match &element {
            Type::Run(run) => run.content,
            _ => Content::Bytes,
        };
        if let (Some(span), false) = (props.span("encoding"), base.raw) {
            self.d.error("E0225", span, "`encoding=` belongs to `text`");
        }
        if let Some((kind, optional)) = base.suffix {
            element = own_pointer(kind, optional, element);
        }
        let mut ty = element;
        let mut regioned = false;
        if base.raw && !array {
            ty = self.raw(id, row, content, env)?;
            regioned = true;
        } else if array {
            if base.raw && super::shapes::is_bounded(props) {
                ty = self.bounded(id, row, content, env)?;
                regioned = true;
            }
            ty = self.array(row, ty, env)?;
        } else if base.sigil_only {
            ty = Type::Nothing;
        }
        if base.sigil_only {
            let lengths =
                ["count", "last", "stride", "size", "end", "until", "terminator", "strip"];
            for (name, span) in lengths.into_iter().filter_map(|n| Some((n, props.span(n)?))) {
                let message = "what somebody else holds has its length there";
                let diagnostic = self.d.error("E0225", span, message);
                diagnostic.help(match name {
                    "count" | "last" => {
                        "for several pointers let each be in a struct, and that be the array: \
                         `struct Link { * item ref=File.items }`, `Link links count=n`"
                    }
                    _ => "leave it out: the row that holds it says how long it is",
                });
            }
        }
        if !regioned {
            ty = self.region(id, row, ty, content, env)?;
        }
        if let Some((kind, optional)) = base.prefix {
            if base.sigil_only && self.owned_elsewhere(row, env).is_some() {
                // The number follows from the object; the row says nothing of its own.
                ty = self.pointer_number(kind);
                self.pointer_props(id, row, &mut ty, env)?;
                return Some(ty);
            }
            let target = if base.sigil_only { Target::Element } else { Target::Own(ty) };
            if matches!(target, Target::Element) && !props.has("ref") {
                self.d
                    .error("E0225", row.span, "a pointer without a type needs `ref=`")
                    .help("name the array whose element it points to: `ref=ARRAY`");
                return None;
            }
            ty = Type::Pointer(Box::new(super::base::pointer(kind, optional, target)));
        }
        self.pointer_props(id, row, &mut ty, env)?;
        Some(ty)
    }

    /// `when_empty= none_with= align= section= list=` of pointers.
    fn pointer_props(
        &mut self,
        id: RecordId,
        row: &'t Row,
        ty: &mut Type,
        env: &Env,
    ) -> Option<()> {
        let props = &row.props;
        let names = ["when_empty", "none_with", "section", "list"];
        let number = is_number(ty);
        let pointer = match ty {
            Type::Pointer(pointer) => Some(pointer),
            Type::Array(array) => match &mut array.element {
                Type::Pointer(pointer) => Some(pointer),
                _ => None,
            },
            _ => None,
        };
        let Some(pointer) = pointer else {
            for name in names {
                // A number may stand in the relocation table, too.
                if number && matches!(name, "section" | "list") {
                    continue;
                }
                if let Some(span) = props.span(name) {
                    self.d.error("E0225", span, format!("`{name}=` belongs to a pointer"));
                }
            }
            if let (Some(span), RowWord::Typed(_)) = (props.span("align"), &row.word) {
                self.d.error("E0225", span, "`align=` belongs to a pointer, an object or a struct");
            }
            return Some(());
        };
        pointer.when_empty = match props.word("when_empty") {
            Some("none") => Some(WhenEmpty::None),
            Some("here") => Some(WhenEmpty::Here),
            Some("kept") => Some(WhenEmpty::Kept),
            _ => None,
        };
        if pointer.optional && matches!(pointer.when_empty, Some(WhenEmpty::None | WhenEmpty::Kept))
        {
            let span = props.span("when_empty").unwrap_or(row.span);
            self.d
                .error("E0225", span, "an optional pointer that is none leads to nothing, not to an empty array")
                .help("an array that is there and empty has an address; without `?` there is always an array");
        }
        if let Some(name) = props.text("none_with") {
            pointer.none_with = self.row_named(id, name);
            if pointer.none_with.is_none() {
                let span = props.span("none_with").unwrap_or(row.span);
                self.d.error("E0219", span, format!("no row `{name}` in this struct"));
            }
        }
        pointer.list = props.word("list").and_then(super::pointers::policy);
        if let Some(ex) = props.ex("align") {
            pointer.align = Some(self.int(env, ex)?);
        }
        if let Some(section) = self.section(row) {
            pointer.section = section;
        }
        Some(())
    }

    /// `section=`, by position.
    pub(super) fn section(&mut self, row: &Row) -> Option<u32> {
        let name = row.props.text("section")?;
        let tree = self.scope(self.main).tree;
        let found = tree.relocation.iter().position(|section| section.name == name);
        if found.is_none() {
            let span = row.props.span("section").unwrap_or(row.span);
            self.d.error("E0219", span, format!("no relocation section `{name}`"));
        }
        found.map(id32)
    }

    pub(super) fn array(&mut self, row: &'t Row, element: Type, env: &Env) -> Option<Type> {
        let props = &row.props;
        if describing(row).is_some() {
            return self.described(row, element, env);
        }
        let stride = match props.ex("stride") {
            Some(ex) => Some(self.int(env, ex)?),
            None => None,
        };
        let length = if let Some(ex) = props.ex("last") {
            if let Some(span) = props.span("count") {
                self.d.error("E0225", span, "`count=` and `last=` exclude each other");
            }
            let shape = self.type_shape(&element);
            let inner = Env { it: Some(shape), ..env.clone() };
            ArrayLength::Last(self.truth(&inner, ex)?)
        } else {
            match props.ex("count") {
                Some(ex) if !is_fill(ex) => ArrayLength::Count(self.int(env, ex)?),
                _ => ArrayLength::Fill,
            }
        };
        Some(Type::Array(Box::new(ArrayType {
            element,
            length,
            stride,
            described: None,
            in_step: None,
        })))
    }

    /// The region around something, if the row says one.
    fn region(
        &mut self,
        id: RecordId,
        row: &'t Row,
        inner: Type,
        content: Content,
        env: &Env,
    ) -> Option<Type> {
        let props = &row.props;
        let terminator = self.terminator(props, content);
        let strip = self.strip(props);
        let extent = self.extent(id, row, env)?;
        // A text that says its own length takes no part of what fills the region.
        if let (Some(_), Some(span), Type::Run(run)) = (strip, props.span("strip"), &inner)
            && matches!(run.length, RunLength::Fill)
            && unit_size(run.content) > 1
            && terminator.is_none()
        {
            self.d
                .error("E0225", span, "`strip=` is a byte, and these units have several")
                .help("zeros behind it are those of `terminator=nul`, or let it be `bytes`");
        }
        if let (None, Some(_), Some(span)) = (&extent, &terminator, props.span("strip")) {
            self.d
                .error("E0225", span, "`strip=` says nothing beside a terminator that ends the row")
                .help("with `size=` both say where the content ends inside of it");
        }
        let (extent, trim) = match (extent, terminator) {
            (Some(extent), terminator) => {
                let span = props.span("terminator").unwrap_or(row.span);
                if terminator
                    .as_ref()
                    .is_some_and(|end| !end.any.is_empty() && end.mode == Terminated::Unread)
                {
                    self.d
                        .error(
                            "E0225",
                            span,
                            "nothing follows that could read it: the size is said",
                        )
                        .help("say `terminated=kept`");
                }
                let trim = terminator.is_some() || strip.is_some();
                (extent, trim.then_some(Trim { terminator, strip }))
            }
            (None, Some(terminator)) => (Extent::Terminated(terminator), None),
            (None, None) => match strip {
                Some(_) => (Extent::Rest, Some(Trim { terminator: None, strip })),
                None => return Some(inner),
            },
        };
        Some(Type::Region(Box::new(RegionType { inner, extent, trim })))
    }

    /// `size=`, `end=` or `until=`.
    pub(super) fn extent(
        &mut self,
        id: RecordId,
        row: &'t Row,
        env: &Env,
    ) -> Option<Option<Extent>> {
        let props = &row.props;
        let given: Vec<&str> =
            ["size", "end", "until"].into_iter().filter(|name| props.has(name)).collect();
        if given.len() > 1 {
            let span = props.span(given[1]).unwrap_or(row.span);
            self.d.error(
                "E0225",
                span,
                format!("`{}=` and `{}=` exclude each other", given[0], given[1]),
            );
        }
        Some(match given.first() {
            Some(&"size") => {
                let ex = props.ex("size")?;
                if is_fill(ex) && self.member(id, "fill", 0).is_none() {
                    Some(Extent::Rest)
                } else {
                    Some(Extent::Size(self.int(env, ex)?))
                }
            }
            Some(&"end") => Some(Extent::End(self.int(env, props.ex("end")?)?)),
            Some(_) => {
                let ex = props.ex("until")?;
                if ex.word() == Some("end") && self.member(id, "end", 0).is_none() {
                    if matches!(row.word, RowWord::Zeros) {
                        return Some(Some(Extent::Rest));
                    }
                    let span = props.span("until").unwrap_or(row.span);
                    self.d
                        .error("E0225", span, "`until=` needs the object that begins there")
                        .help(
                            "of an array up to the end of what it is in say `count=fill`, of bytes or \
                             a text `size=fill`; of an array that an element ends, `last=CONDITION`",
                        );
                    return None;
                }
                let found = self.expr(env, ex)?;
                Some(Extent::End(self.addresses(found.expr)))
            }
            None => None,
        })
    }

    /// Where objects begin: each path in `a ?? b` becomes its address.
    fn addresses(&mut self, expr: ExprId) -> ExprId {
        match &self.exprs[expr] {
            Expr::Path(path) => {
                let at = Expr::At(path.clone());
                self.exprs.add(at)
            }
            &Expr::Coalesce(a, b) => {
                let (a, b) = (self.addresses(a), self.addresses(b));
                self.exprs.add(Expr::Coalesce(a, b))
            }
            _ => expr,
        }
    }

    /// `bytes` or `text` with its length.
    pub(super) fn raw(
        &mut self,
        id: RecordId,
        row: &'t Row,
        content: Content,
        env: &Env,
    ) -> Option<Type> {
        let props = &row.props;
        let make = |length| Type::Run(RunType { content, length, suffix: Vec::new(), align: None });
        if let Some(ex) = props.ex("count") {
            let length =
                if is_fill(ex) { RunLength::Fill } else { RunLength::Count(self.int(env, ex)?) };
            return self.region(id, row, make(length), content, env);
        }
        self.bounded(id, row, content, env)
    }

    /// `bytes` or `text` with `size=`, `end=`, `terminator=` or `strip=`.
    fn bounded(&mut self, id: RecordId, row: &'t Row, content: Content, env: &Env) -> Option<Type> {
        let props = &row.props;
        let make = |length| Type::Run(RunType { content, length, suffix: Vec::new(), align: None });
        let bounded = props.has("terminator") || props.has("strip");
        if let (Some(ex), false) = (props.ex("size"), bounded) {
            if is_fill(ex) && self.member(id, "fill", 0).is_none() {
                return Some(make(RunLength::Fill));
            }
            if !props.has("end") && !props.has("until") {
                let size = self.int(env, ex)?;
                match self.exprs.constant(size) {
                    Some(n) => match u64::try_from(n) {
                        Ok(size) => return Some(make(RunLength::Fixed(size))),
                        Err(_) => {
                            self.d.error("E0214", ex.span, "a size is not negative");
                            return None;
                        }
                    },
                    None if content == Content::Bytes => {
                        return Some(make(RunLength::Count(size)));
                    }
                    None => {}
                }
            }
        }
        let any = ["size", "end", "until", "terminator", "strip"].iter().any(|n| props.has(n));
        if !any {
            // A constant has the length of its value.
            if let Some(ExKind::Text(text)) = props.ex("is").map(|ex| &ex.kind)
                && unit_size(content) == 1
            {
                return Some(make(RunLength::Fixed(text_units(content, text))));
            }
            if let Some(ExKind::Call { name, args, .. }) = props.ex("is").map(|ex| &ex.kind)
                && let ("hex", [Ex { kind: ExKind::Text(text), .. }]) =
                    (name.value.as_str(), args.as_slice())
            {
                let size = crate::syntax::hex(text).map_or(0, |b| b.len());
                return Some(make(RunLength::Fixed(u64::try_from(size).ok()?)));
            }
            let equation = props.ex("is").or_else(|| props.ex("usually"));
            if let Some(ExKind::Call { name, .. }) = equation.map(|ex| &ex.kind)
                && let Some(size) = digest(&name.value).and_then(Function::digest_size)
            {
                return Some(make(RunLength::Fixed(size)));
            }
            self.d
                .error("E0226", row.span, "how long is it?")
                .help("write `size=N`, `size=fill`, `count=N` or `terminator=\"00\"`");
            return None;
        }
        self.region(id, row, make(RunLength::Fill), content, env)
    }

    /// Number of bits that a letter has in the pattern of the case.
    fn letter_width(&mut self, id: RecordId, letter: char, row: &Row) -> Option<u8> {
        let labels = match self.rec(id).kind {
            RecordKind::Case(union, case) => {
                self.uni(union).cases[case as usize].decl.labels.clone()
            }
            RecordKind::Form(union, case, form) => {
                self.uni(union).cases[case as usize].decl.forms[form as usize].labels.clone()
            }
            _ => Vec::new(),
        };
        let span = row.props.span("bits").unwrap_or(row.span);
        let mut width = None;
        for label in &labels {
            if let LabelKind::Pattern(bits) = &label.kind {
                let count = bits.chars().filter(|&c| c == letter).count();
                if count > 0 {
                    width = u8::try_from(count).ok();
                }
            }
        }
        let Some(width) = width.filter(|w| (1..=64).contains(w)) else {
            let unlabelled = match self.rec(id).kind {
                RecordKind::Case(union, case) => {
                    let decl = self.uni(union).cases[case as usize].decl;
                    decl.labels.is_empty() && decl.forms.is_empty()
                }
                _ => false,
            };
            if unlabelled {
                // The case is told that it has no label.
                return None;
            }
            let all_letters = |label: &&LabelEx| match &label.kind {
                LabelKind::Name(name) => {
                    label.quoted
                        && name.len().is_multiple_of(8)
                        && name.contains(letter)
                        && name.chars().all(|c| c.is_ascii_alphabetic())
                }
                _ => false,
            };
            if let Some(label) = labels.iter().find(all_letters)
                && let LabelKind::Name(name) = &label.kind
            {
                self.d.error("E0229", label.span, format!("`{name}` is no label")).help(
                    "a pattern has a `0` or `1`; bits of which none decides are a type of their \
                     own: `bits NAME u8 { ... }`",
                );
                return None;
            }
            let d = self.d.error("E0227", span, format!("no pattern of this case has `{letter}`"));
            if let Some(label) = labels.first() {
                d.also(label.span, "the label");
            }
            return None;
        };
        if let RowWord::Typed(ty) = &row.word {
            let said = builtin::small(&ty.name)
                .or_else(|| builtin::bit_width(&ty.name).map(|w| (w, false)));
            // `u16 index bits=i` may be wider than its bits.
            if let Some((said, _)) = said
                && said < width
            {
                self.d
                    .error(
                        "E0227",
                        ty.span,
                        format!("`{}` is too narrow for the {width} bits `{letter}`", ty.name),
                    )
                    .help(format!("write `u{width}`"));
            }
        }
        Some(width)
    }
}

fn row_is_bit(row: &Row) -> bool {
    matches!(&row.word, RowWord::Typed(ty) if ty.name == "bit")
}

/// A whole number in whole bytes.
fn is_number(ty: &Type) -> bool {
    match ty {
        Type::Cell(Cell { storage: Storage::Fixed(_), meaning: Meaning::Int }) => true,
        Type::PerEpoch(types) => {
            types.iter().all(|ty| is_number(ty) || matches!(ty, Type::Nothing))
        }
        _ => false,
    }
}

/// Whether a length is "as much as there is".
pub(super) fn is_fill(ex: &Ex) -> bool {
    ex.word() == Some("fill")
}
