#!/usr/bin/env bash
# Folders of RGB-D frames: what one run leaves of another is told, and depth and heights are found where commands write
# them.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# refuse TEXT COMMAND...: fails with one line that has the text.
refuse() {
    local text=$1 code=0
    shift
    "$program" "$@" >out 2>err || code=$?
    ((code == 1)) && [[ $(wc -l <err) == 1 ]] && grep -qF -- "$text" err ||
        fail "shadewood $*: exit $code, '$text' expected: $(cat err)"
}

# scan FOLDER NAME1 NAME2: as ScanNet has them, two frames with the labels 1 and 2.
"$program" synth -q -o rooms -n 2 --size 16x12 >/dev/null
scan() {
    mkdir -p "$1/color" "$1/depth" "$1/label-filt"
    for frame in 0 1; do
        cp "rooms/0000${frame}_colors.png" "$1/color/$frame.png"
        cp "rooms/0000${frame}_depth.png" "$1/depth/$frame.png"
        python3 - "$1/label-filt/$frame.png" <<'END'
import struct, sys, zlib
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + struct.pack(">16H", *[1 + (x + y) % 2 for x in range(16)]) for y in range(12))
open(sys.argv[1], "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 12, 16, 0, 0, 0, 0)) +
                              chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
END
    done
    printf 'id\tnyu40class\n1\t%s\n2\t%s\n' "$2" "$3" >"$1/scannetv2-labels.combined.tsv"
}
scan one floor wall
scan two wall chair

# Another palette would give the frames that stay other classes.
"$program" convert -q one -o set --prefix one_ >/dev/null
cp set/palette.json before.json
for overwrite in '' --overwrite; do
    # shellcheck disable=SC2086
    refuse 'set has 2 label images that would remain, the first one_000000_ground_truth.png' \
        convert two -o set --prefix two_ $overwrite
done
cmp set/palette.json before.json && [[ -z $(ls set/two_* 2>/dev/null) ]] || fail 'the folder has changed'
"$program" convert -q one -o set --prefix other_ >/dev/null || fail 'the same classes are no obstacle'
# Frames of another source that have the same names, as in all scans.
scan three floor wall
refuse 'set has 2 frames of one that this run would replace' convert three -o set --prefix one_
"$program" convert -q three -o set --prefix one_ --overwrite >/dev/null
cp set/one_000000_depth.png set/one_000000_height.png
"$program" convert one -o set --prefix one_ --overwrite >/dev/null 2>err
grep -q 'set/one_000000_height.png is not from the depth written now' err ||
    fail "$(cat err)"
"$program" convert -q three -o set --prefix one_ --overwrite >/dev/null 2>&1
rm set/one_000000_height.png
mv three four
"$program" convert -q four -o set --prefix one_ >/dev/null || fail 'a source may be renamed'
(cd four && "$program" convert -q . -o ../set --prefix one_ --units 500 >/dev/null 2>err) &&
    fail 'depth of other units is another frame'
grep -q '2 frames of three that' four/err || fail "$(cat four/err)"
scan one floor chair # all frames are made again
"$program" convert -q one -o again >/dev/null
scan one floor books
refuse 'again/palette.json has other classes than one' convert one -o again
"$program" convert -q one -o again --overwrite >/dev/null || fail '--overwrite replaces the palette of its own frames'
printf '1,base\n2,books\n' >rules.csv
"$program" convert one -o numbers --classes rules.csv >out 2>err || fail "$(cat err)"
[[ ! -s err ]] && grep -q '"base"' numbers/palette.json || fail "numbers of labels that have names: $(cat err)"

# Frames that are left out now.
refuse 'again has 3 files of an earlier run that this one would not replace, the first 000001_colors.png' \
    convert one -o again --every 2
"$program" convert -q one -o again --every 2 --overwrite >/dev/null
[[ -e again/000000_depth.png && -z $(ls again/000001* 2>/dev/null) ]] || fail "$(ls again)"

# Prefixes with which sequences.txt could not be read.
for prefix in '#1_' ' x' $'a\nb'; do
    code=0
    "$program" convert one -o prefixed --prefix "$prefix" >out 2>err || code=$?
    ((code == 2)) || fail "--prefix '$prefix': exit $code"
done

# Heights beside depth: found if the channels read them, or named.
train=(train -q -t cpu --trees 1 --depth 2 --candidates 4 --feature depth-mean-difference)
refuse 'has no height image' "${train[@]}" --data rooms --channels depth,height,rgb -o h.ktx2
"$program" depth -q rooms -o rooms --fill none --height >/dev/null
"$program" "${train[@]}" --data rooms --channels depth,height,rgb -o h.ktx2 >/dev/null 2>err || fail "$(cat err)"
"$program" evaluate -q --data rooms h.ktx2 >/dev/null 2>err || fail "$(cat err)"
mkdir heights && mv rooms/*_height.png heights
refuse 'has no height image' evaluate --data rooms h.ktx2
"$program" evaluate -q --data rooms --input 'height=../heights/{}_height.png' h.ktx2 >/dev/null 2>err ||
    fail "$(cat err)"

# One file is not the depth of several images.
"$program" "${train[@]}" --data rooms --channels depth,rgb -o d.ktx2 >/dev/null
"$program" label -q d.ktx2 rooms -o found >/dev/null
code=0
"$program" label d.ktx2 rooms -o named --input depth=rooms/00000_depth.png >out 2>err || code=$?
((code == 2)) && grep -q 'the depth of all 2 images' err && [[ ! -e named ]] || fail "exit $code: $(cat err)"
"$program" label -q d.ktx2 rooms -o named --input 'depth=rooms/{}_depth.png' >/dev/null
cmp found/00001_colors_labels.png named/00001_colors_labels.png || fail 'the depth beside is another'

# Filling that leaves heights of another filling says so.
"$program" depth -q rooms -o filled --height >/dev/null
"$program" depth rooms -o filled >/dev/null 2>err
! grep -q heights err || fail "the same depth: $(cat err)"
cp rooms/00001_depth.png rooms/00000_depth.png
"$program" depth rooms -o filled >/dev/null 2>err
grep -q 'filled/00000_height.png is not from the depth .*--height' err || fail "old heights: $(cat err)"

echo 'what a folder of frames has of earlier runs is told, and depth and heights are found'
