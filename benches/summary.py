"""Several runs of a bench in one table: the median over runs of each figure, the range of the
ratio, and a mark where a line is not to be quoted.

    for i in 1 2 3 4 5; do ./run.sh flat 31 text; done | python3 summary.py

The spread of a run is its interquartile range by its median. A run of a line above 10 % is left
out; if fewer than three are left, all count and the line is marked `~`."""
import statistics
import sys

order, rows, titles, base = [], {}, {}, {}
title = None
for line in sys.stdin:
    if line.startswith("### "):
        title = line[4:].split(" (")[0]
    elif line.startswith("| contender"):
        base[title] = line.split("|")[5].strip().removeprefix("time vs ")
    elif line.startswith("| ") and title:
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        name, ns, ratio, best, spread, drop = cells[0], *(float(cells[i].rstrip("x%")) for i in (2, 4, 5, 6, 7))
        if (title, name) not in rows:
            order.append((title, name))
        rows.setdefault((title, name), []).append((ns, ratio, best, spread, drop))
last = None
for title, name in order:
    if title != last:
        print(f"\n### {title}\n\n| contender | ns/item | x {base[title]} | range over runs | x of the fastest rounds | spread | drop ns/item | runs |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|")
        last = title
    all_runs = rows[title, name]
    quiet = [r for r in all_runs if r[3] <= 10]
    mark = "" if len(quiet) >= 3 else " ~"
    use = quiet if not mark else all_runs
    m = [statistics.median(r[i] for r in use) for i in range(5)]
    lo, hi = min(r[1] for r in use), max(r[1] for r in use)
    print(f"| {name}{mark} | {m[0]:.2f} | {m[1]:.2f} | {lo:.2f}-{hi:.2f} | {m[2]:.2f} | {m[3]:.0f} % | {m[4]:.1f} | {len(use)} of {len(all_runs)} |")
