#!/usr/bin/env bash
# An export to CURFIL's format has all of the forest, and nothing of another.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

refuse() {
    local text=$1 code=0
    shift
    "$program" "$@" >out 2>err || code=$?
    ((code == 1)) && [[ $(wc -l <err) == 1 ]] && grep -qF -- "$text" err ||
        fail "shadewood $*: exit $code, '$text' expected: $(cat err)"
}

"$program" synth -q -o rooms -n 2 --size 24x16 >/dev/null
train=(train -q -t cpu --data rooms --channels depth,rgb --feature curfil-difference --depth 3 --candidates 8)
"$program" "${train[@]}" --trees 3 -o three.ktx2 >/dev/null
"$program" "${train[@]}" --trees 1 -o one.ktx2 >/dev/null
"$program" "${train[@]}" --trees 3 --combine vote -o vote.ktx2 >/dev/null

# CURFIL does not vote.
refuse 'vote.ktx2: its trees vote; CURFIL averages them' export --to curfil vote.ktx2 -o votes
"$program" export -q --to curfil vote.ktx2 --combine mean -o votes

# Trees of a larger forest.
"$program" export -q --to curfil three.ktx2 -o trees
cp -r trees before
"$program" export -q --to curfil three.ktx2 -o trees || fail 'files of its own need no --overwrite'
refuse 'trees has 2 trees of a larger forest that this one would not replace, the first tree1.json.gz' \
    export --to curfil one.ktx2 -o trees
diff -r trees before || fail 'the folder has changed'
"$program" export -q --to curfil one.ktx2 -o trees --overwrite
[[ $(ls trees) == tree0.json.gz ]] || fail "$(ls trees)"
"$program" export -q --to curfil one.ktx2 -o alone
diff -r trees alone || fail 'the tree is another'

# Trees of others: packed again, they have no mark.
"$program" export -q --to curfil three.ktx2 -o trees
gzip -d trees/tree2.json.gz && gzip trees/tree2.json
for overwrite in '' --overwrite; do
    # shellcheck disable=SC2086
    refuse 'trees has tree2.json.gz, which Shadewood did not write' export --to curfil one.ktx2 -o trees $overwrite
done
[[ $(ls trees | wc -l) == 3 ]] || fail 'trees are gone'
refuse 'trees/tree2.json.gz exists, and is not an exported tree' export --to curfil three.ktx2 -o trees

echo 'exports have all of the forest, and nothing of another'
