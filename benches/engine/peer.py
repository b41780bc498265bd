"""peer.py ROUNDS FILE...: the Python library `ainb` (PyPI) on files of that format: medians over rounds
of processor time, in the columns of the program beside it. What it writes is no longer than what it
read, but need not be equal; the last column says whether it is."""
import pathlib
import statistics
import sys
import time

from ainb import AINB


def timed(work, argument):
    start = time.process_time_ns()
    work(argument)
    return time.process_time_ns() - start


print("| file | MB | read ms | written ms | identical |")
print("|---|---:|---:|---:|---|")
for name in sys.argv[2:]:
    path = pathlib.Path(name)
    data = path.read_bytes()
    try:
        identical = AINB.from_binary(data).to_binary() == data
    except Exception as error:  # A file that the library cannot read or write takes no part.
        print(f"| {path.name} | {type(error).__name__}: {error} |")
        continue
    reads, writes = [], []
    for _ in range(int(sys.argv[1])):
        reads.append(timed(AINB.from_binary, data))
        # Writing may change the object, so each write gets a fresh one.
        writes.append(timed(AINB.to_binary, AINB.from_binary(data)))
    read, write = (statistics.median(times) / 1e6 for times in (reads, writes))
    print(f"| {path.name} | {len(data) / 1e6:.3f} | {read:.2f} | {write:.2f} | {'yes' if identical else 'no'} |", flush=True)
