#!/usr/bin/env bash
# Forests of CURFIL's know classes by their colours alone: evaluate finds them by these in label images, with and
# without a palette, and a forest is a palette itself.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

# accuracy ARGUMENT...: the correct pixels, the pixels and the accuracies of the classes in the order of their colours
accuracy() {
    "$program" evaluate -q -t cpu --json "$@" >report.json 2>err || fail "evaluate $*: $(cat err)"
    python3 -c 'import json; r = json.load(open("report.json")); print(r["pixels"], r["pixel_accuracy"], r["mean_class_accuracy"])'
}

few=(-q -t cpu --trees 2 --depth 4 --channels depth,rgb --feature curfil-difference)
"$program" synth -q -o rooms --count 4 --size 48x40 >out
mkdir bare
cp rooms/*.png bare
"$program" train "${few[@]}" -d rooms -o rooms.ktx2 >out
"$program" export -q --to curfil rooms.ktx2 -o trees >out
python3 - <<'END' # as CURFIL writes them
import glob, gzip, json
for path in glob.glob("trees/*.json.gz"):
    tree = json.loads(gzip.open(path).read())
    del tree["classNames"]
    gzip.open(path, "wt").write(json.dumps(tree))
palette = json.load(open("rooms/palette.json"))
palette["classes"].reverse()
json.dump(palette, open("reversed.json", "w"))
END
"$program" import -q --from curfil trees/*.json.gz -o curfil.ktx2 >out

wanted=$(accuracy -d rooms rooms.ktx2)
for way in '-d rooms' '-d bare' '-d bare --palette curfil.ktx2' '-d bare --palette rooms.ktx2' \
    '-d rooms --palette reversed.json'; do
    # shellcheck disable=SC2086
    got=$(accuracy $way curfil.ktx2)
    [[ $got == "$wanted" ]] || fail "$way: $got, not $wanted"
done
got=$(accuracy -d bare rooms.ktx2)
[[ $got == "$wanted" ]] || fail "classes with names: $got, not $wanted"

# A forest is the palette that it was trained with.
"$program" train "${few[@]}" -d bare --palette rooms.ktx2 -o again.ktx2 >out
cmp rooms.ktx2 again.ktx2
code=0
"$program" train "${few[@]}" -d bare --palette rooms.ktx2 --ignore wall -o less.ktx2 >out 2>&1 || fail "ignored: $(cat out)"
printf 'no forest' >broken.ktx2
"$program" train "${few[@]}" -d bare --palette broken.ktx2 -o none.ktx2 >out 2>err || code=$?
((code == 1)) && grep -q broken.ktx2 err || fail "broken: exit $code, $(cat err)"

# A colour that is not a class of the forest.
python3 - <<'END'
open("bare/00000_ground_truth.png", "wb").write(open("rooms/00000_ground_truth.png", "rb").read())
END
"$program" train "${few[@]}" -d rooms --ignore wall -o walls.ktx2 >out
code=0
"$program" evaluate -q -t cpu -d bare walls.ktx2 >out 2>err || code=$?
((code == 1)) && grep -q 'labels must be of the classes' err || fail "another colour: exit $code, $(cat err)"

echo 'classes are found by the colours that a forest stores, and a forest is a palette'
