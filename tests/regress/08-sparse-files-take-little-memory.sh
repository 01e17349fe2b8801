#!/usr/bin/env bash
# Files of 5 GiB, nearly all of it holes, in the place of every kind of file that is read whole: refused for what they
# are, with 500 MB of address space.
set -euo pipefail
program=$1 viewer=$(dirname "$1")/shadewood-viewer

# refuse CODE TEXT COMMAND...: fails with the code and one line with the text.
refuse() {
    local wanted=$1 text=$2 code=0
    shift 2
    (ulimit -v 500000 && exec "$@") >out 2>err || code=$?
    if ((code != wanted)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf '%s: exit %d, "%s" expected: %s\n' "$*" "$code" "$text" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" train -q --data scenes -t cpu --threads 1 --trees 1 --depth 4 -o f.ktx2 >/dev/null
cp f.ktx2 long.ktx2
printf '\x89PNG\r\n\x1a\n' >signed.png
for file in zeros signed.png long.ktx2; do
    truncate -s 5G "$file" || { echo 'this file system has no holes'; exit 77; }
done
(($(du -k zeros | cut -f 1) < 1000)) || { echo 'this file system has no holes'; exit 77; }

train=("$program" train -q -t cpu --threads 1 -o new.ktx2)
refuse 1 'zeros: it is not a PNG' "$program" label -q -t cpu --threads 1 f.ktx2 zeros
refuse 1 'signed.png: it is larger than 2304 MiB' "$program" label -q -t cpu --threads 1 f.ktx2 signed.png
refuse 1 'zeros: it is larger than 64 MiB' "${train[@]}" --data scenes --split zeros
refuse 1 'zeros: it is larger than 64 MiB' "${train[@]}" --data scenes --palette zeros
refuse 1 'zeros: it is larger than 256 MiB' "${train[@]}" zeros
refuse 2 'zeros: it is larger than 64 MiB' "$program" bench compare zeros zeros
refuse 1 'zeros: not a KTX2 file' "$program" inspect zeros
refuse 1 'long.ktx2: ' "$program" inspect long.ktx2
grep -q 'follow the last texel' err || { cat err; exit 1; }
refuse 1 'zeros exists, and is not a training log' "${train[@]}" --data scenes --log zeros
if [[ -x $viewer ]]; then
    code=0
    "$viewer" --headless --script zeros 2>err || code=$?
    ((code == 3)) || grep -q 'zeros: it is larger than 64 MiB' err || { cat err; exit 1; }
fi

echo 'files are read only as far as their kind is long'
