//! Examples of a schema: reads them, compares what they say with what is read, writes them again, and
//! lists them field by field.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::ControlFlow;

use formwork::ReadOptions;
use formwork_model::{
    Constant, DefinerSource, EpochId, Example, Expr, ExprId, Measure, Model, RecordKind, Row,
    RowKind, Said, Span, Subject, Type,
};

use crate::alone::alone;
use crate::document::{Document, read};
use crate::view::{FieldKind, FieldView, Stored, WalkOptions, line};
use crate::{Program, program};

/// What is wrong with an example.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleProblem {
    /// The example, or what it says of a field.
    pub span: Span,
    /// What is wrong: lower case, no full stop, names in backticks.
    pub message: String,
}

/// Reads an example of a program's model, and gives its listing: a line for each field, with its place,
/// its bytes, its value and what the schema says of it.
///
/// # Errors
///
/// If the bytes are not read or are read as something else than the example says, and if the value is
/// not written as the same bytes.
pub fn example(whole: &Program, example: &Example) -> Result<String, Vec<ExampleProblem>> {
    let model = whole.model();
    let wrong = |message: String| vec![ExampleProblem { span: example.span, message }];
    if example.subject == Subject::Module {
        return look(whole, model, example);
    }
    let epochs = (0..).map(EpochId).zip(&example.epochs);
    let mut listing = None;
    for (epoch, _) in epochs.filter(|(_, has)| **has) {
        let part = alone(model, example.subject, epoch).map_err(wrong)?;
        let text = look(&program(part), model, example)?;
        // Layouts differ in what is not read here, or in nothing.
        listing.get_or_insert(text);
    }
    listing.ok_or_else(|| wrong("no layout has what it is of".to_owned()))
}

/// All examples of a model, in the order of the schema.
///
/// # Errors
///
/// What is wrong with each of them.
pub fn examples(program: &Program) -> Result<Vec<String>, Vec<ExampleProblem>> {
    let mut listings = Vec::new();
    let mut problems = Vec::new();
    for one in &program.model().examples {
        match example(program, one) {
            Ok(listing) => listings.push(listing),
            Err(found) => problems.extend(found),
        }
    }
    if problems.is_empty() { Ok(listings) } else { Err(problems) }
}

fn look(
    program: &Program,
    schema: &Model,
    example: &Example,
) -> Result<String, Vec<ExampleProblem>> {
    let wrong = |message: String| vec![ExampleProblem { span: example.span, message }];
    let document = read(program, &example.bytes, &ReadOptions::default())
        .map_err(|error| wrong(format!("the example is not read: {error}")))?;
    let mut problems = Vec::new();
    if let Some(message) = other_case(schema, example, &document) {
        problems.extend(wrong(message));
    }
    for said in &example.says {
        if let Some(message) = difference(&document, said) {
            problems.push(ExampleProblem { span: said.span, message });
        }
    }
    let end = end(&document);
    if end < example.bytes.len() as u64 && example.subject != Subject::Module {
        problems.extend(wrong(format!("the example goes on behind its end, which is {end:#x}")));
    }
    match crate::write(program, &document.value()) {
        Ok(bytes) if bytes == example.bytes => {}
        Ok(bytes) => {
            let digits: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            problems.extend(wrong(format!("the example is written as `{}`", digits.join(" "))));
        }
        Err(error) => problems.extend(wrong(format!("the example is not written: {error}"))),
    }
    if problems.is_empty() { Ok(listing(schema, &document)) } else { Err(problems) }
}

/// Where the root ends.
fn end(document: &Document<'_>) -> u64 {
    let mut end = 0;
    let walked = document.walk(None, &WalkOptions { fold: None }, &mut |field| {
        end = field.offset.unwrap_or(0).saturating_add(field.size).max(end);
        ControlFlow::Continue(())
    });
    walked.map_or(0, |()| end)
}

/// That an example of a case is one of another case.
fn other_case(schema: &Model, example: &Example, document: &Document<'_>) -> Option<String> {
    let Subject::Record(id) = example.subject else { return None };
    let RecordKind::Case(union, case) = schema.records.get(id.index())?.kind else { return None };
    let union_id = union;
    let union = schema.unions.get(union.index())?;
    let name = &union.cases.get(case as usize)?.name;
    let holds = |ty: &Type| ty.unions().any(|id| id == union_id);
    let rows = schema.records.iter().flat_map(|record| &record.rows);
    let row = rows.into_iter().find(|row| holds(&row.ty)).and_then(|row| row.name.as_deref());
    let path = if union.body { None } else { row };
    let found = first_line(document, path).map(|line| line.value)?;
    (found != *name).then(|| format!("the example is one of `{found}`, not of `{name}`"))
}

/// The line of a field.
fn first_line(document: &Document<'_>, path: Option<&str>) -> Option<FieldView> {
    let mut first = None;
    let walked = document.walk(path, &WalkOptions { fold: None }, &mut |field| {
        first = Some(field.clone());
        ControlFlow::Break(())
    });
    walked.ok().and(first)
}

/// How a field differs from what is said of it.
fn difference(document: &Document<'_>, said: &Said) -> Option<String> {
    let path = if said.path.is_empty() { "value" } else { &said.path };
    let expected = said.value.as_ref().map_or_else(|| "none".to_owned(), constant);
    let stored = document.stored(path);
    let line = match &stored {
        Some(_) => None,
        // A struct, or a case, which has a name.
        None => match document
            .walk(Some(path), &WalkOptions { fold: None }, &mut |_| ControlFlow::Break(()))
        {
            Ok(()) => first_line(document, Some(path)),
            Err(error) => return Some(error.to_string()),
        },
    };
    let is_it = match (&stored, &said.value, &line) {
        (Some(stored), value, _) => is_said(stored, value.as_ref()),
        (None, Some(Constant::Text(case)), Some(line)) => line.value == *case,
        _ => false,
    };
    if is_it {
        return None;
    }
    let found = match (&stored, line) {
        (Some(stored), _) => shown(stored),
        (None, Some(line)) if !line.value.is_empty() => format!("the case `{}`", line.value),
        (None, _) => "a struct".to_owned(),
    };
    Some(format!("`{path}` is {found}, not {expected}"))
}

fn is_said(stored: &Stored, value: Option<&Constant>) -> bool {
    match (stored, value) {
        (Stored::None, None) => true,
        (Stored::Int(number), Some(Constant::Int(said))) => number == said,
        (Stored::Enum { number, .. }, Some(Constant::Int(said))) => number == said,
        (Stored::Enum { name, .. }, Some(Constant::Text(said))) => name.as_ref() == Some(said),
        (Stored::Count(count), Some(Constant::Int(said))) => *count as i128 == *said,
        (Stored::Bool(truth), Some(Constant::Bool(said))) => truth == said,
        (Stored::Text(text), Some(Constant::Text(said))) => text == said,
        (Stored::Bytes(bytes), Some(Constant::Text(said))) => {
            let digits = said.chars().filter(|char| !char.is_whitespace());
            hex(bytes) == digits.flat_map(char::to_lowercase).collect::<String>()
                || bytes.as_slice() == said.as_bytes()
        }
        (Stored::Float { bits, width }, Some(said)) => said.float_bits(*width) == Some(*bits),
        _ => false,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn constant(constant: &Constant) -> String {
    match constant {
        Constant::Int(number) => number.to_string(),
        Constant::Float(bits) => format!("{:?}", f64::from_bits(*bits)),
        Constant::Bool(truth) => truth.to_string(),
        Constant::Text(text) => format!("`{text}`"),
        Constant::Bytes(bytes) => hex(bytes),
    }
}

fn shown(stored: &Stored) -> String {
    match stored {
        Stored::Int(number) => number.to_string(),
        Stored::Float { bits, width: 4 } => {
            format!("{:?}", f32::from_bits(u32::try_from(*bits).unwrap_or(0)))
        }
        Stored::Float { bits, .. } => format!("{:?}", f64::from_bits(*bits)),
        Stored::Bool(truth) => truth.to_string(),
        Stored::Text(text) => format!("`{text}`"),
        Stored::Bytes(bytes) => format!("`{}`", hex(bytes)),
        Stored::Enum { name: Some(name), .. } => format!("`{name}`"),
        Stored::Enum { number, .. } => number.to_string(),
        Stored::Count(count) => format!("{count} elements"),
        Stored::None => "none".to_owned(),
    }
}

/// Widest text of a field behind which its documentation stands in a column.
const WIDEST: usize = 44;

/// Adds what the whole is: a struct, perhaps with its case.
fn push_root(field: &FieldView, to: &mut String) {
    to.push_str(&field.type_name);
    if !field.value.is_empty() {
        let _ = write!(to, " = {}", field.value);
    }
}

/// Whether the number in a row is an address, or a code that stands for itself.
fn is_address(schema: &Model, row: &Row) -> bool {
    let follows = row.definers.iter().any(|definer| match &definer.source {
        DefinerSource::Measure { measure, .. } => {
            matches!(measure, Measure::At(_) | Measure::End)
        }
        DefinerSource::Expr(expr) => is_place(schema, *expr),
    });
    let code = matches!(row.kind, RowKind::Constant(Constant::Int(code)) if code > 9);
    follows || code || row.ty.inline_parts().any(|part| matches!(part, Type::Pointer(_)))
}

/// Whether an expression is an address, a distance, or the size of the file.
fn is_place(schema: &Model, expr: ExprId) -> bool {
    let mut is_place = matches!(schema[expr], Expr::At(_) | Expr::End(_) | Expr::FileEnd);
    schema[expr].operands(&mut |operand| is_place |= self::is_place(schema, operand));
    is_place
}

/// What a documentation says before it goes into details.
fn first_part(doc: &str) -> &str {
    let end = ["; ", ": ", ". "].iter().filter_map(|end| doc.find(end)).min();
    end.map_or(doc, |end| &doc[..end])
}

/// The fields of an example, one on each line.
fn listing(schema: &Model, document: &Document<'_>) -> String {
    let rows = || schema.records.iter().flat_map(|record| &record.rows);
    let docs: HashMap<Span, &str> =
        rows().filter_map(|row| Some((row.span, row.doc.as_deref()?))).collect();
    let addresses: HashSet<Span> =
        rows().filter(|row| is_address(schema, row)).map(|row| row.span).collect();
    let mut lines: Vec<(String, String, String, Option<&str>)> = Vec::new();
    let walked = document.walk(None, &WalkOptions { fold: None }, &mut |field| {
        let mut place = String::new();
        line::push_place(field, 4, &mut place);
        let bytes = line::spaced(line::bytes_of(field, document.bytes));
        let mut words = "  ".repeat(field.depth);
        match field.depth {
            0 => push_root(field, &mut words),
            // As the page has them: addresses and codes in hexadecimal.
            _ => match (&field.stored, field.declared) {
                (Some(Stored::Int(number)), Some(span)) if addresses.contains(&span) => {
                    let value = format!("{number:#x}");
                    line::push_words(&FieldView { value, ..field.clone() }, &mut words);
                }
                _ => line::push_words(field, &mut words),
            },
        }
        // Elements are what their array is, and texts are cut to one line.
        let doc = field
            .declared
            .filter(|_| !field.name.starts_with('[') && field.kind != FieldKind::Case);
        let doc = doc.and_then(|span| docs.get(&span).copied());
        lines.push((place, format!("{bytes:<24}"), words, doc));
        ControlFlow::Continue(())
    });
    if walked.is_err() {
        return String::new();
    }
    let fits = |words: &str| words.chars().count() <= WIDEST;
    let widths = lines.iter().map(|(.., words, _)| words).filter(|words| fits(words));
    let width = widths.map(|words| words.chars().count()).max().unwrap_or(0);
    // Of bits there is more to say than an offset.
    let before = lines.iter().map(|(place, ..)| place.len() + 2).max().unwrap_or(0).max(8);
    let mut out = String::new();
    for (place, bytes, words, doc) in lines {
        let line = match doc {
            Some(doc) => {
                format!("{place:<before$}{bytes}  {words:<width$}  ; {}", first_part(doc))
            }
            None => format!("{place:<before$}{bytes}  {words}"),
        };
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}
