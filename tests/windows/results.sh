#!/usr/bin/env bash
# Runs the same commands with the program for Windows and with the native one, and compares all files that they write.
#   results.sh WINDOWS NATIVE
set -uo pipefail
windows=$1
native=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

# check NAME COMMAND...: a case, by the success of the command.
check() {
    local name=$1
    shift
    ((++number))
    if "$@" >"$work/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$work/log"
        ((++failed))
    fi
}

# both ARGUMENT...: in the folders windows and native.
both() {
    (cd "$work/windows" && "$windows" "$@") && (cd "$work/native" && "$native" "$@")
}

# The folders have the same files with the same bytes.
same() {
    diff -r "$work/windows" "$work/native"
}

# refuses INPUT: no run replaces the records that it reads from standard input as that file, which keeps its bytes.
refuses() {
    cp "$work/windows/rows.csv" "$work/read.csv"
    (cd "$work/windows" && "$windows" records records.ktx2 "$1" --output ../read.csv --overwrite <../read.csv)
    [[ $? == 2 ]] && cmp "$work/read.csv" "$work/windows/rows.csv"
}

# Missing folders are made below what is no folder: a drive as `\\?\` has it, as a server and what it shares.
makes_folders() {
    local path=$work/made/new/labels
    (cd "$work/windows" && "$windows" label "$scenes/forest.ktx2" "$scenes" --output '\\?\Z:'"${path//\//\\}" --technique cpu \
        --probabilities png) && diff -r "$path" "$work/windows/labels é"
}

# Ctrl+C, which Wine makes of SIGINT, ends a training that would take hours: exit 130, and no file stays.
stops() {
    mkdir "$work/stopped"
    (
        cd "$work/windows" || exit
        set -m # otherwise the shell has what it starts behind its back ignore the signal
        "$windows" train --data "$scenes" --output ../stopped/forest.ktx2 --trees 4000 --pixels all --candidates 5000 \
            --technique cpu --log ../begun &
        until grep -q start ../begun 2>/dev/null || ! kill -0 $!; do sleep 0.1; done
        kill -INT $!
        wait $!
        [[ $? == 130 ]]
    ) && [[ -z $(ls -A "$work/stopped") ]]
}

# Without lines that have times.
untimed() {
    grep -v "/s"
}

# A run that says the same on standard output.
says() {
    both "$@" >/dev/null &&
        cmp <(cd "$work/windows" && "$windows" "$@" | untimed) <(cd "$work/native" && "$native" "$@" | untimed)
}

mkdir "$work/windows" "$work/native"
scenes='Wälder 森' # letters that no code page of Windows has together
"$native" synth --output "$work/windows/$scenes" --count 6 --size 64x48 >"$work/log" 2>&1 || cat "$work/log"
cp -r "$work/windows/$scenes" "$work/native"
awk 'BEGIN {
    srand(1); print "a,b,c,class"
    for (i = 0; i < 400; i++) { a = rand(); b = rand(); c = rand(); print a "," b "," c "," (a + b * b > c + 0.4 ? "yes" : "no") }
}' >"$work/windows/rows.csv"
cp "$work/windows/rows.csv" "$work/native"

check windows_trains both train --data "$scenes" --output "$scenes/forest.ktx2" --trees 2 --depth 6 --pixels 200 --candidates 40 \
    --technique cpu --seed 3
check windows_trains_the_same_forest same
check windows_labels both label "$scenes/forest.ktx2" "$scenes" --output "labels é" --technique cpu --probabilities png
check windows_labels_the_same same
check windows_makes_folders_of_a_share makes_folders
check windows_evaluates_the_same says evaluate --data "$scenes" "$scenes/forest.ktx2" --technique cpu
check windows_inspects_the_same says inspect "$scenes/forest.ktx2"
check windows_trains_wide both train --data "$scenes" --output wide.ktx2 --trees 2 --depth 5 --pixels 200 --candidates 40 \
    --channels wide --technique cpu --threads 2
check windows_trains_the_same_wide_forest same
check windows_trains_records both train-records rows.csv --target class --output records.ktx2 --trees 5 --depth 6
check windows_trains_the_same_records same
check windows_evaluates_records both records records.ktx2 rows.csv --output answers.csv
check windows_evaluates_the_same_records same
check windows_keeps_standard_input refuses -
check windows_keeps_dev_stdin refuses /dev/stdin
check windows_stops_at_ctrl_c stops
check windows_exports both export --to trees records.ktx2 -o trees.json
check windows_exports_the_same same
echo "1..$number"
((failed == 0))
