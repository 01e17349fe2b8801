#!/usr/bin/env bash
# Messages speak of what the user gave, and say what is wanted instead.
set -euo pipefail
program=$1

# say TEXT COMMAND...: fails with one line that has the text.
say() {
    local text=$1 code=0
    shift
    "$program" "$@" >out 2>err || code=$?
    if ((code != 1)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf 'shadewood %s: exit %d, "%s" expected:\n%s\n' "$*" "$code" "$text" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 2 --size 32x24
train=(train --data scenes -q -t cpu --trees 1 --depth 3 -o f.ktx2)

# A checkpoint is no forest.
echo text >text.txt
printf 'a,class\n1,x\n2,y\n' >table.csv
for trainer in "${train[*]}" 'train-records table.csv -q -t cpu -o f.ktx2' \
    'train-cascade --objects scenes/00000_colors.png --backgrounds scenes/00001_colors.png -q -t cpu -o f.ktx2'; do
    # shellcheck disable=SC2086
    say 'text.txt: this is not a checkpoint' $trainer --checkpoint text.txt --resume
done

# The file that has the name, not the folder of the data.
sed '0,/"name": "[^"]*"/s//"name": "a\\u0001b"/' scenes/palette.json >p.json
say 'p.json: entry 0 of "classes" has a "name"' "${train[@]}" --palette p.json

# The columns that are wanted.
printf 'file,left,top,right,bottom\na.png,1,2,3,4\n' >boxes.csv
say 'boxes.csv, line 1: the columns are not those of image,x,y,width,height[,label]' train-cascade --annotations boxes.csv \
    --backgrounds scenes -q -t cpu -o f.ktx2

# What a project has in vain.
printf '{"format": "shadewood-project", "version": 1, "training": {"treees": 5, "depth": 3}, "classes":
    [{"name": "a", "colour": [1, 2, 3]}, {"name": "b", "colour": [4, 5, 6]}], "pictures":
    [{"name": "scenes/00000_colors.png", "width": 32, "height": 24, "strokes":
    [{"class": 0, "radius": 2, "points": [5, 5]}, {"class": 1, "radius": 2, "points": [9, 15]}]}]}' >project.json
"$program" train -t cpu project.json -o p.ktx2 >out 2>err
grep -qF 'warning: project.json: "training": "treees" is unknown and ignored: there are "channels", "trees", "depth"' err ||
    { cat err; exit 1; }

# Another program's cascade in XML is read by its contents, as far as the build has the library.
printf '<opencv_storage>\n<cascade/>\n</opencv_storage>\n' >plate.xml
"$program" import plate.xml -o plate.ktx2 >out 2>err && exit 1
! grep -q 'neither a record forest' err || { cat err; exit 1; }

echo 'messages name the file that is meant, and what is wanted'
