#!/usr/bin/env bash
# What the README shows: its commands run as they stand there, one after the other, its C compiles, its files exist; and
# what the pages about records show. TAP on the output. usage: readme.sh SOURCE BUILD COMPILER
set -uo pipefail
source=$1 build=$2 compiler=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0 status=0

result() { # CODE NAME LOG
    ((cases += 1))
    if (($1 == 0)); then
        printf 'ok %d - %s\n' "$cases" "$2"
    elif (($1 == 3)) && [[ ${SHW_NO_SKIP:-} != 1 ]]; then
        printf '# skipped: no Vulkan device\nnot ok %d # SKIP %s\n' "$cases" "$2"
    else
        printf 'not ok %d - %s\n' "$cases" "$2"
        sed 's/^/# /' "$3"
        status=1
    fi
}

blocks() { # LANGUAGE FILE: the fenced blocks in that language
    awk -v fence="^\`\`\`$1\$" '$0 ~ fence { inside = 1; next } /^```/ { inside = 0 } inside' "$source/$2"
}

# A checkout as ./run build leaves it, and the data set that the section about one's own images takes for granted.
mkdir -p "$folder/build" "$folder/home" "$folder/photos/images" "$folder/photos/labels"
ln -s "$build" "$folder/build/release"
"$build/shadewood" synth --quiet --output "$folder/rooms" --count 4 --size 64x48 >/dev/null || exit 1
for name in 00000 00001 00002 00003; do
    mv "$folder/rooms/${name}_colors.png" "$folder/photos/images/$name.png"
    mv "$folder/rooms/${name}_ground_truth.png" "$folder/photos/labels/$name.png"
done
mv "$folder/rooms/palette.json" "$folder/photos/classes.json"
printf '%s\n' 00000 00001 >"$folder/photos/train.txt"
printf '%s\n' 00002 00003 >"$folder/photos/test.txt"
rm -r "$folder/rooms"

# One shell runs them all, so that what one line sets the next ones see; with SHW_SLOW=1 twice, so that nothing stands in
# its own way.
times=('')
[[ ${SHW_SLOW:-} == 1 ]] && times+=(', again')
blocks sh README.md | sed ':a; /\\$/ { N; s/ *\\\n */ /; ba }' >"$folder/commands"
{
    printf 'cd %q || exit 1\nexport HOME=%q\n' "$folder" "$folder/home"
    for time in "${times[@]}"; do
        while IFS= read -r line; do
            [[ -z $line || $line == '#'* ]] && continue
            command=$line
            # What is trained the second time is not looked at: it only has to be in nobody's way.
            [[ $time && $line == 'shadewood train '* ]] && command+=' --candidates 8 --depth 4'
            printf '{\n%s\n} </dev/null >log 2>&1; result $? %q log\n' "$command" "$line$time"
        done <"$folder/commands"
    done
} >"$folder/script"
# shellcheck disable=SC1091
source "$folder/script"
((cases >= 8 * ${#times[@]})) || result 1 "the README has commands" "$folder/commands"

blocks c README.md >"$folder/example.c"
"$compiler" -std=c17 -Wall -Wextra -Werror -I"$source/src/include" -c "$folder/example.c" -o "$folder/example.o" >"$folder/log" 2>&1
result $? "the C compiles" "$folder/log"

: >"$folder/log"
grep -oE '\]\([^)]*\)' "$source/README.md" | sed 's/^](//; s/)$//' | grep -v '^https\?:' | while IFS= read -r path; do
    [[ -e $source/${path%%#*} ]] || printf 'there is no %s\n' "$path" >>"$folder/log"
done
[[ ! -s $folder/log ]]
result $? "the files that it points to exist" "$folder/log"

: >"$folder/log"
for path in "$source"/assets/*; do
    name=${path##*/}
    [[ $name == README.md ]] || grep -qF "\`$name\`" "$source/assets/README.md" || printf '%s\n' "$name" >>"$folder/log"
done
[[ ! -s $folder/log ]]
result $? "assets/README.md says where each asset came from" "$folder/log"

# Pages about records: the commands of their fenced and indented blocks, in a folder with the tables and the models that
# they speak of.
skip() { # NAME REASON
    ((cases += 1))
    printf '# skipped: %s\nok %d # SKIP %s\n' "$2" "$cases" "$1"
}

table() { # SEED COUNT
    awk -v seed="$1" -v count="$2" 'BEGIN {
        srand(seed)
        print "a,b,c,class"
        for (i = 0; i < count; i++) {
            a = rand(); b = rand()
            print a "," b "," rand() "," (a > b ? "up" : "down")
        }
    }'
}

work=$folder/records
mkdir -p "$work/bin"
ln -s "$build/shadewood" "$work/bin"
ln -s "$source/scripts" "$work"
table 1 300 >"$work/train.csv"
table 2 60 >"$work/test.csv"
npy() { # SHAPE: of bytes, which follow
    printf '\223NUMPY\001\0\166\0%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($1), }"
}
for part in '' _test; do
    { npy '4, 2' && printf abcdefgh; } >"$work/x$part.npy"
    { npy '4,' && printf xxyy; } >"$work/y$part.npy"
done
table 3 9 | sed '1d; s/,[a-z]*$//' >"$work/m.csv"
cp "$source/tests/formats/models/xgboost-categories.json" "$work/model.json" || exit 1
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import sklearn' 2>/dev/null; then
        python=$(command -v "$candidate")
        ln -s "$python" "$work/bin/python3"
        break
    fi
done
if [[ -n $python ]]; then
    (cd "$work" && "$python" -c '
import joblib, numpy, sklearn.ensemble
rows = numpy.loadtxt("train.csv", delimiter=",", skiprows=1, dtype=str)
model = sklearn.ensemble.RandomForestClassifier(5, max_depth=4, random_state=1).fit(rows[:, :3].astype("f4"), rows[:, 3])
joblib.dump(model, "model.joblib")') || exit 1
fi

for page in "$source"/docs/record*.md; do
    name=docs/${page##*/}
    while IFS= read -r line; do
        if [[ $line == python3* && -z $python ]]; then
            skip "$name: $line" "there is no Python with scikit-learn"
            continue
        fi
        output=$(sed -nE 's/.* (-o|--output) ([^ ]*).*/\2/p' <<<"$line")
        [[ -z $output || $output == - ]] || rm -f "$work/$output"
        (cd "$work" && PATH=$work/bin:$PATH bash -o pipefail -c "$line" </dev/null) >"$folder/log" 2>&1
        code=$?
        [[ -z $output || $output == - || -s $work/$output ]] || code=1
        result "$code" "$name: $line" "$folder/log"
    done < <(awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 }
                  inside || /^    (shadewood|python3) / { sub(/^    /, ""); print }' "$page")
done

if [[ -n $python ]]; then
    {
        printf 'import joblib\nmodel = joblib.load("model.joblib")\n'
        blocks python docs/record-import.md
    } >"$folder/export.py"
    (cd "$work" && rm -f model.json model.ktx2 && PATH=$work/bin:$PATH && python3 scripts/export_sklearn.py model.joblib model.json &&
        shadewood import --quiet model.json -o model.ktx2 && rm model.json && python3 "$folder/export.py" &&
        shadewood records --quiet model.ktx2 test.csv -o one.csv --write classes,sums,leaves &&
        shadewood records --quiet model.json test.csv -o other.csv --write classes,sums,leaves && cmp one.csv other.csv) \
        >"$folder/log" 2>&1
    result $? "docs/record-import.md: its Python exports what the script does" "$folder/log"
else
    skip "docs/record-import.md: its Python exports what the script does" "there is no Python with scikit-learn"
fi

printf '1..%d\n' "$cases"
exit "$status"
