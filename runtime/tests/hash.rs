//! Hashes as stored in known files, or computed from their definitions.

use formwork::algorithms::{fnv1a_32, murmur3_32, FNV1A_SEED};

#[test]
fn murmur3_vectors() {
    for (text, hash) in [
        ("", 0x0000_0000),
        ("gyml", 0x0b68_a737),
        ("NpcCommon.engine__component__BlackboardParamTable", 0x0fbd_bae8),
        (
            "Work/Component/Blackboard/BlackboardParamTable/\
             NpcCommon.engine__component__BlackboardParamTable.gyml",
            0x5399_9c87,
        ),
        ("OneShotCameraRegisterOwnInSystem", 0x987f_05c2),
        ("QueryGenericMultiBool", 0x8589_abc7),
        ("ListenerChangePresetAttachment", 0xf394_7f48),
    ] {
        assert_eq!(murmur3_32(text.as_bytes(), 0), hash, "{text}");
    }
}

#[test]
fn murmur3_with_a_seed() {
    assert_eq!(murmur3_32(b"", 1), 0x514e_28b7);
    assert_eq!(murmur3_32(b"", 0xffff_ffff), 0x81f1_6f39);
    assert_eq!(murmur3_32(b"\xff\xff\xff\xff", 0), 0x7629_3b50);
    assert_eq!(murmur3_32(b"\x21\x43\x65", 0), 0x7e4a_8634);
}

#[test]
fn fnv1a_vectors() {
    for (text, hash) in [
        ("", 0x811c_9dc5),
        ("a", 0xe40c_292c),
        ("SneakingUpH127W0", 0x0411_9dff),
        ("JumpUpDiagonallyVertical", 0x14b8_6a92),
        ("SneakingPose", 0x0674_fd60),
        ("AtCollision", 0x091e_9060),
    ] {
        assert_eq!(fnv1a_32(text.as_bytes(), FNV1A_SEED), hash, "{text}");
    }
}

#[test]
fn fnv1a_goes_on_from_a_seed() {
    let text = b"SneakingPose";
    for split in 0..text.len() {
        let (seed, key) = text.split_at(split);
        assert_eq!(fnv1a_32(key, fnv1a_32(seed, FNV1A_SEED)), 0x0674_fd60);
    }
}
