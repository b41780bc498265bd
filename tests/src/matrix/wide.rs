//! One cell about a row that is more than a number.

use formwork_interpreter::Value;

use super::laid::{BEFORE, Laid};
use super::line::{Example, Line};
use super::place::Place;
use super::row::Piece;
use super::shown::{Fields, Shown};
use super::trial::{Depth, Outcome, Trial};
use crate::flows::{int, record};

/// A line at a place.
#[derive(Debug, Clone, Copy)]
pub struct Wide<'a> {
    /// Where the row stands.
    pub place: Place,
    /// The row.
    pub line: &'a Line,
}

impl Wide<'_> {
    /// The schema.
    #[must_use]
    pub fn schema(&self) -> String {
        self.place.schema(&self.line.row)
    }

    /// Loads the schema, and tries files and values if it is accepted.
    #[must_use]
    pub fn outcome(&self, depth: Depth) -> Outcome {
        Trial::of(&self.schema(), depth, |trial| Try { cell: *self, trial }.run())
    }

    /// Files that are read.
    #[must_use]
    pub fn files(&self) -> Vec<Vec<u8>> {
        self.examples().into_iter().map(|pair| self.file(&pair.0.piece, pair).bytes).collect()
    }

    /// Why every value is refused, if it is.
    #[must_use]
    pub fn never(&self) -> Option<&[&'static str]> {
        let never = self.line.never.iter().find(|(place, _)| *place == self.place);
        never.map(|(_, codes)| &codes[..])
    }

    /// Whether the row is an array by itself.
    fn is_whole(&self) -> bool {
        match self.place {
            Place::Array => self.line.row.has("count") || !self.line.two.is_empty(),
            Place::Shared => self.line.row.is_list,
            _ => false,
        }
    }

    /// What the first element is, or the row itself, and the second one.
    fn examples(&self) -> Vec<(&Example, &Example)> {
        let line = self.line;
        let two = self.place == Place::Array && !line.two.is_empty();
        let good = if two { &line.two } else { &line.good };
        let is_pair = self.place == Place::Elements || self.place == Place::Array && !two;
        let partner = |x: &'_ Example| -> Option<&Example> {
            if !is_pair {
                return good.iter().find(|other| std::ptr::eq(*other, x));
            }
            let empty = |other: &&Example| other.piece.row.is_empty();
            let fits = |other: &&Example| {
                let (a, b) = (&x.piece, &other.piece);
                self.place != Place::Array || (&a.lead, &a.rest) == (&b.lead, &b.rest)
            };
            let found = || good.iter().filter(fits);
            if x.is_last {
                return found().find(empty);
            }
            // What reaches to the end leaves nothing to the other one.
            let canonical = || found().filter(|other| other.canonical);
            let first = canonical().find(empty).filter(|_| line.row.open);
            // Another one, if there is another.
            let other = || canonical().find(|other| other.piece != x.piece);
            first.or_else(other).or_else(|| found().next())
        };
        // Bytes of the place always stand behind it there.
        let good = good.iter().filter(|x| !x.is_last || self.place != Place::Named);
        // A slice has elements, or none; it is not nothing itself.
        let is_slice = self.place == Place::Shared && self.is_whole();
        let good = good.filter(|x| !is_slice || !matches!(x.x, Some(Value::None)));
        good.filter_map(|x| Some((x, partner(x)?))).collect()
    }

    fn file(&self, piece: &Piece, first: (&Example, &Example)) -> Laid {
        let len = match &first.0.x {
            Some(Value::Array(elements)) => elements.len(),
            _ => 1,
        };
        let whole = Some(len).filter(|_| self.is_whole());
        self.place.file(piece, &first.1.piece, whole, &self.line.row)
    }

    /// What a value has of the row and of those in front of it.
    fn shown(&self, x: Option<Value>, example: &Example, which: usize, laid: &Laid) -> Shown {
        let mut front = example.fields.clone();
        // No length follows from a row under a condition over data.
        let conditional = matches!(self.place, Place::When | Place::Else);
        let is_data = conditional || self.line.data.contains(&self.place);
        if self.line.gives && is_data {
            front.insert(0, ("l", int(laid.bytes[laid.leads[which]].into())));
        }
        Shown { front, x: x.filter(|_| self.place != Place::Const), rest: Vec::new() }
    }

    fn value(&self, x: Option<Value>, pair: (&Example, &Example), laid: &Laid) -> Value {
        let mut raw = x.clone().or_else(|| pair.0.x.clone());
        let (mut x, mut other) = (x, pair.1.x.clone());
        let is_shown = [Place::Value, Place::Perhaps, Place::Formed, Place::Array];
        if let (true, Some(seen)) = (is_shown.contains(&self.place), &self.line.seen) {
            (raw, x, other) = (None, Some(seen.clone()), Some(seen.clone()));
        }
        let first = self.shown(x, pair.0, 0, laid);
        let second = self.shown(other, pair.1, 1, laid);
        self.place.value(first, raw, second, (self.is_whole(), self.line.row.open))
    }
}

struct Try<'a> {
    cell: Wide<'a>,
    trial: &'a mut Trial,
}

impl Try<'_> {
    fn run(&mut self) {
        let cell = self.cell;
        let line = cell.line;
        let examples = cell.examples();
        let Some(&good) = examples.iter().find(|(x, _)| x.canonical) else {
            self.trial.wrong.push("the matrix knows no file".to_owned());
            return;
        };
        if let Some(codes) = cell.never() {
            for pair in examples {
                let laid = cell.file(&pair.0.piece, pair);
                let value = cell.value(pair.0.x.clone(), pair, &laid);
                self.trial.write(&value, Err(codes.to_vec()));
                self.trial.law(&laid.bytes);
            }
            return;
        }
        for pair in examples {
            let laid = cell.file(&pair.0.piece, pair);
            let value = cell.value(pair.0.x.clone(), pair, &laid);
            let nothing = matches!(pair.0.x, Some(Value::None));
            if nothing && cell.place == Place::Value {
                // What is measured must be something.
                self.trial.read(&laid.bytes, &Err(vec!["expression"]));
                continue;
            }
            self.trial.read(&laid.bytes, &Ok(value.clone()));
            if pair.0.canonical {
                self.trial.write(&value, Ok(laid.bytes));
            }
        }
        // Those of one element say nothing of an array of two.
        let two = cell.place == Place::Array && !line.two.is_empty();
        let (bad, refused) =
            if two { (&[][..], &[][..]) } else { (&line.bad[..], &line.refused[..]) };
        for (piece, codes) in bad {
            let laid = cell.file(piece, good);
            self.trial.read(&laid.bytes, &Err(codes.clone()));
        }
        let laid = cell.file(&good.0.piece, good);
        if good.0.x.is_some() && cell.place != Place::Const {
            for (x, codes) in refused {
                self.refuses(Some(x.clone()), good, &laid, codes);
            }
            let codes = ["wrong_kind", "unexpected_field", "missing_field"];
            self.refuses(Some(record([("nobody", int(1))])), good, &laid, &codes);
            self.missing(good, &laid);
        }
        self.without(good.0);
        // What comes first is the same at each place.
        let from = if cell.place == Place::Root { 0 } else { BEFORE.len() };
        self.trial.mutations(&laid.bytes, from);
    }

    fn refuses(
        &mut self,
        x: Option<Value>,
        good: (&Example, &Example),
        laid: &Laid,
        codes: &[&'static str],
    ) {
        let form: &[_] = match self.cell.place {
            Place::Form | Place::Formed => &["no_form"],
            _ => &[],
        };
        let value = self.cell.value(x, good, laid);
        self.trial.write(&value, Err([codes, form].concat()));
    }

    /// The field is left out.
    fn missing(&mut self, good: (&Example, &Example), laid: &Laid) {
        let cell = self.cell;
        // A list without elements is another value.
        if cell.place == Place::Shared {
            return;
        }
        let elements = cell.place == Place::Array && !cell.is_whole();
        let is_one = !elements && cell.place != Place::Value;
        let said = cell.line.missing.as_ref().filter(|_| is_one);
        match said.and_then(|x| cell.line.good.iter().find(|good| good.x.as_ref() == Some(x))) {
            Some(example) => {
                let laid = cell.file(&example.piece, (example, good.1));
                let value = cell.value(None, (example, good.1), &laid);
                self.trial.write(&value, Ok(laid.bytes));
            }
            None => self.refuses(None, good, laid, &["missing_field", "reads_otherwise"]),
        }
    }

    /// Files and values without the row.
    fn without(&mut self, example: &Example) {
        let cell = self.cell;
        let open = cell.line.row.open;
        let Some(file) = cell.place.file_without(&cell.line.row) else { return };
        let fields = example.fields.iter().map(|field| field.0);
        let front = cell.line.gives.then_some("l").into_iter().chain(fields);
        let front: Fields = front.map(|name| (name, Value::None)).collect();
        let value_without = |x: Option<Value>| {
            cell.place.value_without(Shown { front: front.clone(), x, rest: vec![] }, open)
        };
        let over = cell.place.is_of_layout();
        let shown = Some(Value::None).filter(|_| example.x.is_some() && !over);
        self.trial.read(&file, &Ok(value_without(shown)));
        self.trial.write(&value_without(None), Ok(file.clone()));
        if let Some(x) = &example.x {
            // A length that is not there says nothing.
            let codes = vec!["unexpected_field", "expression", "not_placed"];
            self.trial.write(&value_without(Some(x.clone())), Err(codes));
        }
        self.trial.mutations(&file, BEFORE.len());
    }
}
