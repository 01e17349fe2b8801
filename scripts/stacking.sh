#!/bin/sh
# Stacking on MSRC-21 (docs/stacking.md): trains and measures one and two levels in several settings. Ten to twenty
# trainings of the size of docs/accuracy.md's; with a graphics card they take a few minutes.
#
# usage: scripts/stacking.sh SHADEWOOD MSRC OUT [OPTION OF TRAIN...]
# SHADEWOOD is the program, MSRC the folder of the data, OUT a folder for forests and results. Forests that are there are
# not trained again, so an interrupted run continues. SMOOTH=RADIUS (32) is the smoothing of evaluation; BELOW, options
# for the lower levels alone, such as --smooth 32 where train has that option.
set -eu
[ $# -ge 3 ] || { sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 2; }
program=$1 data=$2 out=$3
shift 3
mkdir -p "$out"

common="--channels wide --depth 20 --pixels 1000 --candidates 1000 --score gini --min-samples 6 --single 30 --mirror
    --weights inverse-root --size 60 --offset 95"

train() { # NAME OPTION...
    name=$1
    shift
    [ -f "$out/$name.ktx2" ] ||
        "$program" train --data "$data" --images 'images/{}.png' --labels 'labels/{}.png' --split "$data/splits/Train.txt" \
            --split "$data/splits/Val.txt" $common "$@" --quiet --output "$out/$name.ktx2"
}

measure() { # NAME
    for smooth in 0 "${SMOOTH:-32}"; do
        "$program" evaluate --data "$data" --images 'images/{}.png' --labels 'labels/{}.png' \
            --split "$data/splits/Test.txt" --smooth "$smooth" --quiet "$out/$1.ktx2" |
            awk -v name="$1" -v smooth="$smooth" '
                /^pixel accuracy/ { pixels = $3 }
                /^mean class accuracy/ { classes = $4 }
                /^mean IoU/ { iou = $3 }
                END { printf "%-28s smooth %-3s %s / %s / %s\n", name, smooth, pixels, classes, iou }'
    done
}

train one --trees 20 "$@"
measure one
for folds in 3 5 10; do
    for trees in 20 40; do
        train "below-$folds-$trees" --trees $trees --folds $folds ${BELOW:-} "$@"
        measure "below-$folds-$trees"
        train "two-$folds-$trees" --trees 20 --below "$out/below-$folds-$trees.ktx2" "$@"
        measure "two-$folds-$trees"
    done
done
train two-far --trees 20 --below "$out/below-5-40.ktx2" --offset 150 --size 120 --single 50 "$@"
measure two-far
train three-below --trees 40 --folds 5 --below "$out/below-5-40.ktx2" ${BELOW:-} "$@"
train three --trees 20 --below "$out/three-below.ktx2" "$@"
measure three
