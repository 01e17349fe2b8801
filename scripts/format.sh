#!/usr/bin/env bash
# Formats all C sources, headers and documents; with --check only lists those that are not formatted, and then fails.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[[ ${1:-} == --check ]] && mode=(--dry-run -Werror)
find src tests shaders viewer examples \( -name '*.c' -o -name '*.cpp' -o -name '*.h' \) -print0 2>/dev/null | sort -z | xargs -0 clang-format "${mode[@]}"
scripts/wrap_docs.py ${1:+"$1"}
