#!/usr/bin/env bash
# Trains a forest, writes it as a shader, and runs that in the example, whose labels must be those that Shadewood gives:
# measured against them, the forest is always right.
# usage: highlight.sh SHADEWOOD EXAMPLE GLSLANG
set -euo pipefail
program=$1 example=$2 glslang=$3 here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$program" synth -q --output scenes --count 4 --size 64x48
"$program" train -q --data scenes --output forest.ktx2 --trees 2 --pixels 150 --depth 6 -t cpu
"$program" export -q --to glsl forest.ktx2 -o shader

for pass in 1 2 4 5 6; do
    "$glslang" --quiet -V -DFOREST_PASS=$pass shader/forest.comp -o shader/forest-$pass.spv
done
"$glslang" --quiet -V -Ishader "$here/highlight.comp" -o shader/highlight.spv

# a picture of stripes and noise
mkdir check
awk 'BEGIN {
    srand(7)
    print "P6\n64 48\n255"
    for (i = 0; i < 64 * 48 * 3; i++)
        printf "%c", 40 + int(i / 90) % 60 + int(rand() * 27)
}' >check/a.ppm
"$example" shader check/a.ppm picture.ppm check/a.pgm
"$program" evaluate --data check --images '{}.ppm' --labels '{}.pgm' --palette forest.ktx2 -t cpu forest.ktx2 | tee accuracy
grep -q "^pixel accuracy *100.0" accuracy
