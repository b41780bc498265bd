#!/usr/bin/env bash
# One bench, pinned to one core, with a heap that is not given back: run.sh PROGRAM [ARGUMENTS].
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
cargo build --release --quiet
export MALLOC_TRIM_THRESHOLD_=4000000000 MALLOC_MMAP_THRESHOLD_=4000000000
program=$1
shift
exec taskset -c "${CORE:-0}" "${CARGO_TARGET_DIR:-target}/release/$program" "$@"
