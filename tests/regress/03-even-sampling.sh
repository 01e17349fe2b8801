#!/usr/bin/env bash
# Every choice of 3 of 10 images is equally likely, as is the class of a single pixel in balanced sampling; checkpoints
# of the random generator before are refused, but label.
set -euo pipefail
program=$(realpath "$1")
earlier=$(realpath "$(dirname "$0")")/../fuzz/corpus/checkpoint/generator-1.ktx2

fail() {
    echo "$*" >&2
    exit 1
}

# image NAME LABELS: a black image of so many pixels, whose labels are octal bytes.
image() {
    local pixels=$((${#2} / 4))
    { printf 'P6\n%d 1\n255\n' $pixels; head -c $((3 * pixels)) /dev/zero; } > "$1.ppm"
    { printf 'P5\n%d 1\n255\n' $pixels; printf "$2"; } > "$1_labels.pgm"
}

# chi_squared CELLS OPTION...: trains forests of 4096 trees, each of one leaf, whose classes are those of its samples,
# and prints the statistic per degree of freedom of the sets of classes.
chi_squared() {
    local cells=$1 seed
    shift
    for seed in 1; do
        "$program" train --quiet --threads 1 --data . --images '{}.ppm' --labels '{}_labels.pgm' --trees 4096 --depth 1 \
            --min-samples 100 --candidates 1 --size 1 --seed $seed "$@" -o forest-$seed.ktx2 > /dev/null
        "$program" explain forest-$seed.ktx2 a.ppm 0 0 --json
    done | awk -v cells="$cells" '
        /"classes"/ { trees = 0 }
        /"trees"/ { trees = 1 }
        trees && /"distribution"/ { set = ""; inside = 1; next }
        inside && /]/ { inside = 0; counts[set]++; total++ }
        inside { set = set ($1 + 0 > 0) }
        END {
            for (set in counts) { sum += (counts[set] - total / cells) ^ 2; found++ }
            sum += (cells - found) * (total / cells) ^ 2
            printf "%.2f\n", sum / (total / cells) / (cells - 1)
        }'
}

less() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

for i in 0 1 2 3 4 5 6 7; do
    image "$(printf '%b' "\\14$((i + 1))")" "\\00$i"
done
image i '\010'
image j '\011'
images=$(chi_squared 120 --images-percent 30 --pixels all)
less "$images" 1.6 || fail "3 of 10 images: chi-squared / df is $images"
rm -f ./*.ppm ./*.pgm

image a '\000\000\000\001\001\002'
classes=$(chi_squared 3 --sampling balanced --pixels 1)
less "$classes" 5 || fail "one pixel of three classes: chi-squared / df is $classes"

if "$program" train --quiet --data . --images '{}.ppm' --labels '{}_labels.pgm' --checkpoint "$earlier" --resume \
    -o forest.ktx2 > out 2>&1; then
    fail "a checkpoint of version 1 of the random generator was continued"
fi
grep -q 'version 1 of the random generator.* has version 2' out || fail "the message does not name versions: $(cat out)"
"$program" label --quiet "$earlier" a.ppm -o . > /dev/null || fail "a forest of version 1 does not label"
echo "sampling is even: chi-squared / df is $images for 3 of 10 images, $classes for the class of one pixel"
