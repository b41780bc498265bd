//! Arrays of which something else in the file says what each element is: `of=`.

use super::lengths::is_fill;
use super::{Cx, Env, Expr, ExprId, RecordId, Shape};
use crate::model::{
    ArrayLength, ArrayType, BinaryOp, Columns, Described, Path, Start, StreamFunction, Type,
};
use crate::syntax::ast::{PropValue, Row, RowWord};
use crate::syntax::expr::RefEx;

/// Properties that belong to `of=`.
const PARTS: [&str; 3] = ["leading", "records", "at"];

/// What describes the elements of a row.
pub(super) fn describing(row: &Row) -> Option<&RefEx> {
    match row.props.get("of").map(|of| &of.value) {
        Some(PropValue::Ref(of)) => Some(of),
        _ => None,
    }
}

impl<'t> Cx<'t> {
    /// What `it` is in the arguments of a row's type.
    pub(super) fn describing_shape(&mut self, id: RecordId, row: &'t Row) -> Option<Shape> {
        let of = describing(row)?;
        let env = self.record_env(id);
        let (_, shape) = self.array_of(&env, of)?;
        Some(shape.element())
    }

    /// The array that `of=` names.
    fn array_of(&mut self, env: &Env, of: &'t RefEx) -> Option<(Path, Shape)> {
        let (mut path, mut shape) = self.path(env, &of.array)?;
        self.through_transparent(&mut shape, &mut path.steps);
        if !matches!(shape, Shape::Array(_) | Shape::Any(_)) {
            let what = self.describe(&shape);
            self.d
                .error("E0223", of.array.span(), "`of=` needs the path of an array")
                .label(format!("this is {what}"))
                .help("there is an element for each one of it");
            return None;
        }
        Some((path, shape))
    }

    /// Properties of `of=` in a row that has none, and `of=` where nothing stands in place.
    pub(super) fn must_be_described(&mut self, row: &'t Row, pointed: bool) {
        if !matches!(row.word, RowWord::Typed(_)) {
            return;
        }
        if describing(row).is_none() {
            for name in PARTS {
                if let Some(span) = row.props.span(name) {
                    self.d
                        .error("E0225", span, format!("`{name}=` belongs to an array with `of=`"))
                        .help("say what describes the elements: `of=ARRAY`");
                }
            }
        } else if let (true, Some(span)) = (pointed, row.props.span("of")) {
            self.d
                .error("E0225", span, "what `of=` describes stands in place, not behind pointers")
                .help("let the pointer lead to a struct with this row");
        }
    }

    /// The type of an array with `of=`.
    pub(super) fn described(&mut self, row: &'t Row, element: Type, env: &Env) -> Option<Type> {
        let props = &row.props;
        let of = describing(row)?;
        for name in ["count", "last"] {
            if let Some(span) = props.span(name) {
                self.d
                    .error("E0225", span, format!("`{name}=` and `of=` exclude each other"))
                    .help("there is an element for each one of the array that `of=` names");
            }
        }
        let (path, shape) = self.array_of(env, of)?;
        let it = shape.element();
        let inner = Env { it: Some(it.clone()), element: Some(it), ..env.clone() };
        let filter = match &of.filter {
            Some(filter) => Some(self.truth(&inner, filter)?),
            None => None,
        };
        let by = self.exprs.add(Expr::Path(path));
        let leading = match props.int("leading") {
            None => 0,
            Some(number) => match u16::try_from(number) {
                Ok(number) => u32::from(number),
                Err(_) => {
                    let span = props.span("leading").unwrap_or(row.span);
                    self.d.error("E0214", span, "a number of elements from 0 to 65535");
                    return None;
                }
            },
        };
        let mut count = self.exprs.add(Expr::Stream(StreamFunction::Count, by, filter));
        if leading > 0 {
            let leading = self.exprs.add(Expr::Int(leading.into()));
            count = self.exprs.add(Expr::Binary(BinaryOp::Add, leading, count));
        }
        let stride = match props.ex("stride") {
            Some(ex) => Some(self.int(env, ex)?),
            None => None,
        };
        let columns = self.records(row, env, stride)?;
        if columns.is_some() && !matches!(element, Type::Record(_)) {
            self.d
                .error("E0225", row.span, "a column is a struct or a union type")
                .help("declare one that holds an array: `struct Column<n> { u8 values count=n }`");
            return None;
        }
        let at = match props.ex("at") {
            Some(ex) => Some(self.int(&inner, ex)?),
            None => None,
        };
        if at.is_some() && columns.is_none() {
            self.must_have_room(row, &element)?;
        }
        // Where nothing asks what describes an element, there are only as many.
        let asked = columns.is_some() || at.is_some() || self.asks_for_it(&element);
        let stride = stride.filter(|_| columns.is_none());
        let described = Described { by, filter, leading, columns, at };
        Some(Type::Array(Box::new(ArrayType {
            element,
            length: ArrayLength::Count(count),
            stride,
            described: asked.then(|| Box::new(described)),
            in_step: None,
        })))
    }

    /// Whether an argument of a type mentions `it`.
    fn asks_for_it(&self, ty: &Type) -> bool {
        ty.parts().any(|part| match part {
            Type::Record(id) => self.rec(*id).arguments.iter().any(|argument| {
                let mut found = false;
                self.exprs.paths(*argument, &mut |path| {
                    found |= matches!(path.start, Start::It);
                });
                found
            }),
            _ => false,
        })
    }

    /// Elements that say where they stand need to know where the bytes for them end.
    fn must_have_room(&mut self, row: &'t Row, element: &Type) -> Option<()> {
        let props = &row.props;
        for name in ["stride", "terminator", "strip"] {
            if let Some(span) = props.span(name) {
                self.d
                    .error("E0225", span, format!("`{name}=` and `at=` exclude each other"))
                    .help("each element stands where `at=` says, in the bytes that `size=` gives");
                return None;
            }
        }
        if props.ex("size").is_none_or(is_fill) {
            let span = props.span("at").unwrap_or(row.span);
            self.d
                .error("E0225", span, "nothing says how many bytes there are for the elements")
                .help(
                    "say it with `size=BYTES`; or how many records there are, if `at=` is the \
                       offset of a column: `records=COUNT stride=BYTES`",
                );
            return None;
        }
        if !matches!(element, Type::Record(_)) {
            self.d
                .error("E0225", row.span, "what says where it stands is a struct or a union type")
                .help("declare one around it: `struct Entry { u8 value }`");
            return None;
        }
        Some(())
    }

    /// `records= stride=`: nothing if the elements are no columns.
    #[allow(clippy::option_option, reason = "an error, nothing, or columns")]
    fn records(
        &mut self,
        row: &'t Row,
        env: &Env,
        stride: Option<ExprId>,
    ) -> Option<Option<Columns>> {
        let props = &row.props;
        let Some(records) = props.ex("records") else { return Some(None) };
        let records = self.int(env, records)?;
        let Some(stride) = stride else {
            let span = props.span("records").unwrap_or(row.span);
            self.d
                .error("E0225", span, "`records=` needs `stride=`")
                .help("say how many bytes a record takes: `stride=BYTES`");
            return None;
        };
        Some(Some(Columns { records, stride }))
    }
}
