#!/usr/bin/env bash
# What is not a regular file neither stops a command nor keeps it busy for ever; a forest from a pipe still works.
set -euo pipefail
program=$1

# refuse CODE TEXT COMMAND...: fails within a minute with one line with the text.
refuse() {
    local wanted=$1 text=$2 code=0
    shift 2
    timeout 60 "$program" "$@" >out 2>err || code=$?
    if ((code != wanted)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf 'shadewood %s: exit %d, %s\n' "$*" "$code" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" train -q --data scenes -t cpu --trees 1 --depth 4 -o f.ktx2 >/dev/null
mkdir folder
cp scenes/00000_colors.png folder/b.png
mkfifo folder/a.png
refuse 1 'folder/a.png: it is not a regular file' label -q -t cpu f.ktx2 folder
[[ -e labelled/b_labels.png ]] || { echo 'the other image is not labelled'; exit 1; }
refuse 1 'folder/a.png: it is not a regular file' explain f.ktx2 folder/a.png 1 1
refuse 1 'folder/a.png: it is not a regular file' train -q --data scenes --palette folder/a.png -t cpu -o g.ktx2
refuse 1 'folder/a.png: it is not a regular file' train -q --data scenes --split folder/a.png -t cpu -o g.ktx2
refuse 1 'folder/a.png: it is not a regular file' train -q folder/a.png -t cpu -o g.ktx2
refuse 2 'folder/a.png: it is not a regular file' bench compare folder/a.png folder/a.png
refuse 1 '/dev/zero' inspect /dev/zero
refuse 1 '/dev/zero' label -q -t cpu /dev/zero scenes
refuse 1 '/dev/zero: it is not a regular file' label -q -t cpu f.ktx2 /dev/zero

# the same with a project, whose pictures and results are recorded by their contents
write_project() {
    printf '{"format": "shadewood-project", "version": 1, "classes": [{"name": "a", "colour": [1, 2, 3]},
        {"name": "b", "colour": [9, 2, 3]}], "training": {"trees": 1, "depth": 2, "candidates": 5}, "pictures": [
        {"name": "%s", "width": 48, "height": 40, "strokes": [{"class": 0, "radius": 2, "points": [5, 5]},
        {"class": 1, "radius": 2, "points": [30, 20]}]}]}' "$2" >"$1"
}
write_project p.json folder/b.png
write_project pipe.json folder/a.png
refuse 1 'folder/a.png: it is not a regular file' label -q -t cpu p.json folder -o out-p
[[ -e out-p/folder/b_labels.png ]] || { echo 'the other image is not labelled with the project'; exit 1; }
refuse 1 'folder/a.png: it is not a regular file' label -q -t cpu pipe.json folder/b.png -o out-pipe
"$program" label -q -t cpu p.json folder/b.png -o out-b >/dev/null
rm out-b/b_labels.png && mkfifo out-b/b_labels.png
refuse 1 'out-b/b_labels.png: it is not a regular file' label -q -t cpu p.json folder/b.png -o out-b

"$program" inspect f.ktx2 | tail -n +2 >expected
timeout 60 "$program" inspect <(cat f.ktx2) | tail -n +2 | grep -v '^  file ' | diff <(grep -v '^  file ' expected) -
timeout 60 "$program" inspect <(cat f.ktx2 && yes) >out
timeout 60 "$program" inspect /dev/stdin <f.ktx2 >out

echo 'pipes and devices in the place of files end with a message'
