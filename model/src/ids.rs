//! Positions in the lists of a model.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index into the model's list.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// Position in the list of records.
    RecordId;
    /// Position in [`super::Model::unions`].
    UnionId;
    /// Position in [`super::Model::enums`].
    EnumId;
    /// Position in [`super::Model::pointers`].
    PointerId;
    /// Position in [`super::Model::varints`].
    VarintId;
    /// Position in [`super::Model::digits`].
    DigitsId;
    /// Position in [`super::Record::rows`].
    RowId;
    /// Position in [`super::Model::epochs`].
    EpochId;
    /// Position in [`super::Model::exprs`].
    ExprId;
}
