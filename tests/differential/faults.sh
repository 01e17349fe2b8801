#!/usr/bin/env bash
# faults.sh SOURCES: copies the sources, puts faults of one line into the copy, one at a time, and expects the
# differential tests or the test of barriers to find each of them; TAP on the output. It builds the library and two tests, which takes minutes, so
# it runs only where SHW_SLOW=1. SHW_CASES: of each sweep and fault, 300.
set -euo pipefail

[[ ${SHW_SLOW:-} == 1 ]] || { printf '1..0 # SKIP SHW_SLOW is not 1\n'; exit 77; }

sources=$(realpath "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/shadewood-faults-XXXXXX")
trap 'rm -rf "$work"' EXIT
cases=${SHW_CASES:-300}
unset SHW_CASES SHW_SEED SHW_CASE
copy=$work/sources
number=0
failed=0

# name | file | text, which must stand there once | what it becomes
faults=(
    'channels by compute: columns read one row below the image|shaders/dense/channels/filter_columns.comp|clamp(pixel.y - RADIUS + i, 0, push.last_y))|clamp(pixel.y - RADIUS + i, 0, push.last_y + 1))'
    'integral images by compute: the first row of a tile is not carried down|shaders/dense/integrate/integral_sums.comp|for (uint i = 0u; i < half_height; i++)|for (uint i = 1u; i < half_height; i++)'
    'traversal by compute: the lower pixel keeps the node of the upper one|shaders/dense/traverse/evaluate_trees.comp|if (at.y != at.x)|if (at.y > at.x)'
    'histograms by blend: counts that were flushed are counted again|src/dense/grow_device/blend.c|    sweep->points = 0;@    sweep->drawn = false;|    sweep->points = 0;'
    'slices of compute: a chunk is ready after its first image|src/dense/grow_device/images.c|wanted->filled == wanted->end - wanted->begin;|wanted->filled > 0;'
    'thresholds by compute: rounded down, not up|shaders/dense/train/thresholds.comp|(rest * k + push.bins - 1u) / push.bins|rest * k / push.bins'
    'resuming: mirror images are labelled as they are|src/dense/train/checkpoint.c|result == SHW_OK && shw_train_image_of_planes(images, i) != i|false'
    'barriers: stages do not wait for shaders|src/dense/pipeline/transitions.c|use_before_stage(pipeline), use_of(&pipeline->stages[number]));|shw_use_copy_target, use_of(&pipeline->stages[number]));'
    'vectors: a response equal to the threshold goes left|src/dense/feature/lanes_avx2.h|_mm256_andnot_si256(_mm256_cmpgt_epi32(low, values), _mm256_cmpgt_epi32(high, values))|_mm256_and_si256(_mm256_cmpgt_epi32(values, low), _mm256_cmpgt_epi32(high, values))'
)

# point OK TEXT
point() {
    number=$((number + 1))
    [[ $1 == ok ]] || failed=$((failed + 1))
    printf '%s %d - %s\n' "$1" "$number" "$2"
}

# replace FILE OLD NEW: fails unless OLD, where @ stands for the end of a line, is in the file exactly once.
replace() {
    python3 - "$@" <<'PYTHON'
import sys

path, old, new = sys.argv[1], sys.argv[2].replace("@", "\n"), sys.argv[3].replace("@", "\n")
text = open(path, encoding="utf-8").read()
if text.count(old) != 1:
    sys.exit(f"{path}: {old!r} is there {text.count(old)} times: the sources have changed, and so must faults.sh")
open(path, "w", encoding="utf-8").write(text.replace(old, new))
PYTHON
}

build() {
    cmake --build "$work/build" --target test_differential test_embed >"$work/build.log" 2>&1 ||
        { tail -n 40 "$work/build.log" >&2; return 1; }
}

# sweep PROGRAM CASES: 0 if all cases pass; otherwise prints the first that does not. The program `barriers` has none.
sweep() {
    if [[ $1 == barriers ]]; then
        timeout -k 10 1200 "$work/build/tests/embed/test_embed" embed_barriers >"$work/$1.log" 2>&1 && return 0
        printf 'the test embed_barriers\n'
        return 1
    fi
    SHW_CASES=$2 timeout -k 10 1200 "$work/build/tests/differential/test_differential" "differential_$1" >"$work/$1.log" 2>&1 && return 0
    sed -n 's/^# case \([a-z]*:[0-9]*\):.*/case \1/p' "$work/$1.log" | head -n 1
    return 1
}

mkdir "$copy"
tar -C "$sources" --exclude=./build --exclude=./.git -cf - . | tar -C "$copy" -xf -
cmake -S "$copy" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DSHADEWOOD_TESTS=ON >"$work/configure.log" 2>&1 ||
    { tail -n 20 "$work/configure.log" >&2; exit 1; }
build
printf '1..%d\n' $((${#faults[@]} + 1))
if sweep barriers 0 >/dev/null && sweep train "$cases" >/dev/null && sweep label "$cases" >/dev/null; then
    point ok "no fault: $cases cases of each sweep pass"
else
    point 'not ok' 'no fault, but a case fails'
fi
for fault in "${faults[@]}"; do
    IFS='|' read -r name file old new <<<"$fault"
    cp "$copy/$file" "$work/kept"
    replace "$copy/$file" "$old" "$new"
    build
    found=
    for program in barriers label train; do
        [[ -n $found ]] || found=$(sweep "$program" "$cases") || true
    done
    if [[ -n $found ]]; then
        point ok "$name: found by $found"
    else
        point 'not ok' "$name: not found in $cases cases of each sweep"
    fi
    cp "$work/kept" "$copy/$file"
done
((failed == 0))
