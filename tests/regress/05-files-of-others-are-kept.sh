#!/usr/bin/env bash
# A file that exists is replaced only by the command that wrote it, while nobody has changed it; or with --overwrite.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# keep FILE COMMAND...: fails with exit code 1 and a line that names FILE and --overwrite; FILE is as before. The same
# with --overwrite succeeds.
keep() {
    local file=$1 code=0 before
    shift
    before=$(md5sum <"$file")
    "$program" "$@" >out 2>err || code=$?
    ((code == 1)) && [[ $(wc -l <err) == 1 && $(md5sum <"$file") == "$before" ]] &&
        grep -F -- "$file" err | grep -q -- --overwrite || fail "shadewood $*: exit $code, $(cat err)"
    "$program" "$@" --overwrite >out 2>err || fail "shadewood $* --overwrite: $(cat err)"
    [[ $(md5sum <"$file") != "$before" ]] || fail "shadewood $* --overwrite left $file"
}

# again COMMAND...: succeeds, and succeeds again.
again() {
    "$program" "$@" >out 2>err || fail "shadewood $*: $(cat err)"
    "$program" "$@" >out 2>err || fail "shadewood $*, again: $(cat err)"
}

again synth -q -o scenes --count 3 --size 48x40
again train -q --data scenes -t cpu --trees 1 --depth 4 -o f.ktx2 --log log.jsonl
again label -q -t cpu f.ktx2 scenes -p png
[[ -e labelled/00000_colors_labels.png ]] || fail 'label does not write into the folder labelled'
again label -q -t cpu f.ktx2 scenes -p tiff -o labelled
again evaluate -q -t cpu f.ktx2 --data scenes --overlays overlays
again inspect f.ktx2 --texture texture.png
: >empty.ktx2
again train -q --data scenes -t cpu --trees 1 --depth 4 -o empty.ktx2

# Somebody else's.
project='{"format": "shadewood-project", "version": 1, "classes": [], "pictures": []}'
train=(train -q --data scenes -t cpu --trees 1 --depth 3)
for text in 'mine' "$project"; do
    printf '%s' "$text" >work.json
    keep work.json "${train[@]}" -o work.json
    printf '%s' "$text" >work.json
    for also in '' --overwrite; do # which is about the forest
        code=0
        "$program" "${train[@]}" -o f.ktx2 --log work.json ${also:+"$also"} >out 2>err || code=$?
        ((code == 1)) && [[ $(cat work.json) == "$text" && $(wc -l <err) == 1 ]] &&
            grep -q 'work.json exists, and is not a training log that Shadewood wrote: choose another name' err ||
            fail "--log $also: exit $code, $(cat err)"
    done
    printf '%s' "$text" >labelled/00000_colors_labels.png
    keep labelled/00000_colors_labels.png label -q -t cpu f.ktx2 scenes/00000_colors.png --no-overlay
    printf '%s' "$text" >texture.png
    keep texture.png inspect f.ktx2 --texture texture.png
    printf '%s' "$text" >overlays/00001_overlay.png
    keep overlays/00001_overlay.png evaluate -q -t cpu f.ktx2 --data scenes --overlays overlays
    printf '%s' "$text" >scenes/00001_depth.png
    keep scenes/00001_depth.png synth -q -o scenes --count 3 --size 48x40
done
"$program" "${train[@]}" -o f.ktx2 >out

# Shadewood's, but of another kind: ground truth for labels, a forest for a picture, a picture for a forest.
mkdir gt
cp scenes/00000_colors.png gt/00000.png
cp scenes/00000_ground_truth.png gt/00000_labels.png
keep gt/00000_labels.png label -q -t cpu f.ktx2 gt/00000.png -o gt --no-overlay
cp f.ktx2 texture.png
keep texture.png inspect f.ktx2 --texture texture.png
cp labelled/00000_colors_labels.png work.ktx2
keep work.ktx2 "${train[@]}" -o work.ktx2
"$program" "${train[@]}" --trees 4000 -o other.ktx2 --checkpoint work.part --checkpoint-every 0 2>err &
training=$!
until [[ -e work.part ]]; do
    kill -0 "$training" || fail "training ended: $(cat err)"
    sleep 0.05
done
kill -INT "$training"
wait "$training" || true
cp work.part work.ktx2
keep work.ktx2 "${train[@]}" -o work.ktx2

# Shadewood's, and changed since.
"$program" label -q -t cpu f.ktx2 scenes/00000_colors.png --overwrite >out
python3 - labelled/00000_colors_labels.png <<'END' # as a program that keeps texts writes it: another class for a pixel
import struct, sys, zlib
data, out, at = open(sys.argv[1], "rb").read(), b"", 8
while at < len(data):
    length, kind = struct.unpack(">I4s", data[at:at + 8])
    body = data[at + 8:at + 8 + length]
    if kind == b"IDAT":
        rows = bytearray(zlib.decompress(body))
        rows[7] ^= 1
        body = zlib.compress(bytes(rows))
    out += struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    at += 12 + length
open(sys.argv[1], "wb").write(data[:8] + out)
END
keep labelled/00000_colors_labels.png label -q -t cpu f.ktx2 scenes/00000_colors.png
sed -i 's/"name"/"name" /' scenes/palette.json
sed -i '0,/"colour": \[/s//"colour":[ /' scenes/palette.json
"$program" synth -q -o scenes --count 3 --size 48x40 >out 2>err || fail "white space in a palette: $(cat err)"
sed -i '0,/"name": "/s//"name": "my /' scenes/palette.json
keep scenes/palette.json synth -q -o scenes --count 3 --size 48x40

# No room for a mark.
rm -rf labelled
"$program" label -q -t cpu f.ktx2 scenes/00000_colors.png --leaves -p npy >out
code=0
"$program" label -q -t cpu f.ktx2 scenes/00000_colors.png --leaves >out 2>err || code=$?
((code == 1)) && grep -q 'leaves.npy exists.*--overwrite' err || fail "label --leaves: $(cat err)"
"$program" label -q -t cpu f.ktx2 scenes/00000_colors.png --leaves --overwrite >out

echo 'only unchanged files of the same command are replaced without --overwrite'
