#!/usr/bin/env bash
# Lays out every C source and header; with --check only tells which are not laid out, and fails then.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run -Werror)
find src tests shaders viewer examples \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null | sort -z | xargs -0 clang-format "${mode[@]}"
