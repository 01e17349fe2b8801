#!/usr/bin/env bash
# What cannot be written is told before the work begins: training that would take days, and a folder of images.
set -euo pipefail
program=$1

# soon CODE TEXT COMMAND...: ends with that code and one line with the text, instead of training for days.
soon() {
    local wanted=$1 text=$2 code=0
    shift 2
    timeout 60 "$@" >out 2>err || code=$?
    if ((code != wanted)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf '%s: exit %d, %s\n' "$*" "$code" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" train -q --data scenes -t cpu --trees 1 --depth 4 -o f.ktx2 >/dev/null
endless=("$program" train -q --data scenes -t cpu --threads 1 --trees 4000 --candidates 100000 --pixels all)
mkdir folder
soon 2 'is empty' "${endless[@]}" -o ''
soon 1 'nosuchfolder/x' "${endless[@]}" -o nosuchfolder/x
soon 1 'it is a folder' "${endless[@]}" -o folder
soon 1 'folder/' "${endless[@]}" -o nosuchfolder/
soon 1 'not a regular file' "${endless[@]}" -o /dev/null
ln -s nosuchfile dangling
soon 1 'dangling: it is a dangling link' "${endless[@]}" -o dangling --overwrite
soon 1 'dangling: it is a dangling link' "${endless[@]}" -o new.ktx2 --log dangling
soon 1 'dangling: it is a dangling link' "${endless[@]}" -o new.ktx2 --checkpoint dangling
soon 1 'dangling: it is a dangling link' "${endless[@]}" -o new.ktx2 --checkpoint dangling --resume
soon 1 'dangling: it is a dangling link' "$program" synth -q -o dangling --count 1
soon 1 'dangling: it is a dangling link' "$program" inspect f.ktx2 --texture dangling
soon 1 'dangling: it is a dangling link' "$program" bench -q --json dangling
soon 1 'too long' "${endless[@]}" -o "$(printf 'x%.0s' {1..300})"
soon 2 'is empty' "${endless[@]}" -o new.ktx2 --log ''
soon 2 'is empty' "${endless[@]}" -o new.ktx2 --checkpoint ''
soon 1 'nosuchfolder/x' "${endless[@]}" -o new.ktx2 --log nosuchfolder/x
if (($(id -u) != 0)); then
    chmod a-w folder
    soon 1 'folder/new.ktx2' "${endless[@]}" -o folder/new.ktx2
    chmod u+w folder
fi
[[ ! -e new.ktx2 ]]

# The last of the images is in the way: none is labelled.
mkdir -p labelled/00002_colors_overlay.png
soon 1 'it is a folder' "$program" label -q -t cpu f.ktx2 scenes
[[ ! -e labelled/00000_colors_labels.png ]]
ln -s nosuchfile labelled/00001_colors_labels.png
rmdir labelled/00002_colors_overlay.png
soon 1 'it is a dangling link' "$program" label -q -t cpu f.ktx2 scenes
soon 1 'it is a file' "$program" label -q -t cpu f.ktx2 scenes -o f.ktx2
soon 1 'nosuchfolder/r.json' "$program" bench -q --json nosuchfolder/r.json
soon 2 'is empty' "$program" bench -q --csv ''
soon 2 'different files' "$program" bench -q --csv both --json both

echo 'outputs are checked before the work begins'
