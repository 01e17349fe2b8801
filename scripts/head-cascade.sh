#!/usr/bin/env bash
# Trains a cascade for the heads of synthetic people, and measures it on other scenes:
# scripts/head-cascade.sh SHADEWOOD OUT [OPTION...]; options are for train-cascade. Files in OUT are made once.
set -euo pipefail
shadewood=$(realpath "$1") out=$2
shift 2
here=$(realpath "$(dirname "$0")")
mkdir -p "$out"
cd "$out"
scenes() { # FOLDER COUNT SEED
    [[ -f $1/heads.csv ]] && return
    "$shadewood" synth -o "$1" --count "$2" --seed "$3" --size 320x240 --noise 20 --quiet
    python3 "$here/head_rectangles.py" "$1" > "$1/heads.part"
    mv "$1/heads.part" "$1/heads.csv"
}
scenes train 500 1
scenes held-out 200 100001
[[ -f head.ktx2 ]] || "$shadewood" train-cascade --annotations train/heads.csv --window 14x20 --margin 5 --name head \
    --blur-after --stages 160 --depth 3 --copies 12 --checkpoint head.part --resume -o head.ktx2 "$@" ||
    [[ $? == 4 ]] # it misses its target, and is measured all the same
"$shadewood" detect head.ktx2 --evaluate held-out/heads.csv --match-overlap 0.5 --min-score any -o rates --overwrite
