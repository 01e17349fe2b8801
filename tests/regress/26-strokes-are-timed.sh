#!/usr/bin/env bash
# The bench times strokes in the viewer, and `bench compare` shows one that has become slower.
set -euo pipefail
program=$1 viewer=$(dirname "$1")/shadewood-viewer

fail() {
    printf '%s\n' "$*"
    exit 1
}

mkdir alone && cp "$program" alone/shadewood
(PATH=/nowhere alone/shadewood bench viewer --runs 3 -q --json "$PWD/alone.json") >alone.txt ||
    fail 'without the viewer, the bench fails'
grep -q 'there is no shadewood-viewer\|needs a Vulkan device' alone.txt || fail "without the viewer: $(cat alone.txt)"

[[ -x $viewer ]] || { echo 'the viewer is not built'; exit 77; }
"$program" devices >devices.txt 2>&1 || { echo 'there is no Vulkan device'; exit 77; }
"$program" bench viewer --runs 3 -q --json now.json >now.txt || fail "exit $?: $(cat now.txt)"
python3 - <<'END'
import json

report = json.load(open("now.json"))
rows = {row["stage"]: row for row in report["rows"]}
for stage in ("stroke", "first-overlay"):
    for part in ("", "-prepared", "-trained", "-shown"):
        times = rows[stage + part]["wall_ms"]
        assert times["runs"] == 3 and times["min"] > 0, (stage, part, times)
        assert times["max"] <= rows[stage]["wall_ms"]["max"], (stage, part, times)
for key in ("median", "mean", "min", "max", "q1", "q3"):
    rows["stroke"]["wall_ms"][key] *= 20
json.dump(report, open("slower.json", "w"))
END
"$program" bench compare now.json now.json >same.txt || fail "a run is slower than itself: $(cat same.txt)"
code=0
"$program" bench compare now.json slower.json >compared.txt || code=$?
((code == 1)) || fail "a slower stroke: exit $code"
grep -q 'stroke' compared.txt || fail "a slower stroke is not told: $(cat compared.txt)"
echo 'strokes in the viewer are timed, and a slower one is told'
