#!/bin/sh
# Images that do not fit into the device's memory lose no samples: blend and compute make the forest of cpu.
set -eu
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$program" synth -q -o scenes --count 6 --size 1024x512 > /dev/null
hash_of() { # technique, options
    technique=$1
    shift
    "$program" train -q --data scenes --channels rgb --trees 1 --depth 2 --candidates 8 --pixels 300 -t "$technique" \
        -o "$technique.ktx2" --json "$@" | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}
expected=$(hash_of cpu)
test -n "$expected" || { echo "cpu trained no forest" >&2; exit 1; }
for technique in compute blend; do
    got=$(hash_of "$technique" --memory 84M)
    test "$got" = "$expected" || { echo "$technique trains $got, cpu $expected" >&2; exit 1; }
done
echo "six images of 1024 x 512 with 84 MiB: compute and blend train the forest of cpu, $expected"
