//! What properties mean for a number, said without the engine.

/// Type of the row that a cell is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    /// `u8`, or as many bits of something else.
    U8,
    /// `i8`, likewise.
    I8,
    /// `u16` with the high byte first where the place leaves a choice.
    U16,
    /// `u32` with the high byte first.
    U32,
    /// `i64`, likewise.
    I64,
}

impl Ty {
    /// Size in bytes.
    #[must_use]
    pub fn width(self) -> usize {
        match self {
            Ty::U8 | Ty::I8 => 1,
            Ty::U16 => 2,
            Ty::U32 => 4,
            Ty::I64 => 8,
        }
    }

    /// Whether it has a sign.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Ty::I8 | Ty::I64)
    }

    /// The numbers that can be stored.
    #[must_use]
    pub fn range(self) -> std::ops::RangeInclusive<i128> {
        match self {
            Ty::U8 => 0..=255,
            Ty::I8 => -128..=127,
            Ty::U16 => 0..=65535,
            Ty::U32 => 0..=u32::MAX.into(),
            Ty::I64 => i64::MIN.into()..=i64::MAX.into(),
        }
    }

    /// Numbers to try: those around limits.
    #[must_use]
    pub fn numbers(self, few: bool) -> Vec<i128> {
        let (low, high) = self.range().into_inner();
        let all: Vec<i128> = match self {
            Ty::U32 | Ty::I64 => [low, -129, -128, -2, -1]
                .into_iter()
                .chain(0..=13)
                .chain([254, 255, 65535, 65536, 70000, high - 1, high])
                .filter(|n| self.range().contains(n))
                .collect(),
            Ty::U16 => (0..=13).chain(254..=257).chain(65532..=65535).collect(),
            _ => self.range().collect(),
        };
        let near = |n: &i128| match few {
            _ if self.width() > 2 => true,
            true => (-2..=9).contains(n) || [12, -128, 127, 254, 255, 65535].contains(n),
            false => (-10..=20).contains(n) || !(-100..=100).contains(n) && n % 8 < 3 || *n > 250,
        };
        all.into_iter().filter(near).collect()
    }

    /// The bits of a number, low ones first.
    #[must_use]
    pub fn bits(self, number: i128) -> u64 {
        u64::try_from(number.rem_euclid(1 << (8 * self.width()))).unwrap_or_default()
    }
}

/// One property, as written, and what it does to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// `plus=1`.
    Plus,
    /// `none=0`.
    None,
    /// `none="254 255"`, of signed numbers `none="-2 -1"`.
    NoneOf,
    /// `min=3`.
    Min,
    /// `min="k"`, which is 4.
    MinOf,
    /// `max=9`.
    Max,
    /// `one_of="[4, 6, 7, 12]"`.
    OneOf,
    /// `check="it % 2 == 0"`.
    Check,
    /// `enum=Kind`, a closed enumeration of 4, 6 and 7.
    Enum,
    /// `enum=Open`, with names for 4 and 6.
    Open,
    /// `ref=` an array of eight.
    Ref,
    /// `ref="… where it > 2"`, of the same array, which holds 0 to 7.
    RefWhere,
    /// `ref=ARRAY.key`, with the keys 4 and 6.
    RefKey,
    /// `is=6`.
    Is,
    /// `is="k + 2"`, which is 6.
    IsOf,
    /// `usually=4`.
    Usually,
    /// `usually="k + 0"`, which is 4.
    UsuallyOf,
    /// `unique=#true`.
    Unique,
    /// `absent=6`.
    Absent,
    /// `source="…"`, which means nothing.
    Source,
}

impl Rule {
    /// All of them.
    pub const ALL: [Rule; 20] = [
        Rule::Plus,
        Rule::None,
        Rule::NoneOf,
        Rule::Min,
        Rule::MinOf,
        Rule::Max,
        Rule::OneOf,
        Rule::Check,
        Rule::Enum,
        Rule::Open,
        Rule::Ref,
        Rule::RefWhere,
        Rule::RefKey,
        Rule::Is,
        Rule::IsOf,
        Rule::Usually,
        Rule::UsuallyOf,
        Rule::Unique,
        Rule::Absent,
        Rule::Source,
    ];

    /// Property and value, as written.
    #[must_use]
    pub fn text(self, ty: Ty) -> &'static str {
        match self {
            Rule::Plus => "plus=1",
            Rule::None => "none=0",
            Rule::NoneOf if ty.is_signed() => "none=\"-2 -1\"",
            Rule::NoneOf => "none=\"254 255\"",
            Rule::Min => "min=3",
            Rule::MinOf => "min=\"File.k\"",
            Rule::Max => "max=9",
            Rule::OneOf => "one_of=\"[4, 6, 7, 12]\"",
            Rule::Check => "check=\"it % 2 == 0\"",
            Rule::Enum => "enum=Kind",
            Rule::Open => "enum=Open",
            Rule::Ref => "ref=File.xs",
            Rule::RefWhere => "ref=\"File.xs where it > 2\"",
            Rule::RefKey => "ref=File.recs.key",
            Rule::Is => "is=6",
            Rule::IsOf => "is=\"File.k + 2\"",
            Rule::Usually => "usually=4",
            Rule::UsuallyOf => "usually=\"File.k + 0\"",
            Rule::Unique => "unique=#true",
            Rule::Absent => "absent=6",
            Rule::Source => "source=\"Page 3\"",
        }
    }

    /// The property alone.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.text(Ty::U8).split('=').next().unwrap_or_default()
    }
}

/// What somebody says in a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// The field is left out.
    Missing,
    /// It is none.
    Nothing,
    /// A number.
    Number(i128),
}

/// What a number in a file means, or the codes of the errors that it may be refused with.
pub type Meaning = Result<Option<i128>, Vec<&'static str>>;

/// What is stored for what was given, with what that means; or the codes of problems.
pub type Stored = Result<(i128, Option<i128>), Vec<&'static str>>;

/// The properties of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Its type.
    pub ty: Ty,
    /// What is written behind its name.
    pub rules: Vec<Rule>,
    /// Whether it is an array, of whose elements `is=` is a rule.
    pub array: bool,
    /// Whether its bytes are somewhere else, so that a reference is a rule alone.
    pub bare: bool,
    /// Whether it may be nothing, and a reader would see something.
    pub seen: bool,
}

/// What `ref="… where it > 2"` leaves out of the array, and what it leaves in.
const BEFORE: i128 = 3;
const RANKS: i128 = 5;

impl Rules {
    /// Whether a property is there.
    #[must_use]
    pub fn has(&self, rule: Rule) -> bool {
        self.rules.contains(&rule)
    }

    fn any(&self, rules: &[Rule]) -> bool {
        rules.iter().any(|rule| self.has(*rule))
    }

    /// All properties, as written.
    #[must_use]
    pub fn text(&self) -> String {
        self.rules.iter().map(|rule| format!(" {}", rule.text(self.ty))).collect()
    }

    /// Numbers for nothing, the first of which is written.
    #[must_use]
    pub fn none(&self) -> &'static [i128] {
        match (self.has(Rule::None), self.has(Rule::NoneOf), self.ty) {
            (true, _, _) => &[0],
            (_, true, ty) if ty.is_signed() => &[-2, -1],
            (_, true, _) => &[254, 255],
            _ => &[],
        }
    }

    /// How far positions are from the ranks that are stored.
    fn before(&self) -> i128 {
        if self.has(Rule::RefWhere) && !self.bare { BEFORE } else { 0 }
    }

    fn plus(&self) -> i128 {
        i128::from(self.has(Rule::Plus))
    }

    /// Whether the row is in the value, as far as its own properties say.
    #[must_use]
    pub fn is_data(&self) -> bool {
        !self.any(&[Rule::IsOf, Rule::UsuallyOf]) && (self.array || !self.has(Rule::Is))
    }

    /// Whether its own properties say what it is.
    #[must_use]
    pub fn has_equation(&self) -> bool {
        self.any(&[Rule::Is, Rule::IsOf, Rule::Usually, Rule::UsuallyOf])
    }

    /// Whether its use as a length leaves it alone.
    #[must_use]
    pub fn is_no_length(&self) -> bool {
        self.any(&[
            Rule::Is,
            Rule::IsOf,
            Rule::Usually,
            Rule::UsuallyOf,
            Rule::None,
            Rule::NoneOf,
            Rule::Enum,
            Rule::Open,
            Rule::Ref,
            Rule::RefWhere,
            Rule::RefKey,
        ])
    }

    /// The codes of the rules that a value breaks: when it is read, and when it is written.
    fn broken(&self, value: i128) -> (Vec<&'static str>, Vec<&'static str>) {
        let (mut read, mut write) = (Vec::new(), Vec::new());
        let mut rule = |on: bool, holds: bool, reading, writing| {
            if on && !holds {
                read.push(reading);
                write.push(writing);
            }
        };
        let check = "check_failed";
        rule(self.has(Rule::Min), value >= 3, "below_minimum", check);
        rule(self.has(Rule::MinOf), value >= 4, "below_minimum", check);
        rule(self.has(Rule::Max), value <= 9, "above_maximum", check);
        rule(self.has(Rule::OneOf), [4, 6, 7, 12].contains(&value), "not_one_of", check);
        rule(self.has(Rule::Check), value % 2 == 0, check, check);
        rule(self.has(Rule::Enum), [4, 6, 7].contains(&value), "not_in_enum", "does_not_fit");
        let range = "index_out_of_range";
        rule(self.has(Rule::Ref), (0..8).contains(&value), range, range);
        let (element, hit) = ("not_an_element", (BEFORE..BEFORE + RANKS).contains(&value));
        rule(self.has(Rule::RefWhere), hit, range, element);
        rule(self.has(Rule::RefWhere), hit, element, range);
        rule(self.has(Rule::RefKey), [4, 6].contains(&value), element, element);
        rule(self.has(Rule::Is), value == 6, "not_equal", check);
        rule(self.has(Rule::IsOf), value == 6, "not_derived", check);
        (read, write)
    }

    /// What the file has of a row that is only kept, if nothing says otherwise.
    #[must_use]
    pub fn canonical(&self) -> Option<i128> {
        if self.has(Rule::UsuallyOf) {
            self.write(Given::Missing).ok().map(|said| said.0)
        } else {
            None
        }
    }

    /// What a stored number means.
    ///
    /// # Errors
    ///
    /// The codes that an error may have.
    pub fn read(&self, stored: i128) -> Meaning {
        if self.none().contains(&stored) {
            return match (self.has(Rule::Is), self.has(Rule::IsOf)) {
                (true, _) => Err(vec!["not_equal"]),
                (_, true) => Err(vec!["not_derived"]),
                _ => Ok(None),
            };
        }
        let before = self.before();
        let value = stored - self.plus() + before;
        let (codes, _) = self.broken(value);
        if codes.is_empty() { Ok(Some(value)) } else { Err(codes) }
    }

    /// What a stored number would mean if no rule were there.
    #[must_use]
    pub fn bare_meaning(&self, stored: i128) -> Option<i128> {
        let is_none = self.none().contains(&stored);
        (!is_none).then(|| stored - self.plus() + self.before())
    }

    /// Whether it has a default, and cannot be nothing.
    #[must_use]
    pub fn may_be_left_out(&self) -> bool {
        self.has(Rule::Usually) && self.none().is_empty()
    }

    /// What is stored for a value, given for a row that is in it or left out.
    ///
    /// # Errors
    ///
    /// The codes that a problem may have.
    pub fn write(&self, given: Given) -> Stored {
        let value = match given {
            Given::Missing if self.array => return Err(vec!["missing_field"]),
            Given::Number(value) => value,
            _ if self.seen => return Err(vec!["reads_otherwise"]),
            _ if self.has(Rule::IsOf) || self.has(Rule::Is) && !self.array => 6,
            _ if self.has(Rule::UsuallyOf) => 4,
            Given::Missing if self.has(Rule::Usually) => 4,
            Given::Missing if self.has(Rule::Absent) => 6,
            Given::Missing | Given::Nothing => match self.none().first() {
                Some(_) if self.array && self.has(Rule::Is) => return Err(vec!["check_failed"]),
                Some(stored) => return Ok((*stored, None)),
                None => return Err(vec!["missing_field", "wrong_kind"]),
            },
        };
        let before = self.before();
        let stored = value - before + self.plus();
        let (_, mut codes) = self.broken(value);
        if !self.ty.range().contains(&stored) {
            codes.push("does_not_fit");
        }
        let stray = self.has(Rule::RefWhere) && !codes.is_empty();
        if self.none().contains(&stored) || stray && !self.none().is_empty() {
            codes.push("means_nothing");
        }
        if codes.is_empty() { Ok((stored, Some(value))) } else { Err(codes) }
    }
}
