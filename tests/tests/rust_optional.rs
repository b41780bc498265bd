//! Values of generated types through `serde` and from `arbitrary`.

use arbitrary::{Arbitrary as _, Unstructured};
use formwork::spelling::{KeptKind, KeptValue, SpellingEntry};
use formwork::{Kept, Spelling};

#[allow(dead_code)]
mod types {
    include!("../generated/types_optional.rs");
}

use types::{File, Kind, Options, Thing, ThingData, ThingIndex, ThingNumber};

fn spelling() -> Spelling {
    let table = vec![vec![KeptValue::Int(-1), KeptValue::Text("a".into())]];
    let mut spelling = Spelling::default();
    spelling.keep(SpellingEntry {
        row: 3,
        index: Some(2),
        kind: KeptKind::Dictionary,
        stored: KeptValue::Table(table),
        instead_of: KeptValue::Int(u64::MAX.into()),
    });
    spelling
}

#[test]
fn json_and_back() {
    let file = File {
        options: Options::default().with_speed(3),
        kind: Kind(9),
        size: Kept::instead_of(7, 3),
        weights: [0.5, -1.0],
        things: vec![Thing {
            name: "leaf".into(),
            parent: Some(ThingIndex::at(4)),
            data: ThingData::Number(ThingNumber { value: -1, extra: Some(2) }),
            ..Thing::default()
        }],
        ..File::default()
    };
    let text = serde_json::to_string(&file).expect("values can be written");
    assert_eq!(
        text,
        "{\"options\":{\"loud\":false,\"speed\":3},\"type\":3,\"kind\":9,\"level\":\"low\",\
         \"weights\":[0.5,-1.0],\"things\":[{\"name\":\"leaf\",\"parent\":4,\
         \"data\":{\"number\":{\"value\":-1,\"extra\":2}}}],\"$kept\":[\
         {\"row\":\"size\",\"kind\":\"number\",\"stored\":7,\"instead_of\":3}]}"
    );
    let spelled = File { spelling: spelling(), ..File::default() };
    let spelled_text = serde_json::to_string(&spelled).expect("spelling too");
    let back: File<'static> = serde_json::from_str(&spelled_text).expect("and read");
    assert!(back.same_spelling(&spelled) && !back.same_spelling(&File::default()));

    let back: File<'static> = serde_json::from_str(&text).expect("and read");
    assert!(back.same_spelling(&file));
    assert!(serde_json::from_str::<ThingIndex>("4294967295").is_err());
}

#[test]
fn any_bytes_make_a_value() {
    let mut bytes = Vec::new();
    let mut state = 1_u32;
    let (mut things, mut deep) = (0, false);
    for length in 0..300 {
        let mut u = Unstructured::new(&bytes);
        let file = File::arbitrary(&mut u).expect("there is always a value");
        things += file.things.len();
        deep |= file
            .things
            .iter()
            .any(|thing| matches!(&thing.data, ThingData::Parts(parts) if parts.part.is_some()));
        assert_eq!(file, file.clone());
        bytes = (0..=length)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                state.to_be_bytes()[0]
            })
            .collect();
    }
    assert!(things > 100 && deep, "{things} {deep}");
}
