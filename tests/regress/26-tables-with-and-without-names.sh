#!/usr/bin/env bash
# Columns that are matched by position beside ones with names are told, or refused where one forest is trained on both.
set -euo pipefail
program=$1

# The class follows from a alone; in the table without names, a is the second column.
seq 200 | awk 'BEGIN { print "a,b,class" } { a = $1 * 7 % 20; print a "," $1 * 3 % 20 "," (a > 9 ? "x" : "y") }' >named.csv
awk -F, -v OFS=, 'NR > 1 { print $2, $1, $3 }' named.csv >bare.csv
"$program" train-records named.csv -t cpu -q --trees 9 -o forest.ktx2 >out

fail() {
    printf '%s:\n' "$1"
    cat out err
    exit 1
}

"$program" records forest.ktx2 bare.csv -t cpu >out 2>err || fail 'exit'
grep -q '^shadewood: warning: bare.csv: its columns have no names, .* matched by position' err || fail 'no warning'
"$program" records forest.ktx2 bare.csv -t cpu --by-position >out 2>err || fail 'exit'
[[ ! -s err ]] || fail 'a warning'
"$program" train-records named.csv -t cpu --trees 1 --test bare.csv -o tested.ktx2 >out 2>err || fail 'exit'
grep -q 'matched by position' err || fail 'no warning of --test'
for tables in 'named.csv bare.csv' 'bare.csv named.csv'; do
    code=0
    # shellcheck disable=SC2086
    "$program" train-records $tables -t cpu -q -o both.ktx2 >out 2>err || code=$?
    ((code == 1)) && [[ $(wc -l <err) == 1 ]] && grep -q 'those of the table before have' err || fail "$tables"
done

echo 'tables with and without names of columns are not mixed without a word'
