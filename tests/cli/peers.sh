#!/usr/bin/env bash
# scripts/peers.py without the Python packages that it compares with: a classifier of ours stands in for theirs; and what
# record-peers.py, record-generated.py and detect-peers.py say, the first two with those packages if they are there. TAP
# on the output.
# usage: peers.sh SOURCE BUILD COMPILER
set -uo pipefail
source=$1 build=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0 status=0

result() { # CODE NAME
    ((cases += 1))
    if (($1 == 0)); then
        printf 'ok %d - %s\n' "$cases" "$2"
    else
        printf 'not ok %d - %s\n' "$cases" "$2"
        sed 's/^/# /' "$folder/out" "$folder/err" 2>/dev/null
        status=1
    fi
}

if ! command -v python3 >/dev/null; then
    if [[ ${SHW_NO_SKIP:-} == 1 ]]; then
        printf 'not ok 1 - python3 is not installed\n1..1\n'
        exit 1
    fi
    printf '# skipped: python3 is not installed\nnot ok 1 # SKIP peers\n1..1\n'
    exit 0
fi

peers() { # ARGUMENT...
    python3 "$source/scripts/peers.py" --shadewood "$build/shadewood" "$@" >"$folder/out" 2>"$folder/err"
}

says() { # TEXT: one line, with it
    [[ $(wc -l <"$folder/err") == 1 ]] && grep -qF -- "$1" "$folder/err"
}

# A data set as docs/accuracy.md lays out MSRC-21.
data=$folder/data
"$build/shadewood" synth --quiet --output "$folder/rooms" --count 6 --size 48x32 >/dev/null || exit 1
mkdir -p "$data/images" "$data/labels" "$data/splits"
for name in 00000 00001 00002 00003 00004 00005; do
    mv "$folder/rooms/${name}_colors.png" "$data/images/$name.png"
    mv "$folder/rooms/${name}_ground_truth.png" "$data/labels/$name.png"
done
mv "$folder/rooms/palette.json" "$data/palette.json"
printf '%s\n' 00000 00001 >"$data/splits/Train.txt"
printf '%s\n' 00002 >"$data/splits/Val.txt"
printf '%s\n' 00003 00004 00005 >"$data/splits/Test.txt"
stub="python3 $source/tests/cli/peer_stub.py $folder/requests"

peers --help
[[ $? == 0 ]] && grep -q -- '--data DIR' "$folder/out"
result $? "the help names the options"

peers --data "$folder"
[[ $? == 1 ]] && says 'palette.json is missing'
result $? "a folder that is no data set is refused in one line"

# Packages that cannot be imported, whatever is installed.
mkdir -p "$folder/hidden"
printf 'raise ImportError("no numpy here")\n' >"$folder/hidden/numpy.py"
PYTHONPATH=$folder/hidden peers --data "$data"
[[ $? == 1 ]] && says 'python3-skimage and python3-sklearn: no numpy here'
result $? "missing packages are named in one line"

peers --data "$data" --peer "$stub" --runs 2 --samples --json "$folder/peers.json"
result $? "it trains a forest and measures"

cat >"$folder/check.py" <<'END'
import collections, json, sys
document = json.load(open(sys.argv[1]))
requests = [json.loads(line) for line in open(sys.argv[2])]
ours, theirs = document["rows"]
assert [row["id"] for row in document["rows"]] == ["peers/whole/msrc21/cpu", "peers/whole/msrc21/sklearn"]
# The stub's first time is that of the image that does not count.
assert theirs["wall_ms"]["samples"] == [2000, 3000] and theirs["wall_ms"]["median"] == 2500
assert (theirs["wall_ms"]["q1"], theirs["wall_ms"]["q3"]) == (2250, 2750)
assert theirs["throughput"]["per_second"] == 0.4
assert theirs["setting"]["pixel_accuracy_percent"] == 75 and theirs["setting"]["class_accuracy_percent"] == 75
assert ours["setting"]["pixel_accuracy_percent"] == 50 and ours["setting"]["class_accuracy_percent"] == 50
assert (theirs["setting"]["trees"], theirs["setting"]["features"], theirs["setting"]["scikit_learn"]) == (2, 4, "1")
assert ours["setting"]["trees"] == 5 and ours["setting"]["channel_set"] == "wide" and ours["setting"]["images"] == 2
quotients = sorted(b / a for a, b in zip(ours["wall_ms"]["samples"], theirs["wall_ms"]["samples"]))
assert abs(ours["setting"]["times_faster"] - sum(quotients) / 2) < 1e-9
assert theirs["unchecked"] == "another classifier" and "unchecked" not in ours
kinds = [request["do"] for request in requests]
assert kinds == ["palette"] + 3 * ["learn"] + ["fit", "label", "count", "label", "label", "count"], kinds
labelled = [request["image"].split("/")[-1] for request in requests if request["do"] == "label"]
assert labelled == ["00003.png", "00003.png", "00004.png"], labelled
END
python3 "$folder/check.py" "$folder/peers.json" "$folder/requests" >"$folder/out" 2>"$folder/err"
result $? "times, accuracies and the order of requests are as they should be"

"$build/shadewood" bench compare "$folder/peers.json" "$folder/peers.json" >"$folder/out" 2>"$folder/err"
result $? "shadewood reads the document"

"$build/shadewood" train --quiet --data "$folder/data" --images 'images/{}.png' --labels 'labels/{}.png' \
    --trees 1 --depth 3 --output "$folder/small.ktx2" >"$folder/out" 2>"$folder/err" &&
    peers --data "$data" --peer "$stub" --runs 1 --forest "$folder/small.ktx2" &&
    [[ $(grep -cE '^msrc21 +(cpu|sklearn) +- +- +[0-9.]+ +[0-9.]+ +- +-$' "$folder/out") == 2 ]] &&
    grep -qE '^peers: whole +technique device ms +spread +wall ms +a second +x limit +cpu\? +published$' "$folder/out"
result $? "the table has the columns of the bench"

peers --data "$data" --peer "$stub 5" --forest "$folder/small.ktx2"
[[ $? == 1 ]] && grep -q '^peers: the other classifier ended' "$folder/err" && ! grep -q Traceback "$folder/err"
result $? "a classifier that ends is reported"

detect_peers() { # ARGUMENT...
    python3 "$source/scripts/detect-peers.py" --shadewood "$build/shadewood" "$@" >"$folder/out" 2>"$folder/err"
}

detect_peers --help
[[ $? == 0 ]] && grep -q -- '--min-size N' "$folder/out"
result $? "detect-peers: the help names the options"

# Without OpenCV that is what it says.
mkdir "$folder/empty"
detect_peers --cascade none.ktx2 "$folder/empty"
[[ $? == 1 ]] && says 'detect-peers: ' && grep -qE 'there are no images|needs Python with OpenCV' "$folder/err"
result $? "detect-peers: no images are refused in one line"

detect_peers --cascade none.ktx2 --rounds 1 --most 1 "$data/images"
[[ $? == 1 ]] && says 'detect-peers: ' && grep -qE 'none.ktx2|needs Python with OpenCV' "$folder/err"
result $? "detect-peers: a cascade that is missing is named in one line"

record_peers() { # ARGUMENT...
    python3 "$source/scripts/record-peers.py" --library "$folder/libshadewood.so" --json "$folder/records.json" --trees 6 \
        --depth 4 --attributes 5 --classes 3 --train 300 --rounds 2 --records 1,70 "$@" >"$folder/out" 2>"$folder/err"
}

record_peers --help
[[ $? == 0 ]] && grep -q -- '--attributes N' "$folder/out"
result $? "record-peers: the help names the options"

record_peers --classes 1
[[ $? == 2 ]] && grep -q 'numbers must be at least 1, --classes 2$' "$folder/err"
result $? "record-peers: one class is refused"

PYTHONPATH=$folder/hidden record_peers
[[ $? == 1 ]] && says 'python3-sklearn and python3-xgboost: no numpy here'
result $? "record-peers: missing packages are named in one line"

record_generated() { # ARGUMENT...
    python3 "$source/scripts/record-generated.py" --library "$folder/libshadewood.so" --compiler "$compiler" \
        --json "$folder/generated.json" --trees 6 --depth 4 --attributes 5 --train 300 --rows 70 --rounds 2 \
        --records 1,70 "$@" >"$folder/out" 2>"$folder/err"
}

record_generated --help
[[ $? == 0 ]] && grep -q -- '--method NAME' "$folder/out"
result $? "record-generated: the help names the options"

record_generated --records 71
[[ $? == 2 ]] && grep -q 'numbers must be at least 1, and --records at most --rows$' "$folder/err"
result $? "record-generated: more rows at once than there are are refused"

PYTHONPATH=$folder/hidden record_generated
[[ $? == 1 ]] && says 'python3-sklearn and python3-xgboost: no numpy here'
result $? "record-generated: missing packages are named in one line"

record_peers --library "$folder/none.so"
if says 'needs Python with NumPy'; then
    printf '# skipped, record-peers with its packages: %s\n' "$(<"$folder/err")"
    printf '1..%d\n' "$cases"
    exit "$status"
fi
says "record-peers: $folder/none.so" && says '(build with -DBUILD_SHARED_LIBS=ON)'
result $? "record-peers: a library that is missing is named in one line"

library=$build/src/libshadewood
if [[ -e $library.so ]]; then
    ln -s "$library.so" "$folder/libshadewood.so"
else
    described=$build/src/shadewood.pc
    used=$(pkg-config --libs $(sed -n 's/^Requires.private: //p' "$described" | tr -d ,))
    "$compiler" -shared -o "$folder/libshadewood.so" -Wl,--whole-archive "$library.a" -Wl,--no-whole-archive \
        $used $(sed -n 's/^Libs.private: //p' "$described") || exit 1
fi

record_peers --shadewood "$folder/none"
[[ $? == 1 ]] && says "record-peers: cannot run $folder/none"
result $? "record-peers: a program that is missing is named in one line"

record_peers --shadewood "$build/shadewood"
result $? "record-peers: it trains, imports, compares and measures"

cat >"$folder/check.py" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["classes_equal"] == {"RandomForestClassifier": 1, "XGBoost": 1}, document["classes_equal"]
assert [(row["records"], row["model"]) for row in document["rows"]] == [
    (1, "forest"), (1, "boosted"), (70, "forest"), (70, "boosted")]
for row in document["rows"]:
    ours = [name for name in row["seconds"] if name.startswith("shadewood")]
    theirs = {name: seconds for name, seconds in row["seconds"].items() if name not in ours}
    assert len(ours) == 1 and len(theirs) == 2 and min(row["seconds"].values()) > 0
    assert row["our_seconds"] == row["seconds"][ours[0]] and row["our_records_per_second"] > 0
    assert (row["their_way"], row["their_seconds"]) == min(theirs.items(), key=lambda item: item[1])
    assert row["times_faster"] == row["their_seconds"] / row["our_seconds"]
END
python3 "$folder/check.py" "$folder/records.json" >"$folder/out" 2>"$folder/err"
result $? "record-peers: rows have the fastest way of theirs and our time"

# A program whose import moves a threshold.
cat >"$folder/moves" <<'END'
#!/usr/bin/env python3
import json, os, sys
path = next((argument for argument in sys.argv if argument.endswith("forest.json")), None)
if path is not None:
    model = json.load(open(path))
    model["trees"][5]["threshold"][0] += 0.1
    json.dump(model, open(path, "w"))
os.execv(os.environ["SHADEWOOD"], ["shadewood", *sys.argv[1:]])
END
chmod +x "$folder/moves"
SHADEWOOD=$build/shadewood record_peers --shadewood "$folder/moves"
[[ $? == 1 ]] && says 'record-peers: leaves differ from those of RandomForestClassifier'
result $? "record-peers: a forest that differs is not measured"

record_generated --shadewood "$build/shadewood" --library "$folder/none.so"
[[ $? == 1 ]] && says "record-generated: $folder/none.so is missing (build with -DBUILD_SHARED_LIBS=ON)"
result $? "record-generated: a library that is missing is named in one line"

record_generated --shadewood "$build/shadewood" --compiler "$folder/none"
[[ $? == 1 ]] && says "record-generated: cannot run $folder/none"
result $? "record-generated: a compiler that is missing is named in one line"

record_generated --shadewood "$build/shadewood" && record_generated --shadewood "$build/shadewood" --data cancer
result $? "record-generated: it trains, writes code, compares and measures"

cat >"$folder/check.py" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
assert document["attributes"] == 30 and document["data"] == "cancer"
assert [row["records"] for row in document["measured"]] == [1, 70]
for row in document["measured"]:
    times = row["nanoseconds_per_row"]
    assert list(times) == ["shadewood", "shadewood, sums only", "branches", "nodes"] and min(times.values()) > 0
    assert row["times_faster_than_branches"] == times["branches"] / times["shadewood"]
    assert row["times_faster_than_nodes"] == times["nodes"] / times["shadewood"]
END
python3 "$folder/check.py" "$folder/generated.json" >"$folder/out" 2>"$folder/err"
result $? "record-generated: the document has all sides"

# A program whose import changes a leaf.
cat >"$folder/changes" <<'END'
#!/usr/bin/env python3
import json, os, sys
path = next(argument for argument in sys.argv if argument.endswith("boosted.json"))
model = json.load(open(path))
tree = model["learner"]["gradient_booster"]["model"]["trees"][5]
tree["split_conditions"] = [number + 0.1 if left < 0 else number
                            for number, left in zip(tree["split_conditions"], tree["left_children"])]
json.dump(model, open(path, "w"))
os.execv(os.environ["SHADEWOOD"], ["shadewood", *sys.argv[1:]])
END
chmod +x "$folder/changes"
SHADEWOOD=$build/shadewood record_generated --shadewood "$folder/changes"
[[ $? == 1 ]] && says 'record-generated: probabilities differ by'
result $? "record-generated: a forest that differs is not measured"

printf '1..%d\n' "$cases"
exit "$status"
