#!/usr/bin/env bash
# 1920 x 1080 pixels with 17 channels, whose integral images exceed 128 MiB, the storage buffers that Vulkan guarantees:
# compute labels them as cpu does.
set -euo pipefail
program=$(realpath "$1")

if ! "$program" devices >/dev/null 2>&1; then
    echo "there is no Vulkan device"
    exit 77
fi
seq 1 1000000 >digits
{ printf 'P6\n64 48\n255\n'; head -c $((64 * 48 * 3)) digits; } >a.ppm
{ printf 'P5\n64 48\n255\n'; head -c $((64 * 48)) digits | tr '\n0-9' '\0\0\1\0\1\0\1\0\1\0\1'; } >a_labels.pgm
{ printf 'P6\n1920 1080\n255\n'; head -c $((1920 * 1080 * 3)) digits; } >frame.ppm
"$program" train --quiet --technique cpu --data . --images '{}.ppm' --labels '{}_labels.pgm' --trees 1 --depth 3 \
    --candidates 8 --size 5 --channels winn17 -o forest.ktx2 >/dev/null
for technique in cpu compute; do
    "$program" label --quiet --technique $technique --max-tile 1920x1080 forest.ktx2 frame.ppm -o $technique
done
cmp cpu/frame_labels.png compute/frame_labels.png
echo "1920 x 1080 pixels with 17 channels are labelled by compute"
