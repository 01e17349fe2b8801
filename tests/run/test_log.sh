#!/usr/bin/env bash
# The counts of scripts/test_log.sh, of a log with everything that can happen. TAP on the output.
#   test_log.sh SOURCE
set -uo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
passed=0 failed=0 skipped=0
. "$1/scripts/test_log.sh"
number=0 status=0

check() { # NAME WANTED FOUND
    if [[ $2 == "$3" ]]; then
        echo "ok $((++number)) - $1"
    else
        printf 'not ok %d - %s\n# wanted: %s\n# found: %s\n' "$((++number))" "$1" "$2" "$3"
        status=1
    fi
}

cat >"$folder/fine.log" <<'LOG'
1: ok 1 - one
1: ok 2 - two
1/5 Test   #1: base .....................   Passed    0.10 sec
2: ok 1 - three
2: # skipped: no real data: SHADEWOOD_DATA names no folder with msrc
2: not ok 2 # SKIP needs_msrc
2/5 Test   #2: data .....................   Passed    0.10 sec
3: # skipped: there is no doxygen
3/5 Test   #3: reference ................***Skipped   0.18 sec
4: # skipped: gdalinfo is not installed (Debian: gdal-bin)
4: not ok 1 # SKIP gdal_sees_the_same_place
4: ok 2 - four
4/5 Test   #4: planes ...................   Passed    0.10 sec
5/5 Test   #5: export_languages .........***Skipped   0.16 sec
LOG
cat >"$folder/bad.log" <<'LOG'
1: ok 1 - one
1: not ok 2 - two
1/3 Test   #1: base .....................***Failed    0.10 sec
2: # skipped: there is no doxygen
2/3 Test   #2: reference ................***Skipped   0.18 sec
3: ok 1 - three
3/3 Test   #3: crash ....................***Exception: SegFault  0.10 sec
LOG

count "$folder/fine.log" >"$folder/fine"
check 'what is skipped does not fail' '  4 passed, 0 failed, 4 skipped' "$(<"$folder/fine")"
check 'reasons are told' 'skipped: export_languages
skipped: gdal_sees_the_same_place: gdalinfo is not installed (Debian: gdal-bin)
skipped: reference: there is no doxygen' "$(close_with "$folder/fine.log" | grep '^skipped: ')"
check 'data are told apart' 'data needs_msrc' "$(skips "$folder/fine.log" | grep '^data ')"
count "$folder/bad.log" >"$folder/bad"
check 'failures and crashes are counted' '  2 passed, 2 failed, 1 skipped' "$(<"$folder/bad")"
check 'logs add up' '6 passed, 2 failed, 5 skipped' "$passed passed, $failed failed, $skipped skipped"
count_without_data "$folder/fine.log" >/dev/null
check 'what is meant to be skipped is not counted' '10 5' "$passed $skipped"
echo "1..$number"
exit $status
