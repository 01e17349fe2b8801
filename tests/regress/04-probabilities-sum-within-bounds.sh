#!/usr/bin/env bash
# Each tree's probabilities of a pixel sum to exactly 65535; those of the forest, rounded class by class, to as much
# within the bounds that docs/forest-format.md states.
set -euo pipefail
program=$1

"$program" synth --quiet --output scenes --count 6 --size 48x32 >/dev/null
for trees in 1 2 3 4 7; do
    "$program" train --quiet --data scenes --trees "$trees" --depth 5 --candidates 20 --pixels 200 --threads 1 \
        -o forest.ktx2 >/dev/null
    for x in 3 13 23 33 43; do
        "$program" explain forest.ktx2 scenes/00000_colors.png "$x" 20 --json
    done
done | awk '
    function finish() {
        if (!have)
            return
        sums++
        off += whole != 65535
        if (whole < 65535 - int(classes * int((n - 1) / 2) / n) || whole > 65535 + int(classes * int(n / 2) / n)) {
            printf "%d trees, %d classes: the probabilities sum to %d\n", n, classes, whole
            bad = 1
        }
    }
    /"classes"/ { finish(); have = 1; trees = n = 0 }
    /"trees"/ { trees = 1 }
    /"distribution"/ { inside = 1; sum = values = 0; next }
    inside && /]/ {
        inside = 0
        if (!trees) {
            whole = sum
            classes = values
        } else if (++n && sum != 65535) {
            printf "tree %d sums to %d\n", n, sum
            bad = 1
        }
        next
    }
    inside { sum += $1; values++ }
    END {
        finish()
        if (bad || sums != 25 || off == 0) {
            printf "%d sums, %d of them not 65535\n", sums, off
            exit 1
        }
        printf "the probabilities of %d pixels sum to 65535 within the bounds, %d not exactly\n", sums, off
    }'
