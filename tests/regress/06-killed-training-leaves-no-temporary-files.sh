#!/usr/bin/env bash
# Training that saves a checkpoint every round is killed forty times; only files under their own names stay, and the
# empty files of its locks, which the next training takes over.
set -euo pipefail
program=$1

"$program" synth -q -o scenes --count 4 --size 32x24 >/dev/null
mkdir out
# On a busy machine, more times and later ones, until there is a checkpoint.
for ((i = 1; i <= 40 || (i <= 400 && $([[ -s out/part ]]; echo $?)); i++)); do
    timeout --foreground -s KILL "$(printf '%d.%03d' $(((40 + 5 * i) / 1000)) $(((40 + 5 * i) % 1000)))" "$program" train -q --data scenes -t cpu --threads 1 --trees 4000 \
        --depth 8 --candidates 20 --pixels 100 -o out/forest.ktx2 --checkpoint out/part --checkpoint-every 0 --resume ||
        true
done >log 2>&1
left=$(find out -mindepth 1 ! -name part ! \( -name '.*.lock.shadewood' -empty \))
if [[ -n $left || ! -s out/part ]]; then
    printf 'left in the folder: %s\n' "$(ls -A out)"
    exit 1
fi
"$program" train --data scenes -t cpu --threads 1 --trees 4000 --depth 8 --candidates 20 --pixels 100 \
    -o out/forest.ktx2 --checkpoint out/part --checkpoint-every 0 --resume >log 2>&1 &
process=$!
until grep -q resuming log || ! kill -0 "$process"; do sleep 0.01; done
kill -INT "$process"
wait "$process" || true
if [[ $(ls -A out) != part ]]; then
    printf 'left in the folder after an interruption: %s\n' "$(ls -A out)"
    exit 1
fi
echo 'forty kills while checkpoints are written leave the checkpoint and nothing else'
