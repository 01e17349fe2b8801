#!/bin/sh
# Training by cpu within --memory: the same forest, and no more memory than that.
set -eu
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$program" synth -q -o scenes --count 60 --size 160x120 > /dev/null
train() { # limit of memory in KiB or "unlimited", forest, options
    limit=$1 forest=$2
    shift 2
    (
        ulimit -d "$limit"
        "$program" train -q --data scenes -t cpu --threads 1 --trees 1 --depth 4 --candidates 60 --pixels 200 -o "$forest" "$@"
    ) > /dev/null
}
train unlimited whole.ktx2
# the planes of 60 images take 71 MiB
train 40960 limited.ktx2 --memory 40M
cmp -s whole.ktx2 limited.ktx2 || { echo "with --memory 40M the forest is another one" >&2; exit 1; }
if message=$(train unlimited refused.ktx2 --memory 2M 2>&1); then
    echo "--memory 2M was not refused" >&2
    exit 1
fi
case $message in
*"training with cpu needs at least "*) ;;
*) echo "--memory 2M was refused with: $message" >&2; exit 1 ;;
esac
echo "60 images, whose planes take 71 MiB, in a process of 40 MiB: the same forest; 2 MiB are refused"
