#!/usr/bin/env bash
# How long a stroke of about 10,000 pixels takes to the overlay that knows it, without a display: a picture of 640 x 480
# pixels, five classes, strokes one after the other. The first stroke of each class is not waited for.
# With PICTURES, the labels of so many pictures of that size are exported meanwhile.
# With COMMAND, a program that it starts trains, as 'ssh HOST shadewood serve'; the last line then has the bytes that were sent.
# usage: stroke-latency.sh BUILD-FOLDER [STROKES [TRAINER [PICTURES [COMMAND]]]]   (20 strokes; auto, device or cpu; 0 pictures)
set -euo pipefail
build=$1 strokes=${2:-20} trainer=${3:-auto} pictures=${4:-0} command=${5:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/shadewood" synth --quiet --output "$folder/scene" --count 1 --size 640x480
mkdir "$folder/many"
for ((p = 0; p < pictures; p++)); do
    ln "$folder/scene/00000_colors.png" "$folder/many/$p.png"
done
{
    printf 'project new\ntrainer %s\nopen %s\n' "$trainer" "$folder/scene/00000_colors.png"
    printf 'add-class class-%d\n' 1 2 3 4 5
    [[ -z $command ]] || printf 'trainer-connect %s\n' "$command"
    for ((s = 0; s < strokes + 5; s++)); do
        # 21 pixels wide and 465 long
        printf 'stroke %d 10 %d %d %d %d\n' $((s % 5)) $((30 + s * 37 % 120)) $((20 + s * 83 % 440)) \
            $((485 + s * 37 % 120)) $((20 + (s * 83 + 20) % 440))
        [[ $s -lt 5 ]] || printf 'latency\nwait 20\n'
        [[ $s -ne 4 || $pictures -eq 0 ]] ||
            printf 'wait trained\nexport-add %s\nexport-start labels %s\n' "$folder/many" "$folder/labels"
        [[ $s -ne 4 || -z $command ]] || printf 'wait trained\ntrainer-status\n'
    done
    [[ -z $command ]] || printf 'trainer-status\n'
} >"$folder/script"
"$build/shadewood-viewer" --headless --script "$folder/script" >"$folder/times" 2>"$folder/messages"
[[ $pictures -eq 0 ]] || tail -n 1 "$folder/messages" # how far the export has come
cat "$folder/times"
awk '/^from/ {print $(NF - 1)}' "$folder/times" | sort -n |
    awk '{all[NR] = $1} END {printf "median %.3f ms, best %.3f ms, worst %.3f ms of %d strokes\n", all[int((NR + 1) / 2)], all[1], all[NR], NR}'
