//! Values that are made by hand, looked into and changed.

use formwork_interpreter::{Kept, KeptKind, Value};

/// The same value, as if a file spelled it in an unusual way.
fn spelled(value: Value) -> Value {
    let number = |number| Value::Int(number);
    let row = "size".to_owned();
    let kept = Kept { row, kind: KeptKind::Number, stored: number(1), instead_of: number(2) };
    Value::Spelled(Box::new(value), vec![kept])
}

/// Each kind of value is seen as itself and as nothing else, also where something is spelled around it.
#[test]
fn each_kind_is_seen_as_itself() {
    let all = [
        ("int", Value::from(7)),
        ("float", Value::from(0.5)),
        ("bool", Value::from(true)),
        ("text", Value::from("a")),
        ("bytes", Value::from(vec![1_u8])),
        ("units", Value::Units(vec![0xd800])),
        ("array", Value::from(vec![Value::from(7)])),
        ("struct", Value::of_struct([("a", 7.into())])),
        ("union", Value::of_case("a", [("b", 7.into())])),
        ("none", Value::from(None::<u8>)),
    ];
    for (kind, value) in all {
        for value in [value.clone(), spelled(spelled(value))] {
            let seen = [
                ("int", value.as_int() == Some(7) && value.as_u64() == Some(7)),
                ("float", value.as_f64() == Some(0.5)),
                ("bool", value.as_bool() == Some(true)),
                ("text", value.as_str() == Some("a")),
                ("bytes", value.as_bytes() == Some(&[1])),
                ("units", matches!(value.bare(), Value::Units(_))),
                ("array", value.elements().map(<[_]>::len) == Some(1)),
                ("struct", value.fields().is_some() && value.case().is_none()),
                ("union", value.fields().is_some() && value.case() == Some("a")),
                ("none", value.is_none()),
            ];
            let seen: Vec<_> = seen.into_iter().filter(|(_, is)| *is).map(|(as_, _)| as_).collect();
            assert_eq!(seen, [kind], "{value:?}");
        }
    }
}

#[test]
fn numbers_fit_or_are_none() {
    assert_eq!((Value::from(-1).as_u64(), Value::from(-1).as_i64()), (None, Some(-1)));
    assert_eq!(
        (Value::from(u64::MAX).as_u64(), Value::from(u64::MAX).as_i64()),
        (Some(u64::MAX), None)
    );
    assert_eq!(
        (Value::from(i128::MAX).as_u64(), Value::from(i128::MAX).as_int()),
        (None, Some(i128::MAX))
    );
    assert_eq!(
        (Value::from(0.1_f32).as_f64(), Value::from(0.1).as_f64()),
        (Some(0.1_f32.into()), Some(0.1))
    );
    assert!(Value::from(0.1_f32) != Value::from(f64::from(0.1_f32)));
}

/// What is changed inside leaves what is around it.
#[test]
fn changes_leave_spellings() {
    let mut value = Value::of_struct([("a", spelled(1.into())), ("b", Value::from(Some("x")))]);
    *value.get_mut("a").expect("it is there").bare_mut() = 2.into();
    assert!(value.get("a").is_some_and(|a| a.same_spelling(&spelled(2.into()))));
    let mut value = spelled(value);
    value.fields_mut().expect("it is a struct").retain(|(name, _)| name == "b");
    assert!(value.same_spelling(&spelled(Value::of_struct([("b", "x".into())]))));
    let list: Value = (0..3).map(Value::from).collect();
    assert_eq!(list.elements().map(<[_]>::len), Some(3));
}
