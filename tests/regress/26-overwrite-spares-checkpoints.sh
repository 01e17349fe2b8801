#!/usr/bin/env bash
# --overwrite is about what a training makes: a file that stands where its checkpoint would is never replaced, be it
# another run's checkpoint or something else.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

"$program" synth -q -o scenes --count 3 --size 32x24 >/dev/null
printf 'a,class\n' >table.csv
for i in {1..200}; do printf '%d,%s\n' "$i" "$([[ $i -gt 80 ]] && echo yes || echo no)"; done >>table.csv
for i in 0 1 2; do
    for x in 2 8 16; do printf 'scenes/0000%d_colors.png,%d,3,8,8,thing\n' "$i" "$x"; done
done >objects.csv
sed -i '1i image,x,y,width,height,label' objects.csv

# kept FILE WORDS COMMAND...: with and without --overwrite it ends with one line, and the file stays.
kept() {
    local file=$1 words=$2 before code
    shift 2
    before=$(md5sum <"$file")
    for also in '' --overwrite; do
        code=0
        timeout 60 "$program" "$@" ${also:+"$also"} >out 2>err || code=$?
        ((code == 1)) && [[ $(wc -l <err) == 1 && $(md5sum <"$file") == "$before" ]] && grep -q "^shadewood: $file $words" err ||
            fail "$* $also: exit $code, $(cat err)"
        ! grep -q -- --overwrite err || fail "--overwrite is no way out: $(cat err)"
        [[ ! -e made.ktx2 ]] || fail "$* $also has trained"
    done
}

# spared COMMAND...: of a checkpoint, a file of somebody else's, an empty one, and one of another kind.
spared() {
    "$program" "$@" -o other.ktx2 --checkpoint work.part --checkpoint-every 0 --seed 5 >out 2>err &
    local process=$!
    until [[ -s work.part ]]; do
        kill -0 "$process" || fail "$* has ended: $(cat err)"
        sleep 0.01
    done
    kill -INT "$process"
    wait "$process" || true
    printf mine >mine.txt
    : >empty
    cp scenes/00000_colors.png picture.png
    kept work.part 'exists: continue from it with --resume, or remove it' "$@" -o made.ktx2 --checkpoint work.part
    kept mine.txt 'exists, and is not a checkpoint that Shadewood wrote: choose' "$@" -o made.ktx2 --checkpoint mine.txt
    kept empty 'exists: continue from it with --resume, or remove it' "$@" -o made.ktx2 --checkpoint empty
    kept picture.png 'exists, and is not a checkpoint' "$@" -o made.ktx2 --checkpoint picture.png
    rm -f work.part
}

spared train --data scenes -t cpu --threads 1 --trees 4000 --depth 8 --candidates 20 --pixels 100
spared train-records table.csv -t cpu --threads 1 --trees 4000
spared train-cascade --annotations objects.csv -t cpu --threads 1 --window 8x8 --stages 4000 --background-count 200 \
    --candidates 20

# The forest is what it is about.
printf mine >made.ktx2
"$program" train -q --data scenes -t cpu --trees 1 --depth 2 -o made.ktx2 --checkpoint new.part --overwrite >out
[[ ! -e new.part ]] && "$program" inspect made.ktx2 >out
echo 'whatever stands in the place of a checkpoint stays without --resume'
