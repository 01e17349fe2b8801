#!/usr/bin/env bash
# What is written to a full disk fails with the reason, in one line that names the file, and leaves what was there.
set -euo pipefail
program=$1

# expect REASON FILE COMMAND...: fails with one line that names the file, or the beginning of its name, and the reason.
expect() {
    local reason=$1 file=$2 code=0
    shift 2
    "$@" >out 2>err || code=$?
    if ((code != 1)) || ! grep -F -- "$file" err | grep -qF -- ": $reason" || [[ $(wc -l <err) != 1 ]]; then
        printf '%s: exit %d instead of 1, "%s: %s" expected:\n' "$*" "$code" "$file" "$reason"
        cat err
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 64x48 >/dev/null
train=(train -q --data scenes -t cpu --trees 2 --depth 8)
"$program" "${train[@]}" -o forest.ktx2 >/dev/null

# every PREFIX REASON: all writers, with a folder in which only little can be written.
every() {
    local label=("$program" label -q forest.ktx2 scenes/00000_colors.png -t cpu -o "$1labelled")
    mkdir -p "$1labelled"
    expect "$2" "$1full.ktx2" "$program" "${train[@]}" -o "$1full.ktx2"
    [[ ! -e $1full.ktx2 ]]
    if [[ -n $1 ]]; then # the disk of the current folder is not full
        grep -qF 'a forest was written to ./full.ktx2' err && cmp full.ktx2 forest.ktx2 && rm full.ktx2
    fi
    expect "$2" 00000_colors_overlay.png "${label[@]}" --no-labels
    expect "$2" 00000_colors_probability-0 "${label[@]}" --no-labels --no-overlay -p png
    expect "$2" 00000_colors_probabilities.tif "${label[@]}" --no-labels --no-overlay -p tiff
    expect "$2" 00000_colors_probabilities.npy "${label[@]}" --no-labels --no-overlay -p npy
    expect "$2" 00000_colors_leaves.npy "${label[@]}" --no-labels --no-overlay --leaves
    expect "$2" "$1texture.png" "$program" inspect forest.ktx2 --texture "$1texture.png"
    expect "$2" "$1rooms/" "$program" synth -q -o "$1rooms" --count 1
    [[ ! -e $1labelled/00000_colors_overlay.png && ! -e $1texture.png ]]
}

(
    trap '' XFSZ
    ulimit -f 1
    every '' 'File too large'
)
expect 'No space left on device' /dev/full "$program" "${train[@]}" -o full.ktx2 --log /dev/full
if [[ -e /dev/full ]]; then
    code=0
    "$program" inspect forest.ktx2 >/dev/full 2>err || code=$?
    grep -q 'standard output: No space left on device' err && ((code == 1))
fi

# A disk of its own, where this machine lets one be made.
mkdir disk
export -f every expect
export program
if unshare -rm true 2>/dev/null; then
    unshare -rm bash -euc 'train=(train -q --data scenes -t cpu --trees 2 --depth 8)
        mount -t tmpfs -o size=4k none disk && every disk/ "No space left on device"'
fi
echo 'every writer says why it cannot write all of a file'
