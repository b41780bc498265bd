//! A file that was read.

use formwork::engine::{self, Program, WHOLE};
use formwork::inspect::Inspector;
use formwork::spelling::KeptKind;
use formwork::{ReadError, ReadOptions, WriteError};
use formwork_model::{ExprId, Role};

use crate::inspect::value_of;
use crate::value::Value;

/// A file that was read: every row of every record, derived ones included, with its place.
pub struct Document<'a> {
    pub(crate) engine: engine::Document<'a, 'a>,
    pub(crate) bytes: &'a [u8],
    pub(crate) options: ReadOptions,
}

/// Something of a file that the rules of the schema do not give, so that it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deviation {
    /// Path of the field, or of the struct.
    pub path: String,
    /// What is unusual about it.
    pub kind: KeptKind,
    /// Address of the field, or of what it leads to.
    pub offset: Option<u64>,
    /// What the schema says that the number usually is, if it says so (`usually=`).
    pub usually: Option<ExprId>,
}

/// Reads a file.
///
/// # Errors
///
/// The first thing that does not fit the schema, with its offset in bytes and its path.
pub fn read<'a>(
    program: &'a Program,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<Document<'a>, ReadError> {
    match read_partly(program, bytes, options) {
        (document, None) => Ok(document),
        (_, Some(error)) => Err(error),
    }
}

/// Reads a file as far as it goes: what was read before the error is in the document.
pub fn read_partly<'a>(
    program: &'a Program,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> (Document<'a>, Option<ReadError>) {
    let (engine, error) = engine::read_partly(program, bytes, options);
    (Document { engine, bytes, options: options.clone() }, error)
}

impl Document<'_> {
    /// The value: what a program edits, and what [`crate::write`] takes.
    #[must_use]
    pub fn value(&self) -> Value {
        Document::value_in(&self.engine)
    }

    /// The value of a file that the engine has read.
    pub(crate) fn value_in(engine: &engine::Document<'_, '_>) -> Value {
        if engine.is_empty() {
            return Value::None;
        }
        value_of(engine.program(), |to| engine.inspect(to))
            .expect("a document shows itself as one value")
    }

    /// Shows the value; nothing if nothing could be read.
    pub fn inspect(&self, to: &mut dyn Inspector) {
        self.engine.inspect(to);
    }

    /// The bytes of the file again, from what its value says.
    ///
    /// # Errors
    ///
    /// Those of [`crate::write`].
    pub fn write(&self) -> Result<Vec<u8>, WriteError> {
        self.engine.write()
    }

    /// Whether nothing is spelled in an unusual way.
    #[must_use]
    pub fn is_canonical(&self) -> bool {
        self.engine.is_canonical()
    }

    /// What is spelled or arranged in an unusual way, by path, and where that is.
    #[must_use]
    pub fn deviations(&self) -> Vec<Deviation> {
        let tree = self.engine.tree();
        let deviations = tree.deviations().map(|(loc, kind, _)| {
            let target = tree.pointer_view(tree.entry(loc)).and_then(|view| view.at);
            let own = || engine::placed(tree.row_at(loc));
            let offset = if loc.row == WHOLE { None } else { target.or_else(own) };
            let row = tree.record(loc.node).rows.get(loc.row.index());
            let usually = match row.map(|row| &row.role) {
                Some(Role::Kept(usually)) if kind == KeptKind::Number => Some(*usually),
                _ => None,
            };
            Deviation { path: tree.path(loc).to_string(), kind, offset, usually }
        });
        let mut deviations: Vec<_> = deviations.collect();
        deviations.sort_by(|a, b| (a.offset, &a.path).cmp(&(b.offset, &b.path)));
        deviations
    }

    /// What was noticed that is no error, in the order of its discovery.
    #[must_use]
    pub fn notes(&self) -> &[engine::Note] {
        self.engine.notes()
    }

    /// Label of the epoch whose layouts the file has.
    #[must_use]
    pub fn epoch(&self) -> &str {
        &self.engine.program().model().epochs[self.engine.epoch().index()].label
    }
}
