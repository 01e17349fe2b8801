#!/usr/bin/env bash
# `shadewood export --to glsl`: its files, what it replaces, what it refuses. TAP on the output.
# usage: command.sh SHADEWOOD EXAMPLES
set -uo pipefail
program=$1 examples=$2
. "$(dirname "$0")/../testing/check.sh"
cd "$folder" || exit 1
train() { # FILE OPTION...
    local file=$1
    shift
    "$program" train -q --data scenes --output "$file" --trees 1 --pixels 50 --depth 3 -t cpu "$@" >train.log
}
"$program" synth -q --output scenes --count 3 --size 32x24 >synth.log || exit 1
train 'My rooms.ktx2' && train smooth.ktx2 --smooth 5 && train filled.ktx2 --channels depth,rgb --feature depth-mean-difference --fill simple &&
    train low.ktx2 --channels rgb && train high.ktx2 --below low.ktx2 || exit 1

refused() { # WORDS OPTION...
    local words=$1
    shift
    ! "$program" export --to glsl "$@" -o no 2>said && grep -e "$words" said && [[ ! -e no ]]
}
files() {
    "$program" export --to glsl 'My rooms.ktx2' -o out >said && grep 'out/my_rooms.glsl: [0-9]* lines' said &&
        [[ $(ls out | tr '\n' ' ') == 'my_rooms.comp my_rooms.frag my_rooms.glsl my_rooms.json my_rooms.ktx2 my_rooms.rgba32ui ' ]] &&
        cmp 'My rooms.ktx2' out/my_rooms.ktx2 &&
        grep '^int my_rooms_label(ivec2 pixel)' out/my_rooms.glsl && ! grep -i 'shw_' out/my_rooms.*[!2i]
}
document() {
    "$program" export --to glsl low.ktx2 -o low --json | python3 -c '
import json, os, sys
said, passes = json.load(sys.stdin), json.load(open("low/low.json"))
assert said["name"] == "low" and said["lines"] + 1 == len(open("low/low.glsl").read().splitlines()), said
table = passes["table"]
assert os.path.getsize("low/" + table["raw"]) == 16 * table["width"] * table["height"] * table["layers"]
assert open("low/low.ktx2", "rb").read().endswith(open("low/low.rgba32ui", "rb").read())'
}
bindings() { # of the description are macros of the text
    train lab.ktx2 --channels lab,tensor:2,depth && "$program" export -q --to glsl lab.ktx2 -o lab && python3 -c '
import json
text = open("lab/lab.glsl").read().splitlines()
reads = [read for one in json.load(open("lab/lab.json"))["passes"] for read in one["reads"]]
assert len({read["macro"] for read in reads}) == 7, reads
for read in reads:
    assert "#define %s %d" % (read["macro"], read["binding"]) in text, read'
}
again() { # the raw table has no mark: it is known by the other one
    "$program" export -q --to glsl 'My rooms.ktx2' -o out && mkdir other && train 'other/My rooms.ktx2' --depth 2 &&
        "$program" export -q --to glsl 'other/My rooms.ktx2' -o out && cmp 'other/My rooms.ktx2' out/my_rooms.ktx2 &&
        echo more >>out/my_rooms.rgba32ui && ! "$program" export --to glsl 'My rooms.ktx2' -o out 2>said &&
        grep 'my_rooms.rgba32ui' said && cmp 'other/My rooms.ktx2' out/my_rooms.ktx2 &&
        "$program" export -q --to glsl 'My rooms.ktx2' -o out --overwrite
}
full_disk() { # nothing is replaced
    cp -r out before && ! (ulimit -f 8 && trap '' XFSZ && exec "$program" export --to glsl low.ktx2 -o full) 2>said &&
        grep 'cannot write' said && [[ -z $(ls full) ]] &&
        ! (ulimit -f 8 && trap '' XFSZ && exec "$program" export --to glsl 'My rooms.ktx2' -o out) 2>said &&
        diff -r before out
}
keeps_changed_files() {
    "$program" export -q --to glsl 'My rooms.ktx2' -o out &&
        echo '// mine' >>out/my_rooms.glsl && ! "$program" export --to glsl 'My rooms.ktx2' -o out 2>said &&
        grep 'my_rooms.glsl' said && tail -1 out/my_rooms.glsl | grep mine
}
votes() {
    "$program" export -q --to glsl 'My rooms.ktx2' --combine vote -o vote && "$program" inspect vote/my_rooms.ktx2 &&
        ! cmp -s 'My rooms.ktx2' vote/my_rooms.ktx2
}
texts() { # nothing is compiled: there is no compiler in PATH
    cp "$examples/ring.glsl" "$examples/edge.glsl" . && train ring.ktx2 --feature ring.glsl --channels edge.glsl:2,rgb &&
        PATH=/nowhere XDG_CACHE_HOME=$folder/none "$program" export --to glsl ring.ktx2 -o ring &&
        [[ ! -e none ]] && grep 'ring_user_feature_response' ring/ring.glsl
}
passes() {
    cp "$examples/derivative.glsl" . && train passes.ktx2 --channels derivative.glsl,rgb && refused 'has passes' passes.ktx2
}

check 'files' files
check 'the description' document
check 'bindings' bindings
check 'an existing folder' again
check 'a full disk' full_disk
check 'files that somebody has changed' keeps_changed_files
check 'votes' votes
check 'smoothing' refused '--smooth 0' smooth.ktx2
check 'without smoothing' "$program" export --to glsl smooth.ktx2 --smooth 0 -o smooth
check 'filled depth' refused '--fill none' filled.ktx2
check 'without filling' "$program" export --to glsl filled.ktx2 --fill none -o filled
check 'levels' refused '2 levels' high.ktx2
check 'a file that is no forest' refused 'scenes' scenes/00000_colors.png
if [[ -e $(dirname "$program")/shadewood-shaders.so ]]; then
    check 'texts' texts
    check 'texts with passes' passes
fi
printf '1..%d\n' "$cases"
exit "$status"
