#!/usr/bin/env bash
# Frames follow each other as people count (f8 before f10), or as a split file lists them: the same frames under padded
# and under plain names give the same labels and the same accuracy.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

"$program" synth -q -o padded -n 5 --frames 5 --size 40x30 --scene heads >/dev/null
"$program" train -q --data padded --split padded/sequences.txt --channels dt,rgb --trees 2 --depth 5 --candidates 50 \
    --pixels all -t cpu -o dt.ktx2 >/dev/null

# The same as f8 to f12 in a folder, and by names whose order is another one.
mkdir -p plain/video shuffled/video
cp padded/palette.json plain
cp padded/palette.json shuffled
names=(m z b a k)
for i in 0 1 2 3 4; do
    for part in colors depth ground_truth; do
        cp "padded/0000${i}_$part.png" "plain/video/f$((i + 8))_$part.png"
        cp "padded/0000${i}_$part.png" "shuffled/video/${names[i]}_$part.png"
    done
    printf 'video/f%d\n' $((i + 8)) >>plain.txt
    printf 'video/%s\n' "${names[i]}" >>shuffled.txt
done
(echo '---' && cat plain.txt) >plain-sequence.txt
(echo '---' && cat shuffled.txt) >shuffled-sequence.txt

# measure DATA OPTION...: what evaluation finds, without what depends on names and time.
measure() {
    "$program" evaluate -q -t cpu dt.ktx2 --layout curfil --data "$@" --json >out 2>err || fail "evaluate $*: $(cat err)"
    python3 -c '
import json
found = json.load(open("out"))
print({key: found[key] for key in found if key in ("confusion", "confusion_matrix", "pixel_accuracy", "mean_iou", "classes", "accuracy")})'
}

expected=$(measure padded --split padded/sequences.txt)
[[ $expected == *[1-9]* && $expected != "$(measure padded)" ]] || fail "motion makes no difference: $expected"
for data in 'plain' 'plain --split plain.txt' 'plain --split plain-sequence.txt' 'shuffled --split shuffled.txt' \
    'shuffled --split shuffled-sequence.txt'; do
    # shellcheck disable=SC2086
    [[ $(measure $data) == "$expected" ]] || fail "$data: $(measure $data), not $expected"
done
"$program" evaluate -t cpu dt.ktx2 --layout curfil --data shuffled --split shuffled.txt >out 2>err
grep -q 'video/z is listed before video/b, and is taken for its previous frame' err || fail "no warning: $(cat err)"
"$program" evaluate -t cpu dt.ktx2 --layout curfil --data plain --split plain.txt >out 2>err
! grep -q 'is listed before' err || fail "$(cat err)"

# label --frames, and the order in which label names images.
mkdir frames
for i in 0 1 2 3 4; do cp "padded/0000${i}_colors.png" "frames/f$((i + 8)).png"; done
"$program" label -q -t cpu --no-overlay --frames dt.ktx2 padded/*_colors.png -o listed
"$program" label -q -t cpu --no-overlay --frames dt.ktx2 frames -o folder --json >out
for i in 0 1 2 3 4; do
    cmp "listed/0000${i}_colors_labels.png" "folder/f$((i + 8))_labels.png" || fail "frames/f$((i + 8)).png"
done
[[ $(grep -o 'frames/f[0-9]*' out | uniq | tr '\n' ' ') == 'frames/f8 frames/f9 frames/f10 frames/f11 frames/f12 ' ]] ||
    fail "label: $(cat out)"

# convert --every takes the first of each two clouds.
mkdir clouds
for i in 8 9 10 11 12; do
    printf '%s\n' 'VERSION .7' 'FIELDS x y z rgb' 'SIZE 4 4 4 4' 'TYPE F F F U' 'COUNT 1 1 1 1' 'WIDTH 2' 'HEIGHT 2' \
        'VIEWPOINT 0 0 0 1 0 0 0' 'POINTS 4' 'DATA ascii' '0 0 1 255' '1 0 1 255' '0 1 1 255' '1 1 1 255' \
        >"clouds/f$i.pcd"
done
"$program" convert -q clouds -o converted --every 2 >/dev/null
[[ $(cd converted && echo *_colors.png) == 'f10_colors.png f12_colors.png f8_colors.png' ]] || fail "convert: $(ls converted)"

# depth names its images in that order, too.
"$program" depth -q plain/video -o filled --fill simple --json >out
[[ $(grep -o 'f[0-9]*_depth' out | tr '\n' ' ') == 'f8_depth f9_depth f10_depth f11_depth f12_depth ' ]] || fail "depth: $(cat out)"

# What is trained does not depend on it: images are in bytewise order.
mkdir flat
for i in 0 1 2 3 4; do
    cp "padded/0000${i}_colors.png" "flat/f$((i + 8))_colors.png"
    cp "padded/0000${i}_ground_truth.png" "flat/f$((i + 8))_ground_truth.png"
    cp "padded/0000${i}_depth.png" "flat/f$((i + 8))_depth.png"
done
cp padded/palette.json flat
printf 'f%d\n' 10 11 12 8 9 >bytewise.txt
printf 'f%d\n' 8 9 10 11 12 >natural.txt
train=(train -q -t cpu --data flat --layout curfil --trees 2 --depth 4 --pixels 50 --candidates 20)
"$program" "${train[@]}" -o one.ktx2 >/dev/null
"$program" "${train[@]}" --split bytewise.txt -o two.ktx2 >/dev/null
"$program" "${train[@]}" --split natural.txt -o three.ktx2 >/dev/null
hash=$("$program" inspect one.ktx2 | grep hash)
for forest in two three; do
    [[ $("$program" inspect "$forest.ktx2" | grep hash) == "$hash" ]] || fail "$forest is another forest"
done

mkdir objects
for i in 0 1 2 3 4; do cp "padded/0000${i}_colors.png" "objects/f$((i + 8)).png"; done
printf 'objects/f%d.png\n' 10 11 12 8 9 >objects.txt
for objects in objects objects.txt; do
    "$program" train-cascade -q -t cpu --objects "$objects" --backgrounds padded/00000_colors.png --window 8x8 --stages 2 \
        --background-count 50 --candidates 10 -o "$objects.ktx2" >/dev/null 2>&1 || (($? == 4))
done
[[ $("$program" inspect objects.ktx2 | grep hash) == "$("$program" inspect objects.txt.ktx2 | grep hash)" ]] ||
    fail 'objects of a folder are not in bytewise order'

echo 'frames f8 to f12 follow each other, whoever lists them'
