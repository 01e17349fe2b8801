#!/usr/bin/env bash
# SIGHUP ends training as SIGINT does, with a checkpoint; under nohup it does nothing.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# wait_for LOG COUNT: until so many rounds are in it.
wait_for() {
    until [[ -e $1 && $(grep -c '"event":"round"' "$1") -ge $2 ]]; do
        kill -0 "$training" || fail "training ended: $(cat err)"
        sleep 0.05
    done
}

"$program" synth -q -o scenes --count 4 --size 32x24 >/dev/null
train=(train --data scenes -t cpu --threads 1 --trees 4000 --depth 6 --candidates 200 -o scenes.ktx2)

"$program" "${train[@]}" --checkpoint hup.part --log hup.jsonl 2>err &
training=$!
wait_for hup.jsonl 2
kill -HUP "$training"
code=0
wait "$training" || code=$?
((code == 130)) || fail "exit $code after SIGHUP: $(cat err)"
grep -q -- '--resume continues from hup.part' err || fail "no word about the checkpoint: $(cat err)"
"$program" inspect hup.part >/dev/null || fail 'the checkpoint cannot be read'

nohup "$program" "${train[@]}" --checkpoint nohup.part --log nohup.jsonl >out 2>err &
training=$!
wait_for nohup.jsonl 2
kill -HUP "$training"
wait_for nohup.jsonl $(($(grep -c '"event":"round"' nohup.jsonl) + 5))
kill -TERM "$training"
code=0
wait "$training" || code=$?
((code == 130)) || fail "exit $code after SIGTERM: $(cat err)"
[[ -e nohup.part ]] || fail 'no checkpoint after SIGTERM'

echo 'training ended by SIGHUP leaves a checkpoint; under nohup it continues'
