#!/bin/sh
# Times training by cpu with a limit of memory and without one, on rendered scenes, in the same run: processor time, wall
# clock and peak memory, and whether the forests are the same.
# usage: train-memory.sh PROGRAM [IMAGES [LIMIT [TRAIN-OPTION...]]]
# The defaults are 10000 images of 160 x 120 pixels, 1G, and one tree of depth 6 with two threads. All integral images take
# 1.2 MiB per image: without the limit, 10000 images need 13 GiB.
set -eu
program=$(realpath "$1")
images=${2:-10000}
limit=${3:-1G}
shift
test $# -gt 0 && shift
test $# -gt 0 && shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" synth -q -o "$folder/scenes" --count "$images" --size 160x120 --noise 15 > /dev/null
train() { # name, options
    name=$1
    shift
    /usr/bin/time -f "$name: %e s, processor %U + %S s, peak %M kB" "$program" train -q --data "$folder/scenes" -t cpu \
        --trees 1 --depth 6 --threads 2 -o "$folder/$name.ktx2" "$@" > /dev/null
}
train limited --memory "$limit" "$@"
train unlimited "$@"
cmp "$folder/limited.ktx2" "$folder/unlimited.ktx2" && echo "the forests are the same"
