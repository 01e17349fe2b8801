#!/usr/bin/env bash
# The first line of progress of a command tells no time left: one step is no ground for an estimate.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# first WORDS COMMAND...: the first line of progress has the words, and the log of a training no number of seconds.
first() {
    local words=$1
    shift
    "$program" "$@" >out 2>err || (($? == 4)) || fail "$*: $(cat err)"
    grep -m 1 -E '^ *[0-9]+ %' err >line || fail "$*: no progress: $(cat err)"
    grep -q "$words" line || fail "$*: $(cat line)"
    ! grep -q ' left ' line || fail "$*: $(cat line)"
}

first 'scene 1' synth -o scenes --count 8 --size 48x40 --threads 1
printf 'a,class\n' >table.csv
for i in {1..200}; do printf '%d,%s\n' "$i" "$([[ $i -gt 80 ]] && echo yes || echo no)"; done >>table.csv
printf 'image,x,y,width,height,label\n' >objects.csv
for i in 0 1 2; do
    for x in 2 8 16; do printf 'scenes/0000%d_colors.png,%d,3,8,8,thing\n' "$i" "$x"; done
done >>objects.csv

first 'tree 1 of 3, round 1' train --data scenes -t cpu --threads 1 --trees 3 --depth 4 --candidates 20 --pixels 50 \
    -o f.ktx2 --log log.jsonl
python3 - <<'END'
import json
rounds = [line for line in map(json.loads, open("log.jsonl")) if line["event"] == "round"]
assert rounds[0]["seconds_left"] is None and rounds[1]["seconds_left"] is None and len(rounds) > 6, rounds
END
first 'tree 1 of 5' train-records table.csv -t cpu --threads 1 --trees 5 -o r.ktx2
first 'stage 1 of 5' train-cascade --annotations objects.csv -t cpu --threads 1 --window 8x8 --stages 5 \
    --background-count 200 --candidates 20 -o c.ktx2
first 'image 1 of 8' label -t cpu --threads 1 f.ktx2 scenes
first '1 of 8' evaluate -t cpu --threads 1 f.ktx2 --data scenes
first '1 of 8' detect -t cpu --threads 1 c.ktx2 scenes

echo 'the first line of progress tells no time left'
