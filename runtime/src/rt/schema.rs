//! Tables that generated code gives to the tree: what is known of records and rows while a file is
//! read or written, and the paths of expressions.

/// What is known about a schema at run time: one entry per record, in the order of the model.
#[derive(Debug)]
pub struct Schema {
    /// Records by number.
    pub records: &'static [RecordInfo],
    /// Paths of expressions by number.
    pub paths: &'static [PathInfo],
    /// Values that are many: arguments and `let`s.
    pub sources: &'static [Source],
}

/// A record.
#[derive(Debug)]
pub struct RecordInfo {
    /// Name of its declaration.
    pub name: &'static str,
    /// Whether the rows belong to the record around (cases and forms).
    pub inner: bool,
    /// Whether these are the rows of a form: in paths they stand for those of the case.
    pub form: bool,
    /// Slot that the record stands for.
    pub transparent: Option<u16>,
    /// Whether entering it counts for the depth limit.
    pub recursive: bool,
    /// Size by epoch if it is the same for every file and nothing follows.
    pub sizes: &'static [Option<u64>],
    /// Rows with a slot.
    pub slots: &'static [SlotInfo],
    /// Slot of the union that the record consists of, if it has one.
    pub union: Option<u16>,
    /// Arguments for parameters: numbers of [`Schema::sources`], evaluated in the owner.
    pub arguments: &'static [u16],
}

/// A row that has a slot.
#[derive(Debug)]
pub struct SlotInfo {
    /// Position of the row in the record.
    pub row: u16,
    /// Name of the row.
    pub name: Option<&'static str>,
    /// Whether paths for people have no step for it.
    pub silent: bool,
    /// Whether it refers to an element of an array.
    pub reference: bool,
    /// Whether it always points to a place without bytes.
    pub empty_target: bool,
    /// Of a union: its cases, by record.
    pub cases: &'static [(u16, &'static str)],
}

impl RecordInfo {
    /// A record of this name, with sizes by epoch and rows with a slot.
    #[must_use]
    pub const fn new(
        name: &'static str,
        sizes: &'static [Option<u64>],
        slots: &'static [SlotInfo],
    ) -> Self {
        RecordInfo {
            name,
            inner: false,
            form: false,
            transparent: None,
            recursive: false,
            sizes,
            slots,
            union: None,
            arguments: &[],
        }
    }

    /// Its rows belong to the record around.
    #[must_use]
    pub const fn inner(mut self) -> Self {
        self.inner = true;
        self
    }

    /// Its rows are those of a form.
    #[must_use]
    pub const fn form(mut self) -> Self {
        self.inner = true;
        self.form = true;
        self
    }

    /// It stands for this slot.
    #[must_use]
    pub const fn transparent(mut self, slot: u16) -> Self {
        self.transparent = Some(slot);
        self
    }

    /// Entering it counts for the depth limit.
    #[must_use]
    pub const fn recursive(mut self) -> Self {
        self.recursive = true;
        self
    }

    /// It consists of the union in this slot.
    #[must_use]
    pub const fn union(mut self, slot: u16) -> Self {
        self.union = Some(slot);
        self
    }

    /// Its parameters are bound to these sources.
    #[must_use]
    pub const fn arguments(mut self, arguments: &'static [u16]) -> Self {
        self.arguments = arguments;
        self
    }
}

impl SlotInfo {
    /// The slot of a row with a name.
    #[must_use]
    pub const fn named(row: u16, name: &'static str) -> Self {
        SlotInfo {
            row,
            name: Some(name),
            silent: false,
            reference: false,
            empty_target: false,
            cases: &[],
        }
    }

    /// The slot of a row without one.
    #[must_use]
    pub const fn unnamed(row: u16) -> Self {
        SlotInfo { name: None, ..Self::named(row, "") }
    }

    /// Paths for people have no step for it.
    #[must_use]
    pub const fn silent(mut self) -> Self {
        self.silent = true;
        self
    }

    /// It refers to an element of an array.
    #[must_use]
    pub const fn reference(mut self) -> Self {
        self.reference = true;
        self
    }

    /// It always points to a place without bytes.
    #[must_use]
    pub const fn empty_target(mut self) -> Self {
        self.empty_target = true;
        self
    }

    /// A union with these cases is in it.
    #[must_use]
    pub const fn cases(mut self, cases: &'static [(u16, &'static str)]) -> Self {
        self.cases = cases;
        self
    }
}

/// A place in the tree, as an expression says it.
#[derive(Debug)]
pub struct PathInfo {
    /// Where it begins.
    pub start: Start,
    /// What follows.
    pub steps: &'static [Step],
    /// As written.
    pub text: &'static str,
}

impl PathInfo {
    /// A path.
    #[must_use]
    pub const fn new(start: Start, steps: &'static [Step], text: &'static str) -> Self {
        PathInfo { start, steps, text }
    }
}

/// Beginning of a path.
#[derive(Debug, Clone, Copy)]
pub enum Start {
    /// The node itself.
    This,
    /// The owner, so many levels up.
    Up(u16),
    /// The nearest node of one of these records.
    Enclosing(&'static [u16]),
    /// The root.
    Root,
    /// The element that the expression is about.
    It,
    /// An argument of the node's record.
    Argument(u16),
}

/// One step of a path.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// A field, by record.
    Field(&'static [(u16, &'static [Member])]),
    /// The element that this expression says.
    Index(u16),
    /// The last element.
    Last,
}

/// Way from a node to a field.
#[derive(Debug, Clone, Copy)]
pub enum Member {
    /// A slot of the node.
    Slot(u16),
    /// Into the node in this slot.
    Into(u16),
    /// A `let`: a number of [`Schema::sources`].
    Let(u16),
}

/// A value that may be many.
#[derive(Debug, Clone, Copy)]
pub enum Source {
    /// What a path leads to.
    Path(u16),
    /// One behind the other.
    Concatenate(u16, u16),
    /// The first, or the second where that leads to nothing.
    Coalesce(u16, u16),
    /// The value of an expression.
    Expr(u16),
}
