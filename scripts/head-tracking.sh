#!/usr/bin/env bash
# Sharp's head tracking (2008, Figure 11 (c)-(d)) on rendered sequences, with and without motion: the figures of
# docs/accuracy.md, and the picture there. usage: head-tracking.sh PROGRAM FOLDER [PICTURE]; about eight minutes of
# processor time. PICTURE: FOLDER/head-tracking.png
set -euo pipefail
program=$1 folder=$2
scripts=$(cd "$(dirname "$0")" && pwd)

synth=(synth --quiet --scene heads --size 160x120 --noise 15)
train=(train --quiet --data "$folder/scenes" --split "$folder/scenes/sequences.txt" --technique cpu
    --trees 6 --depth 14 --pixels 300 --candidates 150 --offset 60 --size 41 --single 50 --min-samples 6
    --score gini --weights inverse-root)
winn=gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,dx:2,dy:2,dx:4,dy:4

mkdir -p "$folder"
"$program" "${synth[@]}" --output "$folder/scenes" --frames 6 --count 1200
"$program" "${synth[@]}" --output "$folder/held-out" --frames 15 --count 450 --seed 100000

# run NAME CHANNELS [LABEL-OPTION]: trains, evaluates, and labels each held-out sequence as a video.
run() {
    printf '\n== %s: %s\n' "$1" "$2"
    "$program" "${train[@]}" --channels "$2" --output "$folder/$1.ktx2"
    "$program" evaluate --quiet --technique cpu --data "$folder/held-out" --split "$folder/held-out/sequences.txt" \
        "$folder/$1.ktx2" | sed -n '/^class /,$p'
    for first in {0..435..15}; do
        frames=()
        for ((frame = first; frame < first + 15; frame++)); do
            frames+=("$(printf '%s/held-out/%05d_colors.png' "$folder" "$frame")")
        done
        "$program" label --quiet --technique cpu "${@:3}" --no-overlay --output "$folder/$1" "$folder/$1.ktx2" "${frames[@]}"
    done
}

run without dx:2,dy:2
run with dx:2,dy:2,dt,dt-gradient --frames
run winn-without "$winn"
run winn-with "$winn,dt,dt-gradient" --frames
# The frames in which nothing has moved since the one before, so that its depth is the same, and the first of each
# sequence, which has none before.
rm -rf "$folder"/{moving,still}
for frame in {0..449}; do
    name=$(printf %05d "$frame") before=$(printf %05d "$((frame > 0 ? frame - 1 : 0))") kind=moving
    if ((frame % 15 == 0)) || cmp -s "$folder/held-out/$name"_depth.png "$folder/held-out/$before"_depth.png; then
        kind=still
    fi
    for forest in without with winn-without winn-with; do
        mkdir -p "$folder/$kind/$forest"
        cp "$folder/$forest/${name}_colors_labels.png" "$folder/$kind/$forest"
    done
done

printf '\n'
"$scripts/track_heads.py" "$folder/held-out" "$folder"/{without,with} \
    --picture "${3:-$folder/head-tracking.png}" 00003 00100 00330
"$scripts/track_heads.py" "$folder/held-out" "$folder"/{,moving/,still/}winn-{without,with} "$folder"/{moving,still}/with{out,}
