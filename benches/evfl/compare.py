"""compare.py FILES...: the lines of both programs as one table, over the files that all could do."""
import collections
import json
import sys

lines = [json.loads(line) for name in sys.argv[1:] for line in open(name) if line.startswith("{")]
engines = collections.defaultdict(dict)
for line in lines:
    engines[line["engine"]][line["file"]] = line
common = set.intersection(
    *({f for f, line in files.items() if "read" in line} for files in engines.values())
)
size = sum(line["bytes"] for line in lines if line["file"] in common and line["engine"] == "generated")
peer = engines["evfl (Python)"]
left = {f: line.get("error", "not measured") for f, line in peer.items() if f not in common}
print(f"{len(common)} files, {size} bytes; left out: {left or 'none'}\n")
print("| engine | identical | read ms | read MB/s | times Python | write ms | write MB/s | times Python |")
print("|---|---:|---:|---:|---:|---:|---:|---:|")
total = {
    engine: [sum(files[f][way] for f in common) for way in ("read", "write")]
    for engine, files in engines.items()
}
for engine, (read, write) in sorted(total.items(), key=lambda item: item[1][0]):
    same = sum(engines[engine][f]["identical"] for f in common)
    base = total["evfl (Python)"]
    print(
        f"| {engine} | {same} | {read / 1e6:.2f} | {size / read * 1e3:.1f} | {base[0] / read:.1f} "
        f"| {write / 1e6:.2f} | {size / write * 1e3:.1f} | {base[1] / write:.1f} |"
    )
