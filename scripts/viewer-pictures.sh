#!/usr/bin/env bash
# Makes the pictures of the viewer that the documents show: scenes that are rendered, a forest trained on others, and
# strokes by a script; and those of the tutorial, on the way through the first ten minutes. usage: viewer-pictures.sh
# [FOLDER]; the folder of the programs: build/release. Writes assets/viewer-*.png and assets/tutorial-*.png, with 96
# colours by ImageMagick.
set -euo pipefail
cd "$(dirname "$0")/.."
programs=${1:-build/release}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$programs/shadewood" synth --quiet --output "$work/scenes" --count 120 --size 160x120 --noise 15
"$programs/shadewood" synth --quiet --output "$work/held-out" --count 8 --size 160x120 --noise 15 --seed 100000
"$programs/shadewood" synth --quiet --output "$work/room" --count 2 --size 320x240 --noise 4 --seed 100000
"$programs/shadewood" train --quiet --data "$work/scenes" --output "$work/scenes.ktx2" --technique cpu \
    --channels wide --trees 8 --depth 14 --pixels 500 --candidates 100 --single 60 --min-samples 4 \
    --offset 25 --size 16 --score gini --weights inverse-root --seed 1

cat >"$work/script" <<END
panels on
panels left on
panel export off
panel import off
panel teach off
forest $work/scenes.ktx2
open dataset:$work/held-out
go 8
wipe 33
mouse move 560 400
wait 10
wait 10
screenshot assets/viewer-overlay.png
wipe 0
panels left off
panel classes off
panel pixel off
panel inspect on
inspect 66 74
wait 10
screenshot assets/viewer-inspect.png
panel inspect off
panel pixel on
panel teach on
panel classes on
inspect off
open $work/room/00001_colors.png
project new
add-class wall
add-class floor
add-class ceiling
add-class person
add-class wood
stroke 0 4 250 70 300 74
stroke 0 4 60 60 105 70
stroke 1 4 110 190 240 190
stroke 1 3 150 220 290 215
stroke 0 3 100 105 112 165
stroke 2 4 100 20 200 30
stroke 2 3 40 4 75 25
stroke 2 3 270 20 310 45
stroke 3 3 180 130 205 150
stroke 3 2 190 105 200 112
stroke 3 2 184 168 185 190
stroke 4 3 55 120 58 200
stroke 4 2 182 84 218 84
stroke 4 2 300 90 302 160
teach on
wait judged
class person
mouse move 620 500
wait 10
screenshot assets/viewer-teach.png
panels off
strokes off
mouse move 5 5
compare-smoothing on
wait 10
screenshot assets/viewer-smoothing.png
END
"$programs/shadewood-viewer" --headless --overwrite --size 1200x750 --script "$work/script"

. scripts/first_minutes.sh
viewer=$(realpath "$programs")/shadewood-viewer assets=$PWD/assets
begin() { # the folder seems to be somebody's own
    "$viewer" --headless --overwrite --size 960x640 --settings settings.json --script "$1"
}
mkdir "$work/shots"
render_photos "$programs" "$work"
cd "$work"
export HOME=$work XDG_CACHE_HOME=$work/cache
{
    printf 'panels on\nwait 4\n'
    first_minutes 1500 shots
    echo "open photos/room-4.png"
} >first
printf 'panels on\nwait recent\nwait 8\nscreenshot shots/viewer-welcome.png\n' >second
begin first
begin second
for shot in shots/*.png; do
    convert "$shot" +dither -colors 96 "PNG8:$assets/$(basename "$shot")"
done
ls -l "$assets"/viewer-*.png "$assets"/tutorial-*.png
