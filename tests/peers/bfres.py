#!/usr/bin/env python3
"""Reads resources with models and animations (BFRES of the Switch, versions 5 to 10) and prints what
they say as JSON, or fails where they contradict themselves.

Written from descriptions of the format and from nothing of Formwork, so that both can be compared:
`tests/tests/samples_bfres.rs` does. Only the standard library is needed.

    python3 tests/peers/bfres.py FILE
"""

import json
import math
import struct
import sys
from zlib import adler32

FORMATS = {
    0x0201: ("B", 1, 255.0), 0x0203: ("B", 1, 1), 0x0901: ("B", 2, 255.0), 0x0903: ("B", 2, 1),
    0x0902: ("b", 2, 127.0),
    0x0B01: ("B", 4, 255.0), 0x0B02: ("b", 4, 127.0), 0x0B03: ("B", 4, 1), 0x1201: ("H", 2, 65535.0),
    0x1205: ("e", 2, 1), 0x1505: ("e", 4, 1), 0x1705: ("f", 2, 1), 0x1805: ("f", 3, 1),
    0x1202: ("h", 2, 32767.0), 0x1905: ("f", 4, 1), 0x1203: ("H", 2, 1), 0x1503: ("H", 4, 1),
}
PRECISION = {0x0B02: 0.02, 0x0E02: 0.01, 0x1505: 0.01, 0x1805: 0.001}


class Resource:
    def __init__(self, data):
        self.data = data
        self.checked = {"positions": 0, "normals": 0, "indices": 0, "keys": 0, "infos": 0}
        assert data[:8] == b"FRES    " and data[12:14] == b"\xff\xfe"
        self.major = self.u16(0x0A)
        late = self.major >= 9
        self.late = late
        at = 0x28
        counts = 0xDC if late else 0xBC
        self.models = self.heads(at, self.u16(counts), 0x78)
        first = 0x58 if late else 0x38
        self.bones = self.heads(first, self.u16(0xE2 if late else 0xBE), 0x50 if late else 0x60)
        self.materials = self.heads(first + 0x10, self.u16(0xE4 if late else 0xC0), 0x70 if late else 0x78)
        self.visible = self.heads(first + 0x20, self.u16(0xE6 if late else 0xC2), 0x60 if late else 0x68)
        info = self.u64(0xB0 if late else 0x90)
        self.base = self.u64(info + 8) if info else 0

    def u8(self, at):
        return self.data[at]

    def u16(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def i16(self, at):
        return struct.unpack_from("<h", self.data, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def u64(self, at):
        return struct.unpack_from("<Q", self.data, at)[0]

    def floats(self, at, count):
        return list(struct.unpack_from(f"<{count}f", self.data, at))

    def text(self, at):
        at = self.u64(at)
        return self.data[at + 2 : at + 2 + self.u16(at)].decode()

    def heads(self, at, count, size):
        first = self.u64(at)
        return [first + size * i for i in range(count)]

    def model(self, at):
        name = self.text(at + (0x08 if self.late else 0x10))
        skeleton = self.u64(at + (0x18 if self.late else 0x20))
        buffers = self.u64(at + (0x20 if self.late else 0x28))
        shapes = self.u64(at + (0x28 if self.late else 0x30))
        counts = [self.u16(at + 0x68 + 2 * i) for i in range(3)]
        size = 0x58 if self.late else 0x60
        buffers = [buffers + size * i for i in range(counts[0])]
        shapes = [shapes + (0x60 if self.late else 0x70) * i for i in range(counts[1])]
        skeleton = self.skeleton(skeleton)
        vertices = [self.vertices(buffer) for buffer in buffers]
        materials = self.u64(at + (0x38 if self.late else 0x40))
        size = 0xB0 if self.major >= 10 else 0xA8 if self.late else 0xB8
        materials = [materials + size * i for i in range(counts[2])]
        return {
            "name": name,
            "materials": [self.material(material) for material in materials],
            "bones": skeleton,
            "buffers": [
                {"count": one["count"], "columns": one["columns"], "names": sorted(one["values"])}
                for one in vertices
            ],
            "shapes": [self.shape(shape, buffers, vertices, skeleton, counts[2]) for shape in shapes],
        }

    def material(self, at):
        assert self.data[at : at + 4] == b"FMAT"
        early = 0 if self.late else 8
        infos = []
        if self.major < 10:
            first = self.u64(at + 0x10 + early)
            for i in range(self.u16(at + (0x9A if self.late else 0xA6))):
                one = first + 0x18 * i
                infos.append((one, self.u8(one + 0x12), self.u64(one + 8), self.u16(one + 0x10)))
        else:
            reflection = self.u64(self.u64(at + 0x10))
            first, count = self.u64(reflection + 0x10), self.u16(reflection + 0x48)
            values, counts, offsets = (self.u64(at + 0x40 + 8 * k) for k in range(3))
            end = values + self.u16(at + 0xA8)
            for i in range(count):
                one, number = first + 0x10 * i, self.u16(counts + 2 * i)
                where, kind = values + self.u16(offsets + 2 * i), self.u8(one + 8)
                assert where + number * (8 if kind == 2 else 4) <= end, "values behind all values"
                infos.append((one, kind, where, number))
        self.checked["infos"] += sum(number for _, _, _, number in infos)
        return {"name": self.text(at + 0x08 + early),
                "infos": [[self.text(one), self.values(kind, where, number)]
                          for one, kind, where, number in infos]}

    def values(self, kind, at, count):
        if kind == 2:
            return [self.text(at + 8 * i) for i in range(count)]
        return list(struct.unpack_from(f"<{count}{'if'[kind]}", self.data, at))

    def skeleton(self, at):
        m = self.major
        assert self.data[at : at + 4] == b"FSKL"
        bones = self.u64(at + (0x10 if self.late else 0x18))
        count = self.u16(at + (0x3C if m < 8 else 0x4C if m == 8 else 0x38))
        size = 0x50 if m < 8 else 0x60 if m < 10 else 0x58
        own = 0x18 if m < 8 else 0x28 if m < 10 else 0x20
        found = []
        for i in range(count):
            bone = bones + size * i
            index, parent = self.u16(bone + own), self.i16(bone + own + 2)
            assert index == i and -1 <= parent < count
            numbers = self.floats(bone + own + 0x10, 10)
            found.append({"name": self.text(bone), "parent": parent, "numbers": numbers})
        return found

    def vertices(self, at):
        assert self.data[at : at + 4] == b"FVTX"
        early = 0 if self.late else 8
        attributes = self.u64(at + 0x08 + early)
        infos, strides = self.u64(at + 0x30 + early), self.u64(at + 0x38 + early)
        start = self.base + self.u32(at + 0x48 + early)
        attribute_count, buffer_count = self.u8(at + 0x4C + early), self.u8(at + 0x4D + early)
        count = self.u32(at + 0x50 + early)
        places = []
        for i in range(buffer_count):
            size, stride = self.u32(infos + 0x10 * i), self.u32(strides + 0x10 * i)
            assert size == stride * count, "size of a buffer"
            assert start + size <= len(self.data)
            places.append((start, stride))
            start = (start + size + 7) // 8 * 8
        values, columns = {}, []
        for i in range(attribute_count):
            one = attributes + 0x10 * i
            name, form = self.text(one), self.u32(one + 8)
            offset, buffer = self.u16(one + 12), self.u8(one + 14)
            where, stride = places[buffer]
            values[name] = (form, self.column(where + offset, stride, count, form))
            columns.append({"buffer": buffer, "form": form, "values": values[name][1]})
        return {"count": count, "columns": columns, "values": values}

    def column(self, at, stride, count, form):
        if form == 0x0E02:
            rows = []
            for i in range(count):
                word = self.u32(at + stride * i)
                parts = [word >> 10 * k & 0x3FF for k in range(3)]
                rows.append([(p - 0x400 if p & 0x200 else p) / 511.0 for p in parts])
            return rows
        if form not in FORMATS:
            return None
        code, width, scale = FORMATS[form]
        one = struct.Struct(f"<{width}{code}")
        return [
            [x / scale for x in one.unpack_from(self.data, at + stride * i)] for i in range(count)
        ]

    def shape(self, at, buffers, vertices, skeleton, materials):
        assert self.data[at : at + 4] == b"FSHP"
        early = 0 if self.late else 8
        name = self.text(at + 0x08 + early)
        buffer = buffers.index(self.u64(at + 0x10 + early))
        meshes = self.u64(at + 0x18 + early)
        skin = self.u64(at + 0x20 + early)
        bounds = self.u64(at + 0x38 + early)
        tail = at + (0x50 if self.late else 0x5C)
        index, material, bone, number, skins = (self.u16(tail + 2 * i) for i in range(5))
        mesh_count = self.u8(tail + 11)
        assert number == buffer and material < materials and bone < len(skeleton)
        for i in range(skins):
            assert self.u16(skin + 2 * i) < len(skeleton), "a bone that is not there"
        own = vertices[buffer]
        found, box = [], bounds
        for i in range(mesh_count):
            mesh = meshes + 0x38 * i
            parts, start = self.u64(mesh), self.base + self.u32(mesh + 0x20)
            form, count, first = self.u32(mesh + 0x28), self.u32(mesh + 0x2C), self.u32(mesh + 0x30)
            part_count = self.u16(mesh + 0x34)
            code = "BHI"[form]
            indices = struct.unpack_from(f"<{count}{code}", self.data, start)
            assert not indices or max(indices) + first < own["count"], "an index of no vertex"
            assert self.u32(self.u64(mesh + 0x18)) == count * (1 << form)
            boxes = [self.floats(box + 0x18 * k, 6) for k in range(part_count + 1)]
            box += 0x18 * (part_count + 1)
            for k in range(part_count):
                offset, length = self.u32(parts + 8 * k), self.u32(parts + 8 * k + 4)
                assert offset + length * (1 << form) <= count * (1 << form)
            found.append({"indices": adler32(self.data[start : start + count * (1 << form)]),
                          "count": count, "boxes": boxes})
            form, places = own["values"].get("_p0", (0, None))
            # Skinned vertices stand where their bones are.
            if places and skins == 0 and vertices_are_plain(own):
                inside(boxes[-1], [places[n + first] for n in set(indices)], name)
                self.checked["positions"] += len(set(indices))
            self.checked["indices"] += count
        form, normals = own["values"].get("_n0", (0, None))
        for normal in normals or []:
            length = math.sqrt(sum(x * x for x in normal[:3]))
            self.checked["normals"] += 1
            assert abs(length - 1) < PRECISION.get(form, 0.02) or length == 0, f"a normal of {length}"
        return {"name": name, "buffer": buffer, "meshes": found}

    def animation(self, at):
        assert self.data[at : at + 4] == b"FSKA"
        early = 0 if self.late else 8
        name = self.text(at + 0x08 + early)
        bones = self.u64(at + 0x28 + early)
        frames = self.u32(at + (0x40 if self.late else 0x4C))
        total = self.u32(at + (0x44 if self.late else 0x50))
        baked = self.u32(at + (0x48 if self.late else 0x54))
        count = self.u16(at + (0x4C if self.late else 0x58))
        size, flags_at = (0x38, 0x28) if self.late else (0x28, 0x18)
        found, met, sizes = [], 0, [0, 0]
        for i in range(count):
            bone = bones + size * i
            flags, curve_count = self.u32(bone + flags_at), self.u8(bone + flags_at + 6)
            assert self.u32(bone + flags_at + 8) == met
            met += curve_count
            base, groups = self.u64(bone + 0x10), []
            for bit, width in ((3, 3), (4, 4), (5, 3)):
                if flags >> bit & 1:
                    groups.append(self.floats(base, width))
                    base += 4 * width
            curves = [self.curve(self.u64(bone + 8) + 0x30 * k) for k in range(curve_count)]
            for curve in curves:
                n = curve["end"] - curve["start"]
                one = (n + 1) + 16 if curve["type"] in (4, 6) else 4 * (n + 1) + 28
                sizes[0] += int((one + 7) // 8 * 8)
                sizes[1] += int(one)
            found.append({"bone": self.text(bone), "base": groups, "curves": curves})
        assert met == total, "the sum of curves"
        # Some tools leave it out.
        assert baked in [0] + sizes, f"baked size {baked}, not one of {sizes}"
        return {"name": name, "frames": frames, "bones": found}

    def curve(self, at):
        flags, count = self.u16(at + 0x10), self.u16(at + 0x12)
        start, end, scale = self.floats(at + 0x18, 3)
        kind, times, keys = flags >> 4 & 7, flags & 3, flags >> 2 & 3
        where = self.u64(at)
        frames = struct.unpack_from(f"<{count}{'fhB'[times]}", self.data, where)
        frames = [t / 32 if times == 1 else float(t) for t in frames]
        assert frames == sorted(frames), "times out of order"
        assert not frames or frames[0] == start or kind in (2, 5, 7), (frames[0], start)
        wide = kind in (4, 5)
        width = {0: 4, 1: 2}.get(kind, 1)
        if kind in (6, 7):
            words = struct.unpack_from(f"<{(count + 31) // 32}I", self.data, self.u64(at + 8))
            values = [words[i // 32] >> i % 32 & 1 for i in range(count)]
            add = 0
        else:
            code = "ihb"[keys] if wide else "fhb"[keys]
            values = list(struct.unpack_from(f"<{count * width}{code}", self.data, self.u64(at + 8)))
            add = struct.unpack_from("<i" if wide else "<f", self.data, at + 0x24)[0]
        self.checked["keys"] += count
        return {"type": kind, "target": self.u32(at + 0x14), "start": start, "end": end,
                "scale": scale, "add": add, "frames": frames, "keys": values}


def vertices_are_plain(own):
    return not any(name.startswith(("_i", "_w")) for name in own["values"])


def inside(box, points, name):
    for axis in range(3):
        low, high = box[axis] - box[3 + axis], box[axis] + box[3 + axis]
        slack = 0.002 * max(abs(low), abs(high), high - low, 0.01)
        for point in points:
            assert low - slack <= point[axis] <= high + slack, (
                f"{name}: {point[axis]} is not in {low}..{high} on axis {axis}")


def main():
    with open(sys.argv[1], "rb") as file:
        read = Resource(file.read())
    found = {
        "models": [read.model(at) for at in read.models],
        "animations": [read.animation(at) for at in read.bones],
    }
    found["checked"] = read.checked
    json.dump(found, sys.stdout)
    print()


if __name__ == "__main__":
    main()
