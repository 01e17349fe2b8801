#!/usr/bin/env bash
# An input that nothing reads is refused by train and evaluate as by label: whoever names one means it to be read.
set -euo pipefail
program=$1

# refuse TEXT COMMAND...: fails with one line with the text, and writes nothing.
refuse() {
    local text=$1 code=0
    shift
    "$program" "$@" >out 2>err || code=$?
    if ((code != 1)) || [[ $(wc -l <err) != 1 || -e x.ktx2 ]] || ! grep -qF -- "$text" err; then
        printf '%s: exit %d, %s\n' "$*" "$code" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >out
few=(-t cpu --trees 1 --depth 2)
"$program" train -q -d scenes "${few[@]}" --channels rgb -o f.ktx2 >out
refuse 'the input ir is not read by the channels rgb' \
    train -q -d scenes "${few[@]}" --channels rgb --input 'ir={}_depth.png' -o x.ktx2
refuse 'the input depth is not read by the channels winn16' \
    train -q -d scenes "${few[@]}" --input 'depth={}_depth.png' -o x.ktx2
refuse 'the input ir is not read by the forest' evaluate -q -d scenes -t cpu --input 'ir={}_depth.png' f.ktx2
refuse 'the input ir is not read by the forest' label -q -t cpu --input 'ir={}_depth.png' f.ktx2 scenes/00000_colors.png

echo 'inputs that nothing reads are refused'
