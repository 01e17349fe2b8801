#!/usr/bin/env bash
# Training on a device that is refused for want of memory says the least --memory: that works, and 1 MiB less does not.
set -euo pipefail
program=$1

# try MIB OPTION...: trains with so much memory; the message is in `err`.
try() {
    local memory=$1
    shift
    "$program" train -q --data scenes --trees 1 --depth 1 --candidates 8 -o forest.ktx2 --memory "${memory}M" "$@" \
        >out 2>err
}

# exact OPTION...: `least` becomes the number that is said for --memory 1M.
exact() {
    local code=0
    try 1 "$@" || code=$?
    if ((code == 3)); then
        echo 'there is no Vulkan device'
        exit 77
    fi
    least=$(sed -n 's/.* needs at least \([0-9]*\) MiB of device memory .*; 1 MiB may be used.*/\1/p' err)
    if ((code != 1)) || [[ -z $least ]] || ((least < 2)); then
        echo "$*, 1 MiB: exit $code, $(cat err)"
        exit 1
    fi
    if try $((least - 1)) "$@" || ! grep -q "at least $least MiB .*; $((least - 1)) MiB may be used" err; then
        echo "$*: $((least - 1)) MiB, 1 less than the least: $(cat err)"
        exit 1
    fi
    if ! try "$least" "$@"; then
        echo "$*: $least MiB are said to work: $(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 120x90 >/dev/null
exact -t compute --pixels 100 --mirror
exact -t blend --pixels 100 --channels rgb --feature pixel-difference
for technique in compute blend; do
    exact -t $technique --pixels 100
    few=$least
    exact -t $technique --pixels all
    ((least > few)) || { echo "$technique: as much for all pixels as for 100 per image"; exit 1; }
done
echo 'the least memory that is said for training on a device works, and 1 MiB less does not'
