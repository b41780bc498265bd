//! Expressions: lexer and precedence climbing, with limits.

use super::kdl::Literal;
use super::lex::{Problem, Spot, Token, lex};
use crate::diagnostic::Diagnostics;
use crate::model::{BinaryOp, UnaryOp};
use crate::span::{Span, Spanned};

/// Most levels of an expression tree.
const MAX_HEIGHT: u16 = 64;

/// An expression as written.
#[derive(Debug, Clone)]
pub(crate) struct Ex {
    pub kind: ExKind,
    pub span: Span,
    height: u16,
}

#[derive(Debug, Clone)]
pub(crate) enum ExKind {
    Int(i128),
    Float(f64),
    Bool(bool),
    Text(String),
    Path(PathEx),
    Unary(UnaryOp, Box<Ex>),
    Binary(BinaryOp, Box<Ex>, Box<Ex>),
    If(Box<Ex>, Box<Ex>, Box<Ex>),
    Coalesce(Box<Ex>, Box<Ex>),
    In(Box<Ex>, Vec<(Ex, Option<Ex>)>),
    Is(Box<Ex>, Spanned<String>),
    Call { name: Spanned<String>, args: Vec<Ex>, filter: Option<Box<Ex>> },
    List(Vec<Ex>),
}

/// A path as written.
#[derive(Debug, Clone)]
pub(crate) struct PathEx {
    pub head: Spanned<String>,
    pub steps: Vec<StepEx>,
}

#[derive(Debug, Clone)]
pub(crate) enum StepEx {
    Field(Spanned<String>),
    Index(Box<Ex>),
    Last(Span),
}

impl Ex {
    pub fn new(kind: ExKind, span: Span) -> Ex {
        Ex { kind, span, height: 1 }
    }

    /// The word, if the expression is one bare word.
    pub fn word(&self) -> Option<&str> {
        match &self.kind {
            ExKind::Path(path) if path.steps.is_empty() => Some(&path.head.value),
            _ => None,
        }
    }

    /// The path, if the expression is one.
    pub fn path(&self) -> Option<&PathEx> {
        match &self.kind {
            ExKind::Path(path) => Some(path),
            _ => None,
        }
    }

    /// Calls `visit` for this expression and all in it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Ex)) {
        visit(self);
        match &self.kind {
            ExKind::Int(_) | ExKind::Float(_) | ExKind::Bool(_) | ExKind::Text(_) => {}
            ExKind::Path(path) => {
                for step in &path.steps {
                    if let StepEx::Index(index) = step {
                        index.walk(visit);
                    }
                }
            }
            ExKind::Unary(_, a) | ExKind::Is(a, _) => a.walk(visit),
            ExKind::Binary(_, a, b) | ExKind::Coalesce(a, b) => {
                a.walk(visit);
                b.walk(visit);
            }
            ExKind::If(a, b, c) => {
                a.walk(visit);
                b.walk(visit);
                c.walk(visit);
            }
            ExKind::In(a, list) => {
                a.walk(visit);
                for (from, to) in list {
                    from.walk(visit);
                    if let Some(to) = to {
                        to.walk(visit);
                    }
                }
            }
            ExKind::Call { args, filter, .. } => {
                for arg in args {
                    arg.walk(visit);
                }
                if let Some(filter) = filter {
                    filter.walk(visit);
                }
            }
            ExKind::List(list) => {
                for item in list {
                    item.walk(visit);
                }
            }
        }
    }
}

impl PathEx {
    /// As it would be written, without blanks.
    pub fn text(&self) -> String {
        let mut text = self.head.value.clone();
        for step in &self.steps {
            match step {
                StepEx::Field(name) => {
                    text.push('.');
                    text.push_str(&name.value);
                }
                StepEx::Last(_) => text.push_str("[last]"),
                StepEx::Index(index) => match &index.kind {
                    ExKind::Int(n) => text.push_str(&format!("[{n}]")),
                    ExKind::Path(path) => text.push_str(&format!("[{}]", path.text())),
                    _ => text.push_str("[..]"),
                },
            }
        }
        text
    }

    pub fn span(&self) -> Span {
        let mut span = self.head.span;
        for step in &self.steps {
            let end = match step {
                StepEx::Field(name) => name.span,
                StepEx::Last(end) => *end,
                StepEx::Index(index) => index.span,
            };
            if end.source == span.source {
                span = span.to(end);
            }
        }
        span
    }
}

/// `ref=`: an array, perhaps filtered.
#[derive(Debug, Clone)]
pub(crate) struct RefEx {
    pub array: PathEx,
    pub filter: Option<Ex>,
}

/// `from=`: slices in their order, perhaps sorted.
#[derive(Debug, Clone)]
pub(crate) struct FromEx {
    pub slices: Vec<PathEx>,
    pub key: Option<Ex>,
}

/// An expression from the text of a value.
pub(crate) fn expression(
    literal: &Literal,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Option<Ex> {
    run(literal, text, diagnostics, |p| p.expr())
}

/// `ARRAY` or `ARRAY where CONDITION`.
pub(crate) fn reference(
    literal: &Literal,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Option<RefEx> {
    run(literal, text, diagnostics, |p| {
        let array = p.plain_path()?;
        let filter = if p.accept_word("where") { Some(p.expr()?) } else { None };
        Ok(RefEx { array, filter })
    })
}

/// `PATH PATH ... by KEY`.
pub(crate) fn slices(
    literal: &Literal,
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Option<FromEx> {
    run(literal, text, diagnostics, |p| {
        let mut slices = vec![p.plain_path()?];
        let mut key = None;
        while *p.peek() != Token::End {
            if p.accept_word("by") {
                key = Some(p.expr()?);
                break;
            }
            slices.push(p.plain_path()?);
        }
        Ok(FromEx { slices, key })
    })
}

fn run<T>(
    literal: &Literal,
    text: &str,
    diagnostics: &mut Diagnostics,
    parse: impl FnOnce(&mut Parser<'_>) -> Result<T, Problem>,
) -> Option<T> {
    let result = lex(text).and_then(|tokens| {
        let mut parser = Parser { literal, text, tokens, at: 0, depth: 0 };
        let value = parse(&mut parser)?;
        let help = match parser.peek() {
            Token::End => return Ok(value),
            Token::Word(word) if word == "and" => Some("write `&&`"),
            Token::Word(word) if word == "or" => Some("write `||`"),
            Token::Symbol(".") if parser.text[..parser.place().0].ends_with(')') => Some(
                "a path begins with a name: for a field of an element that `first` finds, write \
                 `A[index(first(A where ...))].field`",
            ),
            _ => None,
        };
        let mut problem = parser.problem("this can't stand here");
        problem.help = help.map(str::to_owned);
        Err(problem)
    });
    match result {
        Ok(value) => Some(value),
        Err(problem) => {
            let span = literal.part(problem.start, problem.end);
            let d = diagnostics.error("E0105", span, problem.message);
            if let Some(help) = problem.help {
                d.help(help);
            }
            None
        }
    }
}

struct Parser<'a> {
    literal: &'a Literal,
    text: &'a str,
    tokens: Vec<Spot>,
    at: usize,
    depth: u16,
}

/// Binary operators by precedence, lowest first.
fn binary(token: &Token) -> Option<(u8, BinaryOp)> {
    use BinaryOp::*;
    let Token::Symbol(symbol) = token else { return None };
    Some(match *symbol {
        "||" => (1, EitherTrue),
        "&&" => (2, BothTrue),
        "==" => (3, Equal),
        "!=" => (3, NotEqual),
        "<" => (3, Less),
        "<=" => (3, LessOrEqual),
        ">" => (3, Greater),
        ">=" => (3, GreaterOrEqual),
        "|" => (4, Or),
        "^" => (5, Xor),
        "&" => (6, And),
        "<<" => (7, ShiftLeft),
        ">>" => (7, ShiftRight),
        "+" => (8, Add),
        "-" => (8, Subtract),
        "++" => (8, Concatenate),
        "*" => (9, Multiply),
        "/" => (9, Divide),
        "%" => (9, Remainder),
        _ => return None,
    })
}

const COMPARE: u8 = 3;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).map_or(&Token::End, |t| &t.0)
    }

    fn place(&self) -> (usize, usize) {
        self.tokens.get(self.at).map_or((self.text.len(), self.text.len()), |t| (t.1, t.2))
    }

    fn problem(&self, message: impl Into<String>) -> Problem {
        let (start, end) = self.place();
        Problem { start, end, message: message.into(), help: None }
    }

    fn accept(&mut self, symbol: &str) -> bool {
        let found = matches!(self.peek(), Token::Symbol(s) if *s == symbol);
        if found {
            self.at += 1;
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(w) if w == word);
        if found {
            self.at += 1;
        }
        found
    }

    fn expect(&mut self, symbol: &str) -> Result<(), Problem> {
        if self.accept(symbol) {
            return Ok(());
        }
        Err(self.problem(format!("`{symbol}` is missing here")))
    }

    fn name(&mut self) -> Result<Spanned<String>, Problem> {
        let (start, end) = self.place();
        match self.peek().clone() {
            Token::Word(value) => {
                self.at += 1;
                Ok(Spanned { value, span: self.literal.part(start, end) })
            }
            _ => Err(self.problem("a name is missing here")),
        }
    }

    fn make(&self, kind: ExKind, start: usize, height: u16) -> Result<Ex, Problem> {
        let end = self.tokens.get(self.at.wrapping_sub(1)).map_or(start, |t| t.2);
        if height > MAX_HEIGHT {
            let message = format!("the expression is nested deeper than {MAX_HEIGHT} levels");
            let help = Some("give parts of it names with `let`".to_owned());
            return Err(Problem { start, end, message, help });
        }
        Ok(Ex { kind, span: self.literal.part(start, end), height })
    }

    fn expr(&mut self) -> Result<Ex, Problem> {
        self.depth += 1;
        if self.depth > MAX_HEIGHT {
            let mut p =
                self.problem(format!("the expression is nested deeper than {MAX_HEIGHT} levels"));
            p.help = Some("give parts of it names with `let`".to_owned());
            return Err(p);
        }
        let start = self.place().0;
        let condition = self.fall()?;
        let result = if self.accept("?") {
            let yes = self.expr()?;
            self.expect(":")?;
            let no = self.expr()?;
            let height = 1 + condition.height.max(yes.height).max(no.height);
            self.make(ExKind::If(Box::new(condition), Box::new(yes), Box::new(no)), start, height)
        } else {
            Ok(condition)
        };
        self.depth -= 1;
        result
    }

    fn fall(&mut self) -> Result<Ex, Problem> {
        let start = self.place().0;
        let mut left = self.climb(1)?;
        while self.accept("??") {
            let right = self.climb(1)?;
            let height = 1 + left.height.max(right.height);
            left = self.make(ExKind::Coalesce(Box::new(left), Box::new(right)), start, height)?;
        }
        Ok(left)
    }

    fn climb(&mut self, least: u8) -> Result<Ex, Problem> {
        let start = self.place().0;
        let mut left = self.unary()?;
        let mut compared = false;
        loop {
            if least <= COMPARE && matches!(self.peek(), Token::Word(w) if w == "in") {
                self.at += 1;
                let list = self.set()?;
                let inner =
                    list.iter().map(|(a, b)| a.height.max(b.as_ref().map_or(0, |b| b.height)));
                let height = 1 + inner.max().unwrap_or(0).max(left.height);
                left = self.make(ExKind::In(Box::new(left), list), start, height)?;
                continue;
            }
            if least <= COMPARE && matches!(self.peek(), Token::Word(w) if w == "is") {
                self.at += 1;
                let case = self.name()?;
                let height = 1 + left.height;
                left = self.make(ExKind::Is(Box::new(left), case), start, height)?;
                continue;
            }
            let Some((level, op)) = binary(self.peek()) else {
                if matches!(self.peek(), Token::Symbol("=")) {
                    let mut p = self.problem("`=` has no meaning in an expression");
                    p.help = Some("write `==` to compare".to_owned());
                    return Err(p);
                }
                break;
            };
            if level < least {
                break;
            }
            if level == COMPARE {
                if compared {
                    let mut p = self.problem("comparisons can't be chained");
                    p.help = Some("write `a < b && b < c`".to_owned());
                    return Err(p);
                }
                compared = true;
            }
            self.at += 1;
            let right = self.climb(level + 1)?;
            let height = 1 + left.height.max(right.height);
            left = self.make(ExKind::Binary(op, Box::new(left), Box::new(right)), start, height)?;
        }
        Ok(left)
    }

    fn set(&mut self) -> Result<Vec<(Ex, Option<Ex>)>, Problem> {
        if !self.accept("[") {
            return Ok(vec![self.range()?]);
        }
        let mut list = Vec::new();
        while !self.accept("]") {
            list.push(self.range()?);
            if !self.accept(",") {
                self.expect("]")?;
                break;
            }
        }
        Ok(list)
    }

    fn range(&mut self) -> Result<(Ex, Option<Ex>), Problem> {
        let from = self.climb(COMPARE + 1)?;
        let to = if self.accept("..") { Some(self.climb(COMPARE + 1)?) } else { None };
        Ok((from, to))
    }

    fn unary(&mut self) -> Result<Ex, Problem> {
        let start = self.place().0;
        let mut ops = Vec::new();
        loop {
            let op = match self.peek() {
                Token::Symbol("-") => UnaryOp::Negate,
                Token::Symbol("!") => UnaryOp::Not,
                Token::Symbol("~") => UnaryOp::Complement,
                _ => break,
            };
            ops.push((op, self.place().0));
            self.at += 1;
            if ops.len() > usize::from(MAX_HEIGHT) {
                return Err(self.problem("too many signs"));
            }
        }
        let mut value = self.atom()?;
        for (op, at) in ops.into_iter().rev() {
            value = match (op, value.kind) {
                (UnaryOp::Negate, ExKind::Int(n)) => self.make(ExKind::Int(-n), at, 1)?,
                (UnaryOp::Negate, ExKind::Float(n)) => self.make(ExKind::Float(-n), at, 1)?,
                (op, kind) => {
                    let inner = Ex { kind, span: value.span, height: value.height };
                    let height = 1 + inner.height;
                    self.make(ExKind::Unary(op, Box::new(inner)), start, height)?
                }
            };
        }
        Ok(value)
    }

    fn atom(&mut self) -> Result<Ex, Problem> {
        let start = self.place().0;
        match self.peek().clone() {
            Token::Int(value) => {
                self.at += 1;
                self.make(ExKind::Int(value), start, 1)
            }
            Token::Float(value) => {
                self.at += 1;
                self.make(ExKind::Float(value), start, 1)
            }
            Token::Text(value) => {
                self.at += 1;
                self.make(ExKind::Text(value), start, 1)
            }
            Token::Symbol("(") => {
                self.at += 1;
                let inner = self.expr()?;
                self.expect(")")?;
                Ok(inner)
            }
            Token::Symbol("[") => {
                self.at += 1;
                let mut list = Vec::new();
                while !self.accept("]") {
                    list.push(self.expr()?);
                    if !self.accept(",") {
                        self.expect("]")?;
                        break;
                    }
                }
                let height = 1 + list.iter().map(|e| e.height).max().unwrap_or(0);
                self.make(ExKind::List(list), start, height)
            }
            Token::Word(word) if word == "true" || word == "false" => {
                self.at += 1;
                self.make(ExKind::Bool(word == "true"), start, 1)
            }
            Token::Word(_) => {
                let head = self.name()?;
                if self.accept("(") {
                    return self.call(head, start);
                }
                let (path, height) = self.path(head)?;
                self.make(ExKind::Path(path), start, height)
            }
            Token::End => Err(self.problem("the expression ends too early")),
            Token::Symbol(_) => Err(self.problem("a value is missing here")),
        }
    }

    fn call(&mut self, name: Spanned<String>, start: usize) -> Result<Ex, Problem> {
        let mut args = Vec::new();
        let mut filter = None;
        while !self.accept(")") {
            args.push(self.expr()?);
            if self.accept_word("where") {
                filter = Some(Box::new(self.expr()?));
            }
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        let inner = args.iter().map(|e| e.height).max().unwrap_or(0);
        let height = 1 + inner.max(filter.as_ref().map_or(0, |f| f.height));
        self.make(ExKind::Call { name, args, filter }, start, height)
    }

    fn plain_path(&mut self) -> Result<PathEx, Problem> {
        let head = self.name()?;
        Ok(self.path(head)?.0)
    }

    fn path(&mut self, head: Spanned<String>) -> Result<(PathEx, u16), Problem> {
        let mut steps = Vec::new();
        let mut height = 1;
        loop {
            if steps.len() >= usize::from(MAX_HEIGHT) {
                return Err(self.problem("the path is too long"));
            }
            if self.accept(".") {
                steps.push(StepEx::Field(self.name()?));
            } else if matches!(self.peek(), Token::Symbol("[")) {
                let (start, _) = self.place();
                self.at += 1;
                let is_last = matches!(self.peek(), Token::Word(w) if w == "last")
                    && matches!(self.tokens.get(self.at + 1), Some((Token::Symbol("]"), ..)));
                if is_last {
                    self.at += 2;
                    let end = self.tokens.get(self.at - 1).map_or(start, |t| t.2);
                    steps.push(StepEx::Last(self.literal.part(start, end)));
                } else {
                    let index = self.expr()?;
                    self.expect("]")?;
                    height = height.max(1 + index.height);
                    steps.push(StepEx::Index(Box::new(index)));
                }
            } else {
                break;
            }
        }
        Ok((PathEx { head, steps }, height))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::SourceId;
    use crate::syntax::kdl::Scalar;

    fn literal(text: &str) -> Literal {
        let span = Span { source: SourceId(0), start: 0, end: text.len() as u32 };
        Literal { value: Scalar::Text(text.to_owned()), span, inner: Some(0) }
    }

    fn show(ex: &Ex) -> String {
        match &ex.kind {
            ExKind::Int(n) => n.to_string(),
            ExKind::Float(n) => format!("{n:?}"),
            ExKind::Bool(b) => b.to_string(),
            ExKind::Text(t) => format!("'{t}'"),
            ExKind::Path(p) => p.text(),
            ExKind::Unary(op, a) => format!("({op:?} {})", show(a)),
            ExKind::Binary(op, a, b) => format!("({op:?} {} {})", show(a), show(b)),
            ExKind::If(a, b, c) => format!("(if {} {} {})", show(a), show(b), show(c)),
            ExKind::Coalesce(a, b) => format!("(?? {} {})", show(a), show(b)),
            ExKind::In(a, list) => {
                let list: Vec<_> = list
                    .iter()
                    .map(|(a, b)| match b {
                        None => show(a),
                        Some(b) => format!("{}..{}", show(a), show(b)),
                    })
                    .collect();
                format!("(in {} {})", show(a), list.join(" "))
            }
            ExKind::Is(a, name) => format!("(is {} {})", show(a), name.value),
            ExKind::Call { name, args, filter } => {
                let args: Vec<_> = args.iter().map(show).collect();
                let filter = filter.as_ref().map(|f| format!(" where {}", show(f)));
                format!("{}({}{})", name.value, args.join(" "), filter.unwrap_or_default())
            }
            ExKind::List(list) => {
                format!("[{}]", list.iter().map(show).collect::<Vec<_>>().join(" "))
            }
        }
    }

    fn check(text: &str, expected: &str) {
        let mut diagnostics = Diagnostics::default();
        let found = match expression(&literal(text), text, &mut diagnostics) {
            Some(ex) => show(&ex),
            None => diagnostics.all()[0].message.clone(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn precedence() {
        check("a + 2 * b", "(Add a (Multiply 2 b))");
        check("a << 1 + 2 & b", "(And (ShiftLeft a (Add 1 2)) b)");
        check("a & 1 == 0", "(Equal (And a 1) 0)");
        check("a | b ^ c & d", "(Or a (Xor b (And c d)))");
        check("a ?? b ? c : d ?? e", "(if (?? a b) c (?? d e))");
        check("a - b - c", "(Subtract (Subtract a b) c)");
        check("!a || b && -c < 2", "(EitherTrue (Not a) (BothTrue b (Less (Negate c) 2)))");
        check("-1", "-1");
        check("a - -1.5", "(Subtract a -1.5)");
        check("n in [1, 3..5] && x", "(BothTrue (in n 1 3..5) x)");
        check("n in 1..2", "(in n 1..2)");
        check("a.b[last].c[i + 1] is join", "(is a.b[last].c[..] join)");
    }

    #[test]
    fn atoms() {
        check("0xffff_ffff", "4294967295");
        check("0b101", "5");
        check("1.5e3", "1500.0");
        check("hex('41')", "hex('41')");
        check("#true", "true");
        check("count(a.b where c == 1)", "count(a.b where (Equal c 1))");
        check("a.last.index", "a.last.index");
        check("[5, 6]", "[5 6]");
    }

    #[test]
    fn problems() {
        check("", "the expression ends too early");
        check("a +", "the expression ends too early");
        check("a = b", "`=` has no meaning in an expression");
        check("a < b < c", "comparisons can't be chained");
        check("(a", "`)` is missing here");
        check("a b", "this can't stand here");
        check("'abc", "the text has no end");
        check("a é", "this character has no meaning in an expression");
        check("99999999999999999999999999999999999999999999", "this is not a number");
        let deep = "the expression is nested deeper than 64 levels";
        check(&"(".repeat(10_000), "the expression is too long");
        check(&"(".repeat(1000), deep);
        check(&"a[".repeat(1000), deep);
        check(&"-".repeat(1000), "too many signs");
        check(&vec!["1"; 1000].join("+"), deep);
        check(&vec!["a"; 1000].join("."), "the path is too long");
        check(&"a?".repeat(1000), deep);
    }
}
