//! Builds a model from nothing: a skeleton of two bones, a square of two triangles, a material, and
//! an animation. Writes it, reads it back, and says what it is.
//!
//!     cargo run -p formwork-formats --features bfres --example build_bfres -- Flag.bfres

use std::error::Error;
use std::{env, fs};

use formwork_formats::bfres::{
    Attribute, AttributeFormat, BaseValues, Bone, BoneAnim, BoneAnimFlags, BoneFlags, BoneIndex,
    Bounds, Curve, CurveFlags, CurveKeysFloats, CurveType, CurveWhole, CurveWrap, ExternalFlags,
    File, FileHeader, FourNormI8, FrameFormat, IndexFormat, MajorMinorMicro, Material,
    MaterialFlags, MaterialIndex, MemoryKind, Mesh, Model, Param, ParamKind, PoolInfo, PoolObject,
    RotationMode, ScaleMode, ShaderAssign, Shape, ShapeFlags, SkeletalAnim, SkeletalAnimFlags,
    Skeleton, SkeletonFlags, Stride, SubMesh, ThreeF32, Topology, Vec3, Vec4, VertexBuffer,
    VertexBufferIndex, VertexColumnFloat32x3, VertexColumnSnorm8x4, VertexData, VertexInfo,
    VertexInfoIndex,
};

fn main() -> Result<(), Box<dyn Error>> {
    let file = flag();
    let bytes = file.write()?;
    let read = File::read(&bytes)?;
    assert_eq!(read, file);
    let path = env::args().nth(1).unwrap_or_else(|| "Flag.bfres".to_owned());
    fs::write(&path, &bytes)?;
    println!("{path}: {} bytes", bytes.len());
    for model in &read.models {
        for shape in &model.shapes {
            let buffer = shape.vertices.and_then(|index| model.vertex(index));
            let positions = buffer.and_then(|it| it.floats(it.attribute("_p0")?));
            println!("  {} of {}: {positions:?}", shape.name, model.name);
        }
    }
    let curve = &read.skeletal_anims[0].bones[0].curves[0];
    for frame in [0.0, 5.0, 10.0, 15.0] {
        println!("  at frame {frame}: {:?}", curve.at(frame));
    }
    Ok(())
}

/// A flag on a pole, in version 9, and how it waves.
pub fn flag() -> File<'static> {
    let version = MajorMinorMicro { major: 9, ..Default::default() };
    File {
        header: FileHeader {
            version,
            alignment_shift: 12,
            file_name: Some("Flag".into()),
            ..Default::default()
        },
        name: "Flag".into(),
        models: vec![model()],
        skeletal_anims: vec![wave()],
        pool_object: Some(PoolObject::default()),
        pool_info: Some(PoolInfo {
            flags: MemoryKind::default().with_cpu_cached(true).with_gpu_cached(true),
            ..Default::default()
        }),
        external: Some(ExternalFlags::default()),
        unknown_0xef: Some(0),
        ..Default::default()
    }
}

fn model() -> Model<'static> {
    let flags = SkeletonFlags::default()
        .with_scale_mode(ScaleMode::MAYA)
        .with_rotation_mode(RotationMode::EULER_XYZ);
    let bones = vec![bone("Pole", None, 0.0), bone("Cloth", Some(BoneIndex::at(0)), 2.0)];
    Model {
        flags: Some(0),
        name: "Flag".into(),
        skeleton: Skeleton { flags, bones, ..Default::default() },
        vertices: vec![corners()],
        shapes: vec![cloth()],
        materials: vec![paint()],
        ..Default::default()
    }
}

fn bone(name: &'static str, parent: Option<BoneIndex>, height: f32) -> Bone<'static> {
    Bone {
        name: name.into(),
        parent,
        flags: BoneFlags::default()
            .with_visible(true)
            .with_rotation_mode(RotationMode::EULER_XYZ)
            .with_uniform_scale(true)
            .with_unit_scale(true)
            .with_no_rotation(true),
        scale: Vec3 { x: 1.0, y: 1.0, z: 1.0 },
        rotation: Vec4 { w: 1.0, ..Default::default() },
        translation: Vec3 { y: height, ..Default::default() },
        ..Default::default()
    }
}

/// Positions as floats, and normals in one byte for each direction.
fn corners() -> VertexBuffer<'static> {
    let attribute = |name: &'static str, format, buffer| Attribute {
        name: name.into(),
        format,
        buffer: VertexInfoIndex::at(buffer),
        ..Default::default()
    };
    let places = [(0.0, 0.0), (1.5, 0.0), (0.0, 1.0), (1.5, 1.0)];
    let places = places.map(|(x, y)| ThreeF32 { x, y, z: 0.0 }).to_vec();
    let normals = vec![FourNormI8 { z: 1.0, ..Default::default() }; 4];
    let data = |column| VertexData { columns: Some(vec![column]), ..Default::default() };
    let stride = |stride| Stride { stride, ..Default::default() };
    VertexBuffer {
        attributes: vec![
            attribute("_p0", AttributeFormat::R32G32B32_FLOAT, 0),
            attribute("_n0", AttributeFormat::R8G8B8A8_SNORM, 1),
        ],
        infos: vec![VertexInfo::default(), VertexInfo::default()],
        strides: vec![stride(12), stride(4)],
        buffers: vec![
            data(VertexColumnFloat32x3::from(places).into()),
            data(VertexColumnSnorm8x4::from(normals).into()),
        ],
        vertex_count: 4,
        alignment: Some(8),
        ..Default::default()
    }
}

fn cloth() -> Shape<'static> {
    let indices: Vec<u8> = [0_u16, 1, 2, 2, 1, 3].iter().flat_map(|n| n.to_le_bytes()).collect();
    let mesh = Mesh {
        submeshes: vec![SubMesh { offset: 0, count: 6 }],
        indices: indices.into(),
        topology: Topology::TRIANGLES,
        index_format: IndexFormat::U16,
        ..Default::default()
    };
    let around = Bounds {
        centre: Vec3 { x: 0.75, y: 0.5, z: 0.0 },
        extent: Vec3 { x: 0.75, y: 0.5, z: 0.0 },
    };
    Shape {
        flags: ShapeFlags::default().with_has_vertices(true),
        name: "Cloth__Paint".into(),
        vertices: Some(VertexBufferIndex::at(0)),
        meshes: vec![mesh],
        bounds: vec![around.clone(), around],
        radii: Some(vec![1.0]),
        material: MaterialIndex::at(0),
        bone: BoneIndex::at(1),
        ..Default::default()
    }
}

fn paint() -> Material<'static> {
    let red = [1.0_f32, 0.0, 0.0, 1.0];
    let colour = Param { name: "colour".into(), r#type: ParamKind::FLOAT4, ..Default::default() };
    let shader = ShaderAssign {
        archive: "Shaders".into(),
        model: "Cloth".into(),
        attributes: vec!["_p0".into()],
        attribute_keys: vec!["position".into()],
        ..Default::default()
    };
    Material {
        flags: MaterialFlags::default().with_visible(true),
        name: "Paint".into(),
        render_infos: Some(Vec::new()),
        shader: Some(shader),
        params: Some(vec![colour]),
        param_data: red.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>().into(),
        volatile: Some(vec![0]),
        volatile_count: Some(0),
        raw_size: Some(0),
        ..Default::default()
    }
}

/// The cloth turns about its pole, over 20 frames, again and again.
fn wave() -> SkeletalAnim<'static> {
    let turn = Curve {
        frames: CurveWhole { frames: Some(vec![0, 10, 20]), ..Default::default() }.into(),
        keys: CurveKeysFloats { keys: vec![0.0, 0.5, 0.5, -0.5, 0.0, 0.0], ..Default::default() }
            .into(),
        flags: CurveFlags::default()
            .with_frame_format(FrameFormat::WHOLE)
            .with_type(CurveType::LINEAR)
            .with_pre_wrap(CurveWrap::REPEAT)
            .with_post_wrap(CurveWrap::REPEAT),
        target: 0x24,
        end_frame: 20.0,
        scale: 1.0,
        ..Default::default()
    };
    let bone = BoneAnim {
        name: "Cloth".into(),
        curves: vec![turn],
        base: Some(BaseValues {
            rotation: Some(Vec4 { w: 1.0, ..Default::default() }),
            ..Default::default()
        }),
        user_data: Some(Vec::new()),
        flags: BoneAnimFlags::default().with_base_rotation(true).with_rotation_y(true),
        ..Default::default()
    };
    SkeletalAnim {
        flags: SkeletalAnimFlags::default()
            .with_looping(true)
            .with_scale_mode(ScaleMode::MAYA)
            .with_rotation_mode(RotationMode::EULER_XYZ),
        name: "Wave".into(),
        path: Some("".into()),
        bind: vec![0xffff],
        bones: vec![bone],
        frame_count: 20,
        ..Default::default()
    }
}
