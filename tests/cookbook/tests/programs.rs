//! Seven programs that somebody writes who has just found Formwork. Each is whole; how long they are says
//! how well the interface fits.
#![allow(clippy::pedantic, missing_docs, reason = "as somebody would write them")]

type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

fn fixture(name: &str) -> std::io::Result<Vec<u8>> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    std::fs::read(folder.join(name))
}

mod mixtape {
    formwork::schema!("mixtape");
}

mod edit_an_event_flow {
    use formwork_formats::evfl::*;

    #[test]
    fn run() -> super::Result {
        let bytes = super::fixture("flowchart.bfevfl")?;
        let mut file = File::read(&bytes)?;
        let flow = &mut file.flowcharts[0];
        let actor = FlowchartActorIndex::at(0);
        let mut greet = EventAction::new(actor, ActorActionsIndex::at(0));
        let item = Item::new("Text", ItemString::new("Hello"));
        greet.params = Some(Container { items: vec![item], ..Default::default() });
        greet.next = flow.entry_points[0].main_event;
        flow.insert_event(EventIndex::at(0), Event::new("Hello", greet))?;
        flow.entry_points[0].main_event = Some(EventIndex::at(0));
        for event in &mut flow.events {
            if let Some(switch) = event.data.as_switch_mut() {
                switch.cases.push(SwitchCase::new(7, EventIndex::at(0)));
            }
        }
        assert_eq!(File::read(&file.write()?)?, file);
        Ok(())
    }
}

mod edit_a_tree {
    use formwork_formats::esf::{File, Node, NodeF32, NodeU32, arena};

    #[test]
    fn boxes() -> super::Result {
        let bytes = super::fixture("garden.abca.esf")?;
        let mut file = File::read(&bytes)?;
        let map = file.root.nodes[2].as_record_mut().ok_or("no record")?;
        map.nodes = vec![NodeU32::from(7).into(), NodeF32::from(0.5).into()];
        for node in &mut map.nodes {
            if let Some(number) = node.as_u32_mut() {
                number.value += 1;
            }
        }
        assert_eq!(map.nodes[0], Node::from(NodeU32::new(8)));
        assert_eq!(File::read(&file.write()?)?, file);
        Ok(())
    }

    #[test]
    fn pools() -> super::Result {
        use arena::{FileArena, Node, NodeF32, NodeU32};
        let mut file = FileArena::read(&super::fixture("garden.abca.esf")?)?;
        let nodes = file.root.root.nodes;
        let list = file.add([NodeU32::from(7).into(), Node::from(NodeF32::from(0.5))]);
        file[nodes][2].as_record_mut().ok_or("no record")?.nodes = list;
        for node in &mut file[list] {
            if let Some(number) = node.as_u32_mut() {
                number.value += 1;
            }
        }
        let texts = file.root.unicode.ok_or("no table")?;
        file[texts][0].text = file.add_utf16("Beet");
        file.validate()?;
        FileArena::read(&file.write()?)?;
        Ok(())
    }
}

mod own_format {
    use arbitrary::{Arbitrary, Unstructured};

    use super::mixtape::{File, Mood, Song, SongLive};

    #[test]
    fn run() -> super::Result {
        let mut song = Song::new("I Heard You", 187, Mood::HAPPY, SongLive::new(1991, 12_000));
        song.traits.set_stars(5);
        let mut tape = File::new(1, "For the Long Road");
        tape.songs = vec![song];
        assert_eq!(File::read(&tape.write()?)?, tape);
        let json = serde_json::to_string(&tape)?;
        assert_eq!(serde_json::from_str::<File>(&json)?, tape);
        let noise: Vec<u8> = (0..500_u32).map(|at| (at * at * 31) as u8).collect();
        if let Ok(bytes) = File::arbitrary(&mut Unstructured::new(&noise))?.write() {
            File::read(&bytes)?;
        }
        Ok(())
    }
}

mod several_formats {
    use formwork_formats::{Format, detect, esf, evfl, read_any};

    use super::mixtape;

    fn is_kept<F: Format>(bytes: &[u8]) -> super::Result<bool> {
        Ok(F::detect(bytes) && F::read(bytes)?.write()? == bytes)
    }

    #[test]
    fn run() -> super::Result {
        let (flow, tree) =
            (super::fixture("flowchart.bfevfl")?, super::fixture("garden.abca.esf")?);
        assert!(is_kept::<evfl::File>(&flow)? && is_kept::<esf::File>(&tree)?);
        assert!(is_kept::<esf::arena::FileArena>(&tree)? && !is_kept::<mixtape::File>(&tree)?);
        for bytes in [&flow, &tree] {
            let file = read_any(bytes)?;
            assert_eq!(detect(bytes), Some(file.format()));
            assert!(file.write()? == **bytes, "{}", file.name());
        }
        Ok(())
    }
}

mod map {
    use std::{borrow::Cow, sync::Arc};

    use formwork_formats::evfl::File;

    fn titles(map: &[u8]) -> super::Result<Vec<Cow<'_, str>>> {
        Ok(File::read(map)?.flowcharts.into_iter().map(|flow| flow.name).collect())
    }

    #[test]
    fn run() -> super::Result {
        let map: Arc<[u8]> = super::fixture("flowchart.bfevfl")?.into();
        assert!(matches!(titles(&map)?[..], [Cow::Borrowed("Garden")]));
        let mut file = File::read(&map)?;
        file.flowcharts[0].name = "Courtyard".into();
        file.write_into(&mut Vec::with_capacity(map.len()))?;
        Ok(())
    }
}

mod errors {
    use formwork_formats::evfl::{EventIndex, File};

    #[test]
    fn run() -> super::Result {
        let bytes = super::fixture("flowchart.bfevfl")?;
        let error = File::read(&bytes[..0x60]).expect_err("it is cut off");
        assert!(error.to_string().ends_with(", at 0x10 in header.file_name"), "{error}");
        let mut file = File::read(&bytes)?;
        file.flowcharts[0].entry_points[0].main_event = Some(EventIndex::at(999));
        let error = file.validate().expect_err("there are not so many").to_string();
        assert!(error.contains("flowcharts[0].entry_points[0].main_event"), "{error}");
        Ok(())
    }
}

mod without_a_standard_library {
    extern crate alloc;

    use alloc::string::String;

    use formwork::{Format, ReadOptions};

    use super::mixtape::File;

    fn title(bytes: &[u8]) -> Option<String> {
        let options = ReadOptions::default().max_depth(4).budget_floor(1000);
        let tape = File::read_with(bytes, &options).ok().filter(|_| File::detect(bytes))?;
        Some(tape.title.into_owned())
    }

    #[test]
    fn run() -> super::Result {
        let bytes = File::new(1, "For the Long Road").write()?;
        assert_eq!(title(&bytes).as_deref(), Some("For the Long Road"));
        Ok(())
    }
}
