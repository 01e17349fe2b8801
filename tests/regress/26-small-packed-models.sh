#!/usr/bin/env bash
# Small packed models that unpack to millions of numbers are refused for what they are, with 350 MB of address space.
set -euo pipefail
program=$1

python3 - <<'END'
import gzip, json
zeros = "[" + "0," * 12_000_000 + "0]"

def write(name, text):
    data = gzip.compress(text.encode(), 9)
    assert len(data) < 100_000
    open(name, "wb").write(data)

head = '"format": "record-trees", "version": 1, "task": "classes", "attributes": 3'
arrays = ("children_left", "children_right", "feature", "threshold", "value")
few = "[" + "0," * 2_000_000 + "0]"
equal = json.dumps({a: "x" for a in arrays}).replace('"x"', few)
pairs = equal.replace(few, "[" + "1,-1," * 1_000_000 + "1]", 1)
write("classes.json.gz", '{%s, "trees": [{"children_left": %s}]}' % (head, zeros))
write("other.json.gz", '{%s, "classes": %s, "trees": []}' % (head, zeros))
write("arrays.json.gz", '{%s, "classes": 2, "trees": [{"children_left": %s}]}' % (head, zeros))
write("more.json.gz", '{%s, "classes": 2, "trees": [{"more": %s, "children_left": [-1], "children_right": [-1], "feature": [0], '
      '"threshold": [0], "value": [[1, 2]]}]}' % (head, zeros))
write("root.json.gz", '{%s, "classes": 2, "trees": [%s]}' % (head, equal))
write("pairs.json.gz", '{%s, "classes": 2, "trees": [%s]}' % (head, pairs))
write("xgboost.json.gz", '{"learner": {"a": %s}}' % zeros)
write("curfil.json.gz", '{"a": %s}' % zeros)
END

# refuse TEXT ARGUMENT...: import fails with one line with the text.
refuse() {
    local text=$1 code=0
    shift
    (ulimit -v 350000 && exec "$program" import "$@" -o x.ktx2) >out 2>err || code=$?
    if ((code != 1)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf '%s: exit %d, %s\n' "$*" "$code" "$(cat err)"
        exit 1
    fi
}
refuse 'there is no "classes"' classes.json.gz
refuse 'more than 1048576 values' other.json.gz
refuse 'there is no array "children_right"' arrays.json.gz
refuse 'more values than its 1 nodes need' more.json.gz
refuse 'tree 0, node 0: its child, node 0, is the root' root.json.gz
refuse 'tree 0, node 0: its child, node 0, is the root' pairs.json.gz
refuse 'values: this is not a model' xgboost.json.gz
refuse 'values: this is not a model' --from curfil curfil.json.gz

echo 'what small packed models unpack to takes no memory'
