#!/usr/bin/env bash
# How many frames and how many labellings a second the viewer gives in a window, while a video of 320 x 240 pixels
# plays, by each technique. On a display of its own; the video is noise.
# usage: viewer-bench.sh BUILD-FOLDER [FOREST [TECHNIQUE...]]      (a forest of 4 trees of 64 leaves; auto compute
# fragment)
set -euo pipefail
build=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
forest=${2:-}
shift $(($# < 2 ? $# : 2))
techniques=("${@:-auto}")
[[ $# -eq 0 ]] && techniques=(auto compute fragment)

if [[ -z $forest ]]; then
    forest=$folder/forest.ktx2
    "$build/shadewood" synth --quiet --output "$folder/scenes" --count 12
    "$build/shadewood" train --quiet --data "$folder/scenes" --output "$forest" --trees 4 --depth 6 --leaves 64 --candidates 60
fi
{
    printf 'YUV4MPEG2 W320 H240 F30:1 Ip A1:1 C420jpeg\n'
    for ((frame = 0; frame < 300; frame++)); do
        printf 'FRAME\n'
        dd if="$build/shadewood" bs=115200 count=1 skip=$((frame % 12)) iflag=fullblock status=none
    done
} >"$folder/noise.y4m"
for technique in "${techniques[@]}"; do
    cat >"$folder/script" <<SCRIPT
technique $technique
forest $forest
open $folder/noise.y4m
overlay argmax
play on
wait 60
forget
wait 200
report
quit
SCRIPT
    xvfb-run --auto-servernum --server-args='-screen 0 1280x1024x24' "$build/shadewood-viewer" --size 960x640 \
        --script "$folder/script" >"$folder/report.json"
    printf '%-9s %s frames a second, %s labellings a second\n' "$technique" \
        "$(sed 's/.*"frames_per_second":\([0-9.]*\).*/\1/' "$folder/report.json")" \
        "$(sed 's/.*"labellings_per_second":\([0-9.]*\).*/\1/' "$folder/report.json")"
    cat "$folder/report.json"
done
