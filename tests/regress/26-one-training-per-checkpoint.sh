#!/usr/bin/env bash
# A second training on the checkpoint, or for the forest, of one that runs is stopped with one line, by whatever name it
# calls the file; the lock ends with the process, also when it is killed.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

"$program" synth -q -o scenes --count 3 --size 32x24 >/dev/null
python3 - <<'END'
import random
generator = random.Random(3)
with open("table.csv", "w") as table:
    table.write("a,b,class\n")
    for i in range(2000):
        a, b = generator.random(), generator.random()
        table.write(f"{a},{b},{'yes' if a * b + 0.2 * generator.random() > 0.3 else 'no'}\n")
with open("objects.csv", "w") as boxes:
    boxes.write("image,x,y,width,height,label\n")
    for i in range(3):
        for x in (2, 8, 16):
            boxes.write(f"scenes/0000{i}_colors.png,{x},3,8,8,thing\n")
END

# begin COMMAND...: starts a training and stops it while it has its checkpoint.
begin() {
    "$program" "$@" >out 2>first &
    process=$!
    until [[ -s work.part ]]; do
        kill -0 "$process" || fail "$* has ended: $(cat first)"
        sleep 0.01
    done
    kill -STOP "$process"
}

# refused PLACE COMMAND...: ends at once with one line about the file.
refused() {
    local place=$1 code=0
    shift
    timeout 60 "$program" "$@" >out 2>err || code=$?
    ((code == 1)) && [[ $(wc -l <err) == 1 ]] && grep -q "another shadewood is going to write a .* to $place: wait" err ||
        fail "$*: exit $code, $(cat err)"
}

# both COMMAND...: with a checkpoint in one folder, under several names.
both() {
    local before
    mkdir -p linked
    ln -sf ../work.part linked/other.part
    begin "$@" -o first.ktx2 --checkpoint work.part --checkpoint-every 0
    before=$(md5sum <work.part)
    for also in '' --resume --overwrite; do
        refused work.part "$@" -o second.ktx2 --checkpoint work.part ${also:+"$also"}
    done
    refused work.part "$@" -o first.ktx2 --checkpoint work.part --resume
    refused linked/other.part "$@" -o second.ktx2 --checkpoint linked/other.part --resume
    refused "$PWD/./work.part" "$@" -o second.ktx2 --checkpoint "$PWD/./work.part" --resume
    refused first.ktx2 "$@" -o first.ktx2 --overwrite
    refused ./first.ktx2 "$@" -o ./first.ktx2 --checkpoint another.part
    [[ $(md5sum <work.part) == "$before" && ! -e second.ktx2 && ! -e another.part ]] || fail "$1 has written a file"
    # Nothing holds a file whose process was killed.
    kill -KILL "$process"
    wait "$process" || true
    "$program" "$@" -o first.ktx2 --checkpoint work.part --resume >out 2>err &
    process=$!
    until grep -q resuming err; do
        kill -0 "$process" || fail "$*: $(cat err)"
        sleep 0.01
    done
    kill -INT "$process"
    wait "$process" || true
    rm -rf linked work.part first.ktx2
    [[ -z $(find . -name '*.lock.shadewood') ]] || fail "left: $(find . -name '*.lock.shadewood')"
}

both train --data scenes -t cpu --threads 1 --trees 4000 --depth 8 --candidates 20 --pixels 100
both train-records table.csv -t cpu --threads 1 --trees 4000
both train-cascade --annotations objects.csv -t cpu --threads 1 --window 8x8 --stages 4000 --background-count 200 \
    --candidates 20
echo 'a second training on a checkpoint or a forest is stopped, and a killed one stops nobody'
