#!/bin/sh
# Trains on rendered RGB-D images with --memory at a tenth of their size, by each technique given, and by the first one with
# everything in memory: wall clock, processor time, peak memory of the process, and the forest's hash, which must be the same. By cpu the
# peak must not exceed the limit; by other techniques the limit is on the device's memory.
# usage: train-tenth.sh PROGRAM [IMAGES [WxH [LIMIT [TECHNIQUE...]]]]
# The defaults are 1000 images of 640x480, a tenth of their integral images, in MiB, and cpu. Images as they are decoded,
# with their depth, are a quarter as large as their integral images.
set -eu
program=$(realpath "$1")
images=${2:-1000}
size=${3:-640x480}
width=${size%x*}
height=${size#*x}
planes=$((images * (width + 1) * (height + 1) * 5 * 4)) # depth, its count, L, a, b
limit=${4:-$((planes / 10 / 1048576))}
for shifted in 1 2 3 4; do
    test $# -gt 0 && shift
done
test $# -gt 0 || set -- cpu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" synth -q -o "$folder/scenes" --count "$images" --size "$size" --noise 15 --holes > "$folder/synth.txt"
echo "$images images of $size with depth: decoded $((images * width * height * 5 / 1048576)) MiB, integral images $((planes / 1048576)) MiB, limit $limit MiB"
bad=0
hash=
train() { # name, technique, options
    name=$1
    technique=$2
    shift 2
    /usr/bin/time -o "$folder/time.txt" -f "%e %U %S %M" "$program" train -q --json --data "$folder/scenes" \
        --technique "$technique" --feature depth-mean-difference --channels depth,lab --trees 1 --depth 4 \
        --candidates 100 --bins 21 --pixels 300 -o "$folder/$name.ktx2" "$@" > "$folder/train.json"
    got=$(sed -n 's/.*"hash": "\([0-9a-f]*\)".*/\1/p' "$folder/train.json")
    read -r wall user system peak < "$folder/time.txt"
    echo "$name: $wall s, processor $user + $system s, peak $((peak / 1024)) MiB, hash $got"
    test "${hash:=$got}" = "$got" || { echo "the forest is another"; bad=1; }
}
for technique; do
    train "$technique-limited" "$technique" --memory "${limit}M"
    test "$technique" != cpu || test "$peak" -le $((limit * 1024)) || { echo "peak above the limit"; bad=1; }
done
train "$1-unlimited" "$1"
exit $bad
