#!/usr/bin/env bash
# faults.sh SOURCES: copies the sources, puts faults of one line into the copy, one at a time, and expects the
# test named with a fault, the differential tests or the test of barriers to find each of them; TAP on the output. It
# builds the library and three tests, which takes minutes, so it runs only where SHW_SLOW=1. SHW_CASES: of each sweep
# and fault, 300.
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

# name | file | text, which must stand there once | what it becomes | the test that finds it, if no sweep must
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
    'reach: a side that is not counted is left out|src/dense/feature/rectangle_difference.c|    for (int i = 0; i < 2; i++) {@        struct shw_rectangle rect = difference.rectangle[i];@        reach =|    for (int i = 0; i < (difference.single ? 1 : 2); i++) {@        struct shw_rectangle rect = difference.rectangle[i];@        reach =|equality_evaluate'
    'memory of cpu: one plane for each channel in progress, not three|src/dense/grow_cpu/memory.c|pixels * (channels * 3 * sizeof(int16_t)|pixels * (channels * sizeof(int16_t)|equality_train_memory'
    'memory of cpu: planes that go later are not counted|src/dense/grow_cpu/memory.c|memory->round + taken <=|memory->round <=|equality_train_memory'
    'memory of the device: images get what batches have|src/dense/grow_device/backend.c|return taken < memory ? memory - taken : 0;|return taken < memory ? memory : 0;|embed_train'
    'splits by compute: of equals the last one|shaders/dense/train/best.glsl|return a.order < b.order &&|return a.order > b.order &&|equality_train'
    'splits by compute: as many samples as the least are too few|shaders/dense/train/split.comp|left_samples >= constants.samples_min|left_samples > constants.samples_min|equality_train'
    'histograms by compute: the last item of a batch is left out|shaders/dense/train/histogram.comp|if (number >= push.item_end)|if (number + 1u >= push.item_end)|equality_train'
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
    cmake --build "$work/build" --target test_differential test_embed test_equality >"$work/build.log" 2>&1 ||
        { tail -n 40 "$work/build.log" >&2; return 1; }
}

# group NAME: 0 if this test passes; otherwise prints its name.
group() {
    timeout -k 10 1200 "$work/build/tests/${1%%_*}/test_${1%%_*}" "$1" >"$work/$1.log" 2>&1 && return 0
    printf 'the test %s\n' "$1"
    return 1
}

# sweep PROGRAM CASES: 0 if all cases pass; otherwise prints the first that does not. The program `barriers` has none.
sweep() {
    if [[ $1 == barriers ]]; then
        group embed_barriers
        return
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
sound=yes
for test in equality_evaluate equality_train equality_train_memory embed_train; do
    group "$test" >/dev/null || sound=
done
if [[ -n $sound ]] && sweep barriers 0 >/dev/null && sweep train "$cases" >/dev/null && sweep label "$cases" >/dev/null; then
    point ok "no fault: the tests and $cases cases of each sweep pass"
else
    point 'not ok' 'no fault, but a test or a case fails'
fi
for fault in "${faults[@]}"; do
    IFS='|' read -r name file old new test <<<"$fault"
    cp "$copy/$file" "$work/kept"
    replace "$copy/$file" "$old" "$new"
    build
    found=
    [[ -z $test ]] || found=$(group "$test") || true
    for program in barriers label train; do
        [[ -n $found || -n $test ]] || found=$(sweep "$program" "$cases") || true
    done
    if [[ -n $found ]]; then
        point ok "$name: found by $found"
    else
        point 'not ok' "$name: not found by ${test:-$cases cases of each sweep}"
    fi
    cp "$work/kept" "$copy/$file"
done
((failed == 0))
