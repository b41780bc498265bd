//! Resources of real games are rewritten byte for byte, and what is read from them is what another
//! reader finds, which was written from descriptions of the format alone, and which checks that
//! positions lie in the boxes around them, indices hit vertices, and normals are as long as normals.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;

use formwork_formats::CurveValue;
use formwork_formats::bfres::{Curve, CurveType, File, Model, Shape};
use formwork_interpreter::Value;
use formwork_tests::laws;
use formwork_tests::{peers, programs, samples};
use serde_json::Value as Json;

/// Files in the folder; all of them must pass.
const FILES: usize = 44;

/// Files that the format's own converter made, all by the rules.
const ORIGINAL: usize = 6;

/// Files in which an old tool left something behind.
const ARRANGED: usize = 2;

fn files() -> Option<Vec<PathBuf>> {
    samples::files("bfres", &["bfres"])
}

#[test]
fn all_files_are_rewritten_identically() {
    let Some(files) = files() else { return };
    let (original, arranged) = (Cell::new(0), Cell::new(0));
    samples::each(&files, "are identical", |bytes| {
        samples::rewritten(programs::bfres(), bytes)?;
        let value = laws::value_of(programs::bfres(), bytes).expect("it was read");
        let mut kinds = Vec::new();
        value.for_each_kept(&mut |kept| kinds.push(kept.kind.name()));
        let odd = |kind: &&str| ["gap", "place", "shared", "table", "text"].contains(kind);
        original.set(original.get() + usize::from(kinds.is_empty()));
        arranged.set(arranged.get() + usize::from(kinds.iter().any(odd)));
        Ok(())
    });
    let (original, arranged) = (original.get(), arranged.get());
    assert_eq!((files.len(), original, arranged), (FILES, ORIGINAL, ARRANGED));
}

/// What is at a path of fields; a case of a union is what is in it.
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    let mut value = value;
    for name in path.split('.').filter(|name| !name.is_empty()) {
        value = match value {
            Value::Struct(fields) => fields.get(name).unwrap_or(&Value::None),
            Value::Union(union) => union.value.get(name).unwrap_or(&Value::None),
            _ => &Value::None,
        };
    }
    value
}

fn elements<'v>(value: &'v Value, path: &str) -> &'v [Value] {
    match at(value, path) {
        Value::Array(elements) => elements,
        _ => &[],
    }
}

/// All numbers in a value, one behind the other.
fn numbers(value: &Value) -> Vec<f32> {
    match value {
        Value::Int(number) => vec![*number as f32],
        Value::Float { bits, bytes: 4 } => vec![f32::from_bits(*bits as u32)],
        Value::Array(elements) => elements.iter().flat_map(numbers).collect(),
        Value::Struct(fields) => fields.fields.iter().flat_map(|(_, v)| numbers(v)).collect(),
        Value::Union(union) => union.value.fields.iter().flat_map(|(_, v)| numbers(v)).collect(),
        _ => Vec::new(),
    }
}

/// Numbers of another reader: all are floats of four bytes, or small.
fn of_json(json: &Json) -> Vec<f32> {
    match json {
        Json::Number(number) => vec![number.as_f64().expect("it is a float") as f32],
        Json::Array(elements) => elements.iter().flat_map(of_json).collect(),
        _ => Vec::new(),
    }
}

fn same(ours: Vec<f32>, theirs: &Json, what: &str) {
    assert_eq!(ours, of_json(theirs), "{what}");
}

/// The sum that the other reader takes of bytes.
fn adler32(bytes: &[u8]) -> u32 {
    let (a, b) = bytes.iter().fold((1, 0), |(a, b), byte| {
        let a = (a + u32::from(*byte)) % 65521;
        (a, (a + b) % 65521)
    });
    b << 16 | a
}

fn sum(value: &Value) -> Json {
    let Value::Bytes(bytes) = value else { panic!("no bytes: {value:?}") };
    adler32(bytes).into()
}

fn name(value: &Value, json: &Json) {
    let Value::Text(name) = at(value, "name") else { panic!("no name") };
    assert_eq!(Some(name.as_str()), json.as_str());
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

/// What vertices have of each attribute; the other reader has them by attributes, and we by buffers.
fn compare_columns(buffer: &Value, theirs: &[Json]) {
    let buffers = elements(buffer, "buffers");
    let mut columns: Vec<_> = buffers.iter().map(|b| elements(b, "columns").iter()).collect();
    assert_eq!(elements(buffer, "attributes").len(), theirs.len());
    for json in theirs {
        let of = json["buffer"].as_u64().and_then(|of| columns.get_mut(of as usize));
        let column = of.and_then(Iterator::next).expect("there is a column for each attribute");
        let mut ours = numbers(column);
        if json["form"] == 0x0e02 {
            // Of numbers of ten bits we have what is stored, and a fourth number.
            let fractions = |all: &[f32]| [0, 1, 2].map(|k| (f64::from(all[k]) / 511.0) as f32);
            ours = ours.chunks(4).flat_map(fractions).collect();
        }
        assert!(json["values"].is_array(), "the other reader knows all formats that occur");
        same(ours, &json["values"], "what vertices have");
    }
    assert!(columns.iter_mut().all(|rest| rest.next().is_none()));
}

/// Names and values of the render infos of a material, which stand in different places by version.
fn render_infos<'v>(model: &'v Value, material: &'v Value) -> Vec<[&'v Value; 2]> {
    let Value::Int(reflection) = at(material, "shader_data.reflection") else {
        let infos = elements(material, "render_infos").iter();
        return infos.map(|info| [at(info, "name"), at(info, "values")]).collect();
    };
    let reflection = &elements(model, "reflections")[usize::try_from(*reflection).unwrap()];
    let names = elements(reflection, "render_infos").iter().map(|info| at(info, "name"));
    let values = elements(material, "render_values.values");
    assert_eq!(names.len(), values.len());
    names.zip(values).map(|(name, values)| [name, values]).collect()
}

/// How many values are texts.
fn compare_infos(model: &Value, material: &Value, json: &Json) -> usize {
    name(material, &json["name"]);
    let infos = render_infos(model, material);
    assert_eq!(infos.len(), list(&json["infos"]).len());
    let mut met = 0;
    for ([name, values], json) in infos.into_iter().zip(list(&json["infos"])) {
        assert_eq!(*name, Value::Text(json[0].as_str().expect("a text").to_owned()));
        let (texts, theirs) = (elements(values, "texts"), list(&json[1]));
        assert!(texts.is_empty() || texts.len() == theirs.len());
        for (text, json) in texts.iter().zip(theirs) {
            assert_eq!(*text, Value::Text(json.as_str().expect("a text").to_owned()));
        }
        same(numbers(values), &json[1], "values of a render info");
        met += texts.len();
    }
    met
}

fn compare_model(model: &Value, json: &Json) -> usize {
    name(model, &json["name"]);
    let materials = elements(model, "materials");
    assert_eq!(materials.len(), list(&json["materials"]).len());
    let pairs = materials.iter().zip(list(&json["materials"]));
    let texts = pairs.map(|(material, json)| compare_infos(model, material, json)).sum();
    let bones = elements(model, "skeleton.bones");
    assert_eq!(bones.len(), list(&json["bones"]).len());
    for (bone, json) in bones.iter().zip(list(&json["bones"])) {
        name(bone, &json["name"]);
        let parent = match at(bone, "parent") {
            Value::Int(parent) => *parent,
            _ => -1,
        };
        assert_eq!(i128::from(json["parent"].as_i64().expect("a number")), parent);
        let parts = ["scale", "rotation", "translation"];
        let ours = parts.iter().flat_map(|part| numbers(at(bone, part))).collect();
        same(ours, &json["numbers"], "a bone");
    }
    let buffers = elements(model, "vertices");
    assert_eq!(buffers.len(), list(&json["buffers"]).len());
    for (buffer, json) in buffers.iter().zip(list(&json["buffers"])) {
        assert_eq!(numbers(at(buffer, "vertex_count")), of_json(&json["count"]));
        compare_columns(buffer, list(&json["columns"]));
    }
    let shapes = elements(model, "shapes");
    assert_eq!(shapes.len(), list(&json["shapes"]).len());
    for (shape, json) in shapes.iter().zip(list(&json["shapes"])) {
        name(shape, &json["name"]);
        same(numbers(at(shape, "vertices")), &json["buffer"], "vertices of a shape");
        let meshes = elements(shape, "meshes");
        assert_eq!(meshes.len(), list(&json["meshes"]).len());
        let mut boxes = Vec::new();
        for (mesh, json) in meshes.iter().zip(list(&json["meshes"])) {
            assert_eq!(sum(at(mesh, "indices")), json["indices"], "bytes of indices");
            let Value::Bytes(indices) = at(mesh, "indices") else { panic!("no indices") };
            let Value::Int(format) = at(mesh, "index_format") else { panic!("no format") };
            let count = indices.len() >> format;
            same(vec![count as f32], &json["count"], "number of indices");
            boxes.extend(of_json(&json["boxes"]));
        }
        assert_eq!(numbers(at(shape, "bounds")), boxes);
    }
    texts
}

fn compare_animation(animation: &Value, json: &Json) {
    name(animation, &json["name"]);
    same(numbers(at(animation, "frame_count")), &json["frames"], "number of frames");
    let bones = elements(animation, "bones");
    assert_eq!(bones.len(), list(&json["bones"]).len());
    for (bone, json) in bones.iter().zip(list(&json["bones"])) {
        name(bone, &json["bone"]);
        same(numbers(at(bone, "base")), &json["base"], "base values");
        let curves = elements(bone, "curves");
        assert_eq!(curves.len(), list(&json["curves"]).len());
        for (curve, json) in curves.iter().zip(list(&json["curves"])) {
            same(numbers(at(curve, "frames")), &json["frames"], "times");
            same(numbers(at(curve, "target")), &json["target"], "target");
            same(numbers(at(curve, "start_frame")), &json["start"], "start");
            same(numbers(at(curve, "end_frame")), &json["end"], "end");
            same(numbers(at(curve, "scale")), &json["scale"], "scale");
            same(numbers(at(curve, "keys")), &json["keys"], "keys");
            same(vec![numbers(at(curve, "result"))[0]], &json["add"], "what is added");
        }
    }
}

#[test]
fn another_reader_finds_the_same() {
    let Some(files) = files() else { return };
    let (mut checked, mut infos, mut texts) = ([0; 4], 0, [0; 2]);
    for path in &files {
        let Some(json) = peers::print("bfres.py", path) else { return };
        let bytes = fs::read(path).expect("the sample can be read");
        let value = laws::value_of(programs::bfres(), &bytes).expect("it can be read");
        let models = elements(&value, "models");
        assert_eq!(models.len(), list(&json["models"]).len(), "{}", path.display());
        for (ours, json) in models.iter().zip(list(&json["models"])) {
            let late = elements(ours, "reflections").len().min(1);
            texts[late] += compare_model(ours, json);
        }
        let animations = elements(&value, "skeletal_anims");
        assert_eq!(animations.len(), list(&json["animations"]).len(), "{}", path.display());
        for (ours, json) in animations.iter().zip(list(&json["animations"])) {
            compare_animation(ours, json);
        }
        let parts = ["positions", "normals", "indices", "keys"];
        for (sum, part) in checked.iter_mut().zip(parts) {
            *sum += json["checked"][part].as_u64().expect("a number");
        }
        infos += json["checked"]["infos"].as_u64().expect("a number");
    }
    println!("{checked:?} positions, normals, indices and keys");
    assert!(checked.iter().all(|count| *count > 30_000), "{checked:?}");
    println!("{infos} values of render infos, {texts:?} of them texts, up to version 9 and after");
    assert!(infos > 2000 && texts[0] > 1000 && texts[1] == 60, "{infos}, {texts:?}");
}

#[test]
fn texts_of_render_infos_can_be_changed() {
    let Some(files) = files() else { return };
    let mut changed = 0;
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let mut value = laws::value_of(programs::bfres(), &bytes).expect("it was read");
        let first = "models[0].materials[0].render_values.values[0]";
        let Some(Value::Union(first)) = value.at_path_mut(first) else { continue };
        let texts = first.value.get_mut("texts").and_then(Value::elements_mut);
        let texts = texts.expect("the first one has texts");
        texts[0] = Value::Text("another text, in another place of the pool".to_owned());
        texts.push(Value::Text("one more".to_owned()));
        let written = laws::put_get(programs::bfres(), &value).expect("it is read back");
        assert_ne!(written, bytes);
        changed += 1;
    }
    assert_eq!(changed, 2, "files of version 10");
}

/// Compares a curve at its keys with numbers of another reader.
fn compare_curve(curve: &Curve, json: &Json) {
    let width = match curve.flags.r#type() {
        CurveType::CUBIC => 4,
        CurveType::LINEAR => 2,
        _ => 1,
    };
    let number = |name: &str| json[name].as_f64().expect("a number") as f32;
    let keys = of_json(&json["keys"]);
    let frames = of_json(&json["frames"]);
    for (key, frame) in frames.iter().enumerate() {
        let expected = match curve.at_key(key).expect("it is there") {
            CurveValue::Float(value) => {
                assert_eq!(value, keys[key * width] * number("scale") + number("add"));
                CurveValue::Float(value)
            }
            CurveValue::Int(value) => {
                assert_eq!(value, keys[key] as i32 + number("add") as i32);
                CurveValue::Int(value)
            }
            CurveValue::Bool(value) => {
                assert_eq!(value, keys[key] == 1.0);
                CurveValue::Bool(value)
            }
        };
        // Of several keys at one frame the last one counts.
        if frames.get(key + 1) != Some(frame) {
            assert_eq!(curve.at(*frame), Some(expected));
        }
    }
}

#[test]
fn curves_have_the_values_of_their_keys() {
    let Some(files) = files() else { return };
    let (mut keys, mut original, mut unsaid) = (0, 0, 0);
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let file = File::read(&bytes).expect("the sample is whole");
        let Some(json) = peers::print("bfres.py", path) else { return };
        // The baked size is what the converter wrote, or nothing, which a tool left.
        original += file.skeletal_anims.len();
        let value = laws::value_of(programs::bfres(), &bytes).expect("it was read");
        value.for_each_kept(&mut |kept| {
            if kept.row == "baked_size" {
                assert_eq!(kept.stored, Value::Int(0), "{}", path.display());
                unsaid += 1;
            }
        });
        for (anim, json) in file.skeletal_anims.iter().zip(list(&json["animations"])) {
            for (bone, json) in anim.bones.iter().zip(list(&json["bones"])) {
                for (curve, json) in bone.curves.iter().zip(list(&json["curves"])) {
                    compare_curve(curve, json);
                    keys += curve.frames.count();
                }
            }
        }
        let materials = file.material_anims.iter().flat_map(|anim| &anim.materials);
        let curves = materials.flat_map(|material| &material.curves);
        for curve in curves.chain(file.visibility_anims.iter().flat_map(|anim| &anim.curves)) {
            for key in 0..curve.frames.count() {
                let (frame, next) = (curve.frames.get(key), curve.frames.get(key + 1));
                if frame != next {
                    let at = frame.and_then(|frame| curve.at(frame));
                    assert!(at.is_some() && at == curve.at_key(key), "{}", path.display());
                    keys += 1;
                }
            }
        }
    }
    println!("{keys} keys, {original} animations of skeletons, {unsaid} without a baked size");
    assert!(keys > 30_000, "{keys} keys");
    // Eight: four of skeletons, four of materials.
    assert_eq!((original, unsaid), (51, 8));
}

/// Checks where the vertices of a shape are, and how long their normals are; how many there are.
fn check_shape(model: &Model<'_>, shape: &Shape<'_>) -> [usize; 2] {
    let buffer = shape.vertices.and_then(|index| model.vertex(index)).expect("it has vertices");
    let of = |name| {
        let attribute = buffer.attribute(name)?;
        Some(buffer.floats(attribute).unwrap_or_else(|| panic!("no {:?}", attribute.format)))
    };
    let mut met = [0; 2];
    let mut boxes = shape.bounds.iter();
    for mesh in &shape.meshes {
        let around = boxes.nth(mesh.submeshes.len()).expect("one around each mesh");
        let centre = [around.centre.x, around.centre.y, around.centre.z];
        let half = [around.extent.x, around.extent.y, around.extent.z];
        let indices = mesh.vertex_indices().expect("it has indices");
        assert!(indices.iter().all(|index| *index < buffer.vertex_count));
        // Vertices that bones move stand where their bones are.
        let moved = buffer.attribute("_i0").is_some() || !shape.skin_bones.is_empty();
        let Some(places) = of("_p0").filter(|_| !moved) else { continue };
        for index in indices {
            for ((place, centre), half) in places[index as usize].iter().zip(centre).zip(half) {
                let slack = 0.002 * (centre.abs() + half).max(0.01);
                assert!((place - centre).abs() <= half + slack, "{}: {place}", shape.name);
            }
            met[0] += 1;
        }
    }
    for [x, y, z, _] in of("_n0").unwrap_or_default() {
        let length = (x * x + y * y + z * z).sqrt();
        assert!(length == 0.0 || (length - 1.0).abs() < 0.02, "{}: {length}", shape.name);
        met[1] += 1;
    }
    met
}

#[test]
fn vertices_are_where_their_boxes_are() {
    let Some(files) = files() else { return };
    let mut met = [0; 2];
    for path in &files {
        let bytes = fs::read(path).expect("the sample can be read");
        let file = File::read(&bytes).expect("the sample is whole");
        for model in &file.models {
            for shape in &model.shapes {
                let [places, normals] = check_shape(model, shape);
                met = [met[0] + places, met[1] + normals];
            }
            for buffer in &model.vertices {
                for attribute in &buffer.attributes {
                    let vertices = buffer.floats(attribute).expect("its format has a name");
                    assert_eq!(vertices.len(), buffer.vertex_count as usize);
                }
            }
        }
    }
    println!("{met:?} positions and normals");
    assert!(met.iter().all(|count| *count > 30_000), "{met:?}");
}
