//! Inversion: which number is the count, size, end, place or tag of which row.

use std::collections::{BTreeSet, HashMap};

use super::ways::{Ways, is_complete};
use super::{Cx, Expr, ExprId, RecordId, Shape, Source, Uni, Val, id32};
use crate::model::{
    ArrayLength, BinaryOp, Cell, Definer, DefinerScope, DefinerSource, Derive, EpochId, Extent,
    Home, Linear, Meaning, Measure, Member, Model, Path, RecordKind, Role, Row, RowId, RowKind,
    RunLength, Start, Step, Tag, Target, Type, Union,
};
use crate::span::Span;

/// For rows, the rows whose lengths ask for them; arguments are no row's. Of a row that is reached
/// through others the record is not looked at.
type Asked = HashMap<(Option<RecordId>, RowId), Vec<Option<(RecordId, RowId)>>>;

/// Row that a path leads to, and how.
enum Reached {
    Own(RowId),
    /// A row of the record that holds the union this record is a case of.
    Holder(RecordId, RowId),
    /// A row of an inline struct: the rows on the way.
    Inner(RecordId, Vec<RowId>),
}

impl<'t> Cx<'t> {
    /// Finds the equations of all records, in the order of rows.
    pub(super) fn find_definers(&mut self) -> Vec<Vec<Derive>> {
        let mut derives: Vec<Vec<Derive>> = vec![Vec::new(); self.records.len()];
        // What is said in so many words goes before what a use gives. A case says it for itself only.
        let mut of_cases = Vec::new();
        for (at, derives) in derives.iter_mut().enumerate() {
            let id = RecordId(id32(at));
            for (path, ways) in self.rec(id).derives.clone() {
                let env = self.env(self.rec(id).scope, Some(id));
                let Some((found, _)) = self.path(&env, path) else { continue };
                match found.start {
                    Start::Up(_) => of_cases.push((id, path.span(), found, ways)),
                    _ => self.explicit_derive(id, (path.span(), &found), &ways, derives),
                }
            }
        }
        for (at, derives) in derives.iter_mut().enumerate() {
            let id = RecordId(id32(at));
            for row in 0..self.records[at].rows.len() {
                self.row_definers(id, RowId(id32(row)), derives);
            }
            for (_, span, found, ways) in of_cases.iter().filter(|(of, ..)| *of == id) {
                self.explicit_derive(id, (*span, found), ways, derives);
            }
            derives.sort_by_key(|derive| matches!(derive.source, DefinerSource::Expr(_)));
        }
        let asked = self.asked();
        for (at, derives) in derives.iter_mut().enumerate() {
            self.lengths_of_what_may_be_there(RecordId(id32(at)), &asked, derives);
        }
        self.tags_that_decide();
        derives
    }

    /// A row that does not follow from the case, since there are several unions or it is given by
    /// something else, decides like any other expression: the case is compared with it.
    fn tags_that_decide(&mut self) {
        for at in 0..self.unions.len() {
            let Uni { holder, row, decides, model, .. } = &mut self.unions[at];
            let Some(Union { tag, .. }) = model else { continue };
            let (Tag::Row(given), Some(decides)) = (&*tag, *decides) else { continue };
            let given = self.records[holder.index()].rows.get(given.index());
            let mut measures =
                given.into_iter().flat_map(|given| &given.definers).filter_map(|definer| {
                    match &definer.source {
                        DefinerSource::Measure { measure, row, .. } => Some((measure, *row)),
                        DefinerSource::Expr(_) => None,
                    }
                });
            let follows_from = match measures.next() {
                Some((Measure::Tag, row)) => Some(row),
                _ => None,
            };
            if follows_from != Some(*row) {
                *tag = Tag::Given(decides);
            }
        }
    }

    fn row_definers(&mut self, id: RecordId, row: RowId, derives: &mut Vec<Derive>) {
        let built = &self.rec(id).rows[row.index()];
        let (span, ty) = (built.span, built.ty.clone());
        // What is only sometimes there does not always give the number.
        let conditional = built.when.is_some();
        let there = is_there(built);
        match built.kind.clone() {
            // How long padding is stands in the value nowhere else.
            RowKind::Zero | RowKind::Reserved | RowKind::Runtime => return,
            RowKind::Slice { base, factor, offset, count, .. } => {
                let source = DefinerSource::Measure { measure: Measure::Base, row, factor, offset };
                self.define(id, Reached::Own(base), source, (span, &there), derives);
                if let Some(count) = count {
                    let source = measure(Measure::Count, row);
                    self.define(id, Reached::Own(count), source, (span, &there), derives);
                }
            }
            RowKind::Object { address, .. } | RowKind::Mark { address } => {
                let variants = &self.rec(id).slots[row.index()].variants;
                let finds = variants
                    .iter()
                    .any(|v| matches!(&v.source, Source::Row(row, _) if row.props.has("find")));
                let optional = variants
                    .iter()
                    .any(|v| matches!(&v.source, Source::Row(row, _) if row.optional));
                let conditional = variants.iter().any(|variant| !variant.when.is_empty());
                let mark = matches!(built.kind, RowKind::Mark { .. });
                let based = variants
                    .iter()
                    .any(|v| matches!(&v.source, Source::Row(row, _) if row.props.has("base")));
                let place = self.exprs.place(address);
                let place = place.or_else(|| self.counted_from_base(id, address).filter(|_| based));
                if !finds
                    && !conditional
                    && let Some(linear) = place
                    && let Some(reached) = self.reach(id, linear.path)
                    && self.says_whether_there(id, &reached, optional, mark)
                {
                    let (factor, offset) = (linear.factor, linear.offset);
                    // In units of bytes an offset is part of what it counts from.
                    let (before, offset) = if factor == 1 { (offset, 0) } else { (0, offset) };
                    let base = self.counted_from(linear.base, before);
                    let measure = Measure::At(base);
                    let source = DefinerSource::Measure { measure, row, factor, offset };
                    self.define(id, reached, source, (span, &there), derives);
                }
            }
            _ => {}
        }
        if let Some(union) = ty.one_union()
            && let Some(Tag::Row(tag)) = self.uni(union).model.as_ref().map(|m| &m.tag)
        {
            let tag = Reached::Own(*tag);
            self.define(id, tag, measure(Measure::Tag, row), (span, &there), derives);
        }
        if conditional {
            return;
        }
        let filled = matches!(&ty, Type::Region(region) if region.trim.is_some());
        for length in lengths_where(&ty, &there) {
            if !filled || !self.is_length_of_another(id, row, length.expr) {
                self.length_definer(id, row, length, derives);
            }
        }
    }

    /// Whether another row of a record takes the number that this length names. Then it does not follow
    /// from a row which is filled up.
    fn is_length_of_another(&self, id: RecordId, row: RowId, expr: ExprId) -> bool {
        let reached = |expr: ExprId| {
            let reached = self.reach(id, self.exprs.linear(expr)?.path)?;
            Some(self.reached_row(id, &reached))
        };
        let Some(given) = reached(expr) else { return false };
        let others = (0..).map(RowId).zip(&self.rec(id).rows).filter(|(other, _)| *other != row);
        others.into_iter().any(|(_, other)| {
            let lengths = lengths_where(&other.ty, &is_there(other));
            lengths.iter().any(|length| reached(length.expr) == Some(given))
        })
    }

    fn length_definer(
        &mut self,
        id: RecordId,
        row: RowId,
        Length { measure, expr, epochs }: Length,
        derives: &mut Vec<Derive>,
    ) {
        let span = self.rec(id).rows[row.index()].span;
        let Some(linear) = self.exprs.linear(expr) else { return };
        let Some(reached) = self.reach(id, linear.path) else { return };
        let (factor, offset) = (linear.factor, linear.offset);
        let source = DefinerSource::Measure { measure, row, factor, offset };
        self.define(id, reached, source, (span, &epochs), derives);
    }

    /// An object that may be nothing gives its lengths where nothing else says them or asks for them:
    /// they are those of nothing where it is not there.
    fn lengths_of_what_may_be_there(
        &mut self,
        id: RecordId,
        asked: &Asked,
        derives: &mut Vec<Derive>,
    ) {
        for row in (0..self.rec(id).rows.len()).map(|row| RowId(id32(row))) {
            let built = &self.rec(id).rows[row.index()];
            let object = matches!(built.kind, RowKind::Object { .. }) && built.when.is_some();
            let variants = &self.rec(id).slots[row.index()].variants;
            if !object || variants.iter().any(|variant| !variant.when.is_empty()) {
                continue;
            }
            for length in lengths_where(&built.ty, &is_there(built)) {
                let Some(linear) = self.exprs.linear(length.expr) else { continue };
                let Some(reached) = self.reach(id, linear.path) else { continue };
                if !is_asked_elsewhere(asked, self.reached_row(id, &reached), (id, row)) {
                    self.length_definer(id, row, length, derives);
                }
            }
        }
    }

    /// What asks for rows: lengths of rows, and arguments.
    fn asked(&self) -> Asked {
        let mut asked = Asked::new();
        let mut ask = |asker: Option<(RecordId, RowId)>, expr: ExprId| {
            self.exprs.paths(expr, &mut |path| {
                let Some(Step::Field(field)) = path.steps.last() else { return };
                for (record, way) in &field.members {
                    if let Some(Member::Row(row)) = way.last() {
                        let record = (way.len() == 1).then_some(*record);
                        asked.entry((record, *row)).or_default().push(asker);
                    }
                }
            });
        };
        for (at, record) in self.records.iter().enumerate() {
            for (number, row) in record.rows.iter().enumerate() {
                let asker = Some((RecordId(id32(at)), RowId(id32(number))));
                row.ty.parts().flat_map(Type::lengths).for_each(|length| ask(asker, length));
            }
            record.arguments.iter().for_each(|argument| ask(None, *argument));
        }
        asked
    }

    /// Whether a row that is the address of an object says nothing that the value does not say, too:
    /// it has a number for nothing exactly if the object may be nothing there. Whether there is a
    /// mark is in no value.
    fn says_whether_there(
        &self,
        id: RecordId,
        reached: &Reached,
        optional: bool,
        mark: bool,
    ) -> bool {
        let (record, row) = self.reached_row(id, reached);
        let given = &self.rec(record).rows[row.index()];
        match given.none.is_empty() {
            true => !optional,
            false => !mark,
        }
    }

    /// `derive PATH is=EXPR`.
    fn explicit_derive(
        &mut self,
        id: RecordId,
        (place, found): (Span, &Path),
        ways: &Ways<'t>,
        derives: &mut Vec<Derive>,
    ) {
        let env = self.env(self.rec(id).scope, Some(id));
        let (span, is) = (ways[0].span, ways[0].ex);
        if !is_complete(&ways.iter().collect::<Vec<_>>(), 0) {
            self.d
                .error("E0216", span, "`derive` says nothing where the condition does not hold")
                .help("say it in both branches, or outside: `derive PATH is=\"C ? A : B\"`");
            return;
        }
        let nothing = Val { expr: self.nothing("none"), shape: Shape::ANY };
        let Some(value) = self.chosen(&env, ways, &nothing) else { return };
        let Some(reached) = self.reach(id, found) else {
            let beside = matches!(found.start, Start::Up(_)) && found.steps.len() > 1;
            self.d.error("E0231", place, "`derive` needs a row that is inline here").help(
                match beside {
                    true => {
                        "of a struct beside the union, the struct around says it for all \
                         cases: `derive PATH is=\"UNION is CASE ? A : B\"`"
                    }
                    false => "name a row of this struct, of a struct in it, or beside its union",
                },
            );
            return;
        };
        let (record, row) = self.reached_row(id, &reached);
        let target = &self.rec(record).rows[row.index()];
        let derived = matches!(target.role, Role::Derived | Role::Data);
        if !derived || !matches!(target.kind, RowKind::Plain) {
            let declared = target.span;
            let target_is_elsewhere = matches!(target.kind, RowKind::Object { .. });
            self.d
                .error("E0231", span, "the row has a value of its own")
                .also(declared, "declared here")
                .help(match target_is_elsewhere {
                    true => {
                        "what stands elsewhere is data: make it a struct with the number in it, which says \
                         `is=owner`"
                    }
                    false => "take its `is=` or `usually=` away, or write `is=owner`",
                });
            return;
        }
        let ty = target.ty.clone();
        let shape = self.slot_shape(record, row.index()).unwrap_or(Shape::ANY);
        if self.leads_nowhere(&ty, true, &value, is.span).is_none()
            || self.gives(&shape, &value, is.span).is_none()
        {
            return;
        }
        let there = is_there(&self.rec(record).rows[row.index()]);
        self.define(id, reached, DefinerSource::Expr(value.expr), (span, &there), derives);
    }

    fn reached_row(&self, id: RecordId, reached: &Reached) -> (RecordId, RowId) {
        match reached {
            Reached::Own(row) => (id, *row),
            Reached::Holder(record, row) => (*record, *row),
            Reached::Inner(record, way) => (*record, way.last().copied().unwrap_or(RowId(0))),
        }
    }

    /// Notes an equation that holds in these epochs, if the row can take one.
    fn define(
        &mut self,
        id: RecordId,
        reached: Reached,
        source: DefinerSource,
        (span, epochs): (Span, &[bool]),
        derives: &mut Vec<Derive>,
    ) {
        let (record, row) = self.reached_row(id, &reached);
        let is_tag = matches!(&source, DefinerSource::Measure { measure: Measure::Tag, .. });
        let is_address = matches!(&source, DefinerSource::Measure { measure: Measure::At(_), .. });
        let explicit = matches!(source, DefinerSource::Expr(_));
        let target = &self.rec(record).rows[row.index()];
        let cell = is_integer(&target.ty) || is_tag || explicit;
        let free = matches!(target.role, Role::Data | Role::Derived);
        // No length is a number for nothing; of what is not there, the address is.
        let may_be_none = is_tag || explicit || is_address;
        let plain = matches!(target.kind, RowKind::Plain)
            && (is_tag || explicit || target.reference.is_none())
            && (may_be_none || target.none.is_empty());
        // How many bytes such a number takes would depend on where they end.
        let address =
            is_address || matches!(&source, DefinerSource::Measure { measure: Measure::End, .. });
        let varies = matches!(&target.ty, Type::Cell(cell) if cell.storage.varies());
        if !cell || !free || !plain || address && varies {
            return;
        }
        let scope = match &reached {
            Reached::Own(_) => DefinerScope::Own,
            Reached::Holder(..) => {
                let RecordKind::Case(union, case) = self.rec(id).kind else { return };
                DefinerScope::Case(self.uni(union).row, case)
            }
            Reached::Inner(_, way) => {
                // Only rows that leave their equation to the owner.
                if !matches!(target.role, Role::Derived) {
                    if explicit {
                        let declared = target.span;
                        self.d
                            .error(
                                "E0231",
                                span,
                                "the row does not leave its equation to its owner",
                            )
                            .also(declared, "declared here")
                            .help("write `is=owner` there");
                    }
                    return;
                }
                DefinerScope::Owner(id, way.clone())
            }
        };
        // The first one defines, all others are checks.
        let same = |definer: &&Definer| match (&definer.scope, &scope) {
            (DefinerScope::Own, _) | (_, DefinerScope::Own) => true,
            (DefinerScope::Case(row, case), DefinerScope::Case(r, c)) => row == r && case == c,
            (DefinerScope::Owner(owner, way), DefinerScope::Owner(id, w)) => {
                owner == id && way == w
            }
            _ => false,
        };
        let needed = is_there(target);
        let free = |epoch: usize| {
            let epoch = EpochId(id32(epoch));
            !target.definers.iter().filter(same).any(|definer| definer.is_in(epoch))
        };
        let given = needed.iter().zip(epochs).enumerate();
        let given: Vec<bool> =
            given.map(|(at, (needed, given))| *needed && *given && free(at)).collect();
        if !given.contains(&true) {
            let meant = |definer: &&Definer| {
                let mut both = (0..).zip(epochs).filter(|(_, given)| **given);
                both.any(|(epoch, _)| definer.is_in(EpochId(epoch)))
            };
            let first = target.definers.iter().filter(same).find(meant).map(|first| first.span);
            if let Some(first) = first.filter(|_| explicit) {
                self.d
                    .error("E0231", span, "the row has two equations")
                    .label("the second")
                    .also(first, "the first");
            }
            return;
        }
        if let Reached::Inner(record, way) = &reached {
            derives.push(Derive {
                path: way.clone(),
                record: *record,
                source: source.clone(),
                span,
            });
        }
        let epochs = if given == needed { Vec::new() } else { given };
        let target = &mut self.rec_mut(record).rows[row.index()];
        target.role = Role::Derived;
        target.definers.push(Definer { scope, source, epochs, span });
    }

    /// The row at the end of a path that stays in this record, its inline structs, or the record
    /// that holds its union.
    fn reach(&self, id: RecordId, path: &Path) -> Option<Reached> {
        let mut at = match path.start {
            Start::This => id,
            Start::Up(1) if matches!(self.rec(id).kind, RecordKind::Case(..)) => {
                self.rec(id).outer?
            }
            _ => return None,
        };
        let holder = matches!(path.start, Start::Up(_)).then_some(at);
        let mut way = Vec::new();
        for (number, step) in path.steps.iter().enumerate() {
            let Step::Field(field) = step else { return None };
            let [(record, members)] = field.members.as_slice() else { return None };
            if *record != at {
                return None;
            }
            for (position, member) in members.iter().enumerate() {
                let last = number + 1 == path.steps.len() && position + 1 == members.len();
                let row = match member {
                    Member::Row(row) | Member::Into(row) => *row,
                    Member::Let(_) => return None,
                };
                way.push(row);
                if last {
                    break;
                }
                let ty = &self.rec(at).rows.get(row.index())?.ty;
                at = match ty.stripped() {
                    Type::Record(inner) => *inner,
                    Type::Cell(Cell { meaning: Meaning::Word(inner), .. }) => *inner,
                    Type::Pointer(pointer) => match &pointer.target {
                        Target::Own(target) => match target.stripped() {
                            Type::Record(inner) => *inner,
                            _ => return None,
                        },
                        _ => return None,
                    },
                    _ => return None,
                };
            }
        }
        match (holder, way.as_slice()) {
            (_, []) => None,
            (Some(holder), [row]) => Some(Reached::Holder(holder, *row)),
            (Some(_), _) => None,
            (None, [row]) => Some(Reached::Own(*row)),
            (None, _) => Some(Reached::Inner(at, way)),
        }
    }

    /// An address that counts from a `base=` which is any number, but no other of the same row.
    fn counted_from_base(&self, id: RecordId, address: ExprId) -> Option<Linear<'_>> {
        let Expr::Binary(BinaryOp::Add, base, number) = self.exprs[address] else { return None };
        let linear = self.exprs.linear(number)?;
        let row = |path: &Path| Some(self.reached_row(id, &self.reach(id, path)?));
        let mut asks = false;
        self.exprs.paths(base, &mut |path| asks |= row(path) == row(linear.path));
        (!asks).then_some(Linear { base: Some(base), ..linear })
    }

    /// Base and offset of a linear form, as what the place of a row counts from.
    fn counted_from(&mut self, base: Option<ExprId>, offset: i128) -> ExprId {
        let base = match base {
            Some(base) => base,
            None => self.exprs.add(Expr::Int(0)),
        };
        match offset {
            0 => base,
            n => {
                let n = self.exprs.add(Expr::Int(n));
                self.exprs.add(Expr::Binary(BinaryOp::Add, base, n))
            }
        }
    }

    /// `factor * row + offset` of a row of this very record.
    pub(super) fn linear_row(&self, id: RecordId, expr: ExprId) -> Option<(RowId, i128, i128)> {
        let Linear { path, factor, offset, .. } = self.exprs.linear(expr)?;
        Some((path.own_row(id)?, factor, offset))
    }
}

/// Whether a length of another row than this one, or an argument, asks for a row.
fn is_asked_elsewhere(asked: &Asked, given: (RecordId, RowId), but: (RecordId, RowId)) -> bool {
    let mut askers = [Some(given.0), None].into_iter().filter_map(|of| asked.get(&(of, given.1)));
    askers.any(|askers| askers.iter().any(|asker| *asker != Some(but)))
}

fn measure(measure: Measure, row: RowId) -> DefinerSource {
    DefinerSource::Measure { measure, row, factor: 1, offset: 0 }
}

/// Whether a type is an integer without further meaning, in every epoch.
fn is_integer(ty: &Type) -> bool {
    match ty {
        Type::Cell(cell) => cell.meaning == Meaning::Int,
        Type::PerEpoch(types) => {
            types.iter().all(|ty| matches!(ty, Type::Nothing) || is_integer(ty))
        }
        _ => false,
    }
}

/// Which epochs have a number is known when it is known which have its record: what gives it in all of
/// these gives it always.
pub(super) fn numbers_everywhere(model: &mut Model) {
    let limited = |row: &Row| row.definers.iter().any(|definer| !definer.epochs.is_empty());
    if !model.records.iter().flat_map(|record| &record.rows).any(limited) {
        return;
    }
    let epochs = (0..model.epochs.len()).map(|epoch| EpochId(id32(epoch)));
    let reached: Vec<BTreeSet<RecordId>> = epochs.map(|epoch| model.reached(epoch)).collect();
    for (at, record) in model.records.iter_mut().enumerate() {
        let id = RecordId(id32(at));
        for row in record.rows.iter_mut().filter(|row| limited(row)) {
            let needed = is_there(row).into_iter().zip(&reached);
            let needed: Vec<bool> = needed.map(|(row, held)| row && held.contains(&id)).collect();
            let given = |epoch: usize| {
                row.definers.iter().any(|definer| definer.is_in(EpochId(id32(epoch))))
            };
            // Where no file has it, the first one may give it as well.
            let spare: Vec<bool> =
                needed.iter().enumerate().map(|(at, needed)| !needed && !given(at)).collect();
            let Some(first) = row.definers.first_mut() else { continue };
            first.epochs.iter_mut().zip(spare).for_each(|(given, spare)| *given |= spare);
            for definer in &mut row.definers {
                if definer.epochs.iter().all(|given| *given) {
                    definer.epochs.clear();
                }
            }
        }
    }
}

/// In which epochs a row is there.
fn is_there(row: &Row) -> Vec<bool> {
    row.homes.iter().map(|home| *home != Home::Absent).collect()
}

/// A length that a type states, in some epochs.
struct Length {
    measure: Measure,
    expr: ExprId,
    epochs: Vec<bool>,
}

/// Lengths that a type states in these epochs, outermost first.
fn lengths_where(ty: &Type, there: &[bool]) -> Vec<Length> {
    let mut found: Vec<Length> = Vec::new();
    for (at, _) in there.iter().enumerate().filter(|(_, there)| **there) {
        let mut list = Vec::new();
        lengths(ty, at, &mut list);
        for (measure, expr) in list {
            let known = found.iter_mut().find(|l| l.expr == expr && l.measure == measure);
            match known {
                Some(length) => length.epochs[at] = true,
                None => {
                    let epochs = (0..there.len()).map(|epoch| epoch == at).collect();
                    found.push(Length { measure, expr, epochs });
                }
            }
        }
    }
    found
}

/// Lengths that a type states in an epoch, outermost first.
fn lengths(ty: &Type, epoch: usize, list: &mut Vec<(Measure, ExprId)>) {
    match ty {
        Type::Run(run) => {
            if let RunLength::Count(expr) = &run.length {
                list.push((Measure::Count, *expr));
            }
        }
        Type::Region(region) => {
            match &region.extent {
                // How much room there is for elements that say where they stand does not follow.
                Extent::Size(_) if region.inner.scattered().is_some() => {}
                Extent::Size(expr) => list.push((Measure::Size, *expr)),
                Extent::End(expr) => list.push((Measure::End, *expr)),
                Extent::Terminated(_) | Extent::Rest => {}
            }
            if let Type::Array(_) | Type::Run(_) = &region.inner {
                lengths(&region.inner, epoch, list);
            }
        }
        Type::Array(array) => {
            if let ArrayLength::Count(expr) = &array.length {
                list.push((Measure::Count, *expr));
            }
            if let Some(columns) = ty.columns() {
                list.push((Measure::Records, columns.records));
            }
        }
        Type::Pointer(pointer) => {
            if let Target::Own(target) = &pointer.target {
                lengths(target, epoch, list);
            }
        }
        Type::PerEpoch(types) => {
            if let Some(ty) = types.get(epoch) {
                lengths(ty, epoch, list);
            }
        }
        _ => {}
    }
}
