#!/usr/bin/env bash
# What the README shows: its commands run as they stand there, one after the other, its C compiles, its files exist. TAP
# on the output. usage: readme.sh SOURCE BUILD COMPILER
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

blocks() { # LANGUAGE: the fenced blocks in that language
    awk -v fence="^\`\`\`$1\$" '$0 ~ fence { inside = 1; next } /^```/ { inside = 0 } inside' "$source/README.md"
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

# One shell runs them all, twice, so that what one line sets the next ones see and nothing stands in its own way.
blocks sh | sed ':a; /\\$/ { N; s/ *\\\n */ /; ba }' >"$folder/commands"
{
    printf 'cd %q || exit 1\nexport HOME=%q\n' "$folder" "$folder/home"
    for time in '' ', again'; do
        while IFS= read -r line; do
            [[ -z $line || $line == '#'* ]] && continue
            printf '{\n%s\n} </dev/null >log 2>&1; result $? %q log\n' "$line" "$line$time"
        done <"$folder/commands"
    done
} >"$folder/script"
# shellcheck disable=SC1091
source "$folder/script"
((cases >= 16)) || result 1 "the README has commands" "$folder/commands"

blocks c >"$folder/example.c"
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

printf '1..%d\n' "$cases"
exit "$status"
