//! Values of resources of our own making, for fixtures and tests: a model, animations of each kind
//! and a scene, in each version range. Nothing in them comes from a real file.

use formwork_interpreter::Value;

use crate::flows::{case, f32, int, list, record, text};

type Fields<'a> = Vec<(&'a str, Value)>;

fn floats(numbers: &[f32]) -> Value {
    list(numbers.iter().map(|number| f32(*number)))
}

fn ints(numbers: &[i128]) -> Value {
    list(numbers.iter().map(|number| int(*number)))
}

fn texts(texts: &[&str]) -> Value {
    list(texts.iter().map(|one| text(one)))
}

fn vector(numbers: &[f32]) -> Value {
    record(["x", "y", "z", "w"].into_iter().zip(numbers.iter().map(|number| f32(*number))))
}

/// Flags of which these are set.
fn flags<const N: usize>(all: [&str; N], set: &[&str]) -> Value {
    record(all.map(|name| (name, Value::Bool(set.contains(&name)))))
}

/// Things without content: storage that is used in memory alone.
fn storage(count: usize) -> Value {
    list((0..count).map(|_| record([])))
}

fn bytes(bytes: impl IntoIterator<Item = u8>) -> Value {
    Value::Bytes(bytes.into_iter().collect())
}

/// One of each kind.
fn user_data() -> Value {
    let one = |name, data| record([("name", text(name)), ("data", data)]);
    list([
        one("numbers", case("ints", [("values", ints(&[1, -2, 3]))])),
        one("parts", case("floats", [("values", floats(&[0.5]))])),
        one("words", case("texts", [("values", texts(&["tea", "", "Grüße"]))])),
        one("raw", case("bytes", [("values", ints(&[7, 0, 255]))])),
        one("nothing", case("ints", [("values", ints(&[]))])),
    ])
}

/// A curve of numbers with a fraction, or of others.
fn curve(kind: i128, times: Value, keys: Value, form: i128, target: i128) -> Value {
    let result = match kind < 4 {
        true => case("float", [("add", f32(0.25)), ("delta", f32(-1.5))]),
        false => case("int", [("add", int(2)), ("delta", int(-1))]),
    };
    let frame_format = match &times {
        Value::Union(times) if times.case == "fixed" => 1,
        Value::Union(times) if times.case == "whole" => 2,
        _ => 0,
    };
    record([
        ("frames", times),
        ("keys", keys),
        (
            "flags",
            record([
                ("frame_format", int(frame_format)),
                ("key_format", int(form)),
                ("type", int(kind)),
                ("pre_wrap", int(0)),
                ("post_wrap", int(3)),
            ]),
        ),
        ("target", int(target)),
        ("start_frame", f32(0.0)),
        ("end_frame", f32(10.0)),
        ("scale", f32(1.0)),
        ("result", result),
    ])
}

fn times(kind: &str) -> Value {
    let frames = match kind {
        "floats" => floats(&[0.0, 2.5, 10.0]),
        "fixed" => floats(&[0.0, 2.5, 10.0]),
        _ => ints(&[0, 2, 10]),
    };
    case(kind, [("frames", frames)])
}

fn keys(kind: &str, numbers: &[i128]) -> Value {
    case(kind, [("keys", ints(numbers))])
}

/// Each kind of curve, with each form of times and keys.
fn curves() -> Vec<Value> {
    let cubic = floats(&[1.0, 0.0, 2.0, -1.0, 2.0, 0.5, 0.0, 0.0, 2.5, 0.0, 0.0, 0.0]);
    vec![
        curve(0, times("floats"), case("floats", [("keys", cubic)]), 0, 4),
        curve(1, times("fixed"), keys("shorts", &[1, 2, 3, -4, -1, 0]), 1, 8),
        curve(2, times("whole"), keys("bytes", &[1, -2, 3]), 2, 0x10),
        curve(4, times("whole"), keys("ints", &[1, -70_000, 3]), 0, 0x20),
        curve(4, times("whole"), keys("bytes", &[5, 6, 7]), 2, 0),
        curve(5, times("floats"), keys("shorts", &[5, -600, 7]), 1, 0),
        curve(6, times("floats"), keys("bits", &[0b101]), 0, 1),
        curve(7, times("fixed"), keys("bits", &[0b010]), 0, 2),
    ]
}

/// What is trivial of how a bone is moved.
const TRANSFORM: [&str; 9] = [
    "compensate_scale",
    "uniform_scale",
    "unit_scale",
    "no_rotation",
    "no_translation",
    "all_uniform_scale",
    "all_unit_scale",
    "all_no_rotation",
    "all_no_translation",
];

const ANIM: [&str; 2] = ["baked", "looping"];

fn skeletal_anim(major: i128) -> Value {
    let all = ["base_scale", "base_rotation", "base_translation"];
    let parts = |set: &[&str]| {
        let curves = [
            "scale_x",
            "scale_y",
            "scale_z",
            "rotation_x",
            "rotation_y",
            "rotation_z",
            "rotation_w",
            "translation_x",
            "translation_y",
            "translation_z",
        ];
        let of_all = ["all_uniform_scale", "all_no_translation"];
        let names = all.iter().chain(&curves).chain(&TRANSFORM);
        record(names.map(|name| (*name, Value::Bool(set.contains(name) || of_all.contains(name)))))
    };
    let base = record([
        ("scale", vector(&[1.0, 1.0, 2.0])),
        ("rotation", vector(&[0.0, 0.5, 0.0, 1.0])),
        ("translation", vector(&[0.0, -1.0, 3.0])),
    ]);
    let bone = |fields: Fields<'static>| {
        let data = (major >= 9).then(|| ("user_data", list([])));
        let begin = [("begin_rotate", 3), ("begin_translate", 6), ("begin_base", 7)];
        let begin = begin.map(|(name, number)| (name, int(number)));
        record(fields.into_iter().chain(data).chain(begin))
    };
    let moved = bone(vec![
        ("name", text("root")),
        ("curves", list(curves())),
        ("base", base),
        ("flags", parts(&[all.as_slice(), &["scale_x", "scale_y"]].concat())),
    ]);
    let still = bone(vec![
        ("name", text("tip")),
        ("curves", list([])),
        ("base", record([("rotation", vector(&[0.0, 0.0, 0.0, 1.0]))])),
        ("flags", parts(&["base_rotation"])),
    ]);
    record([
        (
            "flags",
            record([
                ("baked", Value::Bool(false)),
                ("looping", Value::Bool(true)),
                ("scale_mode", int(2)),
                ("rotation_mode", int(1)),
            ]),
        ),
        ("name", text("swing")),
        ("path", text("")),
        ("bind", ints(&[0xffff, 0xffff])),
        ("bones", list([moved, still])),
        ("user_data", list([])),
        ("frame_count", int(10)),
    ])
}

fn material_anim() -> Value {
    let param = |name, first: Value, constant: Value| {
        let (curves, constants) = match first {
            Value::None => (0, 1),
            _ => (1, 0),
        };
        record([
            ("name", text(name)),
            ("first_curve", first),
            ("float_curves", int(curves)),
            ("int_curves", int(0)),
            ("first_constant", constant),
            ("constants", int(constants)),
            ("sub_bind", int(0xffff)),
        ])
    };
    let pattern = |name, curve, constant| {
        record([
            ("name", text(name)),
            ("curve", curve),
            ("constant", constant),
            ("sub_bind", int(255)),
        ])
    };
    let constant = |value| record([("target", int(4)), ("value", int(value))]);
    let material = record([
        ("name", text("paint")),
        (
            "params",
            list([param("colour", int(0), Value::None), param("gloss", Value::None, int(0))]),
        ),
        ("patterns", list([pattern("_a0", int(1), Value::None)])),
        ("curves", list(curves().into_iter().take(4))),
        ("constants", list([constant(0x3f80_0000), constant(1)])),
        ("first_param", int(0)),
        ("first_pattern", int(1)),
        ("first_visibility", int(2)),
        ("visibility_curve", Value::None),
        ("visibility_constant", int(1)),
    ]);
    let other = record([
        ("name", text("glass")),
        ("params", list([])),
        ("patterns", list([pattern("_n0", Value::None, int(0))])),
        ("curves", list(curves().into_iter().skip(6).take(1))),
        ("constants", list([constant(1)])),
        ("first_param", Value::None),
        ("first_pattern", Value::None),
        ("first_visibility", int(4)),
        ("visibility_curve", int(0)),
        ("visibility_constant", Value::None),
    ]);
    record([
        ("flags", flags(ANIM, &["looping"])),
        ("name", text("glow")),
        ("path", text("")),
        ("bind", ints(&[0xffff, 0xffff])),
        ("materials", list([material, other])),
        ("textures", texts(&["wood", "iron"])),
        ("user_data", list([])),
        ("texture_slots", storage(2)),
        ("frame_count", int(10)),
    ])
}

fn visibility_anim() -> Value {
    record([
        ("flags", flags(ANIM, &["baked"])),
        ("name", text("blink")),
        ("path", text("")),
        ("bind", ints(&[0xffff, 0xffff])),
        ("curves", list(curves().into_iter().skip(6))),
        ("base", ints(&[0b10])),
        ("names", texts(&["root", "tip"])),
        ("user_data", list([])),
        ("frame_count", int(10)),
        ("baked_size", int(27)),
    ])
}

fn shape_anim() -> Value {
    let key =
        |name, curve| record([("name", text(name)), ("curve", curve), ("sub_bind", int(255))]);
    let shape = record([
        ("name", text("pane")),
        ("curves", list(curves().into_iter().take(1))),
        ("base", floats(&[0.75])),
        ("key_shapes", list([key("flat", Value::None), key("bent", int(0))])),
    ]);
    record([
        ("flags", flags(ANIM, &[])),
        ("name", text("bend")),
        ("path", text("")),
        ("bind", ints(&[0xffff])),
        ("shapes", list([shape])),
        ("user_data", list([])),
        ("frame_count", int(10)),
        ("baked_size", int(72)),
    ])
}

fn scene(major: i128) -> Value {
    let all = ["baked", "looping", "euler_zxy", "perspective"];
    let camera = record([
        ("flags", flags(all, &["perspective"])),
        ("name", text("eye")),
        ("curves", list(curves().into_iter().take(2))),
        (
            "base",
            record([
                ("near", f32(0.5)),
                ("far", f32(1000.0)),
                ("aspect", f32(1.5)),
                ("height", f32(0.75)),
                ("position", vector(&[1.0, 2.0, 3.0])),
                ("target", vector(&[0.0, 0.0, 0.0])),
                ("twist", f32(0.0)),
            ]),
        ),
        ("user_data", user_data()),
        ("frame_count", int(10)),
        ("baked_size", int(0)),
    ]);
    let all = [
        "baked",
        "looping",
        "enable_curve",
        "enable",
        "position",
        "direction",
        "distance",
        "angle",
        "colour0",
        "colour1",
    ];
    let light = record([
        ("flags", flags(all, &["enable", "position", "distance", "colour1"])),
        ("name", text("sun")),
        ("curves", list([])),
        (
            "base",
            record([
                ("enable", int(1)),
                ("position", vector(&[0.0, 100.0, 0.0])),
                ("distance", floats(&[1.0, 50.0])),
                ("colour1", vector(&[1.0, 0.5, 0.25])),
            ]),
        ),
        ("user_data", list([])),
        ("type", text("directional")),
        ("distance", text("linear")),
        ("angle", text("")),
        ("frame_count", int(10)),
        ("type_index", int(-1)),
        ("distance_index", int(-1)),
        ("angle_index", int(-1)),
        ("baked_size", int(0)),
    ]);
    let fog = record([
        ("flags", flags(ANIM, &[])),
        ("name", text("mist")),
        ("curves", list(curves().into_iter().take(1))),
        (
            "base",
            record([("distance", floats(&[10.0, 200.0])), ("colour", vector(&[0.5, 0.5, 0.75]))]),
        ),
        ("user_data", list([])),
        ("distance", text("linear")),
        ("frame_count", int(10)),
        ("distance_index", int(-1)),
        ("baked_size", int(0)),
    ]);
    let flags = (major >= 9).then(|| ("flags", int(0)));
    let fields = [
        ("name", text("stage")),
        ("path", text("")),
        ("cameras", list([camera])),
        ("lights", list([light])),
        ("fogs", list([fog])),
        ("user_data", list([])),
    ];
    record(fields.into_iter().chain(flags))
}

fn skeleton(major: i128) -> Value {
    let bone = |name, parent, matrix: [Value; 2], data| {
        let [smooth, rigid] = matrix;
        let own = ["uniform_scale", "unit_scale", "no_rotation"];
        let trivial = TRANSFORM.map(|name| (name, Value::Bool(own.contains(&name))));
        let rest = [
            ("visible", Value::Bool(true)),
            ("rotation_mode", int(1)),
            ("billboard", int(0)),
            ("mirroring", int(0)),
        ];
        let own = record(rest.into_iter().chain(trivial));
        record([
            ("name", text(name)),
            ("user_data", data),
            ("parent", Value::clone(&parent)),
            ("smooth_matrix", smooth),
            ("rigid_matrix", rigid),
            ("billboard", parent),
            ("flags", own),
            ("scale", vector(&[1.0, 1.0, 1.0])),
            ("rotation", vector(&[0.0, 0.0, 0.0, 1.0])),
            ("translation", vector(&[0.0, 0.5, 0.0])),
        ])
    };
    let own = record([
        ("user_pointer_guard", int(0)),
        ("mirroring", int(1)),
        ("scale_mode", int(1)),
        ("rotation_mode", int(1)),
    ]);
    let rest =
        record([("rows", floats(&[1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -0.5, 0.0, 0.0, 1.0, 0.0]))]);
    let mut fields: Fields<'_> = vec![
        ("flags", own),
        (
            "bones",
            list([
                bone("root", Value::None, [int(0), Value::None], list([])),
                bone("tip", int(0), [Value::None, int(1)], user_data()),
            ]),
        ),
        ("matrix_bones", ints(&[0, 1])),
        ("inverse_binds", list([rest])),
    ];
    if major >= 8 {
        fields.push(("mirror", record([("bones", ints(&[0, 1]))])));
    }
    record(fields)
}

/// What is said of a buffer beside its size.
fn info(access: &[&str]) -> Value {
    let all = ["read", "write", "vertex", "index", "uniform", "texture"];
    record([("access", flags(all, access))])
}

/// Numbers of a vertex.
fn vertex(numbers: &[f32]) -> Value {
    record(["x", "y", "z", "w"].into_iter().zip(numbers.iter().map(|number| f32(*number))))
}

fn vertices(major: i128) -> Value {
    let attribute = |name, format, offset, buffer| {
        record([
            ("name", text(name)),
            ("format", int(format)),
            ("offset", int(offset)),
            ("buffer", int(buffer)),
            ("flag", int(0)),
        ])
    };
    let corners: [[f32; 3]; 4] =
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    let places = corners.map(|corner| vertex(&corner));
    let normals = [0; 4].map(|_| vertex(&[0.0, 0.0, 1.0, 0.0]));
    let textured = corners.map(|[x, y, _]| vertex(&[x, y]));
    let column = |name, values: &[Value]| case(name, [("values", list(values.iter().cloned()))]);
    let data = |columns: Value| record([("columns", columns)]);
    let stride = |bytes| record([("stride", int(bytes)), ("divisor", int(0))]);
    let aligned = (major >= 9).then(|| ("alignment", int(8)));
    let fields = [
        (
            "attributes",
            list([
                attribute("_p0", 0x1805, 0, 0),
                attribute("_n0", 0x0b02, 0, 1),
                attribute("_u0", 0x0901, 4, 1),
            ]),
        ),
        ("infos", list([info(&["read", "vertex"]), info(&["read", "vertex"])])),
        ("strides", list([stride(12), stride(6)])),
        (
            "buffers",
            list([
                data(list([column("float32x3", &places)])),
                data(list([column("snorm8x4", &normals), column("unorm8x2", &textured)])),
            ]),
        ),
        ("vertex_count", int(4)),
        ("max_influences", int(1)),
    ];
    record(fields.into_iter().chain(aligned))
}

fn shape(major: i128) -> Value {
    let mesh = |indices: &[u16], format: i128, parts: Value| {
        let stored = indices.iter().flat_map(|index| match format {
            1 => index.to_le_bytes().to_vec(),
            _ => u32::from(*index).to_le_bytes().to_vec(),
        });
        record([
            ("submeshes", parts),
            ("info", info(&[])),
            ("indices", bytes(stored)),
            ("topology", int(3)),
            ("index_format", int(format)),
            ("first_vertex", int(0)),
        ])
    };
    let part = |offset, count| record([("offset", int(offset)), ("count", int(count))]);
    let around =
        || record([("centre", vector(&[0.5, 0.5, 0.0])), ("extent", vector(&[0.5, 0.5, 0.0]))]);
    let numbers = |from: i128, count: i128| ints(&(from..from + count).collect::<Vec<_>>());
    let key = || {
        record([
            ("position", int(0)),
            ("normal", int(1)),
            ("tangents", numbers(2, 4)),
            ("binormals", numbers(6, 4)),
            ("colours", numbers(10, 8)),
        ])
    };
    let named = |name| {
        let Value::Struct(mut key) = key() else { return Value::None };
        key.fields.push(("name".to_owned(), text(name)));
        Value::Struct(key)
    };
    let mut fields: Fields<'_> = vec![
        (
            "flags",
            flags(["has_vertices", "bounds_consistent", "skip_index_setup"], &["has_vertices"]),
        ),
        ("name", text("pane")),
        ("vertices", int(0)),
        (
            "meshes",
            list([
                mesh(&[0, 1, 2, 2, 1, 3], 1, list([part(0, 3), part(6, 3)])),
                mesh(&[0, 1, 2], 2, list([part(0, 3)])),
            ]),
        ),
        ("skin_bones", ints(&[0, 1])),
        ("key_shapes", list([named("flat"), named("bent")])),
        ("bounds", list((0..5).map(|_| around()))),
        ("material", int(0)),
        ("bone", int(1)),
        ("max_influences", int(1)),
        ("target_count", int(1)),
    ];
    if major < 10 {
        fields.push(("radii", floats(&[1.5, 1.5])));
    } else {
        let ball = || record([("centre", vector(&[0.0, 0.0, 0.0])), ("radius", f32(1.5))]);
        fields.push(("spheres", list([ball(), ball()])));
    }
    record(fields)
}

fn sampler(name: &str) -> Value {
    let filter = record([
        ("mip", int(2)),
        ("magnify", int(2)),
        ("reduce", int(2)),
        ("anisotropy", Value::Bool(true)),
        ("compare", Value::Bool(false)),
        ("reduction", int(0)),
    ]);
    record([
        ("name", text(name)),
        ("wrap_u", int(0)),
        ("wrap_v", int(1)),
        ("wrap_w", int(2)),
        ("compare", int(7)),
        ("border_colour", int(1)),
        ("max_anisotropy", int(8)),
        ("filter", filter),
        ("min_lod", f32(0.0)),
        ("max_lod", f32(13.0)),
        ("lod_bias", f32(-0.5)),
    ])
}

fn material(major: i128) -> Value {
    let mut fields: Fields<'_> = vec![
        ("flags", flags(["visible"], &["visible"])),
        ("name", text("paint")),
        ("textures", texts(&["wood"])),
        ("samplers", list([sampler("_a0")])),
        ("param_data", bytes((0..20).map(|n| n * 7))),
        ("user_data", user_data()),
        ("sampler_slots", storage(1)),
        ("texture_slots", storage(1)),
    ];
    if major < 10 {
        let info = |name, values| record([("name", text(name)), ("values", values)]);
        let param = |name, kind, offset| {
            record([("name", text(name)), ("type", int(kind)), ("offset", int(offset))])
        };
        let shader = record([
            ("archive", text("shaders")),
            ("model", text("lit")),
            ("attributes", texts(&["_p0"])),
            ("samplers", texts(&["_a0"])),
            ("options", texts(&["1", "0"])),
            ("revision", int(0)),
            ("attribute_keys", texts(&["position"])),
            ("sampler_keys", texts(&["albedo"])),
            ("option_keys", texts(&["use_light", "use_fog"])),
        ]);
        fields.extend([
            (
                "render_infos",
                list([
                    info("mode", case("texts", [("texts", texts(&["opaque", "back"]))])),
                    info("order", case("ints", [("ints", ints(&[1, 2, 3]))])),
                    info("bias", case("floats", [("floats", floats(&[0.5]))])),
                    info("none", case("texts", [("texts", texts(&[]))])),
                ]),
            ),
            ("shader", shader),
            ("params", list([param("colour", 0x0f, 0), param("gloss", 0x0c, 16)])),
            ("volatile", ints(&[0b10])),
            ("volatile_count", int(0)),
            ("raw_size", int(0)),
        ]);
    } else {
        let data = record([
            ("reflection", int(0)),
            ("attributes", texts(&["_p0"])),
            ("attribute_indices", ints(&[0, 0])),
            ("samplers", texts(&["_a0"])),
            ("sampler_indices", Value::None),
            ("bool_options", ints(&[0b1])),
            ("options", texts(&["2"])),
            ("option_indices", ints(&[0, 1, 0, 1])),
            ("bool_count", int(1)),
        ]);
        fields.extend([
            ("shader_data", data),
            ("render_values", record([("values", render_values())])),
            ("value_counts", storage(4)),
            ("value_offsets", storage(4)),
            ("uniform_offsets", storage(2)),
            ("convert_flags", ints(&[0])),
            ("option_block_size", int(0)),
        ]);
    }
    record(fields)
}

/// Those that [`reflection`] names, in its order.
fn render_values() -> Value {
    list([
        case("texts", [("texts", texts(&["opaque", "back"]))]),
        case("floats", [("floats", floats(&[0.5]))]),
        case("ints", [("ints", ints(&[1, 2, 3]))]),
        case("texts", [("texts", texts(&[]))]),
    ])
}

fn reflection() -> Value {
    let info = |name, kind| record([("name", text(name)), ("type", int(kind))]);
    let infos = [info("mode", 2), info("bias", 1), info("order", 0), info("none", 2)];
    let param = |name, offset, kind| {
        record([("name", text(name)), ("offset", int(offset)), ("type", int(kind))])
    };
    record([
        ("archive", text("shaders")),
        ("model", text("lit")),
        ("render_infos", list(infos)),
        ("params", list([param("colour", 0, 0x0f), param("gloss", 16, 0x0c)])),
        ("param_data_size", int(20)),
        ("attributes", texts(&["position"])),
        ("samplers", texts(&["albedo"])),
        ("options", texts(&["use_light", "steps"])),
        ("attribute_names", record([])),
        ("sampler_names", record([])),
        ("option_names", record([])),
    ])
}

fn model(major: i128) -> Value {
    let mut fields: Fields<'_> = vec![
        ("name", text("window")),
        ("path", text("")),
        ("skeleton", skeleton(major)),
        ("vertices", list([vertices(major)])),
        ("shapes", list([shape(major)])),
        ("materials", list([material(major)])),
        ("user_data", user_data()),
    ];
    if major >= 9 {
        fields.push(("flags", int(0)));
    }
    if major >= 10 {
        fields.push(("reflections", list([reflection()])));
    }
    record(fields)
}

fn file(major: i128, name: &str, parts: Fields<'_>) -> Value {
    let micro = i128::from(major == 5) * 3;
    let version = [("micro", int(micro)), ("minor", int(0)), ("major", int(major))];
    let header = [
        ("version", record(version)),
        ("byte_order", text("little")),
        ("alignment_shift", int(3)),
        ("address_size", int(0)),
        ("flags", int(0)),
        ("file_name", text(name)),
    ];
    let mut fields: Fields<'_> = vec![
        ("header", record(header)),
        ("name", text(name)),
        ("empty_string", text("")),
        ("short", Value::Bool(false)),
        ("counts_all", Value::Bool(false)),
    ];
    let all = [
        "models",
        "skeletal_anims",
        "material_anims",
        "visibility_anims",
        "shape_anims",
        "scenes",
        "embedded",
    ];
    if major >= 9 {
        let all = ["model", "strings", "string_file", "gpu_region"];
        fields.extend([("external", flags(all, &[])), ("unknown_0xef", int(0))]);
    }
    let mut parts = parts;
    for name in all {
        let part = parts.iter().position(|(known, _)| *known == name);
        fields.push((name, part.map_or_else(|| list([]), |at| parts.remove(at).1)));
    }
    fields.extend(parts);
    record(fields)
}

fn pool_info() -> Value {
    let all = [
        "cpu_none",
        "cpu_uncached",
        "cpu_cached",
        "gpu_none",
        "gpu_uncached",
        "gpu_cached",
        "shader_code",
        "compressible",
        "physical",
        "virtual",
    ];
    record([("flags", flags(all, &["cpu_uncached", "gpu_cached"]))])
}

/// A model, an animation of each kind, and a scene.
fn everything(major: i128) -> Value {
    file(
        major,
        "everything",
        vec![
            ("models", list([model(major)])),
            ("skeletal_anims", list([skeletal_anim(major)])),
            ("material_anims", list([material_anim()])),
            ("visibility_anims", list([visibility_anim()])),
            ("shape_anims", list([shape_anim()])),
            ("scenes", list([scene(major)])),
            ("pool_object", record([])),
            ("pool_info", pool_info()),
        ],
    )
}

/// Files in a file, and nothing else.
fn container(major: i128) -> Value {
    let one =
        |name, content: &str| record([("name", text(name)), ("data", bytes(content.bytes()))]);
    let files = [one("notes.txt", "tea at five"), one("empty.bin", "")];
    file(major, "container", vec![("embedded", list(files))])
}

/// Name and value of each fixture.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("everything.5.bfres", everything(5)),
        ("everything.8.bfres", everything(8)),
        ("everything.9.bfres", everything(9)),
        ("everything.10.bfres", everything(10)),
        ("container.5.bfres", container(5)),
        ("container.9.bfres", container(9)),
        (
            "animation.9.bfres",
            file(9, "animation", vec![("skeletal_anims", list([skeletal_anim(9)]))]),
        ),
    ]
}
