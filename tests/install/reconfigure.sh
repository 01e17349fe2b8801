#!/usr/bin/env bash
# A build folder can be configured again with other options; TAP on the output.
set -u
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0 status=0

# configure NAME OPTION...
configure() {
    local name=$1
    shift
    ((cases += 1))
    if cmake -S "$source" -B "$folder" -G Ninja -DSHADEWOOD_TESTS=OFF "$@" >"$folder.log" 2>&1; then
        printf 'ok %d - %s\n' "$cases" "$name"
    else
        printf 'not ok %d - %s\n' "$cases" "$name"
        sed 's/^/# /' "$folder.log"
        status=1
    fi
    rm -f "$folder.log"
}

configure 'the default'
((cases += 1))
# Another compiler may warn about anything, so that only those who run the tests are stopped by it.
if grep -qx 'SHADEWOOD_WERROR:BOOL=OFF' "$folder/CMakeCache.txt" &&
    [[ $(grep -c '"SHADEWOOD_WERROR": "ON"' "$source/CMakePresets.json") == 2 ]] &&
    ! grep -qE '"(base|release|debug)".*WERROR' "$source/CMakePresets.json" &&
    grep -q 'DSHADEWOOD_WERROR=ON' "$source/scripts/test.sh"; then
    printf 'ok %d - warnings are errors in the builds of tests alone\n' "$cases"
else
    printf 'not ok %d - warnings are errors in the builds of tests alone\n' "$cases"
    status=1
fi
configure 'without videos, after a configuration with them' -DSHADEWOOD_VIDEO=OFF
configure 'with videos again' -DSHADEWOOD_VIDEO=ON
configure 'without the viewer' -DSHADEWOOD_VIEWER=OFF
configure 'shared' -DBUILD_SHARED_LIBS=ON
printf '1..%d\n' "$cases"
exit "$status"
