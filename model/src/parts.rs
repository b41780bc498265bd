//! What types consist of.

use alloc::vec;
use alloc::vec::Vec;

use super::{
    ArrayLength, ArrayType, BinaryOp, Cell, Columns, Described, Expr, ExprId, Extent, InStep,
    Meaning, Model, RecordId, RunLength, StreamFunction, Type, UnionId,
};

/// Types in a type; see [`Type::parts`].
#[derive(Debug, Clone)]
pub struct Parts<'m> {
    /// A stack instead of calls in calls: types may be nested deeply.
    next: Vec<&'m Type>,
    behind_pointers: bool,
}

impl<'m> Iterator for Parts<'m> {
    type Item = &'m Type;

    fn next(&mut self) -> Option<&'m Type> {
        let ty = self.next.pop()?;
        match ty {
            Type::Array(array) => self.next.push(&array.element),
            Type::Region(region) => self.next.push(&region.inner),
            Type::PerEpoch(types) => self.next.extend(types.iter().rev()),
            Type::Pointer(pointer) if self.behind_pointers => self.next.extend(pointer.owned()),
            _ => {}
        }
        Some(ty)
    }
}

impl Type {
    /// The types in this one, itself first: elements, insides of regions, the types of all epochs,
    /// and what pointers own. Not those of the records and unions that it names.
    #[must_use]
    pub fn parts(&self) -> Parts<'_> {
        Parts { next: vec![self], behind_pointers: true }
    }

    /// Like [`Type::parts`], without what is behind pointers.
    #[must_use]
    pub fn inline_parts(&self) -> Parts<'_> {
        Parts { next: vec![self], behind_pointers: false }
    }

    /// The records that it names, inline or behind pointers; not those of its unions.
    pub fn records(&self) -> impl Iterator<Item = RecordId> + '_ {
        self.parts().filter_map(|part| match part {
            Type::Record(id) => Some(*id),
            _ => None,
        })
    }

    /// The struct or word that is in place, if it is one.
    #[must_use]
    pub fn in_place(&self) -> Option<RecordId> {
        self.inline_parts().find_map(|part| match part {
            Type::Record(id) | Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => Some(*id),
            _ => None,
        })
    }

    /// The words that it names.
    pub fn words(&self) -> impl Iterator<Item = RecordId> + '_ {
        self.parts().filter_map(|part| match part {
            Type::Cell(Cell { meaning: Meaning::Word(id), .. }) => Some(*id),
            _ => None,
        })
    }

    /// The unions that it names, inline or behind pointers.
    pub fn unions(&self) -> impl Iterator<Item = UnionId> + '_ {
        self.parts().filter_map(|part| match part {
            Type::Union(id) => Some(*id),
            _ => None,
        })
    }

    /// The first union that is inline in it.
    #[must_use]
    pub fn union(&self) -> Option<UnionId> {
        let mut ty = self;
        loop {
            match ty {
                Type::Union(id) => return Some(*id),
                Type::Array(array) => ty = &array.element,
                Type::Region(region) => ty = &region.inner,
                Type::PerEpoch(types) => return types.iter().find_map(Type::union),
                _ => return None,
            }
        }
    }

    /// The union that a row of this type has exactly one of: the type itself, or what its regions hold.
    #[must_use]
    pub fn one_union(&self) -> Option<UnionId> {
        let mut ty = self;
        loop {
            match ty {
                Type::Union(id) => return Some(*id),
                Type::Region(region) => ty = &region.inner,
                _ => return None,
            }
        }
    }

    /// Whether a value of it holds pointers to what it owns, other than in records and unions.
    #[must_use]
    pub fn owns(&self) -> bool {
        let owns = |part: &Type| matches!(part, Type::Pointer(to) if to.owned().is_some());
        self.inline_parts().any(owns)
    }

    /// The type itself, or the first of types that differ by epoch that is anything.
    #[must_use]
    pub fn first(&self) -> &Type {
        let mut ty = self;
        while let Type::PerEpoch(types) = ty {
            let some = types.iter().find(|ty| !matches!(ty, Type::Nothing));
            ty = some.unwrap_or(&Type::Nothing);
        }
        ty
    }

    /// What describes the elements, if this is an array of such.
    #[must_use]
    pub fn described(&self) -> Option<&Described> {
        match self {
            Type::Array(array) => array.described.as_deref(),
            _ => None,
        }
    }

    /// Where each element stands in the array, if the elements say so and are no columns.
    #[must_use]
    pub fn scattered(&self) -> Option<ExprId> {
        self.described()?.scattered()
    }

    /// The records whose columns the elements are, if this is an array of such.
    #[must_use]
    pub fn columns(&self) -> Option<&Columns> {
        self.described()?.columns.as_ref()
    }

    /// The expression that says how many elements an array has.
    #[must_use]
    pub fn element_count(&self) -> Option<ExprId> {
        match self {
            Type::Array(array) => match array.length {
                ArrayLength::Count(count) => Some(count),
                ArrayLength::Fill | ArrayLength::Last(_) => None,
            },
            _ => None,
        }
    }

    /// The expressions that say how long a value of this very type is; not those of its parts.
    pub fn lengths(&self) -> impl Iterator<Item = ExprId> {
        let described = self.described().map(Described::expressions);
        let (stride, length) = match self {
            Type::Array(array) => (
                array.stride,
                match array.length {
                    ArrayLength::Count(expr) | ArrayLength::Last(expr) => Some(expr),
                    ArrayLength::Fill => None,
                },
            ),
            Type::Region(region) => match region.extent {
                Extent::Size(expr) | Extent::End(expr) => (None, Some(expr)),
                Extent::Terminated(_) | Extent::Rest => (None, None),
            },
            Type::Run(run) => match run.length {
                RunLength::Count(expr) => (None, Some(expr)),
                RunLength::Prefix(_) | RunLength::Fill | RunLength::Fixed(_) => (None, None),
            },
            _ => (None, None),
        };
        stride.into_iter().chain(length).chain(described.into_iter().flatten())
    }
}

impl Type {
    /// The array beside an array of this type that says how many elements there are.
    #[must_use]
    pub fn in_step(&self) -> Option<InStep> {
        match self.stripped() {
            Type::Array(array) => array.in_step,
            _ => None,
        }
    }
}

/// The elements of an array of which another one has one for each, and which of them.
#[derive(Debug, Clone, Copy)]
pub struct OneForEach {
    /// The stream of those.
    pub by: ExprId,
    /// Only those for which this holds; `it` is the one.
    pub filter: Option<ExprId>,
    /// So many elements in front have none.
    pub leading: u32,
}

impl Type {
    /// What an array has an element for each of: what describes the elements, or those that its
    /// length counts and nothing else.
    #[must_use]
    pub fn one_for_each(&self, model: &Model) -> Option<OneForEach> {
        let mut ty = self.stripped();
        while let Type::Pointer(pointer) = ty {
            ty = pointer.owned()?.stripped();
        }
        let Type::Array(array) = ty else { return None };
        if let Some(Described { by, filter, leading, .. }) = array.described.as_deref() {
            return Some(OneForEach { by: *by, filter: *filter, leading: *leading });
        }
        let ArrayLength::Count(count) = array.length else { return None };
        let counted = |expr: ExprId, leading: u32| match model[expr] {
            Expr::Stream(StreamFunction::Count, by, filter) => {
                Some(OneForEach { by, filter, leading })
            }
            _ => None,
        };
        match model[count] {
            Expr::Binary(BinaryOp::Add, leading, count) => match model[leading] {
                Expr::Int(leading) => counted(count, u32::try_from(leading).ok()?),
                _ => None,
            },
            _ => counted(count, 0),
        }
    }
}

impl ArrayType {
    /// Whether each element says where it stands in the array, and they are no columns.
    #[must_use]
    pub fn is_scattered(&self) -> bool {
        self.described.as_ref().is_some_and(|described| described.scattered().is_some())
    }
}

impl Described {
    /// Whether each element is described by one, in order, and stands behind the one before it.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        let Described { by: _, filter, leading, columns, at } = self;
        filter.is_none() && *leading == 0 && columns.is_none() && at.is_none()
    }

    /// The expressions that say which elements there are and where they stand.
    pub fn expressions(&self) -> impl Iterator<Item = ExprId> {
        let records = self.columns.as_ref().map(|columns| [columns.records, columns.stride]);
        let ways = [Some(self.by), self.filter].into_iter().flatten();
        ways.chain(records.into_iter().flatten()).chain(self.at)
    }

    /// Where each element stands in the array, if they are no columns.
    #[must_use]
    pub fn scattered(&self) -> Option<ExprId> {
        self.at.filter(|_| self.columns.is_none())
    }
}
