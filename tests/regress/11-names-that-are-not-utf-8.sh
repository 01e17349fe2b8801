#!/usr/bin/env bash
# File names that are not UTF-8: every command prints JSON, with U+FFFD for each byte that JSON cannot hold.
set -euo pipefail
program=$1
odd=$'odd\xff\xc3('

# json COMMAND...: succeeds, and its output is JSON with the name in it as it should be.
json() {
    "$program" "$@" --json >out 2>err || { printf 'shadewood %s: %s\n' "$*" "$(cat err)"; exit 1; }
    python3 -c 'import json, sys
text = open("out", encoding="utf-8").read()
json.loads(text)
sys.exit("\ufffd" * 2 + "(" not in json.dumps(json.loads(text), ensure_ascii=False))' ||
        { printf 'shadewood %s prints %s\n' "$*" "$(cat out)"; exit 1; }
}

json synth -q -o "$odd" --count 3 --size 48x40
cp "$odd/00000_colors.png" "$odd.png"
json train -q --data "$odd" -t cpu --trees 1 --depth 3 -o "$odd.ktx2" --checkpoint "$odd.part" --checkpoint-every 0 \
    --log log.jsonl
grep -q '"file":"odd..*part"' log.jsonl && grep -q '"data":"odd' log.jsonl
json inspect "$odd.ktx2"
json label -q -t cpu "$odd.ktx2" "$odd.png" -o "$odd"
json label -q -t cpu "$odd.ktx2" "$odd.png"
grep -q '"image": "odd' out
json explain "$odd.ktx2" "$odd.png" 1 1

echo 'JSON output has names that are not UTF-8, with U+FFFD'
