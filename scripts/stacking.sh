#!/bin/sh
# Stacking on MSRC-21 (docs/stacking.md): trains and measures one and two levels in several settings. Ten to twenty
# trainings of the size of docs/accuracy.md's; with a graphics card they take a few minutes.
#
# usage: scripts/stacking.sh SHADEWOOD MSRC OUT [OPTION OF TRAIN...]
# SHADEWOOD is the program, MSRC the folder of the data, OUT a folder for forests and results. Forests that are there are
# not trained again, so an interrupted run continues. SMOOTH=RADIUS (32) is the smoothing of evaluation; BELOW, options
# for the lower levels alone, such as --smooth 16.
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
for below in 20 40 95; do
    for trees in 20 40; do
        train "below-$below-$trees" --trees $trees --folds 5 --offset $below --size $((below < 60 ? below + 1 : 60)) \
            ${BELOW:-} "$@"
        measure "below-$below-$trees"
        train "two-$below-$trees" --trees 20 --below "$out/below-$below-$trees.ktx2" --offset 200 --size 160 \
            --score information-gain "$@"
        measure "two-$below-$trees"
    done
done
