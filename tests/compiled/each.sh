#!/usr/bin/env bash
# Compiles the generated code of each schema alone, and compares all that compiles with the
# interpreter. Arguments: see src/bin/each.rs. Only what changed is compiled again.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export CARGO_PROFILE_DEV_DEBUG=0
cargo build --quiet --package formwork --package formwork-tests-module \
    --package formwork-tests-compiled
exec "${CARGO_TARGET_DIR:-target}/debug/each" "$@"
