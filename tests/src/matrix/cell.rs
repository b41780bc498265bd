//! One cell about a number: a schema, and everything that is tried with it.

use formwork_interpreter::Value;

use super::part::{Behind, Part};
use super::place::Place;
use super::row::{Piece, Row};
use super::rules::{Given, Rule, Rules};
use super::shown::{Fields, Shown};
use super::trial::{Depth, Outcome, Trial};
use crate::flows::int;

/// A cell of the matrix.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Where the row stands.
    pub place: Place,
    /// What it is for others.
    pub part: Part,
    /// Its type and properties.
    pub rules: Rules,
}

/// One thing that the row may store.
struct Entry {
    stored: i128,
    /// What it means, and the rows behind; or the codes of errors.
    said: Result<(Option<i128>, Behind), Vec<&'static str>>,
}

impl Cell {
    /// The schema.
    #[must_use]
    pub fn schema(&self) -> String {
        let rest = self.part.rows(self.place.path());
        let declarations = self.part.declarations();
        let place = self.place;
        place.schema(&place.number_row(self.rules.ty, &self.rules.text(), &rest, declarations))
    }

    /// Loads the schema, and tries files and values if it is accepted.
    #[must_use]
    pub fn outcome(&self, depth: Depth) -> Outcome {
        Trial::of(&self.schema(), depth, |trial| Try { cell: self, trial, depth }.run())
    }

    /// Files that are read, each with the number that the row stores.
    #[must_use]
    pub fn files(&self) -> Vec<(i128, Vec<u8>)> {
        let Some((good, _, behind)) = self.good() else { return Vec::new() };
        let second = (good, &behind.0[..]);
        let mut files = Vec::new();
        for stored in self.rules.ty.numbers(true) {
            if let Ok((_, behind)) = self.entry(stored).said {
                files.push((stored, self.file(stored, &behind.0, second)));
            }
        }
        files
    }

    fn file(&self, stored: i128, rest: &[u8], second: (i128, &[u8])) -> Vec<u8> {
        let piece = |stored, rest| Piece::plain(&self.place.number(self.rules.ty, stored), rest);
        let second = piece(second.0, second.1);
        let row = Row::default();
        self.place.file(&piece(stored, rest), &second, None, &row).bytes
    }

    /// Whether the row is in the value.
    fn is_data(&self) -> bool {
        let label =
            self.part == Part::On && !self.rules.has_equation() && self.rules.none().is_empty();
        let given = self.part.gives()
            && self.place.can_be_derived()
            && (label || !self.rules.is_no_length());
        self.rules.is_data() && !given && self.place != Place::Const
    }

    fn entry(&self, stored: i128) -> Entry {
        let said = self.rules.read(stored).and_then(|meaning| {
            let behind = self.part.behind(meaning)?;
            Ok((meaning, behind))
        });
        Entry { stored, said }
    }

    /// A number that is all right, and what it means: something, if it can be.
    fn good(&self) -> Option<(i128, Option<i128>, Behind)> {
        let mut numbers = self.rules.ty.numbers(true);
        let canonical = self.rules.canonical();
        let is_other = |n: &i128| canonical.is_some_and(|canonical| *n != canonical);
        numbers.sort_by_key(|n| (is_other(n), n.abs() > 100, self.rules.none().contains(n)));
        numbers.into_iter().find_map(|stored| {
            let (meaning, behind) = self.entry(stored).said.ok()?;
            Some((stored, meaning, behind))
        })
    }
}

fn field(meaning: Option<i128>) -> Value {
    meaning.map_or(Value::None, int)
}

struct Try<'a> {
    cell: &'a Cell,
    trial: &'a mut Trial,
    depth: Depth,
}

impl Try<'_> {
    fn run(&mut self) {
        let cell = self.cell;
        let Some((good, meaning, behind)) = cell.good() else {
            self.trial.wrong.push("the matrix knows no file".to_owned());
            return;
        };
        let second = (good, meaning, behind);
        for stored in cell.rules.ty.numbers(self.depth != Depth::All) {
            self.reads(stored, &second);
        }
        for given in cell.rules.ty.numbers(self.depth != Depth::All) {
            self.writes(Given::Number(given), &second);
        }
        for given in [Given::Missing, Given::Nothing, Given::Number(70000), Given::Number(-129)] {
            self.writes(given, &second);
        }
        self.surplus(&second);
        self.without();
        let rest = &second.2.0;
        let file = cell.file(good, rest, (good, rest));
        self.trial.mutations(&file, 0);
    }

    /// Whether two elements are the same though they may not be.
    fn is_twice(&self, meaning: Option<i128>, second: Option<i128>) -> bool {
        self.cell.rules.has(Rule::Unique)
            && self.cell.place.is_pair()
            && meaning.is_some()
            && meaning == second
    }

    fn value(
        &self,
        x: Option<Value>,
        raw: i128,
        behind: &Behind,
        second: &(i128, Option<i128>, Behind),
    ) -> Value {
        let data = self.cell.is_data();
        let other = Some(field(second.1)).filter(|_| data);
        let shown = |x, behind: &Behind| Shown { front: vec![], x, rest: behind.1.clone() };
        let (first, second) = (shown(x, behind), shown(other, &second.2));
        self.cell.place.value(first, Some(int(raw)), second, (false, false))
    }

    fn reads(&mut self, stored: i128, second: &(i128, Option<i128>, Behind)) {
        let cell = self.cell;
        let entry = cell.entry(stored);
        // Rows behind a number that breaks a rule are as they should be otherwise.
        let rest = match &entry.said {
            Ok((_, behind)) => Some(behind.0.clone()),
            Err(_) => cell.part.behind(cell.rules.bare_meaning(stored)).ok().map(|said| said.0),
        };
        let unsaid = rest.is_none();
        let file = cell.file(entry.stored, &rest.unwrap_or_default(), (second.0, &second.2.0));
        let expected = match entry.said {
            Ok((meaning, _)) if self.is_twice(meaning, second.1) => Err(vec!["duplicate_key"]),
            Ok((meaning, behind)) => {
                let x = Some(field(meaning)).filter(|_| cell.is_data());
                Ok(self.value(x, stored, &behind, second))
            }
            Err(mut codes) => {
                if unsaid {
                    codes.extend(cell.part.codes());
                }
                Err(codes)
            }
        };
        self.trial.read(&file, &expected);
    }

    fn writes(&mut self, given: Given, second: &(i128, Option<i128>, Behind)) {
        let cell = self.cell;
        let data = cell.is_data();
        // A list without elements is another value.
        if cell.place == Place::Shared && given == Given::Missing {
            return;
        }
        // What is not in the value is said by the rows behind, if at all.
        if !data && !cell.rules.is_data() && given != Given::Missing {
            return;
        }
        if !data && cell.rules.is_data() && !matches!(given, Given::Number(_)) {
            return;
        }
        let stored = match given {
            // The field is the struct, of which nothing is said.
            Given::Missing if data && cell.place == Place::Transparent => {
                Err(vec!["missing_field"])
            }
            // Where some layout lacks the row, nothing in it is its default.
            Given::Nothing if cell.place.is_of_layout() && cell.rules.may_be_left_out() => {
                cell.rules.write(Given::Missing)
            }
            given => cell.rules.write(given),
        };
        let meaning = match (&stored, given) {
            (Ok((_, meaning)), _) => *meaning,
            (Err(_), Given::Number(number)) => Some(number),
            (Err(_), _) => None,
        };
        let behind = cell.part.behind(meaning);
        let x = match given {
            _ if !data => None,
            Given::Missing => None,
            Given::Nothing => Some(Value::None),
            Given::Number(number) => Some(int(number)),
        };
        // A value for which nothing could stand behind.
        let Ok(behind) = behind else { return };
        let raw = match (&stored, given) {
            (Ok(stored), _) => stored.0,
            (_, Given::Number(number)) => number,
            _ => 0,
        };
        let value = self.value(x, raw, &behind, second);
        let expected = match stored {
            Ok(_) if self.is_twice(meaning, second.1) => Err(vec!["duplicate_key"]),
            Ok((stored, _)) => Ok(cell.file(stored, &behind.0, (second.0, &second.2.0))),
            Err(mut codes) => {
                if matches!(cell.place, Place::Form | Place::Formed) {
                    codes.push("no_form");
                }
                Err(codes)
            }
        };
        self.trial.write(&value, expected);
    }

    /// A field for a row that is not in the value.
    fn surplus(&mut self, second: &(i128, Option<i128>, Behind)) {
        let cell = self.cell;
        if cell.is_data() || cell.place == Place::Transparent {
            return;
        }
        for x in [4, 6] {
            let value = self.value(Some(int(x)), second.0, &second.2, second);
            self.trial.write(&value, Err(vec!["unexpected_field"]));
        }
    }

    /// Files and values without the row.
    fn without(&mut self) {
        let cell = self.cell;
        let Some(file) = cell.place.file_without(&Row::default()) else { return };
        let rest = cell.good().map_or(Vec::new(), |good| good.2.1);
        let rest: Fields = rest.into_iter().map(|(name, _)| (name, Value::None)).collect();
        let value_without = |x: Option<Value>| {
            cell.place.value_without(Shown { front: vec![], x, rest: rest.clone() }, false)
        };
        // A condition over data leaves the field in the value; one over epochs does not.
        let over = matches!(cell.place, Place::Columns | Place::Epoch);
        let shown = Some(Value::None).filter(|_| cell.is_data() && !over);
        self.trial.read(&file, &Ok(value_without(shown)));
        let value = value_without(None);
        self.trial.write(&value, Ok(file.clone()));
        let null = value_without(Some(Value::None));
        if cell.is_data() {
            self.trial.write(&null, Ok(file.clone()));
        }
        let stands = cell.rules.has(Rule::Absent)
            && over
            && (cell.is_data() || cell.rules.has(Rule::UsuallyOf));
        for number in [4, 6] {
            let value = value_without(Some(int(number)));
            let expected = if stands && number == 6 {
                Ok(file.clone())
            } else {
                Err(vec!["unexpected_field"])
            };
            self.trial.write(&value, expected);
        }
        self.trial.mutations(&file, 0);
    }
}
