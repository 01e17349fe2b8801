#!/usr/bin/env bash
# A forest whose place is gone when training ends is written elsewhere, with one line that says why and where.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

train=(train -q --data scenes -t cpu --threads 1 --trees 12 --depth 6)
"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" "${train[@]}" -o expected.ktx2 >/dev/null

# meanwhile OUTPUT CHECKPOINT: trains, and runs `intrude` while training stands still; it must fail with one error.
meanwhile() {
    local process code=0
    "$program" "${train[@]}" -o "$1" --checkpoint "$2" --checkpoint-every 0 >out 2>err &
    process=$!
    until [[ -e $2 ]]; do
        kill -0 "$process" || fail "training has ended: $(cat err)"
        sleep 0.01
    done
    kill -STOP "$process"
    [[ ! -e $1 ]] || fail 'training was over too soon'
    intrude
    kill -CONT "$process"
    wait "$process" || code=$?
    ((code == 1)) || fail "exit $code: $(cat err)"
}

# is_in PLACE REASON: the forest is there, and one line names both; it is the last.
is_in() {
    cmp "$1" expected.ktx2 || fail "the forest is not in $1: $(cat err)"
    tail -n 1 err | grep -F -- "$2" | grep -qF -- "a forest was written to $1" || fail "no word about $1: $(cat err)"
    (($(grep -c 'a forest' err) == 1)) || fail "more than one message: $(cat err)"
}

mkdir results other
printf mine >other/forest.ktx2
intrude() { rm -r results; }
meanwhile results/forest.ktx2 other/part
is_in other/forest-2.ktx2 'cannot write results/forest.ktx2: No such file or directory'
(($(wc -l <err) == 1)) && [[ $(cat other/forest.ktx2) == mine && ! -e results ]] || fail "$(cat err)"
"$program" inspect other/part >/dev/null || fail 'the checkpoint is gone'

mkdir results
intrude() { mv results renamed && mv other gone; }
meanwhile results/forest.ktx2 other/again
is_in ./forest.ktx2 'cannot write results/forest.ktx2: No such file or directory'

name=$(printf '%0250d' 0).ktx2
shorter=$(printf '%0248d' 0)-2.ktx2
intrude() { printf mine >"$name"; }
meanwhile "$name" part
is_in "$shorter" "$name has appeared since the beginning: it is kept"
[[ $(cat "$name") == mine ]] || fail 'training has replaced a file'

echo 'forests whose place is gone are written elsewhere'
