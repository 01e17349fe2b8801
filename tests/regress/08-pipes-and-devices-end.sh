#!/usr/bin/env bash
# What is not a regular file is refused at once, wherever a file is read; what a shell passes as a pipe is read.
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
mkdir -p folder tum/{rgb,depth,labels}
cp scenes/00000_colors.png folder/b.png
cp scenes/00000_colors.png tum/rgb/1.0.png
cp scenes/00000_depth.png tum/depth/1.0.png
cp scenes/00000_depth.png tum/labels/1.0.png
mkfifo folder/a.png
refuse 1 'folder/a.png: it is not a regular file' label -q -t cpu f.ktx2 folder
[[ -e labelled/b_labels.png ]] || { echo 'the other image is not labelled'; exit 1; }
refuse 1 'folder/a.png: it is not a regular file' explain f.ktx2 folder/a.png 1 1
refuse 1 'folder/a.png: it is not a regular file' train -q --data scenes --palette folder/a.png -t cpu -o g.ktx2
refuse 1 'folder/a.png: it is not a regular file' train -q --data scenes --split folder/a.png -t cpu -o g.ktx2
refuse 1 'folder/a.png: it is not a regular file' train -q folder/a.png -t cpu -o g.ktx2
refuse 2 'folder/a.png: it is not a regular file' bench compare folder/a.png folder/a.png
refuse 1 '/dev/zero: it is not a regular file' label -q -t cpu f.ktx2 /dev/zero

# Everything that reads a file whole, with what takes its place: nobody writes to the pipe or listens at the socket.
mkfifo pipe named.ktx2 named.json named.xml named.npy named.mat
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
printf '1,2,a\n2,1,b\n3,4,a\n4,3,b\n' >table.csv
cut -d, -f1,2 table.csv >features.csv
"$program" train-records -q table.csv --class-column 3 --trees 1 -t cpu -o records.ktx2 >/dev/null
readers=(
    'inspect @' 'label -q -t cpu @ scenes' 'explain @ folder/b.png 1 1' 'evaluate -t cpu --data scenes @'
    'evaluate -t cpu --data scenes f.ktx2 @' 'calibrate -q -t cpu --data scenes -o g.ktx2 @' 'merge -q -o g.ktx2 f.ktx2 @'
    'export -q --to curfil -o curfil @' 'label -q -t cpu --objects --object-forest @ f.ktx2 folder/b.png' 'detect -t cpu @ folder/b.png'
    'train -q --data scenes -t cpu -o g.ktx2 --below @' 'train -q --data scenes -t cpu -o g.ktx2 --palette @'
    'train -q --data scenes -t cpu -o g.ktx2 --split @' 'train -q --data scenes -t cpu -o g.ktx2 --preset @'
    'train-cascade -q -o g.ktx2 --backgrounds folder --annotations @' 'records -t cpu records.ktx2 @' 'records -t cpu @ table.csv'
    'records -t cpu --labels @ records.ktx2 features.csv' 'train-records -q -t cpu -o g.ktx2 --labels @ table.csv'
    'import -o g.ktx2 @' 'convert --labels tum/labels --classes @ -o converted tum' 'depth -o prepared @'
)
for reader in "${readers[@]}"; do
    for place in pipe socket /dev/zero; do
        read -ra words <<<"${reader//@/$place}"
        refuse 1 "$place: it is not a regular file" "${words[@]}"
    done
done
# where the ending says what is read
for reader in 'inspect named.ktx2' 'inspect named.json' 'label -q -t cpu named.json folder' 'train -q -t cpu -o g.ktx2 named.json' \
    'import -o g.ktx2 named.xml' 'import -o g.ktx2 named.json' 'records -t cpu records.ktx2 named.npy' \
    'convert -k nyu -o nyu named.mat'; do
    read -ra words <<<"$reader"
    refuse 1 "$(grep -o 'named\.[a-z0-9]*' <<<"$reader"): it is not a regular file" "${words[@]}"
done

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
timeout 60 "$program" records -t cpu records.ktx2 <(sleep 0.2; cat table.csv) >out
timeout 60 "$program" inspect /dev/stdin <f.ktx2 >out

echo 'pipes and devices in the place of files end with a message'
