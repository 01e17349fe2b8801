#!/usr/bin/env bash
# Of a folder, label leaves out the images that it wrote, and no others: those of the user that are called the same are
# images to label, which no output replaces, even with --overwrite.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# refuse CODE TEXT ARGUMENT...: label fails with the exit code and one line that contains the text; the user's folder is
# as before.
refuse() {
    local wanted=$1 text=$2 code=0 before
    shift 2
    before=$(md5sum mine/*)
    "$program" label -q -t cpu f.ktx2 "$@" >out 2>err || code=$?
    ((code == wanted)) && [[ $(wc -l <err) == 1 && $(md5sum mine/*) == "$before" ]] && grep -qF -- "$text" err ||
        fail "label $*: exit $code, $(cat err)"
}

"$program" synth -q -o scenes --count 3 --size 48x40 >out
"$program" train -q --data scenes -t cpu --trees 1 --depth 4 -o f.ktx2 >out

# The user's.
mkdir mine
cp scenes/00000_colors.png mine/horse.png
cp scenes/00000_ground_truth.png mine/horse_labels.png
cp scenes/00001_colors.png mine/horse_overlay.png
cp scenes/00002_colors.png mine/horse_probability-000.png
refuse 2 mine/horse_labels.png mine -o mine
refuse 2 mine/horse_labels.png mine -o mine --overwrite
refuse 2 mine/horse_labels.png mine -o mine/../mine --overwrite
refuse 2 mine/horse_overlay.png mine -o mine --no-labels --overwrite
refuse 2 mine/horse_probability-000.png mine -o mine --no-labels --no-overlay -p png --overwrite
"$program" label -t cpu f.ktx2 mine -o others >out 2>err
grep -q '^4 images labelled' out || fail "mine: $(cat out err)"
rm mine/horse.png mine/horse_overlay.png mine/horse_probability-000.png
"$program" label -t cpu f.ktx2 mine -o masks >out 2>err
[[ -e masks/horse_labels_labels.png ]] || fail 'a folder with nothing but NAME_labels.png has no images'

# Its own, beside their images: the next run leaves them out, says so, and gives the same files.
mkdir beside
cp scenes/00000_colors.png beside/a.png
cp scenes/00001_colors.png beside/b.png
for kind in png tiff; do
    "$program" label -q -t cpu f.ktx2 beside -o beside -p "$kind" >out
done
written=$(find beside -name '*_*' | wc -l)
before=$(cd beside && md5sum ./*)
for kind in png tiff; do
    "$program" label -v -t cpu f.ktx2 beside -o beside -p "$kind" >out 2>err
    grep -q '^2 images labelled' out || fail "again: $(cat out err)"
    grep -q "beside: $written images are left out, which label or detect has written" err || fail "$written: $(cat err)"
done
[[ $(cd beside && md5sum ./*) == "$before" ]] || fail 'the second run gave other files'

# One that was edited since is the user's.
python3 - beside/a_overlay.png <<'END' # as a program that drops texts writes it
import struct, sys
data = open(sys.argv[1], "rb").read()
at = data.rindex(b"tEXt") - 4
open(sys.argv[1], "wb").write(data[:at] + data[at + 12 + struct.unpack(">I", data[at:at + 4])[0]:])
END
before=$(cd beside && md5sum ./*) code=0
"$program" label -q -t cpu f.ktx2 beside -o beside --overwrite >out 2>err || code=$?
((code == 2)) && grep -q beside/a_overlay.png err && [[ $(cd beside && md5sum ./*) == "$before" ]] ||
    fail "edited: exit $code, $(cat err)"

# Nothing else is there.
rm beside/a.png beside/b.png beside/a_overlay.png
refuse 1 "no images but $((written - 1)) that label or detect has written" beside

# CURFIL's layout: the images called NAME_colors alone; whatever waits for a writer is not opened to look for a mark.
mkfifo scenes/pipe.png
timeout 60 "$program" label -v -t cpu f.ktx2 scenes -o labelled >out 2>err || fail "scenes: $(cat err)"
grep -q '^3 images labelled' out || fail "scenes: $(cat out err)"
grep -q 'scenes: 7 images are left out, since others are called NAME_colors' err || fail "scenes: $(cat err)"

echo 'images of the user are labelled and kept, whatever they are called; those that label wrote are left out'
