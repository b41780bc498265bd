//! A model that is built from nothing, by generated code and as the engine sees it; curves between
//! their keys, and attributes of vertices as numbers.

#[allow(dead_code)]
#[path = "../examples/build_bfres.rs"]
mod build_bfres;

use std::fs;
use std::path::Path;

use build_bfres::flag;
use formwork::{Kept, ReadOptions};
use formwork_codegen::Provider;
use formwork_formats::CurveValue::{self, Bool, Float, Int};
use formwork_formats::bfres::{
    Attribute, AttributeFormat, Bone, BoneIndex, Curve, CurveBits, CurveBytes, CurveFixed,
    CurveFlags, CurveFloat, CurveFloats, CurveInt, CurveInts, CurveKeys, CurveKeysFloats,
    CurveResult, CurveShorts, CurveType, CurveWhole, CurveWrap, ExternalFlags, File, FourF32,
    IndexFormat, Mesh, Stride, VertexBuffer, VertexColumn, VertexColumnFloat32x4, VertexData,
    VertexInfo,
};
use formwork_interpreter::{Program, Value, program};

/// The schemas that come with Formwork.
struct BuiltIn;

impl Provider for BuiltIn {
    fn library(&self, name: &str) -> Option<String> {
        formwork_schemas::get(name).map(str::to_owned)
    }
}

fn model() -> Program {
    let text = formwork_schemas::get("bfres").expect("the schema is built in");
    let loaded = formwork_codegen::load("bfres.kdl", text, None, &BuiltIn);
    program(loaded.model.expect("the schema is good"))
}

#[test]
fn the_example_reads_back() {
    let bytes = flag().write().expect("the example can be written");
    let file = File::read(&bytes).expect("it was just written");
    assert_eq!(file, flag());
    assert!(file.same_spelling(&flag()), "nothing in it is unusual");
    assert_eq!(file.write().expect("it was just read"), bytes);
    assert_eq!(File::read_owned(&bytes).expect("it was just written"), file);
}

#[test]
fn the_engine_agrees() {
    let model = model();
    let bytes = flag().write().expect("the example can be written");
    let document = formwork_interpreter::read(&model, &bytes, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(document.notes().is_empty());
    let value = document.value();
    let name = value.at_path("models[0].skeleton.bones[1].name").expect("there are two bones");
    assert_eq!(*name, Value::Text("Cloth".to_owned()));
    let mut unusual = 0;
    value.for_each_kept(&mut |_| unusual += 1);
    assert_eq!(unusual, 0);
    assert_eq!(formwork_interpreter::write(&model, &value).expect("it was just read"), bytes);
}

#[test]
fn what_refers_to_bones_follows_them() {
    let mut file = flag();
    let model = &mut file.models[0];
    let root = Bone { name: "Ground".into(), ..model.skeleton.bones[0].clone() };
    model.insert_bone(BoneIndex::at(0), root).expect("there is room");
    assert_eq!(model.shapes[0].bone, BoneIndex::at(2));
    assert_eq!(model.skeleton.bones[2].parent, Some(BoneIndex::at(1)));
    let bytes = file.write().expect("nothing is wrong with it");
    assert_eq!(File::read(&bytes).expect("it was just written"), file);
}

/// A curve over the frames 10 to 20.
fn curve(kind: CurveType, keys: CurveKeys, result: CurveResult) -> Curve {
    Curve {
        frames: CurveWhole { frames: Some(vec![10, 14, 20]), ..Default::default() }.into(),
        keys,
        flags: CurveFlags::default().with_type(kind),
        start_frame: 10.0,
        end_frame: 20.0,
        scale: 2.0,
        result,
        ..Default::default()
    }
}

fn float(add: f32, delta: f32) -> CurveResult {
    CurveFloat { add, delta }.into()
}

fn int(add: i32, delta: i32) -> CurveResult {
    CurveInt { add, delta }.into()
}

fn values(curve: &Curve, frames: &[f32]) -> Vec<CurveValue> {
    frames.iter().map(|frame| curve.at(*frame).expect("it is whole")).collect()
}

fn floats(values: &[f32]) -> Vec<CurveValue> {
    values.iter().copied().map(Float).collect()
}

#[test]
fn cubic_curves() {
    let keys = vec![1.0, 2.0, 3.0, 4.0, 5.0, 0.0, 0.0, -4.0, 1.0, 0.0, 0.0, 0.0];
    let keys = CurveKeysFloats { keys, ..Default::default() }.into();
    let curve = curve(CurveType::CUBIC, keys, float(0.5, 0.0));
    // Halfway from the first key: 1 + 2/2 + 3/4 + 4/8, twice, and 0.5.
    let expected = floats(&[2.5, 7.0, 10.5, 9.5, 2.5]);
    assert_eq!(values(&curve, &[10.0, 12.0, 14.0, 17.0, 20.0]), expected);
    assert_eq!(
        (0..3).map(|key| curve.at_key(key).unwrap()).collect::<Vec<_>>(),
        floats(&[2.5, 10.5, 2.5])
    );
    assert_eq!(curve.at_key(3), None);
}

#[test]
fn linear_curves_in_small_numbers() {
    let keys = CurveShorts { keys: vec![-3, 4, 1, -6, -5, 0], ..Default::default() }.into();
    let shorts = curve(CurveType::LINEAR, keys, float(1.0, 0.0));
    let frames = [10.0, 11.0, 14.0, 17.0, 20.0];
    assert_eq!(values(&shorts, &frames), floats(&[-5.0, -3.0, 3.0, -3.0, -9.0]));
    let keys = CurveBytes { keys: vec![-3, 4, 1, -6, -5, 0], ..Default::default() }.into();
    let bytes = Curve { keys, ..shorts.clone() };
    assert_eq!(values(&bytes, &frames), values(&shorts, &frames));
    let frames = CurveFixed { frames: Some(vec![10.0, 14.0, 20.0]), ..Default::default() }.into();
    let fixed = Curve { frames, ..bytes };
    assert_eq!(fixed.at(11.0), shorts.at(11.0));
}

#[test]
fn steps_hold_until_the_next_key() {
    let keys = CurveInts { keys: vec![7, -70_000, 9], ..Default::default() }.into();
    let ints = curve(CurveType::STEP_INT, keys, int(100, 0));
    let frames = [10.0, 13.9, 14.0, 19.0, 20.0];
    let expected = [107, 107, -69_900, -69_900, 109].map(Int);
    assert_eq!(values(&ints, &frames), expected);
    let keys = CurveBits { keys: vec![0b101], ..Default::default() }.into();
    let bools = curve(CurveType::STEP_BOOL, keys, int(0, 0));
    assert_eq!(values(&bools, &frames), [true, true, false, false, true].map(Bool));
}

#[test]
fn baked_curves() {
    let keys = CurveKeysFloats { keys: vec![1.0, 3.0, 2.0], ..Default::default() }.into();
    let frames = CurveFloats { frames: Some(vec![0.0, 1.0, 2.0]), ..Default::default() }.into();
    let (start_frame, end_frame) = (0.0, 2.0);
    let result = float(0.0, 0.0);
    let floats_of =
        Curve { frames, start_frame, end_frame, ..curve(CurveType::BAKED_FLOAT, keys, result) };
    assert_eq!(values(&floats_of, &[0.0, 0.5, 1.0, 2.0, 7.0]), floats(&[2.0, 4.0, 6.0, 4.0, 4.0]));
    let keys = CurveBytes { keys: vec![1, 2, 3], ..Default::default() }.into();
    let ints = Curve {
        keys,
        flags: CurveFlags::default().with_type(CurveType::BAKED_INT),
        result: int(-1, 0),
        ..floats_of.clone()
    };
    assert_eq!(values(&ints, &[0.0, 0.9, 1.0, 2.0]), [0, 0, 1, 2].map(Int));
    let keys = CurveBits { keys: vec![0b110], ..Default::default() }.into();
    let flags = CurveFlags::default().with_type(CurveType::BAKED_BOOL);
    let bools = Curve { keys, flags, ..ints };
    assert_eq!(values(&bools, &[0.0, 1.0, 2.5]), [false, true, true].map(Bool));
}

#[test]
fn what_is_before_and_behind() {
    let keys = CurveKeysFloats { keys: vec![0.0, 4.0, 4.0, 6.0, 10.0, 0.0], ..Default::default() };
    let line = curve(CurveType::LINEAR, keys.into(), float(0.0, 20.0));
    let wrapped =
        |wrap| Curve { flags: line.flags.with_pre_wrap(wrap).with_post_wrap(wrap), ..line.clone() };
    let frames = [-3.0, 8.0, 10.0, 20.0, 21.0, 33.0];
    for (wrap, expected) in [
        (CurveWrap::CLAMP, [0.0, 0.0, 0.0, 20.0, 20.0, 20.0]),
        (CurveWrap::REPEAT, [14.0, 16.0, 0.0, 20.0, 2.0, 6.0]),
        (CurveWrap::MIRROR, [14.0, 4.0, 0.0, 20.0, 18.0, 6.0]),
        (CurveWrap::RELATIVE_REPEAT, [-26.0, -4.0, 0.0, 20.0, 22.0, 46.0]),
    ] {
        assert_eq!(values(&wrapped(wrap), &frames), floats(&expected), "{wrap:?}");
    }
    let both = line.flags.with_pre_wrap(CurveWrap::MIRROR).with_post_wrap(CurveWrap::REPEAT);
    let both = Curve { flags: both, ..line.clone() };
    assert_eq!(values(&both, &[8.0, 21.0]), floats(&[4.0, 2.0]));
    let keys = CurveInts { keys: vec![1, 2, 5], ..Default::default() }.into();
    let flags = CurveFlags::default().with_type(CurveType::STEP_INT);
    let flags = flags.with_post_wrap(CurveWrap::RELATIVE_REPEAT);
    let steps = Curve { flags, ..curve(CurveType::STEP_INT, keys, int(0, 4)) };
    assert_eq!(values(&steps, &[20.0, 21.0, 45.0]), [5, 5, 14].map(Int));
}

#[test]
fn curves_that_make_no_sense_are_nothing() {
    let keys: CurveKeys = CurveKeysFloats { keys: vec![1.0], ..Default::default() }.into();
    let short = curve(CurveType::LINEAR, keys.clone(), float(0.0, 0.0));
    assert_eq!(short.at(10.0), None);
    assert_eq!(curve(CurveType::STEP_INT, keys.clone(), int(0, 0)).at(10.0), None);
    assert_eq!(curve(CurveType(3), keys.clone(), float(0.0, 0.0)).at(10.0), None);
    let none = Curve { frames: CurveFloats::default().into(), ..short };
    assert_eq!((none.at(0.0), none.at_key(0)), (None, None));
    let keys: CurveKeys = CurveKeysFloats { keys: vec![1.0; 3], ..Default::default() }.into();
    let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
    for (start_frame, end_frame) in odd.into_iter().flat_map(|a| odd.map(|b| (a, b))) {
        for wrap in [CurveWrap::CLAMP, CurveWrap::MIRROR, CurveWrap::RELATIVE_REPEAT] {
            let flags = CurveFlags::default().with_type(CurveType::BAKED_FLOAT);
            let flags = flags.with_pre_wrap(wrap).with_post_wrap(wrap);
            let one = curve(CurveType::BAKED_FLOAT, keys.clone(), float(0.0, 1.0));
            let one = Curve { flags, start_frame, end_frame, ..one };
            assert!(odd.iter().all(|frame| one.at(*frame).is_some()));
        }
    }
}

#[test]
fn baked_sizes_follow_from_the_curves() {
    // At 0x54 or 0x48 of the animation, which has a magic number of its own.
    let stored = |file: &File<'_>| {
        let bytes = file.write().expect("it can be written");
        let at = bytes.windows(4).position(|four| four == b"FSKA").expect("there is one") + 0x48;
        u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
    };
    let mut file = flag();
    // 21 frames of a curve between its keys: 4 bytes each and 28, up to a multiple of 8.
    assert_eq!(stored(&file), 112);
    let of = |file: &mut File<'_>, start, end| {
        let curve = &mut file.skeletal_anims[0].bones[0].curves[0];
        (curve.start_frame, curve.end_frame) = (start, end);
        stored(file)
    };
    assert_eq!(of(&mut file, 0.0, 10.75), 72);
    assert_eq!(of(&mut file, 10.0, 0.0), 32);
    assert_eq!(of(&mut file, 0.0, f32::NAN), 32);
    assert_eq!(of(&mut file, f32::NEG_INFINITY, f32::INFINITY), 32);
    let curve = &mut file.skeletal_anims[0].bones[0].curves[0];
    (curve.start_frame, curve.end_frame) = (0.0, 10.0);
    curve.flags = curve.flags.with_type(CurveType::STEP_INT);
    curve.keys = CurveInts { keys: vec![1, 2, 3], ..Default::default() }.into();
    curve.result = int(0, 0);
    assert_eq!(stored(&file), 32);
}

#[test]
fn curves_of_the_fixtures_have_their_keys_at_their_frames() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let mut met = 0;
    for version in [5, 8, 9, 10] {
        let path = fixtures.join(format!("everything.{version}.bfres"));
        let bytes = fs::read(&path).expect("the fixture can be read");
        let file = File::read(&bytes).expect("the fixture is whole");
        for curve in file.skeletal_anims.iter().flat_map(|anim| &anim.bones[0].curves) {
            for key in 0..curve.frames.count() {
                let frame = curve.frames.get(key).expect("it is one of them");
                assert_eq!(curve.at(frame), curve.at_key(key));
                met += usize::from(curve.at(frame).is_some());
            }
        }
        let model = &file.models[0];
        let shape = &model.shapes[0];
        let buffer = model.vertex(shape.vertices.expect("it has some")).expect("it is there");
        let read = |name| buffer.floats(buffer.attribute(name).expect("it is one of them"));
        let places = read("_p0").expect("the format has a name");
        assert_eq!(places[3], [1.0, 1.0, 0.0, 1.0]);
        assert_eq!(read("_n0").expect("the format has a name")[0], [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(read("_u0").expect("the format has a name")[3], [1.0, 1.0, 0.0, 1.0]);
        let indices = shape.meshes.iter().map(|mesh| mesh.vertex_indices().expect("it has a name"));
        assert_eq!(indices.collect::<Vec<_>>(), [vec![0, 1, 2, 2, 1, 3], vec![0, 1, 2]]);
    }
    assert_eq!(met, 4 * 8 * 3);
}

/// Numbers are put many together; one that cannot be stored is found among them all the same.
#[test]
fn many_vertices_are_written() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/everything.9.bfres");
    let bytes = fs::read(path).expect("the fixture can be read");
    let mut file = File::read(&bytes).expect("the fixture is whole");
    let buffer = &mut file.models[0].vertices[0];
    buffer.vertex_count = 150;
    let columns = buffer.buffers.iter_mut().flat_map(|data| data.columns.iter_mut().flatten());
    for column in columns {
        match column {
            VertexColumn::Float32x3(of) => of.values.resize_with(150, Default::default),
            VertexColumn::Snorm8x4(of) => of.values.resize_with(150, Default::default),
            VertexColumn::Unorm8x2(of) => of.values.resize_with(150, Default::default),
            other => panic!("{other:?}"),
        }
    }
    let last = |file: &mut File<'_>, y: f32| {
        let columns = file.models[0].vertices[0].buffers[1].columns.as_mut();
        match &mut columns.expect("there are some")[1] {
            VertexColumn::Unorm8x2(of) => of.values[140].y = y,
            other => panic!("{other:?}"),
        }
    };
    last(&mut file, 0.2);
    let written = file.write().expect("all numbers can be stored");
    assert_eq!(File::read(&written).expect("it was just written"), file);
    last(&mut file, 1.5);
    let error = file.write().expect_err("nothing is stored for it");
    let problems: Vec<_> = error.problems().iter().map(ToString::to_string).collect();
    let place = "models[0].vertices[0].buffers[1].columns[1].values[140].y";
    assert_eq!(problems, [format!("1.5 does not fit `norm<u8>`, in {place}")]);
}

/// One vertex of so many bytes, at most 16, in a file.
fn decoded(format: AttributeFormat, bytes: &[u8]) -> Option<[f32; 4]> {
    let mark = FourF32 { x: 1234.5, y: 2345.5, z: 3456.5, w: 4567.5 };
    let marked: Vec<u8> =
        [mark.x, mark.y, mark.z, mark.w].iter().flat_map(|n| n.to_le_bytes()).collect();
    let mut file = flag();
    let usual = AttributeFormat::R32G32B32A32_FLOAT;
    file.models[0].vertices[0] = VertexBuffer {
        attributes: vec![Attribute { name: "_p0".into(), format: usual, ..Default::default() }],
        infos: vec![VertexInfo::default()],
        strides: vec![Stride { stride: 16, ..Default::default() }],
        buffers: vec![VertexData {
            columns: Some(vec![VertexColumnFloat32x4::from(vec![mark]).into()]),
            ..Default::default()
        }],
        vertex_count: 1,
        alignment: Some(8),
        ..Default::default()
    };
    let mut stored = file.write().expect("it is a file");
    let mut put = |old: &[u8], new: &[u8]| {
        let at = stored.windows(old.len()).position(|there| there == old).expect("it is there");
        stored[at..at + new.len()].copy_from_slice(new);
    };
    put(&usual.0.to_le_bytes(), &format.0.to_le_bytes());
    put(&marked, bytes);
    let file = File::read(&stored).expect("its bytes may be any");
    assert_eq!(file.write().expect("it was just read"), stored);
    let buffer = &file.models[0].vertices[0];
    Some(buffer.floats(&buffer.attributes[0])?[0])
}

#[test]
fn numbers_of_each_kind() {
    type F = AttributeFormat;
    let cases: [(F, &[u8], [f32; 4]); 19] = [
        (F::R4G4_UNORM, &[0xf0], [0.0, 1.0, 0.0, 1.0]),
        (F::R8_UNORM, &[51], [0.2, 0.0, 0.0, 1.0]),
        (F::R8_SNORM, &[0x80], [-1.0, 0.0, 0.0, 1.0]),
        (F::R8G8_SNORM, &[0x81, 127], [-1.0, 1.0, 0.0, 1.0]),
        (F::R8G8B8A8_UINT, &[1, 2, 3, 255], [1.0, 2.0, 3.0, 255.0]),
        (F::R8G8B8A8_SINT, &[1, 2, 3, 255], [1.0, 2.0, 3.0, -1.0]),
        (F::R8G8B8A8_SINT_TO_FLOAT, &[128, 0, 0, 0], [-128.0, 0.0, 0.0, 0.0]),
        // 511, -511 and 0 of ten bits, and 1 of two.
        (F::R10G10B10A2_SNORM, &[0xff, 0x05, 0x08, 0x40], [1.0, -1.0, 0.0, 1.0]),
        (F::R10G10B10A2_UINT, &[0xff, 0xff, 0xff, 0xff], [1023.0, 1023.0, 1023.0, 3.0]),
        (F::R16_UNORM, &[0xff, 0xff], [1.0, 0.0, 0.0, 1.0]),
        (F::R16G16_SNORM, &[0xff, 0x7f, 0, 0x80], [1.0, -1.0, 0.0, 1.0]),
        (F::R16G16_FLOAT, &[0, 0x3c, 0, 0xc0], [1.0, -2.0, 0.0, 1.0]),
        // The least of them, and the greatest.
        (
            F::R16G16B16A16_FLOAT,
            &[1, 0, 0, 0x80, 0xff, 0x7b, 0, 0x38],
            [5.960_464_5e-8, -0.0, 65504.0, 0.5],
        ),
        (F::R16_FLOAT, &[0, 0xfc], [f32::NEG_INFINITY, 0.0, 0.0, 1.0]),
        (F::R32_UINT, &[0, 0, 1, 0], [65536.0, 0.0, 0.0, 1.0]),
        (F::R32_SINT, &[0xff, 0xff, 0xff, 0xff], [-1.0, 0.0, 0.0, 1.0]),
        (F::R32_FLOAT, &[0, 0, 0x80, 0x3f], [1.0, 0.0, 0.0, 1.0]),
        (F::R32G32_FLOAT, &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0], [1.0, -2.0, 0.0, 1.0]),
        (
            F::R32G32B32A32_FLOAT,
            &[0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0x3f],
            [1.0, -2.0, 0.0, 0.5],
        ),
    ];
    for (format, bytes, expected) in cases {
        assert_eq!(decoded(format, bytes), Some(expected), "{format:?}");
    }
    assert!(decoded(F::R16_FLOAT, &[1, 0x7c]).is_some_and(|vertex| vertex[0].is_nan()));
    assert_eq!(decoded(AttributeFormat(0x0c01), &[0; 4]), None);
    let counts = [F::R8_UNORM, F::R10G10B10A2_SNORM, AttributeFormat(0x0c01)];
    assert_eq!(counts.map(F::channel_count), [Some(1), Some(4), None]);
}

#[test]
fn indices_of_each_size() {
    let mesh = |index_format, indices: &[u8]| {
        let mesh = Mesh { index_format, indices: indices.to_vec().into(), ..Default::default() };
        Mesh { first_vertex: 2, ..mesh }.vertex_indices()
    };
    assert_eq!(mesh(IndexFormat::U8, &[0, 255]), Some(vec![2, 257]));
    assert_eq!(mesh(IndexFormat::U16, &[0, 1]), Some(vec![258]));
    assert_eq!(mesh(IndexFormat::U32, &[0, 0, 1, 0]), Some(vec![65538]));
    assert_eq!(mesh(IndexFormat::U32, &[0xff; 4]), None);
    assert_eq!(mesh(IndexFormat(3), &[0]), None);
}

/// Writes a file, reads it back, and writes that.
fn again(file: &File<'_>) -> Vec<u8> {
    let bytes = file.write().expect("it can be written");
    let read = File::read(&bytes).expect("it was just written");
    assert_eq!(read, *file);
    assert_eq!(read.write().expect("it was just read"), bytes);
    bytes
}

#[test]
fn attributes_with_bytes_in_common_leave_the_buffer_as_it_is() {
    let mut file = flag();
    let buffer = &mut file.models[0].vertices[0];
    let raw: Vec<u8> = (0..48).collect();
    buffer.attributes[1].buffer = buffer.attributes[0].buffer;
    buffer.attributes[1].offset = 8;
    buffer.infos.truncate(1);
    buffer.strides.truncate(1);
    buffer.buffers = vec![VertexData { bytes: Some(raw.clone().into()), ..Default::default() }];
    let stored = again(&file);
    assert!(stored.windows(raw.len()).any(|there| there == raw));
    let buffer = &file.models[0].vertices[0];
    assert!(buffer.attributes.iter().all(|attribute| buffer.floats(attribute).is_none()));
}

#[test]
fn buffers_behind_the_end_of_the_file_are_not_read() {
    let mut file = flag();
    file.header.version.major = 10;
    file.external = Some(ExternalFlags::default().with_gpu_region(true));
    let model = &mut file.models[0];
    model.reflections = Some(Vec::new());
    model.materials.clear();
    model.shapes.clear();
    model.vertices[0].buffers.clear();
    for info in &mut model.vertices[0].infos {
        info.size = Kept::instead_of(48, 0);
    }
    let stored = again(&file);
    let read = File::read(&stored).expect("it was just written");
    assert!(read.models[0].vertices[0].buffers.is_empty());
}

#[test]
fn materials_need_no_shader_and_curves_no_frames() {
    let mut file = flag();
    file.models[0].materials[0].shader = None;
    let curve = &mut file.skeletal_anims[0].bones[0].curves[0];
    curve.frames = CurveWhole { frames: None, ..Default::default() }.into();
    curve.key_count = Kept::instead_of(3, 0);
    let keys = curve.clone();
    again(&file);
    assert_eq!(keys.at(0.0), None);
}
