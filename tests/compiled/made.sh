#!/usr/bin/env bash
# Puts schemas together by chance, compiles the generated code of each, and compares the engines on
# files of them, whole, cut and changed: made.sh [COUNT [SEED]]. The schemas stay in the folder
# `made` of the build until the next run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
export CARGO_PROFILE_DEV_DEBUG=0
folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")/made
rm -rf "$folder"
cargo run --quiet --package formwork-tests-compiled --bin made -- "$folder" "${1:-40}" "${2:-0}"
export FORMWORK_MADE=$folder FORMWORK_MUTATE=1
exec "$here/each.sh" made_ -v
