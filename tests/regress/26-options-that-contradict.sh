#!/usr/bin/env bash
# Of two options, none loses without a word.
set -euo pipefail
program=$1

# refuse CODE TEXT COMMAND...: fails with one line that has the text.
refuse() {
    local expected=$1 text=$2 code=0
    shift 2
    "$program" "$@" >out 2>err || code=$?
    if ((code != expected)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf 'shadewood %s: exit %d, "%s" expected:\n%s\n' "$*" "$code" "$text" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 2 --size 32x24
train=(train --data scenes -q -t cpu --trees 1 --depth 3)
refuse 2 '--mirror and --flip none exclude each other' "${train[@]}" --mirror --flip none -o f.ktx2
refuse 2 '--extremely-random and --thresholds exclude each other' "${train[@]}" --extremely-random --thresholds best \
    -o f.ktx2
refuse 2 '--only-objects needs --annotations' train-cascade --objects scenes --backgrounds scenes --only-objects -o c.ktx2
"${program}" "${train[@]}" -o f.ktx2 >out
refuse 1 '--frames: the previous frame is not read by the forest' label f.ktx2 scenes --frames -t cpu

echo 'options that contradict each other are refused'
