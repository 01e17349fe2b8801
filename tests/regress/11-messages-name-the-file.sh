#!/usr/bin/env bash
# Each of these failures is one line that names the file and the reason.
set -euo pipefail
program=$1

# say TEXT1 TEXT2 COMMAND...: fails with one line that has both texts.
say() {
    local one=$1 two=$2 code=0
    shift 2
    "$program" "$@" >out 2>err || code=$?
    if ((code != 1)) || [[ $(wc -l <err) != 1 ]] || ! grep -F -- "$one" err | grep -qF -- "$two"; then
        printf 'shadewood %s: exit %d, "%s" and "%s" expected:\n%s\n' "$*" "$code" "$one" "$two" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
train=(train -q -t cpu --trees 1 --depth 3 --overwrite -o f.ktx2)

# A folder in CURFIL's layout without depth.
cp -r scenes nodepth
rm nodepth/*_depth.png
say 'nodepth/00000_colors.png has no depth image' 'nodepth/{}_depth.png' "${train[@]}" --data nodepth
cp -r scenes onedepth
rm onedepth/00001_depth.png
"$program" train -t cpu --trees 1 --depth 3 -o f.ktx2 --data onedepth 2>err >out
grep -q 'onedepth/00001_colors.png, has no depth image' err || { cat err; exit 1; }
rm nodepth/*_ground_truth.png
say 'nodepth/00000_colors.png has no label image' 'nodepth/{}_ground_truth.png' "${train[@]}" --data nodepth

# Palettes.
printf '{"classes": []}' >empty.json
say empty.json 'the palette is empty' "${train[@]}" --data scenes --palette empty.json
printf '' >none.json
say none.json 'not JSON' "${train[@]}" --data scenes --palette none.json

# Byte-order marks.
for file in palette.json; do
    { printf '\xef\xbb\xbf'; cat "scenes/$file"; } >marked
    mv marked "scenes/$file"
done
printf '\xef\xbb\xbf00000\r\n00001\r\n' >list.txt
"$program" "${train[@]}" --data scenes --split list.txt >out 2>err || { cat err; exit 1; }

# A tree without labelled pixels.
cp -r scenes void
printf '{"classes": [{"name": "a", "colour": [1, 2, 3]}, {"name": "void", "colour": [0, 0, 0], "void": true}]}' >v.json
python3 - void/0000*_ground_truth.png <<'END'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for name in sys.argv[1:]:
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 48, 40, 8, 2, 0, 0, 0)) +
                           chunk(b"IDAT", zlib.compress(bytes(40 * (1 + 3 * 48)))) + chunk(b"IEND", b""))
END
say 'void: ' 'no labelled pixel' "${train[@]}" --data void --palette v.json

# Projects.
cp scenes/00000_colors.png picture.png
project() { # TRAINING STROKES
    printf '{"format": "shadewood-project", "version": 1, "training": %s, "classes":
        [{"name": "a", "colour": [1, 2, 3]}, {"name": "b", "colour": [4, 5, 6]}], "pictures":
        [{"name": "picture.png", "width": 48, "height": 40, "strokes": [%s]}]}' "$1" "$2" >p.json
}
stroke='{"class": 0, "radius": 2, "points": [5, 5]}'
for training in '{"trees": 5000}' '{"depth": 65}' '{"candidates": 1048577}' '{"channels": "dt"}' '{"channels": "?"}' \
    '{"seed": 5}' '{"trees": "many"}' '[]'; do
    project "$training" "$stroke"
    say p.json 'p.json: ' train -q -t cpu p.json -o p.ktx2
done
project '{}' ''
say p.json 'nothing is painted' train -q -t cpu p.json -o p.ktx2
project '{}' "$stroke"
say p.json 'a second class' train -q -t cpu p.json -o p.ktx2
project '{}' "$stroke"', {"class": 1, "radius": 2, "points": [35, 30]}'
rm picture.png
say picture.png 'No such file' train -q -t cpu p.json -o p.ktx2
{ printf '\xef\xbb\xbf'; cat p.json; } >marked.json
cp scenes/00001_colors.png picture.png
"$program" train -q -t cpu marked.json -o p.ktx2 >out 2>err || { cat err; exit 1; }

echo 'messages name the file, and byte-order marks are no fault'
