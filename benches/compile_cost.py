"""What each choice costs to compile: a crate of N structs x 12 fields, read and written, with one
choice changed at a time. Also the size of the code in the finished program.

    compile_cost.py WORKDIR [N] [repeats]

Times are processor time of the crate alone, dependencies already built, -j1, medians."""
import os
import pathlib
import resource
import statistics
import subprocess
import sys

work = pathlib.Path(sys.argv[1]).resolve()
n = int(sys.argv[2]) if len(sys.argv) > 2 else 100
repeats = int(sys.argv[3]) if len(sys.argv) > 3 else 3
runtime = pathlib.Path(__file__).resolve().parent.parent / "runtime"

TYPES = ["u32", "f32", "u16", "i16", "u64", "u8", "u32", "f32", "i32", "u16", "u8", "u32"]
SIZE = {"u8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8}
FIELDS = [(f"f{i}", t) for i, t in enumerate(TYPES)]
FIXED = sum(SIZE[t] for f, t in FIELDS if f != "f11")

HELPERS = """use std::borrow::Cow;
use formwork::{Endian, Fill, Measure, ReadError, Sink};
pub struct In<'a> { pub d: &'a [u8], pub at: u64, pub endian: Endian }
impl<'a> In<'a> {
    #[inline]
    pub fn block(&mut self, size: u64) -> Result<&'a [u8], ReadError> {
        let b = formwork::slice(self.d, self.at, size)?;
        self.at += size;
        Ok(b)
    }
    #[inline]
    pub fn text(&self, at: u64) -> Result<&'a str, ReadError> {
        let length = formwork::load_uint(self.d, at, 2, Endian::Little)?;
        let b = formwork::slice(self.d, at + 2, length)?;
        formwork::checked_str(b).ok_or_else(|| ReadError::new(formwork::ReadErrorKind::InvalidText { encoding: "utf-8" }, at))
    }
}
pub trait Mode<'i> { type Text: AsRef<str>; fn text(t: &'i str) -> Self::Text; }
pub struct Borrow;
pub struct Own;
impl<'i> Mode<'i> for Borrow { type Text = Cow<'i, str>; #[inline] fn text(t: &'i str) -> Self::Text { Cow::Borrowed(t) } }
impl<'i> Mode<'i> for Own { type Text = Cow<'static, str>; #[inline] fn text(t: &'i str) -> Self::Text { Cow::Owned(t.to_owned()) } }
pub trait Scalar: Copy {
    fn get<const BIG: bool>(b: &[u8], at: usize) -> Self;
    fn get_flag(b: &[u8], at: usize, endian: Endian) -> Self;
    fn put<const BIG: bool>(self, b: &mut [u8], at: usize);
    fn put_flag(self, b: &mut [u8], at: usize, endian: Endian);
}
macro_rules! scalars { ($($t:ty)*) => {$(impl Scalar for $t {
    #[inline]
    fn get<const BIG: bool>(b: &[u8], at: usize) -> Self {
        let Some(Some(b)) = b.get(at..).map(|b| b.first_chunk()) else { return Default::default() };
        if BIG { <$t>::from_be_bytes(*b) } else { <$t>::from_le_bytes(*b) }
    }
    #[inline]
    fn get_flag(b: &[u8], at: usize, endian: Endian) -> Self {
        match endian { Endian::Big => Self::get::<true>(b, at), Endian::Little => Self::get::<false>(b, at) }
    }
    #[inline]
    fn put<const BIG: bool>(self, b: &mut [u8], at: usize) {
        if let Some(Some(b)) = b.get_mut(at..).map(|b| b.first_chunk_mut()) { *b = if BIG { self.to_be_bytes() } else { self.to_le_bytes() } }
    }
    #[inline]
    fn put_flag(self, b: &mut [u8], at: usize, endian: Endian) {
        match endian { Endian::Big => self.put::<true>(b, at), Endian::Little => self.put::<false>(b, at) }
    }
})*}; }
scalars!(u8 u16 i16 u32 i32 f32 u64);
"""


def emit(text="none", order="const", write="append", eq="derive", kept="none"):
    out = ["#![allow(unused_imports, clippy::all)]\nmod helpers;\npub use helpers::*;\nuse std::borrow::Cow;\nuse formwork::{Endian, Fill, Measure, ReadError, Sink};\n"]
    with_text = text != "none"
    two = order == "const both"
    get = "get_flag" if order == "flag" else "get::<BIG>" if two else "get::<false>"
    put = get.replace("get", "put")
    more = ", c.endian" if order == "flag" else ""
    put_more = ", endian" if order == "flag" else ""
    big = "const BIG: bool" if two else ""

    def struct(k, name, life, ty, readers):
        derive = "Debug, Clone" + (", PartialEq" if eq == "derive" else "")
        out.append(f"#[derive({derive})]\npub struct {name}{life} {{")
        for f, t in FIELDS:
            t = f"Option<{t}>" if f == "f11" else ty if with_text and f == "f4" else t
            out.append(f"    pub {f}: {t},")
        if kept == "box":
            out.append(f"    pub kept: {name}Kept,")
        out.append("}")
        if kept == "box":
            out.append(f"#[derive(Debug, Clone, Default, PartialEq)]\npub struct {name}Kept(Option<Box<[u8; 2]>>);")
        if eq == "bits":
            out.append(f"impl{life} PartialEq for {name}{life} {{\n    fn eq(&self, o: &Self) -> bool {{\n        true")
            for f, t in FIELDS:
                out.append(f"            && self.{f}.to_bits() == o.{f}.to_bits()" if t == "f32" else f"            && self.{f} == o.{f}")
            out.append(f"    }}\n}}\nimpl{life} Eq for {name}{life} {{}}")
        body = ["        let b = c.block(%d)?;" % FIXED, f"        Ok({name} {{"]
        at = 0
        for f, t in FIELDS:
            if f == "f11":
                body.append(f"            {f}: if version >= 10 {{ Some({t}::{get}(c.block(4)?, 0{more})) }} else {{ None }},")
                continue
            value = f"{t}::{get}(b, {at}{more})"
            if with_text and f == "f4":
                value = f"TEXT(c.text({value}).map_err(|e| e.in_field(\"{f}\"))?)"
            body.append(f"            {f}: {value},")
            at += SIZE[t]
        if kept == "box":
            body.append(f"            kept: {name}Kept(if b[5] == 0xff {{ Some(Box::new([b[5], b[6]])) }} else {{ None }}),")
        body.append("        })\n    }")
        head, make, ret = readers
        generics = ", ".join(x for x in (head, big) if x)
        generics = f"<{generics}>" if generics else ""
        impl = f"impl<'i> {name}<'i>" if life else f"impl {name}"
        out.append(f"{impl} {{")
        lt = "'i" if life or "'i" in head else "'_"
        out.append(f"    pub fn read{generics}(c: &mut In<{lt}>, version: u32) -> Result<{ret}, ReadError> {{")
        out.extend(line.replace("TEXT", make) for line in body)
        fill = []
        at = 0
        for f, t in FIELDS:
            if f != "f11":
                value = f"(self.{f}.len() as u64)" if with_text and f == "f4" else f"self.{f}"
                fill.append(f"        {value}.{put}(b, {at}{put_more});")
                at += SIZE[t]
        flag = ", endian: Endian" if order == "flag" else ""
        g = f"<{big}>" if big else ""
        if write == "append":
            out.append(f"    pub fn write{g}(&self, o: &mut Vec<u8>{flag}) {{\n        let b = &mut [0u8; {FIXED}];")
            out.extend(fill)
            out.append("        o.extend_from_slice(b);\n        if let Some(v) = self.f11 {\n            let b = &mut [0; 4];")
            out.append(f"            v.{put}(b, 0{put_more});\n            o.extend_from_slice(b);\n        }}\n    }}\n}}")
        else:
            g = ", ".join(x for x in ("S: Sink", big) if x)
            out.append(f"    pub fn walk<{g}>(&self, o: &mut S{flag}) {{\n        o.fill_with({FIXED}, |b| {{")
            out.extend(fill)
            out.append("        });\n        if let Some(v) = self.f11 {\n            o.fill_with(4, |b| {")
            out.append(f"                v.{put}(b, 0{put_more});\n            }});\n        }}\n    }}\n}}")

    # Something must use them, or nothing is compiled.
    calls = []
    for k in range(n):
        if not with_text:
            struct(k, f"S{k}", "", "", ("", "", "Self"))
            kinds = [(f"S{k}", "")]
        elif text == "pair":
            struct(k, f"S{k}", "", "String", ("", "str::to_owned", "Self"))
            struct(k, f"R{k}", "<'i>", "&'i str", ("", "", "Self"))
            kinds = [(f"S{k}", ""), (f"R{k}", "")]
        elif text == "String":
            struct(k, f"S{k}", "", "String", ("", "str::to_owned", "Self"))
            kinds = [(f"S{k}", "")]
        elif text == "str":
            struct(k, f"S{k}", "<'i>", "&'i str", ("", "", "Self"))
            kinds = [(f"S{k}", "")]
        elif text == "cow":
            struct(k, f"S{k}", "<'i>", "Cow<'i, str>", ("", "Cow::Borrowed", "Self"))
            kinds = [(f"S{k}", "")]
        else:
            head = "'o, M: Mode<'i, Text = Cow<'o, str>>"
            struct(k, f"S{k}", "<'i>", "Cow<'i, str>", (head, "M::text", f"S{k}<'o>"))
            kinds = [(f"S{k}", "Borrow"), (f"S{k}", "Own")]
        calls.append(kinds)
    out.append("pub fn all(d: &[u8], version: u32, endian: Endian) -> Result<Vec<u8>, ReadError> {\n    let mut c = In { d, at: 0, endian };\n    let mut o = Vec::new();\n    let mut measure = Measure::new();\n    let mut fill = Fill::new(1 << 16).unwrap();\n    let mut same = 0usize;")
    flag = ", endian" if order == "flag" else ""
    for kinds in calls:
        for name, mode in kinds:
            for b in (["true", "false"] if two else [""]):
                args = ", ".join(x for x in (f"{mode}" if mode else "", b) if x)
                args = f"::<{args}>" if args else ""
                out.append(f"    let v = {name}::read{args}(&mut c, version)?;\n    same += usize::from(v == v.clone());")
                if write == "append":
                    t = f"::<{b}>" if b else ""
                    out.append(f"    v.write{t}(&mut o{flag});")
                else:
                    t = f"::<_, {b}>" if b else ""
                    out.append(f"    v.walk{t}(&mut measure{flag});\n    v.walk{t}(&mut fill{flag});")
    out.append("    o.push((same as u64 + measure.position() + fill.position()) as u8);\n    Ok(o)\n}")
    return "\n".join(out) + "\n"


def cargo(d, *a):
    # Time on the processor, which other programs disturb less than time on the clock.
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    r = subprocess.run(["cargo", *a, "--manifest-path", d / "Cargo.toml", "--target-dir", work / "target", "-j1"], capture_output=True, text=True, env=os.environ | {"CARGO_INCREMENTAL": "0"})
    if r.returncode:
        sys.exit(r.stderr[-4000:])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


VARIANTS = {
    "plain: no text, one order, append, derived ==": {},
    "8. == by hand, floats by bits": {"eq": "bits"},
    "2. kept: Option<Box> in each struct": {"kept": "box"},
    "5. one walk over a Sink, compiled twice": {"write": "walk"},
    "6. byte order const, both compiled": {"order": "const both"},
    "6. byte order as a flag": {"order": "flag"},
    "1. a &str in each": {"text": "str"},
    "1. a String in each": {"text": "String"},
    "1. a Cow in each, borrowed only": {"text": "cow"},
    "1. a Cow in each, borrowed and owned": {"text": "cow both"},
    "1. pairs of structs, &str and String": {"text": "pair"},
}
print(f"{n} structs x 12 fields, -j1, medians of {repeats} interleaved\n")
for i, (name, choice) in enumerate(VARIANTS.items()):
    d = work / f"v{i}"
    (d / "src").mkdir(parents=True, exist_ok=True)
    (d / "Cargo.toml").write_text(f'[package]\nname = "cost{i}"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\nformwork = {{ path = "{runtime}" }}\n[workspace]\n')
    (d / "src/lib.rs").write_text(emit(**choice))
    (d / "src/helpers.rs").write_text(HELPERS)
    (d / "src/main.rs").write_text(f"fn main() {{\n    let d = vec![0u8; 1 << 16];\n    let big = std::env::args().count() > 1;\n    let e = if big {{ formwork::Endian::Big }} else {{ formwork::Endian::Little }};\n    println!(\"{{}}\", cost{i}::all(&d, 10, e).unwrap().len());\n}}\n")
times = {}
for _ in range(repeats + 1):
    for i in range(len(VARIANTS)):
        d = work / f"v{i}"
        for cmd in (["check"], ["build"], ["build", "--release"]):
            for f in ("lib.rs", "main.rs"):
                (d / "src" / f).touch()
            times.setdefault((i, cmd[-1]), []).append(cargo(d, *cmd))
print("| choice | lines | check | debug | release | of plain | spread | code, release |")
print("|---|---:|---:|---:|---:|---:|---:|---:|")
for i, name in enumerate(VARIANTS):
    # The first of each also built the runtime.
    m = {c: statistics.median(times[i, c][1:]) for c in ("check", "build", "--release")}
    ratio = statistics.median(a / b for a, b in zip(times[i, "--release"][1:], times[0, "--release"][1:]))
    spread = (max(times[i, "--release"][1:]) - min(times[i, "--release"][1:])) / m["--release"]
    lines = len((work / f"v{i}/src/lib.rs").read_text().splitlines())
    size = subprocess.run(["size", work / f"target/release/cost{i}"], capture_output=True, text=True).stdout.split()
    text_size = int(size[6]) if len(size) > 6 else 0
    print(f"| {name} | {lines} | {m['check']:.2f} s | {m['build']:.2f} s | {m['--release']:.2f} s | {ratio:.2f}x | {spread:.0%} | {text_size / 1000:.0f} kB |", flush=True)
