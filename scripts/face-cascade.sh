#!/usr/bin/env bash
# Trains a cascade for frontal faces and measures it: scripts/face-cascade.sh SHADEWOOD DATA OUT [OPTION...]
# DATA has faces19/ and msrc21/ (docs/detection-training.md); options are for train-cascade. Files in OUT are made once.
set -euo pipefail
shadewood=$(realpath "$1") data=$(realpath "$2") out=$3
shift 3
here=$(realpath "$(dirname "$0")")
mkdir -p "$out"
cd "$out"
[[ -f measure.txt ]] || python3 "$here/face_cascade.py" split "$data"
[[ -f face.ktx2 ]] || "$shadewood" train-cascade --objects faces-train.npy --backgrounds mine.txt --window 26x26 --border 5 --blur-after \
    --name face --depth 4 --stages 800 --candidates 1500 --copies 16 --shift 5 --scale 10 --turn 14 --contrast 50 --blur \
    --noise 4 --background-count 30000 --round-stages 24 --loss 80 --checkpoint face.part --resume -o face.ktx2 "$@" ||
    [[ $? == 4 ]] # it misses its target, and is measured all the same
python3 "$here/face_cascade.py" measure "$shadewood" face.ktx2
