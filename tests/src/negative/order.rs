//! In which order a reader comes to the parts of a file.
//!
//! An object is read as a whole before anything that its pointers lead to; then its rows are
//! followed, depth first. Rows with places come first, the others in their order.

use formwork_codegen::model::{Home, RowId, RowKind, Target, Type};

use super::file::{File, Site};

/// When something is read: less is earlier.
pub type Turn = Vec<Vec<u64>>;

/// One step on the way from the root.
struct Step {
    /// Position while the object is read.
    inline: [u64; 2],
    /// Position while its pointers are followed.
    follow: u64,
    /// Whether the step leads into another object.
    leaves: bool,
}

impl File<'_> {
    /// When the number or text in a place is read, unless something asks for it before its turn.
    #[must_use]
    pub fn turn(&self, site: &Site<'_>) -> Turn {
        let mut steps = Vec::new();
        self.push_steps(site.node, site.row, site.index, &mut steps);
        let mut node = self.of_case(site.node);
        while let Some(owner) = self.nodes[node].owner {
            let view = &self.nodes[node];
            self.push_steps(owner, view.owner_row, view.index, &mut steps);
            node = self.of_case(owner);
        }
        let mut turn = Vec::new();
        let mut object: Vec<Step> = Vec::new();
        for step in steps.into_iter().rev() {
            let leaves = step.leaves;
            object.push(step);
            if leaves {
                let follow = object.drain(..).map(|step| step.follow);
                turn.push(std::iter::once(1).chain(follow).collect());
            }
        }
        let inline = object.iter().flat_map(|step| step.inline);
        turn.push(std::iter::once(0).chain(inline).collect());
        turn
    }

    /// The steps that a row and an index are, innermost first.
    fn push_steps(&self, node: usize, row: RowId, index: Option<u32>, steps: &mut Vec<Step>) {
        let record = self.record(node);
        let definition = &record.rows[row.index()];
        let position = record.read_order.iter().position(|other| *other == row);
        let position = position.unwrap_or(row.index()) as u64;
        let (outer, inner) = crossings(&definition.ty);
        if let Some(index) = index {
            let index = u64::from(index);
            steps.push(Step { inline: [index, 0], follow: index, leaves: inner });
        }
        let placed = matches!(self.home(definition), Home::At(_));
        let inline = if placed { [0, position] } else { [1, row.index() as u64] };
        let object = matches!(definition.kind, RowKind::Object { .. });
        steps.push(Step { inline, follow: position, leaves: outer || object });
    }
}

/// Whether a pointer leads to what is in a row, and whether one leads to its elements.
fn crossings(ty: &Type) -> (bool, bool) {
    match ty {
        Type::Region(region) => crossings(&region.inner),
        Type::Pointer(pointer) => match &pointer.target {
            Target::Own(target) => (true, crossings(target).1),
            Target::Pooled | Target::Element => (false, false),
        },
        Type::Array(array) => (false, crossings(&array.element).0),
        _ => (false, false),
    }
}
