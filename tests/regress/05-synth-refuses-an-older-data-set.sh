#!/usr/bin/env bash
# synth does not leave files of an earlier run among its own: they would be taken as one data set.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

"$program" synth -q -o clips --count 6 --frames 3 --size 24x16 >/dev/null
printf mine >clips/notes.txt
for arguments in '--count 6' '--count 4 --frames 2'; do
    code=0
    # shellcheck disable=SC2086
    "$program" synth -q -o clips $arguments --size 24x16 --seed 9 >out 2>err || code=$?
    ((code == 1)) && [[ $(wc -l <err) == 1 ]] && grep -q 'clips has .*earlier run.*--overwrite' err ||
        fail "synth $arguments: exit $code, $(cat err)"
    [[ -e clips/sequences.txt && -e clips/00005_depth.png ]] || fail 'files were removed'
done
"$program" synth -q -o clips --count 4 --size 24x16 --overwrite >/dev/null
[[ -e clips/00003_depth.png && ! -e clips/00004_depth.png && ! -e clips/sequences.txt ]] ||
    fail "after --overwrite: $(ls clips)"
[[ $(cat clips/notes.txt) == mine ]] || fail 'somebody else''s file is gone'
"$program" synth -q -o clips --count 7 --size 24x16 >/dev/null || fail 'more images do not replace fewer'

echo 'synth refuses a folder with files of an earlier run that it would not replace'
