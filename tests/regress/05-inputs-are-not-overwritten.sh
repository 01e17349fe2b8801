#!/usr/bin/env bash
# An output that is one of the command's inputs, by another path or a link, is refused before the work begins, even with
# --overwrite; and so is one file as two outputs.
set -euo pipefail
program=$1

# refuse FILE COMMAND...: fails with exit code 2 and one line, and FILE is as before.
refuse() {
    local file=$1 code=0 before
    shift
    before=$(md5sum <"$file")
    timeout 60 "$program" "$@" >out 2>err || code=$?
    if ((code != 2)) || [[ $(wc -l <err) != 1 || $(md5sum <"$file") != "$before" ]]; then
        printf 'shadewood %s: exit %d, %s\n' "$*" "$code" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" train -q --data scenes -t cpu --trees 1 --depth 4 -o f.ktx2 >/dev/null
cp scenes/00000_colors.png picture.png
cat >p.json <<'END'
{"format": "shadewood-project", "version": 1, "training": {"trees": 1, "depth": 2},
 "classes": [{"name": "a", "colour": [1, 2, 3]}, {"name": "b", "colour": [4, 5, 6]}],
 "pictures": [{"name": "picture.png", "width": 48, "height": 40, "strokes": [
     {"class": 0, "radius": 3, "points": [5, 5, 40, 5]}, {"class": 1, "radius": 3, "points": [5, 30, 40, 30]}]}]}
END
mkdir sub
ln -s ../p.json sub/link.json
ln p.json hard.json
ln -s . here

for name in p.json ./p.json here/p.json sub/link.json hard.json "$PWD/p.json"; do
    refuse p.json train -q -t cpu p.json -o "$name"
    refuse p.json train -q -t cpu p.json -o "$name" --overwrite
    refuse p.json train -q -t cpu p.json -o new.ktx2 --log "$name" --overwrite
    refuse p.json train -q -t cpu p.json -o new.ktx2 --checkpoint "$name" --overwrite
done
refuse picture.png train -q -t cpu p.json -o ./picture.png --overwrite
[[ -L sub/link.json ]]

train=(train -q --data scenes -t cpu --trees 1 --depth 2)
printf '00000\n00001\n' >list.txt
refuse scenes/palette.json "${train[@]}" -o ./scenes/palette.json --overwrite
refuse scenes/00001_ground_truth.png "${train[@]}" -o scenes/../scenes/00001_ground_truth.png --overwrite
refuse scenes/palette.json "${train[@]}" --palette scenes/palette.json -o new.ktx2 --log ./scenes/palette.json --overwrite
refuse list.txt "${train[@]}" --split list.txt -o here/list.txt --overwrite
refuse f.ktx2 "${train[@]}" -o new.ktx2 --log here/new.ktx2 --overwrite
refuse f.ktx2 "${train[@]}" -o here/new.ktx2 --checkpoint new.ktx2

refuse f.ktx2 inspect f.ktx2 --texture f.ktx2 --overwrite
refuse f.ktx2 inspect f.ktx2 --texture ./f.ktx2 --overwrite
cp scenes/00000_colors.png sub/00000_labels.png
cp scenes/00000_colors.png sub/00000.png
refuse sub/00000_labels.png label -q -t cpu f.ktx2 sub/00000.png sub/00000_labels.png -o sub --overwrite
cp -r scenes evaluated
for image in evaluated/*_colors.png; do mv "$image" "${image%_colors.png}_overlay.png"; done
refuse evaluated/00001_overlay.png evaluate -q -t cpu f.ktx2 --data evaluated --images '{}_overlay.png' \
    --labels '{}_ground_truth.png' --overlays evaluated --overwrite

echo 'no command overwrites what it reads, by whatever path'
