#!/usr/bin/env bash
# Prints the paths of the sources, each ended by a zero byte: what git knows or has not been told to ignore, and without git
# everything but what .gitignore names.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -e .git ]] && git rev-parse >/dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard --deduplicate | while IFS= read -r -d '' path; do
        [[ ! -e $path ]] || printf '%s\0' "$path"
    done
else
    find . -mindepth 1 \( -path ./build -o -path ./out -o -path ./python/build -o -path './python/*.egg-info' -o -path ./.git \) -prune -o ! -type d -printf '%P\0'
fi | LC_ALL=C sort -z
