//! Types as written become types of the model, without lengths and regions.

use super::imports::Found;
use super::{Base, Bound, Cx, MAX_NESTING, Open, ScopeId};
use crate::model::{
    Cell, Content, Encoding, FloatForm, Meaning, PointerId, PointerType, RecordId, RunLength,
    RunType, Storage, Target, Type,
};
use crate::span::Span;
use crate::syntax::ast::{DeclBody, TypeEx};
use crate::syntax::builtin::{
    BUILTIN, bit_width, boolean, declared_by, elsewhere, float, integer, is_builtin, opaque,
    takes_arguments,
};

/// Bytes or text to the end of the region.
pub(super) fn run(content: Content, length: RunLength) -> Type {
    Type::Run(RunType { content, length, suffix: Vec::new(), align: None })
}

impl Base {
    pub(super) fn plain(element: Type) -> Base {
        let open = None;
        Base { prefix: None, element, open, suffix: None, raw: false, sigil_only: false }
    }

    fn open(open: Open) -> Base {
        Base { open: Some(open), ..Base::plain(Type::Nothing) }
    }
}

impl<'t> Cx<'t> {
    /// Resolves a type that is written in a record, or at the top level.
    pub(super) fn base(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
    ) -> Option<Base> {
        let around = std::mem::replace(&mut self.passing, false);
        let base = self.base_here(scope, record, ty);
        self.passing = around;
        base
    }

    /// Resolves a type that is an argument.
    pub(super) fn passed(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
    ) -> Option<Base> {
        // What is written outside of structs asks for nothing of them by a bare name.
        let around = std::mem::replace(&mut self.passing, record.is_some());
        let base = self.base_here(scope, record, ty);
        self.passing = around;
        base
    }

    fn base_here(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
    ) -> Option<Base> {
        if self.deep > MAX_NESTING {
            self.d
                .error("E0208", ty.span, "types contain each other without end")
                .help("a type that contains itself must do so behind a pointer or in an array");
            return None;
        }
        self.deep += 1;
        let base = self.base_inner(scope, record, ty);
        self.deep -= 1;
        base
    }

    fn base_inner(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
    ) -> Option<Base> {
        let prefix = match &ty.prefix {
            Some((sigil, optional)) => Some((self.sigil(scope, sigil, ty.span)?, *optional)),
            None => None,
        };
        let suffix = match &ty.suffix {
            Some((sigil, optional)) => Some((self.sigil(scope, sigil, ty.span)?, *optional)),
            None => None,
        };
        if ty.name.is_empty() {
            return Some(Base { prefix, suffix, sigil_only: true, ..Base::plain(Type::Nothing) });
        }
        let inner = self.named(scope, record, ty)?;
        if prefix.is_none() && suffix.is_none() {
            return Some(inner);
        }
        // A pointer to what is a pointer already.
        let raw = inner.raw;
        if raw && suffix.is_some() {
            self.d.error("E0209", ty.span, "a pointer to `bytes` or `text` needs a length");
            return None;
        }
        let inner = collapse(inner);
        Some(Base { prefix, suffix, raw, ..inner })
    }

    /// What is passed on as an argument.
    pub(super) fn as_argument(base: Base) -> Bound {
        let base = collapse(base);
        match base.open {
            Some(open) => Bound::Open(open),
            None => Bound::Type(base.element),
        }
    }

    /// The type that an argument gives to the record that it was given to.
    pub(super) fn opened(&mut self, open: Open, span: Span) -> Option<Type> {
        let ty = self.used(open.scope, open.index, open.args, span)?;
        let pointers = open.pointers.into_iter();
        Some(pointers.fold(ty, |ty, (kind, optional)| own_pointer(kind, optional, ty)))
    }

    /// The type of a struct, union or word with these arguments.
    fn used(&mut self, scope: ScopeId, index: usize, args: Vec<Bound>, span: Span) -> Option<Type> {
        let decl = self.decl(scope, index);
        let DeclBody::Word { storage, .. } = &decl.body else {
            return self.instance(scope, index, args, span).map(Type::Record);
        };
        let base = self.base(scope, None, storage)?;
        let Type::Cell(Cell { storage: Storage::Fixed(int), meaning: Meaning::Int }) = base.element
        else {
            let name = &decl.name.value;
            let message = format!("`{name}` must be stored in an integer type");
            self.d
                .error("E0209", decl.span, message)
                .help("write `bits Name u32`; for several widths declare one for each, and choose between them: `type Name { when \"CONDITION\" One; else Two }`");
            return None;
        };
        let id = self.instance(scope, index, args, span)?;
        let meaning = Meaning::Word(id);
        Some(Type::Cell(Cell { storage: Storage::Fixed(int), meaning }))
    }

    fn sigil(&mut self, scope: ScopeId, sigil: &str, span: Span) -> Option<PointerId> {
        match self.lookup_one(scope, sigil, span) {
            Some(Found::Decl(scope, index)) => {
                let decl = self.decl(scope, index);
                if matches!(decl.body, DeclBody::Pointer { .. }) {
                    return Some(self.pointer_kind(scope, index));
                }
                self.d.error("E0210", span, format!("`{sigil}` is not a kind of pointer"));
                None
            }
            _ => {
                self.d
                    .error("E0210", span, format!("no kind of pointer `{sigil}`"))
                    .help(format!("declare it: `pointer {sigil} u32 none=0`"));
                None
            }
        }
    }

    fn named(&mut self, scope: ScopeId, record: Option<RecordId>, ty: &'t TypeEx) -> Option<Base> {
        let name = ty.name.as_str();
        if let Some(record) = record {
            let bound = self.rec(record).params.iter().find(|p| p.0 == name).map(|p| p.1.clone());
            match bound {
                Some(Bound::Type(bound)) => {
                    self.no_args(ty);
                    let raw = false;
                    return Some(Base { raw, ..Base::plain(bound) });
                }
                Some(Bound::Open(open)) => {
                    self.no_args(ty);
                    return Some(match self.passing {
                        true => Base::open(open),
                        false => Base::plain(self.opened(open, ty.span)?),
                    });
                }
                Some(_) => {
                    self.d
                        .error("E0211", ty.span, format!("parameter `{name}` is not a type here"))
                        .help("the argument was read as a value because a row has this name");
                    return None;
                }
                None => {}
            }
        }
        if takes_arguments(name) {
            return self.scaled(scope, record, ty);
        }
        if is_builtin(name) {
            self.no_args(ty);
            return self.builtin(record, ty);
        }
        match self.lookup_one(scope, name, ty.span) {
            Some(Found::Decl(at, index)) => self.declared(scope, record, ty, at, index),
            Some(Found::Type(at, bound)) => {
                self.no_args(ty);
                self.base(at, None, bound)
            }
            None => {
                if self.lookup(scope, name).is_empty() {
                    self.unknown_type(scope, record, ty);
                }
                None
            }
        }
    }

    fn unknown_type(&mut self, scope: ScopeId, record: Option<RecordId>, ty: &TypeEx) {
        let here = elsewhere(&ty.name);
        let mut known = Vec::new();
        if let Some(record) = record {
            known.extend(self.rec(record).params.iter().map(|p| p.0));
        }
        // What the schema declares is meant rather than what other languages have.
        if here.is_none() {
            known.extend(BUILTIN);
        }
        let Some(d) = self.undeclared(scope, "type", &ty.name, ty.span, &known) else { return };
        match (here, declared_by(&ty.name)) {
            _ if !d.label.is_empty() => {}
            (Some(here), _) => {
                d.help(format!("write `{here}`"));
            }
            (None, Some(line)) => {
                d.help(format!("declare it at the top level: `{line}`"));
            }
            _ => {}
        }
    }

    fn no_args(&mut self, ty: &TypeEx) {
        if let Some(first) = ty.args.first() {
            self.d.error("E0213", first.span, format!("`{}` takes no arguments", ty.name));
        }
    }

    /// A float that is stored as an integer: `norm<u8>`, `fixed<i16,8>`.
    fn scaled(&mut self, scope: ScopeId, record: Option<RecordId>, ty: &'t TypeEx) -> Option<Base> {
        // A float of 8 bytes says all integers of so many.
        const WIDEST: u8 = 6;
        let name = ty.name.as_str();
        let needs = if name == "norm" { 1 } else { 2 };
        if ty.args.len() != needs {
            let plural = if needs == 1 { "" } else { "s" };
            let message = format!("`{name}` takes {needs} argument{plural}, not {}", ty.args.len());
            let example = if name == "norm" { "norm<u8>" } else { "fixed<i16,8>" };
            self.d.error("E0213", ty.span, message).help(format!("write `{example}`"));
            return None;
        }
        let int = match self.argument(scope, record, &ty.args[0], 0)? {
            Bound::Type(Type::Cell(Cell {
                storage: Storage::Fixed(int),
                meaning: Meaning::Int,
            })) if int.bytes <= WIDEST => int,
            _ => {
                self.d
                    .error("E0209", ty.args[0].span, format!("`{name}` is of an integer"))
                    .label("an integer type of 8 to 48 bits is needed");
                return None;
            }
        };
        let form = match ty.args.get(1) {
            None => FloatForm::Norm,
            Some(arg) => {
                let bound = self.argument(scope, record, arg, 1)?;
                let fraction = match bound {
                    Bound::Const(expr, _) => match self.exprs[expr] {
                        crate::model::Expr::Int(n) => u8::try_from(n).ok().filter(|n| *n <= 64),
                        _ => None,
                    },
                    _ => None,
                };
                let Some(fraction) = fraction else {
                    self.d
                        .error("E0214", arg.span, "this is no number of bits")
                        .label("bits of the fraction: 0 to 64");
                    return None;
                };
                FloatForm::Fixed(fraction)
            }
        };
        let meaning = Meaning::Float(form);
        Some(Base::plain(Type::Cell(Cell { storage: Storage::Fixed(int), meaning })))
    }

    fn builtin(&mut self, record: Option<RecordId>, ty: &TypeEx) -> Option<Base> {
        let name = ty.name.as_str();
        let cell = |storage, meaning| Base::plain(Type::Cell(Cell { storage, meaning }));
        if let Some(int) = integer(name) {
            return Some(cell(Storage::Fixed(int), Meaning::Int));
        }
        if let Some(int) = float(name) {
            return Some(cell(Storage::Fixed(int), Meaning::Float(FloatForm::Ieee)));
        }
        if let Some(bytes) = boolean(name) {
            let int = super::int(bytes, false);
            return Some(cell(Storage::Fixed(int), Meaning::Bool { yes: 1 }));
        }
        if let Some(width) = bit_width(name) {
            let msb_first = record.is_none_or(|record| self.rec(record).msb_first);
            let meaning = if name == "bit" { Meaning::Bool { yes: 1 } } else { Meaning::Int };
            return Some(cell(Storage::Bits { width, msb_first }, meaning));
        }
        if let Some(size) = opaque(name) {
            return Some(Base::plain(run(Content::Bytes, RunLength::Fixed(size))));
        }
        match name {
            "bytes" => {
                Some(Base { raw: true, ..Base::plain(run(Content::Bytes, RunLength::Fill)) })
            }
            "text" => {
                let text = Content::Text(Encoding::Utf8);
                Some(Base { raw: true, ..Base::plain(run(text, RunLength::Fill)) })
            }
            "nothing" => Some(Base::plain(Type::Nothing)),
            "byte_order" => Some(Base::plain(Type::ByteOrderMark)),
            "bool" => {
                self.d
                    .error("E0209", ty.span, "`bool` has no size here")
                    .help("write `bool8`, `bool16`, `bool32` or `bit`");
                None
            }
            _ => {
                self.d
                    .error("E0209", ty.span, format!("`{name}` is not a whole number of bytes"))
                    .help(format!(
                        "such numbers stand in `bits` and in patterns; from the bit cursor write \
                         `b{}`",
                        &name[1..]
                    ));
                None
            }
        }
    }

    /// A type that a text declares.
    fn declared(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
        at: ScopeId,
        index: usize,
    ) -> Option<Base> {
        let decl = self.decl(at, index);
        match &decl.body {
            DeclBody::Struct { .. } | DeclBody::Union { .. } | DeclBody::Word { .. } => {
                let args = self.arguments(scope, record, decl, &ty.args, ty.span)?;
                let asks = |arg: &Bound| matches!(arg, Bound::Argument(..) | Bound::Open(_));
                if self.passing && args.iter().any(asks) {
                    return Some(Base::open(Open { scope: at, index, args, pointers: Vec::new() }));
                }
                self.used(at, index, args, ty.span).map(Base::plain)
            }
            DeclBody::Enum { storage, .. } => {
                self.no_args(ty);
                let id = self.enumeration(at, index);
                let Some(storage) = storage else {
                    let name = &decl.name.value;
                    self.d
                        .error("E0209", ty.span, format!("`{name}` does not say how it is stored"))
                        .also(decl.name.span, "declared here")
                        .help(format!("write `u8 NAME enum={name}`, or `enum {name} u8`"));
                    return None;
                };
                let mut base = self.base(at, record, storage)?;
                let name = |ty: &mut Type| match ty {
                    Type::Cell(Cell { meaning: meaning @ Meaning::Int, .. }) => {
                        *meaning = Meaning::Enum(id);
                        true
                    }
                    Type::Nothing => true,
                    _ => false,
                };
                let named = match &mut base.element {
                    Type::PerEpoch(types) => types.iter_mut().all(name),
                    Type::Nothing => false,
                    ty => name(ty),
                };
                if !named {
                    self.d.error("E0209", ty.span, "an enumeration is stored as an integer");
                    return None;
                }
                Some(Base::plain(base.element))
            }
            DeclBody::Text => {
                let args = self.arguments(scope, record, decl, &ty.args, ty.span)?;
                self.string(at, decl, &args).map(Base::plain)
            }
            DeclBody::Varint { .. } => {
                self.no_args(ty);
                let id = self.varint(at, index)?;
                let storage = Storage::Varint(id);
                Some(Base::plain(Type::Cell(Cell { storage, meaning: Meaning::Int })))
            }
            DeclBody::Digits { .. } => {
                self.no_args(ty);
                let digits = self.digits(at, index)?;
                let storage = self.digits[digits.index()].storage(digits);
                Some(Base::plain(Type::Cell(Cell { storage, meaning: Meaning::Int })))
            }
            DeclBody::Pointer { .. } => self.pointer_type(scope, record, ty, at, index),
            DeclBody::Alias(choices) => {
                if self.busy.contains(&(at, index)) {
                    self.d
                        .error(
                            "E0208",
                            decl.name.span,
                            format!("`{}` names itself", decl.name.value),
                        )
                        .label("leads back here");
                    return None;
                }
                self.busy.push((at, index));
                let found = self.alias(scope, record, ty, at, choices);
                self.busy.pop();
                found
            }
        }
    }

    pub(super) fn alias(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
        at: ScopeId,
        choices: &'t [(Option<crate::syntax::expr::Ex>, TypeEx)],
    ) -> Option<Base> {
        if let [(None, only)] = choices {
            // `type Names nn.Dictionary`: arguments are handed on.
            if only.args.is_empty()
                && !ty.args.is_empty()
                && only.prefix.is_none()
                && let Some(Found::Decl(to, index)) = self.lookup_one(at, &only.name, only.span)
            {
                return self.declared(scope, record, ty, to, index);
            }
            self.no_args(ty);
            return self.base(at, None, only);
        }
        self.no_args(ty);
        let conditions: Vec<_> = choices.iter().map(|(condition, _)| condition.as_ref()).collect();
        let chosen = self.choose(at, &conditions)?;
        let mut found: Vec<Option<Type>> = vec![None; choices.len()];
        let mut types = Vec::new();
        for choice in chosen {
            let Some(choice) = choice else {
                types.push(Type::Nothing);
                continue;
            };
            if found[choice].is_none() {
                let base = self.base(at, None, &choices[choice].1)?;
                found[choice] = Some(collapse(base).element);
            }
            types.extend(found[choice].clone());
        }
        Some(Base::plain(per_epoch(types)))
    }

    /// A pointer kind used by its name: `Label`, `here<Table>`.
    fn pointer_type(
        &mut self,
        scope: ScopeId,
        record: Option<RecordId>,
        ty: &'t TypeEx,
        at: ScopeId,
        index: usize,
    ) -> Option<Base> {
        let kind = self.pointer_kind(at, index);
        let decl = self.decl(at, index);
        let pooled = decl.props.has("in");
        let target: Type = match (ty.args.as_slice(), decl.props.text("to")) {
            ([], _) if pooled => {
                return Some(Base::plain(Type::Pointer(Box::new(pointer(
                    kind,
                    false,
                    Target::Pooled,
                )))));
            }
            ([], Some(_)) => self.pointer_target(at, index)?,
            ([only], _) => {
                let Some(ty) = &only.ty else {
                    self.d.error("E0213", only.span, "a type is expected here");
                    return None;
                };
                let base = self.base_here(scope, record, ty)?;
                return Some(Base { prefix: Some((kind, false)), ..collapse(base) });
            }
            _ => {
                let name = &decl.name.value;
                self.d
                    .error("E0213", ty.span, format!("`{name}` needs the type that it leads to"))
                    .help(format!("write `{name}<Type>`, or declare it with `to=Type`; for `ref=` give it a sigil: `pointer * ...`"));
                return None;
            }
        };
        Some(Base { prefix: Some((kind, false)), ..Base::plain(target) })
    }
}

/// A base whose pointers are a part of the element.
fn collapse(base: Base) -> Base {
    let pointed = [base.suffix, base.prefix].into_iter().flatten();
    let (element, open) = match base.open {
        Some(mut open) => {
            open.pointers.extend(pointed);
            (Type::Nothing, Some(open))
        }
        None => {
            let wrap = |ty, (kind, optional)| own_pointer(kind, optional, ty);
            (pointed.fold(base.element, wrap), None)
        }
    };
    Base { open, raw: base.raw, ..Base::plain(element) }
}

/// Pointer without further properties.
pub(super) fn pointer(kind: PointerId, optional: bool, target: Target) -> PointerType {
    PointerType {
        kind,
        cell: None,
        target,
        optional,
        when_empty: None,
        none_with: None,
        align: None,
        section: 0,
        list: None,
    }
}

/// Pointer that owns its target.
pub(super) fn own_pointer(kind: PointerId, optional: bool, target: Type) -> Type {
    Type::Pointer(Box::new(pointer(kind, optional, Target::Own(target))))
}

/// One type, if all epochs that have any have the same.
pub(super) fn per_epoch(types: Vec<Type>) -> Type {
    let mut distinct: Vec<String> = types
        .iter()
        .filter(|ty| !matches!(ty, Type::Nothing))
        .map(|ty| format!("{ty:?}"))
        .collect();
    distinct.dedup();
    if distinct.len() <= 1 {
        let one = types.iter().find(|ty| !matches!(ty, Type::Nothing));
        return one.cloned().unwrap_or(Type::Nothing);
    }
    Type::PerEpoch(types)
}
