#!/usr/bin/env bash
# The example predicts what `shadewood records` does: of models for classes and for values, with missing fields, too.
# TAP on the output. usage: predict.sh SHADEWOOD EXAMPLE MODELS
set -uo pipefail
program=$1 example=$2 models=$3
. "$(dirname "$0")/../tests/testing/check.sh"

rounded() {
    awk -F , '{ for (i = 1; i <= NF; i++) printf "%.3f%s", $i, i < NF ? "," : "\n" }'
}

# same MODEL KINDS
same() {
    local count
    "$program" import -q "$models/$1" -o "$folder/model.ktx2" || return 1
    count=$("$program" inspect "$folder/model.ktx2" | awk '$1 == "attributes" { print $2 + 0; exit }')
    [[ -n $count ]] || { echo 'no number of attributes'; return 1; }
    awk -v count="$count" 'BEGIN {
        srand(1)
        for (row = 0; row < 40; row++)
            for (a = 1; a <= count; a++)
                printf "%s%s", rand() < 0.1 ? "" : int(rand() * 400) / 100 - 1, a < count ? "," : "\n"
    }' >"$folder/rows.csv"
    "$program" records -q "$folder/model.ktx2" "$folder/rows.csv" --header no --class-column none --by-position --write "$2" -o - |
        tail -n +2 >"$folder/expected" && "$example" "$folder/model.ktx2" <"$folder/rows.csv" >"$folder/found" || return 1
    rounded <"$folder/expected" >"$folder/rounded" && [[ $(wc -l <"$folder/rounded") == 40 ]] &&
        rounded <"$folder/found" | diff "$folder/rounded" - &&
        sed 's/$/\r/' "$folder/rows.csv" | "$example" "$folder/model.ktx2" | cmp - "$folder/found"
}

refuses() {
    ! echo 1,2 | "$example" "$folder/model.ktx2" 2>"$folder/said" && grep 'a row must have' "$folder/said" &&
        ! "$example" "$folder/rows.csv" </dev/null 2>"$folder/said" && grep 'rows.csv' "$folder/said"
}

check 'classes and probabilities' same sklearn-boosting-classes.json classes,probabilities
check 'values' same sklearn-boosting-values.json values
check 'what is wrong is told' refuses
printf '1..%d\n' "$cases"
exit "$status"
