"""peer.py DIRECTORY [rounds]: the Python library `evfl` (PyPI) on the same files, in the same form as
the Rust program: one line of JSON per file, medians over rounds of processor time, in nanoseconds."""
import io
import json
import pathlib
import statistics
import sys
import time

import evfl


def read(data):
    flow = evfl.EventFlow()
    flow.read(data)
    return flow


def write(flow):
    out = io.BytesIO()
    flow.write(out)
    return out.getvalue()


def timed(work, argument):
    start = time.process_time_ns()
    work(argument)
    return time.process_time_ns() - start


rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
for path in sorted(pathlib.Path(sys.argv[1]).glob("*.bfev*")):
    data = path.read_bytes()
    line = {"engine": "evfl (Python)", "file": path.name, "bytes": len(data)}
    try:
        line["identical"] = write(read(data)) == data
    except Exception as error:  # A file that the library cannot read or write takes no part.
        print(json.dumps(line | {"error": f"{type(error).__name__}: {error}"}))
        continue
    reads, writes = [], []
    for _ in range(rounds):
        reads.append(timed(read, data))
        # Writing may change the object, so each write gets a fresh one.
        writes.append(timed(write, read(data)))
    line |= {"read": statistics.median(reads), "write": statistics.median(writes)}
    print(json.dumps(line), flush=True)
