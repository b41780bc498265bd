//! Tests with models that are made up, and with broken texts.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use super::squeeze::{expand, squeeze};
use super::values::{Pack, Packer, Unpacker};
use super::{digits, open, pack, seal, unpack};
use crate::{
    ArrayLength, ArrayType, Check, CheckKind, Constant, Expr, ExprId, Home, Model, Path, Record,
    RecordId, Row, RowKind, Statement, Type,
};

/// Zeros, empty texts and lists, first cases.
fn blank<T: Pack>() -> T {
    T::unpack(&mut Unpacker::new(&"!".repeat(100))).expect("that is enough of them")
}

fn array(element: Type) -> Type {
    let length = ArrayLength::Count(ExprId(2));
    Type::Array(Box::new(ArrayType {
        element,
        length,
        stride: None,
        described: None,
        in_step: None,
    }))
}

fn nested(levels: u32) -> Type {
    (0..levels).fold(Type::Nothing, |ty, _| array(ty))
}

fn model() -> Model {
    let mut model = Model { name: "made".into(), root: RecordId(1), ..blank() };
    for expr in [
        Expr::Int(i128::MIN),
        Expr::Float(-0.5),
        Expr::Path(Path { text: "größe \"\\\n\u{1F4BE}".into(), ..blank() }),
        Expr::In(ExprId(0), vec![(ExprId(1), None), (ExprId(0), Some(ExprId(2)))]),
    ] {
        model.exprs.add(expr);
    }
    let row = |number: u64| Row {
        name: Some(format!("row_{}", number % 5)),
        kind: RowKind::Constant(Constant::Bytes(vec![0, 1, 0xff])),
        ty: nested(number as u32),
        homes: (0..7).map(|epoch| Home::At(number * 0x1234_5678 + epoch / 4)).collect(),
        none: vec![-1, 0, i128::MAX],
        checks: vec![Check {
            kind: CheckKind::Holds(ExprId(3)),
            text: "x".repeat(if number == 0 { 300 } else { 10 }),
            ..blank()
        }],
        ..blank()
    };
    let layout = vec![Statement::When(ExprId(1), vec![Statement::This], Vec::new())];
    let record = Record { rows: (0..9).map(row).collect(), layout, ..blank() };
    model.records = vec![record.clone(), record];
    model
}

#[test]
fn models_come_back() {
    let model = model();
    let text = pack(&model);
    assert_eq!(format!("{:?}", unpack(&text).unwrap()), format!("{model:?}"));
    assert!(text.len() < 600, "{} bytes", text.len());
}

#[test]
fn numbers_have_one_form() {
    let mut seen = Vec::new();
    for number in (0..5000).chain([u128::from(u64::MAX), u128::MAX - 1, u128::MAX]) {
        let mut text = String::new();
        digits::write(number, &mut text);
        assert!(text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\".contains(&byte)));
        let mut rest = text.chars();
        assert_eq!(digits::read(&mut rest), Some(number));
        assert_eq!(rest.as_str(), "");
        if let Ok(number) = usize::try_from(number) {
            assert_eq!(digits::count(number), text.len());
        }
        seen.push(text);
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5003);
    let read = |text: &str| digits::read(&mut text.chars());
    for broken in
        ["", "~", "~~~~~~", " ", "\"", "\\", "ä", &"~".repeat(99), &("~".repeat(24) + "!")]
    {
        assert_eq!(read(broken), None, "{broken}");
    }
}

#[test]
fn signed_numbers() {
    for number in [0, -1, 1, -23, 23, i128::MIN, i128::MAX] {
        let mut to = Packer::default();
        number.pack(&mut to);
        let text = to.finish();
        assert_eq!(i128::unpack(&mut Unpacker::new(&text)), Some(number));
        assert!(text.len() == 1 || number.unsigned_abs() > 22);
    }
}

#[test]
fn squeezed_texts() {
    let long = "a long text ".repeat(1000);
    for text in ["", "a", "abcabcabcabc", "ä\u{1F4BE}\"\\ \n", &"a".repeat(10_000), &long] {
        let squeezed = squeeze(text);
        assert_eq!(expand(&squeezed).as_deref(), Some(text));
        assert!(squeezed.len() <= text.len() + 1 + text.len() / 46);
    }
    assert!(squeeze(&long).len() < 400);
    // Nothing to repeat, too far back, too often.
    for broken in ["", "!!", "!!!", "#a!#", "#a~~!!!", "#a!!"] {
        assert_eq!(expand(broken), None, "{broken}");
    }
}

#[test]
fn deep_types_end() {
    let mut fits = model();
    fits.records[0].rows[0].ty = nested(250);
    assert!(unpack(&pack(&fits)).is_some());
    // Nothing but arrays, none of which ends.
    let arrays = "&".repeat(1_000_000);
    assert!(Type::unpack(&mut Unpacker::new(&arrays)).is_none());
    let whens = "*!$".repeat(1_000_000);
    assert!(Statement::unpack(&mut Unpacker::new(&whens)).is_none());
}

#[test]
fn broken_texts_are_no_models() {
    let text = pack(&model());
    let chars: Vec<char> = text.chars().collect();
    for (at, old) in chars.iter().enumerate() {
        let cut: String = chars[..at].iter().collect();
        assert!(unpack(&cut).is_none(), "cut at {at}");
        for new in ['!', '#', 'N', 'O', '~', ' ', 'ä'].into_iter().filter(|new| new != old) {
            let mut changed = chars.clone();
            changed[at] = new;
            assert!(unpack(&changed.into_iter().collect::<String>()).is_none(), "{new} at {at}");
        }
    }
    assert!(unpack(&(text.clone() + "!")).is_none());
    assert!(unpack(&text.repeat(2)).is_none());
}

/// What the checksum finds otherwise.
#[test]
fn broken_texts_with_good_sums_end() {
    let mut to = Packer::default();
    model().pack(&mut to);
    let plain: Vec<char> = to.finish().chars().collect();
    let squeezed: Vec<char> = squeeze(&plain.iter().collect::<String>()).chars().collect();
    let (mut taken, mut refused) = (0, 0);
    let mut count = |model: Option<Model>| match model {
        Some(_) => taken += 1,
        None => refused += 1,
    };
    for at in 0..squeezed.len() {
        count(open(&squeezed[..at].iter().collect::<String>()));
        for new in ['!', '#', '$', '1', 'N', 'O', 'P', '~', 'ä'] {
            let mut changed = squeezed.clone();
            changed[at] = new;
            let text = seal(&changed.iter().collect::<String>());
            count(unpack(&text));
        }
    }
    for at in 0..plain.len() {
        for new in ['!', '#', 'O', '~'] {
            let mut changed = plain.clone();
            changed[at] = new;
            let changed: String = changed.iter().collect();
            let mut from = Unpacker::new(&changed);
            count(Model::unpack(&mut from));
        }
    }
    assert!(taken > 100 && refused > 100, "{taken} and {refused}");
    // Long lists of nothing.
    for count in [u128::from(u32::MAX), u64::MAX.into(), u128::MAX] {
        let mut text = String::new();
        digits::write(count, &mut text);
        assert!(Vec::<u8>::unpack(&mut Unpacker::new(&text)).is_none());
        assert!(String::unpack(&mut Unpacker::new(&("!".to_string() + &text))).is_none());
        assert!(expand(&text).is_none());
    }
}
