#!/usr/bin/env python3
"""Reads node graphs (AINB 0x404, 0x407, 0x408) and prints what they say as JSON.

Written from descriptions of the format and from nothing of Formwork, so that both can be compared:
`tests/tests/samples_ainb.rs` does. Only the standard library is needed.

    python3 tests/peers/ainb.py FILE
"""

import json
import struct
import sys

TYPES = ["int", "bool", "float", "string", "vector", "pointer"]
GROUPS = ["string", "int", "unsigned", "float", "bool", "vector", "pointer"]
VERBS = ["SelectorBSABrainVerbUpdater", "SelectorBSAFormChangeUpdater"]
OTHERWISE = "\u305d\u306e\u4ed6"


def murmur3(data, seed=0):
    mask, h = 0xFFFFFFFF, seed
    whole = len(data) // 4 * 4
    for at in range(0, whole, 4):
        k = int.from_bytes(data[at : at + 4], "little") * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * 0x1B873593 & mask
        h = (h << 13 | h >> 19) & mask
        h = (h * 5 + 0xE6546B64) & mask
    if whole < len(data):
        k = int.from_bytes(data[whole:], "little") * 0xCC9E2D51 & mask
        k = (k << 15 | k >> 17) & mask
        h ^= k * 0x1B873593 & mask
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85EBCA6B & mask
    h = (h ^ h >> 13) * 0xC2B2AE35 & mask
    return h ^ h >> 16


class Graph:
    def __init__(self, data):
        self.data = data
        self.hashes = 0
        # What the integers are that a program may replace, by where they stand.
        self.places = {}
        self.int_properties, self.int_inputs = [], []
        head = struct.unpack_from("<4s28I", data, 0)
        assert head[0] == b"AIB ", "no node graph"
        (
            self.version, name, commands, nodes, self.query_nodes, attachments, _, self.blackboard_at,
            self.strings, self.enums, self.properties_at, self.transitions, self.io, self.multi,
            self.attachments_at, self.attachment_uses, self.exb, self.replacements, self.queries_at,
            _, _, self.section_58, self.modules, category, category_number, self.actions, _, self.ids,
        ) = head[1:]
        self.pool = set()
        at = self.strings
        while at < len(data):
            self.pool.add(at - self.strings)
            at = data.index(0, at) + 1
        self.file_name = self.text(name)
        self.category = [self.text(category), category_number]
        self.node_size = 0x38 if self.version < 0x407 else 0x3C
        self.node_count = nodes
        self.commands = [self.command(0x74 + 0x18 * i) for i in range(commands)]
        first = 0x74 + 0x18 * commands
        self.heads = [self.head(first + self.node_size * i) for i in range(nodes)]
        assert first + self.node_size * nodes == self.blackboard_at
        ranks = [i for i, head in enumerate(self.heads) if head["flags"] & 1]
        assert len(ranks) == self.query_nodes
        self.ranks = ranks
        self.properties = self.groups(self.properties_at, 6, self.io, self.property)
        self.parameters = self.groups(self.io, 12, self.multi, self.parameter)
        self.blocks = [self.attachment(self.attachments_at, i) for i in range(attachments)]
        self.nodes = [self.node(i, head) for i, head in enumerate(self.heads)]

    def u8(self, at):
        return self.data[at]

    def u16(self, at):
        return struct.unpack_from("<H", self.data, at)[0]

    def s16(self, at):
        return struct.unpack_from("<h", self.data, at)[0]

    def u32(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def s32(self, at):
        return struct.unpack_from("<i", self.data, at)[0]

    def text(self, offset):
        assert offset in self.pool, f"0x{offset:x} is inside of a text"
        at = self.strings + offset
        return self.data[at : self.data.index(0, at)].decode()

    def text_at(self, at):
        return self.text(self.u32(at))

    def hashed(self, text, at):
        assert murmur3(text.encode()) == self.u32(at), f"hash of {text} at 0x{at:x}"
        self.hashes += 1

    def target(self, node):
        if node == 0x7FFF:
            return None
        assert node < self.node_count, f"no node {node}"
        return node

    def command(self, at):
        second = self.u16(at + 0x16)
        return [
            self.text_at(at),
            self.data[at + 4 : at + 0x14].hex(),
            self.target(self.u16(at + 0x14)),
            self.target(second - 1) if second else None,
        ]

    def head(self, at):
        old = self.version < 0x407
        name = self.text_at(at + 8)
        if not old:
            self.hashed(name, at + 0x0C)
        rest = at + (0x0C if old else 0x10)
        return {
            "type": self.u16(at),
            "index": self.u16(at + 2),
            "attachment_count": self.u16(at + 4),
            "flags": self.u8(at + 6),
            "name": name,
            "body": self.u32(rest + 4),
            "attachment_base": self.u32(rest + 0x10),
            "query_base": self.u16(rest + 0x14),
            "query_count": self.u16(rest + 0x16),
            "guid": self.data[rest + 0x1C : rest + 0x2C].hex(),
        }

    def groups(self, at, count, end, element):
        starts = [self.u32(at + 4 * i) for i in range(count)] + [end]
        groups = []
        for i in range(count):
            found, here = [], starts[i]
            while here < starts[i + 1]:
                value, size = element(i, here)
                found.append(value)
                here += size
            assert here == starts[i + 1], f"group {i} at 0x{starts[i]:x}"
            groups.append(found)
        return groups

    def value(self, kind, at):
        """A value of one of the six types, and its size."""
        if kind == "int":
            return self.s32(at), 4
        if kind == "bool":
            assert self.u32(at) in (0, 1)
            return self.u32(at) == 1, 4
        if kind == "float":
            return self.u32(at), 4
        if kind == "string":
            return self.text_at(at), 4
        if kind == "vector":
            return [self.u32(at + 4 * i) for i in range(3)], 12
        return None, 0

    def flags(self, word):
        """Where a value comes from: `own`, or an expression or variable and its number; then bit 24."""
        if word & 0xC2000000 == 0xC2000000:
            return ["expression", word & 0xFFFF, word >> 24 & 1]
        if word >> 31:
            return ["blackboard", word & 0xFFFF, word >> 24 & 1, word >> 26 & 3]
        return ["own", 0, word >> 24 & 1]

    def property(self, group, at):
        kind, here, own = TYPES[group], at + 4, {"name": self.text_at(at)}
        if kind == "pointer":
            own["class"] = self.text_at(here)
            here += 4
        own["flags"] = self.flags(self.u32(here))
        own["value"], size = self.value(kind, here + 4)
        if kind == "int":
            self.int_properties.append(here + 4)
        return own, here + 4 + size - at

    def parameter(self, group, at):
        kind = TYPES[group // 2]
        if group % 2:
            word = self.u32(at)
            own = {"name": self.text(word & 0x3FFFFFFF)}
            if kind == "pointer":
                own["class"] = self.text_at(at + 4)
            return own, 8 if kind == "pointer" else 4
        own, here = {"name": self.text_at(at)}, at + 4
        if kind == "pointer":
            own["class"] = self.text_at(here)
            here += 4
        own["source"] = self.source(self.s16(here), self.u16(here + 2))
        own["flags"] = self.flags(self.u32(here + 4))
        own["value"], size = self.value(kind, here + 8)
        if kind == "pointer":
            assert self.u32(here + 8) == 0
            size = 4
        if kind == "int":
            self.int_inputs.append(here + 8)
        return own, here + 8 + size - at

    def source(self, node, output):
        if node == -1:
            return None
        if node >= 0:
            return [[self.target(node), output & 0x7FFF, output >> 15]]
        assert node <= -100
        first = self.multi + 8 * (-100 - node)
        assert first + 8 * output <= self.transitions
        found = []
        for at in range(first, first + 8 * output, 8):
            number = self.u16(at + 2)
            target = self.target(self.s16(at))
            found.append([target, number & 0x7FFF, number >> 15, self.flags(self.u32(at + 4))])
        return {"multi": found}

    def own_integers(self, owner, row, table, at):
        """Remembers whose integers these are of a table."""
        base, count = self.u32(at), self.u32(at + 4)
        for i, place in enumerate(table[base : base + count]):
            self.places.setdefault(place, {**owner, row: i})

    def slices(self, at):
        """Properties of a node or attachment."""
        pairs = [(self.u32(at + 8 * i), self.u32(at + 8 * i + 4)) for i in range(6)]
        return {
            kind: self.properties[i][base : base + count]
            for i, (kind, (base, count)) in enumerate(zip(TYPES, pairs))
        }

    def attachment(self, start, index):
        old = self.version < 0x407
        at = start + index * (0x0C if old else 0x10)
        name = self.text_at(at)
        if not old:
            self.hashed(name, at + 0x0C)
        block = self.u32(at + 4)
        for i in range(6):
            assert self.u32(block + 0x38 + 8 * i) == block + 0x64
        self.own_integers({"attachment": index}, "attachment_property", self.int_properties, block + 4)
        return {"name": name, "debug": self.u32(block), "properties": self.slices(block + 4)}

    def node(self, index, head):
        assert head["index"] == index
        at = head["body"]
        self.own_integers({"node": index}, "property", self.int_properties, at)
        self.own_integers({"node": index}, "input", self.int_inputs, at + 0x30)
        inputs, outputs = {}, {}
        for i, kind in enumerate(TYPES):
            base, count, out_base, out_count = struct.unpack_from("<4I", self.data, at + 0x30 + 16 * i)
            inputs[kind] = self.parameters[2 * i][base : base + count]
            outputs[kind] = self.parameters[2 * i + 1][out_base : out_base + out_count]
            assert len(inputs[kind]) == count and len(outputs[kind]) == out_count
        links, total, table = [], 0, at + 0xA4
        for slot in range(10):
            count, base = self.u8(at + 0x90 + 2 * slot), self.u8(at + 0x91 + 2 * slot)
            assert base == total, f"base of slot {slot} at 0x{at:x}"
            for i in range(count):
                place = self.u32(table + 4 * (total + i))
                links.append(self.link(slot, head["type"], place, i + 1 == count, outputs, head["name"]))
                if slot == 2 and (head["type"] == 1 or head["type"] == 0 and head["name"] in VERBS):
                    self.places[place + 12] = {"node": index, "child": i}
                if slot == 5 and head["type"] in (1, 20) and self.version >= 0x407:
                    self.places[place + 12] = {"node": index, "int_link": i}
            total += count
        first = head["attachment_base"]
        uses = [self.u32(self.attachment_uses + 4 * (first + i)) for i in range(head["attachment_count"])]
        asked = [
            self.ranks[self.u16(self.queries_at + 4 * (head["query_base"] + i))]
            for i in range(head["query_count"])
        ]
        return {
            "type": head["type"],
            "flags": head["flags"],
            "name": head["name"],
            "guid": head["guid"],
            "properties": self.slices(at),
            "inputs": inputs,
            "outputs": outputs,
            "links": links,
            "attachments": [self.blocks[use]["name"] for use in uses],
            "queries": asked,
        }

    def link(self, slot, kind, at, last, outputs, owner):
        node = self.target(self.u32(at))
        if slot == 3:
            return [slot, node, self.transition(self.u32(at + 4))]
        name, tail = self.text_at(at + 4), at + 8
        if self.version < 0x407 and (slot in (4, 5) or slot == 0 and kind == 20):
            return [slot, node, name]
        if slot == 2 and kind == 0 and owner in VERBS:
            value = self.u32(tail + 4)
        elif slot == 0 and kind == 20 and any(o["name"] == name for o in outputs["vector"]):
            value = [self.u32(tail + 4), self.u32(tail + 8), self.u32(tail + 12)]
        elif slot == 0 and kind in (4, 7, 20):
            value = self.u32(tail + 4)
        elif slot == 2 and kind == 1:
            value = self.s32(tail + 4)
        elif slot == 2 and kind == 6:
            value = self.u32(tail + 4)
        elif slot == 2 and kind == 4 and last:
            value = self.text_at(tail + 4)
            assert value == OTHERWISE
        elif slot == 2 and kind == 4:
            value = [self.u32(tail + 4), self.u32(tail + 12)]
        elif slot in (2, 4) and kind == 5 or slot == 4 and kind == 20:
            value = self.text_at(tail + 4)
        elif slot == 5 and kind in (1, 20):
            value = self.s32(tail + 4)
        else:
            return [slot, node, name]
        return [slot, node, name, value]

    def transition(self, index):
        at = self.u32(self.transitions + 4 * index)
        word = self.u32(at)
        return [word & 0xFF, word >> 31, self.text_at(at + 4) if word & 0xFF == 0 else None]

    def variables(self):
        """Names of the blackboard, their defaults, and the files that they refer to."""
        groups = GROUPS if self.version >= 0x408 else [g for g in GROUPS if g != "unsigned"]
        counts = [self.u16(self.blackboard_at + 8 * i) for i in range(len(groups))]
        at = self.blackboard_at + 8 * len(groups)
        found, words = {}, []
        for kind, count in zip(groups, counts):
            found[kind] = []
            for _ in range(count):
                word = self.u32(at)
                words.append(word)
                found[kind].append([self.text(word & 0x3FFFFF), self.text_at(at + 4), word >> 22 & 3])
                at += 8
        for kind, count in zip(groups, counts):
            for i in range(count):
                value, size = self.value("int" if kind == "unsigned" else kind, at)
                if kind == "unsigned":
                    value &= 0xFFFFFFFF
                found[kind][i].append(value)
                if kind == "int":
                    self.places[at] = {"variable": i}
                at += size
        used = [word >> 24 & 0x7F if word >> 31 else None for word in words]
        files = []
        for i in range(max([number + 1 for number in used if number is not None], default=0)):
            path = self.text_at(at + 16 * i)
            base = path.rsplit("/", 1)[-1]
            self.hashed(path, at + 16 * i + 4)
            self.hashed(base.rsplit(".", 1)[0], at + 16 * i + 8)
            self.hashed(path.rpartition(".")[2] if "." in base else "", at + 16 * i + 12)
            files.append(path)
        rest = iter(used)
        for kind in groups:
            for entry in found[kind]:
                number = next(rest)
                entry.append(None if number is None else files[number])
        return found

    def listed(self, at):
        """A number of records of three words."""
        return [struct.unpack_from("<3I", self.data, at + 4 + 12 * i) for i in range(self.u32(at))]

    def expressions(self):
        """Compiled expressions: types and steps of each, functions, and constants as numbers."""
        if self.exb == 0:
            return None
        start = self.exb
        version = self.u32(start + 4)
        assert self.data[start : start + 4] == b"EXB " and version in (1, 2, 3)
        records, steps, functions, values, texts = (
            start + self.u32(start + at) for at in range(0x18, 0x2C, 4)
        )
        names = []
        for i in range(self.u32(functions)):
            at = texts + self.u32(functions + 4 + 4 * i)
            names.append(self.data[at : self.data.index(0, at)].decode())
        number = self.u32(steps)
        assert functions == steps + 4 + 8 * number

        def run(base, count):
            if base == -1:
                assert count in (None, 0)
                return []
            ops = range(base, number)
            if count is None:
                count = next(i for i in ops if self.u8(steps + 4 + 8 * i) == 1) + 1 - base
            assert base + count <= number
            return [self.step(steps + 4 + 8 * i, names) for i in range(base, base + count)]

        found, size = [], 0x14 if version == 1 else 0x1C
        for i in range(self.u32(records)):
            at = records + 4 + size * i
            if version == 1:
                setup, main, *sizes = struct.unpack_from("<iiIHHHH", self.data, at)
                counts = [None, None]
            else:
                setup, *head = struct.unpack_from("<iIiIIHHHH", self.data, at)
                counts, main, sizes = [head[0], head[2]], head[1], head[3:]
            found.append([run(setup, counts[0]), run(main, counts[1]), sizes[3:]])
        assert steps == records + 4 + size * len(found)
        constants = [self.u32(at) for at in range(values, texts, 4)]
        for i in range(len(constants)):
            self.places[values + 4 * i] = {"constant": i}
        return {"version": version, "records": found, "functions": names, "values": constants}

    def step(self, at, names):
        """A step of an expression: what it does, and its operands."""
        op, a, b, c, first, second = struct.unpack_from("<4B2H", self.data, at)
        if op == 1:
            return [op]
        if op == 27:
            return [op, a, self.u16(at + 2), names[self.u32(at + 4)]]
        if op == 28:
            return [op, a, b, first, second]
        if op == 29:
            return [op, second]
        if op in (3, 4, 10, 11):
            return [op, a, b, first]
        assert 2 <= op <= 26
        return [op, a, b, c, first, second]

    def replaced(self):
        """Integers that a program replaces: which they are, or where they stand if that is unknown."""
        return [
            [self.places.get(at, at), self.text(name), self.text(value)]
            for at, name, value in self.listed(self.enums)
        ]

    def everything(self):
        found = {
            "version": self.version,
            "file_name": self.file_name,
            "category": self.category,
            "commands": self.commands,
            "nodes": self.nodes,
            "blackboard": self.variables(),
            "attachments": self.blocks,
            "modules": [[self.text(a), self.text(b), c] for a, b, c in self.listed(self.modules)],
            "actions": [
                [self.target(a), self.text(b), self.text(c)] for a, b, c in self.listed(self.actions)
            ],
            "expressions": self.expressions(),
            "hashes": self.hashes,
        }
        found["replaced"] = self.replaced()
        return found


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        graph = Graph(file.read())
    json.dump(graph.everything(), sys.stdout)
