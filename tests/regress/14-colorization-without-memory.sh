#!/usr/bin/env bash
# With too little memory, colorization fails with one line that names the image, and standard output stays JSON.
set -euo pipefail
program=$1

"$program" synth -q -o rooms -n 1 --size 200x150 --holes >/dev/null
"$program" depth -q rooms -o whole --fill colorization >/dev/null 2>err || {
    grep -q 'built without SuperLU' err && echo 'this build has no SuperLU' && exit 77
    cat err
    exit 1
}
failed=0 kilobytes=$((20 * 1024))
for ((step = 0; step < 40; step++)); do
    rm -rf filled
    code=0
    (
        ulimit -v $kilobytes
        exec "$program" depth rooms -o filled --fill colorization --alpha 1 --threads 1 --json >out 2>err
    ) || code=$?
    ((code == 0)) && break
    if [[ -s out ]]; then # the program itself got started
        ((code == 1)) && [[ $(wc -l <err) == 1 ]] && grep -q 'rooms/00000_\(depth\|colors\).png' err && python3 -m json.tool out >/dev/null ||
            { printf 'ulimit -v %d: exit %d\n%s\n%s\n' $kilobytes $code "$(cat err)" "$(cat out)"; exit 1; }
        grep -q 'memory to colorize' err && ((failed += 1))
    fi
    kilobytes=$((kilobytes + 4 * 1024))
done
((code == 0 && failed > 0)) || { echo "exit $code with $kilobytes KiB, $failed times too little memory"; exit 1; }

echo 'colorization with too little memory is one line'
