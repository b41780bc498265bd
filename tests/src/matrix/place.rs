//! Where the row of a cell stands. What is around it there is in `around`, `laid` and `shown`.

/// Where a row stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In the root.
    Root,
    /// In a struct.
    Struct,
    /// In a struct with homes.
    Homed,
    /// In a struct with columns, of which the first does not have it.
    Columns,
    /// Under a `when` over an epoch.
    Epoch,
    /// Under a `when` over data.
    When,
    /// In the `else` behind one.
    Else,
    /// As an array.
    Array,
    /// In the elements of an array.
    Elements,
    /// As a field of `bits`.
    Field,
    /// Between other bits of the bit cursor.
    Cursor,
    /// In a case of a union in a struct.
    Case,
    /// In a case of a union type with a tag.
    Tagged,
    /// In front of the cases of such a union.
    Common,
    /// As the tag itself.
    Tag,
    /// In a form.
    Form,
    /// As the `value` of forms.
    Formed,
    /// As bits of a pattern.
    Pattern,
    /// In a struct behind a pointer.
    Behind,
    /// As an object.
    Object,
    /// In the elements of a shared table.
    Table,
    /// As a shared table.
    Shared,
    /// As the only row of a transparent struct.
    Transparent,
    /// As a row whose type is a parameter.
    Parameter,
    /// As a row whose type is an alias.
    Alias,
    /// As a measured `value`.
    Value,
    /// As a measured `value` that may be nothing.
    Perhaps,
    /// As a `const`.
    Const,
    /// In the elements of an array that a dictionary names.
    Named,
}

impl Place {
    /// All of them.
    pub const ALL: [Place; 29] = [
        Place::Root,
        Place::Struct,
        Place::Homed,
        Place::Columns,
        Place::Epoch,
        Place::When,
        Place::Else,
        Place::Array,
        Place::Elements,
        Place::Field,
        Place::Cursor,
        Place::Case,
        Place::Tagged,
        Place::Common,
        Place::Tag,
        Place::Form,
        Place::Formed,
        Place::Pattern,
        Place::Behind,
        Place::Object,
        Place::Table,
        Place::Shared,
        Place::Transparent,
        Place::Parameter,
        Place::Alias,
        Place::Value,
        Place::Perhaps,
        Place::Const,
        Place::Named,
    ];

    /// Name of the column.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Place::Root => "root",
            Place::Struct => "struct",
            Place::Homed => "homes",
            Place::Columns => "columns",
            Place::Epoch => "epoch",
            Place::When => "when",
            Place::Else => "else",
            Place::Array => "array",
            Place::Elements => "elements",
            Place::Field => "bits",
            Place::Cursor => "cursor",
            Place::Case => "case",
            Place::Tagged => "tagged",
            Place::Common => "common",
            Place::Tag => "tag",
            Place::Form => "form",
            Place::Formed => "formed",
            Place::Pattern => "pattern",
            Place::Behind => "behind",
            Place::Object => "object",
            Place::Table => "table",
            Place::Shared => "shared",
            Place::Transparent => "transparent",
            Place::Parameter => "parameter",
            Place::Alias => "alias",
            Place::Value => "value",
            Place::Perhaps => "perhaps",
            Place::Const => "const",
            Place::Named => "named",
        }
    }

    /// Whether rows that use the row of the cell can stand beside it.
    #[must_use]
    pub fn has_room(self) -> bool {
        !matches!(
            self,
            Place::Columns
                | Place::Common
                | Place::Formed
                | Place::Transparent
                | Place::Shared
                | Place::Value
                | Place::Perhaps
        )
    }

    /// Whether it is one of those that differ most from each other.
    #[must_use]
    pub fn is_special(self) -> bool {
        matches!(
            self,
            Place::Root
                | Place::Columns
                | Place::Epoch
                | Place::When
                | Place::Array
                | Place::Elements
                | Place::Field
                | Place::Cursor
                | Place::Tag
                | Place::Form
                | Place::Formed
                | Place::Pattern
                | Place::Object
                | Place::Table
                | Place::Value
        )
    }

    /// Whether it is bits of a number, which has no room for wide ones.
    #[must_use]
    pub fn is_of_bits(self) -> bool {
        matches!(self, Place::Field | Place::Cursor | Place::Pattern)
    }

    /// Whether rows behind can give the number of the row.
    #[must_use]
    pub fn can_be_derived(self) -> bool {
        !matches!(self, Place::When | Place::Else | Place::Field | Place::Object)
    }

    /// Whether the row may be left out of a file.
    #[must_use]
    pub fn is_optional(self) -> bool {
        matches!(self, Place::When | Place::Else | Place::Epoch | Place::Columns)
    }

    /// Whether there is a layout without it.
    #[must_use]
    pub fn is_of_layout(self) -> bool {
        matches!(self, Place::Epoch | Place::Columns)
    }

    /// Whether the struct of the row is an element of an array of two.
    #[must_use]
    pub fn is_pair(self) -> bool {
        matches!(self, Place::Array | Place::Elements)
    }

    /// How others name the row.
    #[must_use]
    pub fn path(self) -> &'static str {
        if self == Place::Field { "w.x" } else { "x" }
    }
}
