//! What points to what, as a Mermaid diagram.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::plan::{Cx, unions_in};
use crate::model::{RecordId, RecordKind, Row, RowKind, Target, Type};

/// How a structure leads to another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Arrow {
    /// Is a part of it.
    Inline,
    /// Points to it, or says where it is.
    Points,
}

/// Arrows between classes of records.
#[derive(Debug)]
struct Edge {
    from: usize,
    to: usize,
    arrow: Arrow,
    names: Vec<String>,
}

/// The diagram, or nothing if nothing points to anything.
pub(super) fn diagram(cx: &Cx<'_>) -> Option<String> {
    let mut edges: Vec<Edge> = Vec::new();
    let mut known: HashMap<(usize, usize, Arrow), usize> = HashMap::new();
    let mut add = |from: usize, to: usize, arrow: Arrow, name: &str| {
        let at = *known.entry((from, to, arrow)).or_insert_with(|| {
            edges.push(Edge { from, to, arrow, names: Vec::new() });
            edges.len().saturating_sub(1)
        });
        let names = &mut edges[at].names;
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for (id, record) in cx.model.records() {
        if matches!(record.kind, RecordKind::Word(_)) {
            continue;
        }
        let from = cx.class(cx.top(id));
        for row in &record.rows {
            let arrow = match row.kind {
                RowKind::Object { .. } => Arrow::Points,
                _ => Arrow::Inline,
            };
            for (target, arrow) in targets(row, arrow) {
                add(from, cx.class(cx.top(target)), arrow, row.name.as_deref().unwrap_or_default());
            }
        }
        // A case that is a structure of its own.
        for union in unions_in(&record.rows).into_iter().filter_map(|union| cx.union(union)) {
            for case in union.cases.iter().filter(|case| case.whole) {
                add(from, cx.class(cx.top(case.record)), Arrow::Inline, &case.name);
            }
        }
    }
    // Parts are shown only if they lead further, or if something points to them as well.
    loop {
        let leading: HashSet<usize> = edges.iter().map(|edge| edge.from).collect();
        let pointed = edges.iter().filter(|edge| edge.arrow == Arrow::Points);
        let pointed: HashSet<usize> = pointed.map(|edge| edge.to).collect();
        let before = edges.len();
        edges.retain(|edge| {
            let shown = leading.contains(&edge.to) || pointed.contains(&edge.to);
            edge.arrow == Arrow::Points || shown
        });
        if edges.len() == before {
            break;
        }
    }
    if edges.iter().all(|edge| edge.arrow == Arrow::Inline) {
        return None;
    }
    let mut out = String::from("What points to what, without pointers to numbers and texts.");
    if edges.iter().any(|edge| edge.arrow == Arrow::Inline) {
        out.push_str(
            "\nA line without an arrowhead: the one on the left contains the one on the right.",
        );
    }
    out.push_str("\n\n```mermaid\nflowchart LR\n");
    let ends: HashSet<usize> = edges.iter().flat_map(|edge| [edge.from, edge.to]).collect();
    let shown: Vec<RecordId> = cx
        .sections()
        .into_iter()
        .filter(|id| {
            let class = cx.class(*id);
            ends.contains(&class)
        })
        .collect();
    for id in &shown {
        let title = cx.title(*id).replace('"', "'").replace('<', "#lt;").replace('>', "#gt;");
        let _ = writeln!(out, "    r{}[\"{title}\"]", cx.class(*id));
    }
    for edge in &edges {
        let arrow = match edge.arrow {
            Arrow::Inline => "---",
            Arrow::Points => "-->",
        };
        let names: Vec<&str> =
            edge.names.iter().map(String::as_str).filter(|n| !n.is_empty()).collect();
        let label =
            if names.is_empty() { String::new() } else { format!("|\"{}\"|", names.join(", ")) };
        let _ = writeln!(out, "    r{} {arrow}{label} r{}", edge.from, edge.to);
    }
    out.push_str("```\n");
    Some(out)
}

/// Records that a row holds or points to.
fn targets(row: &Row, arrow: Arrow) -> Vec<(RecordId, Arrow)> {
    let mut found = Vec::new();
    let mut work = vec![(&row.ty, arrow)];
    while let Some((ty, arrow)) = work.pop() {
        match ty {
            Type::Record(id) => found.push((*id, arrow)),
            Type::Pointer(pointer) => {
                if let Target::Own(target) = &pointer.target {
                    work.push((target, Arrow::Points));
                }
            }
            Type::Array(array) => work.push((&array.element, arrow)),
            Type::Region(region) => work.push((&region.inner, arrow)),
            Type::PerEpoch(types) => work.extend(types.iter().map(|ty| (ty, arrow))),
            _ => {}
        }
    }
    found
}
