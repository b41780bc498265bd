#!/usr/bin/env bash
# Both programs over a directory of event flows, one after the other on one core: run.sh DIRECTORY [ROUNDS].
# PYTHON names an interpreter that has the library `evfl` (`pip install evfl`).
set -euo pipefail
directory=$(realpath "$1")
rounds=${2:-15}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cargo build --release --quiet --package evfl
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT
core=${CORE:-0}
taskset -c "$core" "${CARGO_TARGET_DIR:-target}/release/evfl" "$directory" "$rounds" >"$out/rust"
taskset -c "$core" "${PYTHON:-python3}" evfl/peer.py "$directory" "$rounds" >"$out/python"
python3 evfl/compare.py "$out/rust" "$out/python"
