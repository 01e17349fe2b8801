#!/usr/bin/env bash
# The program of docs/label-your-frame.md labels a frame as `shadewood label` does, without a message of the validation
# layers where they are installed; it has at most 80 lines.
# usage: frame.sh SHADEWOOD EXAMPLE SOURCE
set -euo pipefail
program=$1 example=$2 source=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

lines=$(wc -l <"$source")
((lines <= 80)) || { echo "the program of docs/label-your-frame.md has $lines lines"; exit 1; }

"$program" synth -q --output scenes --count 4 --size 64x48
"$program" train -q --data scenes --output forest.ktx2 --trees 2 --pixels 150 --depth 6 -t cpu

# a picture of patches and noise, and the same with an opaque fourth component
awk 'BEGIN {
    srand(7)
    for (patch = 0; patch < 12 * 3; patch++)
        base[patch] = int(rand() * 229)
    for (i = 0; i < 64 * 48 * 3; i++)
        printf "%d\n", base[(int(i / 64 / 3 / 16) * 4 + int(i / 3 % 64 / 16)) * 3 + i % 3] + int(rand() * 27)
}' >numbers
mkdir check
LC_ALL=C awk 'BEGIN { print "P6\n64 48\n255" } { printf "%c", $1 }' numbers >check/a.ppm
LC_ALL=C awk '{ printf "%c" (NR % 3 ? "" : "%c"), $1, 255 }' numbers >frame.rgba

export VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
status=0
VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$example" forest.ktx2 64 48 <frame.rgba >classes.u16 2>messages || status=$?
if grep -q 'VK_ERROR_LAYER_NOT_PRESENT\|VkResult -6$' messages; then
    status=0
    "$example" forest.ktx2 64 48 <frame.rgba >classes.u16 2>messages || status=$?
fi
((status == 0)) || { cat messages; exit "$status"; }
if [[ -s messages ]] || grep -ai validation classes.u16; then
    cat messages
    exit 1
fi
[[ $(stat -c %s classes.u16) == $((64 * 48 * 2)) ]]

# classes as a grey picture; measured against it, the forest is always right
LC_ALL=C od -An -v -tu2 -w2 classes.u16 | LC_ALL=C awk 'BEGIN { print "P5\n64 48\n255" } { printf "%c", $1 }' >check/a.pgm
"$program" evaluate --data check --images '{}.ppm' --labels '{}.pgm' --palette forest.ktx2 -t cpu forest.ktx2 | tee accuracy
grep -q "^pixel accuracy *100.0" accuracy
(($(grep -c ' 100\.0 *100\.0 *100\.0$' accuracy) >= 4)) # classes

# what is wrong is said
if "$example" check/a.ppm 64 48 <frame.rgba >none 2>messages || ! grep -q '^shadewood: check/a.ppm' messages; then
    cat messages
    exit 1
fi
for size in '0 0' '0 48' '64 0' '-64 48' 'wide high'; do
    status=0
    # shellcheck disable=SC2086
    "$example" forest.ktx2 $size <frame.rgba >none 2>messages || status=$?
    if ((status != 2)) || ! grep -q '^label-frame FOREST' messages; then
        echo "size $size: status $status"
        cat messages
        exit 1
    fi
done
