#!/usr/bin/env bash
# A file that appears, or is replaced, while a command runs is not replaced when the command writes its results: what
# was trained is written beside it, and a single image is left out.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# halt PROCESS: until it stands still.
halt() {
    local state
    kill -STOP "$1"
    until [[ ${state:-} == T ]]; do
        state=$(cut -d ' ' -f 3 "/proc/$1/stat" 2>/dev/null || true)
        [[ $state != Z && $state ]] || fail "process $1 was over too soon: $(cat err)"
        sleep 0.001
    done
}

# stop PROCESS: until it stands still, and is not writing a file, which has no name until it is complete: whether that
# name is its own is decided before.
stop() {
    halt "$1"
    while readlink "/proc/$1"/fd/* | grep -qF '(deleted)'; do
        kill -CONT "$1"
        sleep 0.002
        halt "$1"
    done
}

# meanwhile FILE COMMAND...: runs `intrude` when FILE appears, while the command stands still; sets `code`.
meanwhile() {
    local file=$1 process
    shift
    "$program" "$@" >out 2>err &
    process=$!
    until [[ -e $file ]]; do
        kill -0 "$process" || fail "shadewood $* has ended: $(cat err)"
        sleep 0.01
    done
    stop "$process"
    intrude
    kill -CONT "$process"
    code=0
    wait "$process" || code=$?
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
train=(train -q --data scenes -t cpu --threads 1 --trees 30 --depth 6)
"$program" "${train[@]}" -o expected.ktx2 >/dev/null

# The forest and the checkpoint of a training.
intrude() {
    [[ ! -e new.ktx2 ]] || fail 'training was over too soon'
    printf mine >new.ktx2
    printf mine >other
    mv other work.part
}
meanwhile work.part train --data scenes -t cpu --threads 1 --trees 30 --depth 6 -o new.ktx2 --checkpoint work.part \
    --checkpoint-every 0
((code == 1)) || fail "training: exit $code, $(cat err)"
[[ $(cat new.ktx2) == mine && $(cat work.part) == mine ]] || fail 'training has replaced a file'
cmp new-2.ktx2 expected.ktx2 || fail "the forest is not in new-2.ktx2: $(cat err)"
grep -q 'new.ktx2 has appeared since the beginning: it is kept, and a forest was written to new-2.ktx2' err || cat err
grep -q 'work.part was changed since the beginning: it is kept, and a checkpoint is written to work-2.part' err ||
    fail "the checkpoint: $(cat err)"
"$program" "${train[@]}" -o again.ktx2 --checkpoint work-2.part --resume >/dev/null # nothing is left to do but to write
cmp again.ktx2 expected.ktx2

# The same with --overwrite, which is about the forest.
rm -f new.ktx2 work.part
meanwhile work.part "${train[@]}" -o new.ktx2 --checkpoint work.part --checkpoint-every 0 --overwrite
((code == 0)) || fail "with --overwrite: exit $code, $(cat err)"
cmp new.ktx2 expected.ktx2 || fail 'with --overwrite the file stays'
[[ $(cat work.part) == mine && ! -e work-3.part ]] || fail 'with --overwrite the checkpoint has replaced a file'

# The last of many images.
mkdir many
for i in {100..399}; do ln scenes/00000_colors.png "many/$i.png"; done
intrude() {
    [[ ! -e labelled/399_overlay.png ]] || fail 'labelling was over too soon'
    printf mine >labelled/399_overlay.png
}
meanwhile labelled/100_labels.png label -q -t cpu --threads 1 expected.ktx2 many
((code == 1)) && grep -q '399_overlay.png has appeared' err || fail "label: exit $code, $(cat err)"
[[ $(cat labelled/399_overlay.png) == mine && ! -e labelled/399_labels.png && -e labelled/398_overlay.png ]] ||
    fail 'label: the wrong images'

intrude() {
    [[ ! -e synth/00299_depth.png ]] || fail 'synth was over too soon'
    printf mine >synth/00299_depth.png
}
meanwhile synth/00000_colors.png synth -q -o synth --count 300 --size 32x32 --threads 1
((code == 1)) && grep -q '00299_depth.png has appeared' err || fail "synth: exit $code, $(cat err)"
[[ $(cat synth/00299_depth.png) == mine ]] || fail 'synth has replaced a file'

echo 'files that appear while a command runs are kept, and nothing that was trained is lost'
