#!/usr/bin/env bash
# Runs the scripts NN-name.sh of this folder in the order of their numbers, each in an empty folder that is removed
# afterwards, and prints a line for each; TAP. A script gets the program's path as $1, prints one line that says what
# it checked, and exits with 0, with 77 where the machine cannot show it (the line says why), or with another code.
# usage: run.sh PROGRAM [PATTERN]: PATTERN chooses among the names, as in run.sh build/release/shadewood '05-*'
set -uo pipefail
if (($# < 1)) || [[ ! -x $1 ]]; then
    printf 'usage: %s PROGRAM [PATTERN]\n' "$0" >&2
    exit 2
fi
program=$(realpath "$1") pattern=${2:-*}
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cases=0 failed=0

for script in "$scripts"/[0-9][0-9]-*.sh; do
    name=${script##*/} name=${name%.sh}
    # shellcheck disable=SC2053
    [[ $name == $pattern ]] || continue
    ((cases += 1))
    mkdir -p "$root/$name/home"
    code=0
    # A home of its own: what calibration and the viewer keep there is neither read nor changed.
    (cd "$root/$name" && exec env HOME="$root/$name/home" XDG_CONFIG_HOME= XDG_CACHE_HOME= \
        timeout --kill-after=10 240 bash "$script" "$program") </dev/null >"$root/log" 2>&1 || code=$?
    line=$(tail -n 1 "$root/log")
    if ((code == 0)); then
        printf 'ok %d - %s: %s\n' "$cases" "$name" "$line"
    elif ((code == 77)) && [[ ${SHW_NO_SKIP:-} != 1 ]]; then
        printf 'not ok %d # SKIP %s: %s\n' "$cases" "$name" "$line"
    else
        printf 'not ok %d - %s: exit %d\n' "$cases" "$name" "$code"
        sed 's/^/# /' "$root/log"
        ((failed += 1))
    fi
    chmod -R u+rwX "$root/$name" && rm -rf "${root:?}/$name"
done

if ((cases == 0)); then
    printf 'not ok 1 - there is no script that matches %s\n' "$pattern"
    failed=1
fi
printf '1..%d\n' "$cases"
((failed == 0))
