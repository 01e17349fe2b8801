#!/usr/bin/env bash
# The layout of the public headers is the recorded one, and scripts/abi.py notices another one. TAP on the output.
# usage: abi.sh SOURCE COMPILER
set -uo pipefail
source=$1 compiler=$2
. "$(dirname "$0")/../testing/check.sh"

recorded() {
    "$source/scripts/abi.py" --compiler "$compiler"
}

# Of copies of headers and record.
abi() { # OPTION...
    "$source/scripts/abi.py" --compiler "$compiler" --include "$folder/include" --recorded "$folder/public.txt" \
        --released "$folder/released" --symbols "$folder/symbols" "$@"
}

# fails TEXT COMMAND...: it fails and says TEXT.
fails() {
    local text=$1
    shift
    if "$@" >"$folder/said" 2>&1; then
        echo "$* succeeds"
        return 1
    fi
    grep -qF -- "$text" "$folder/said" || { cat "$folder/said"; return 1; }
}

again() {
    rm -rf "$folder/include" "$folder/released"
    cp -r "$source/src/include" "$folder/include" && cp "$source/tests/abi/public.txt" "$folder/public.txt" &&
        cp "$source"/debian/libshadewood*.symbols "$folder/symbols"
}

number() {
    sed -n 's/^#define SHW_ABI //p' "$folder/include/shadewood/version.h"
}

# edit HEADER EXPRESSION
edit() {
    cp "$folder/include/shadewood/$1" "$folder/before"
    sed -i "$2" "$folder/include/shadewood/$1"
    ! cmp -s "$folder/before" "$folder/include/shadewood/$1"
}

insert_member() {
    edit train.h 's/^    uint32_t threads; .*/    uint32_t inserted;\n&/'
}

member() {
    again && insert_member && fails 'struct shw_trainer_params: was ' abi && grep -q 'raise SHW_VERSION_MINOR' "$folder/said"
}

# There is room after the last member, so that the size stays.
padding() {
    again && edit log.h 's/^    enum shw_log_level level;.*/&\n    int inserted;/' &&
        fails 'struct shw_log: was , is now 20 int inserted' abi
}

enumerator() {
    again && edit technique.h 's/SHW_TECHNIQUE_COMPUTE = 3/SHW_TECHNIQUE_COMPUTE = 7/' &&
        fails 'enum shw_technique SHW_TECHNIQUE_COMPUTE: was 3, is now 7' abi
}

parameter() {
    again && edit technique.h 's/shw_stage_name(enum shw_stage stage)/shw_stage_name(enum shw_stage stage, int how)/' &&
        fails 'function shw_stage_name: ' abi
}

constant() {
    again && edit label.h 's/SHW_LEAF_NONE 0xffffffffu/SHW_LEAF_NONE 0xfffffffeu/' && fails 'macro SHW_LEAF_NONE: ' abi
}

addition() {
    again && edit technique.h 's/^SHW_API const char \*shw_stage_name.*/&\nSHW_API int shw_new(void);/' || return 1
    local before
    before=$(number)
    fails 'function shw_new is new' abi && ! grep -q SHW_VERSION_MINOR "$folder/said" && abi --record && abi &&
        [[ $(number) == "$before" ]]
}

version_alone() {
    again && edit version.h 's/SHW_VERSION_MINOR .*/SHW_VERSION_MINOR 99/' && fails 'scripts/abi.py --record' abi &&
        abi --record && abi
}

recording() {
    again && insert_member || return 1
    local before
    before=$(number)
    fails 'raise SHW_VERSION_MINOR' abi --record && [[ $(number) == "$before" ]] || return 1
    edit version.h 's/SHW_VERSION_MINOR .*/SHW_VERSION_MINOR 99/' && abi --record && abi && [[ $(number) != "$before" ]] ||
        return 1
    again && insert_member && abi --record --unreleased && abi && [[ $(number) != "$before" ]]
}

# Symbols keep the version that they came with; those of a new patch version have that one.
symbols() {
    again && edit version.h 's/SHW_VERSION_PATCH .*/SHW_VERSION_PATCH 7/' &&
        edit technique.h 's/^SHW_API const char \*shw_stage_name.*/&\nSHW_API int shw_new(void);/' && abi --record && abi || return 1
    grep -x ' shw_new@Base [0-9]*\.[0-9]*\.7' "$folder/symbols" && grep -x ' shw_stage_name@Base [0-9]*\.[0-9]*\.0' "$folder/symbols" ||
        return 1
    sed -i '/shw_new/d' "$folder/symbols"
    fails 'other symbols than the headers' abi
}

patch() { # NUMBER
    edit version.h "s/SHW_VERSION_PATCH .*/SHW_VERSION_PATCH $1/"
}

add_function() {
    edit technique.h 's/^SHW_API const char \*shw_stage_name.*/&\nSHW_API int shw_new(void);/'
}

# Once a version has been given to others, its minor number stays compatible.
release() {
    again && abi --release && abi && [[ $(head -n 1 "$folder/released"/*.txt) =~ ^version:\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || return 1
    insert_member && fails 'raise SHW_VERSION_MINOR' abi && fails 'has been released' abi --record --unreleased &&
        fails 'has been released' abi --release || return 1
    edit version.h 's/SHW_VERSION_MINOR .*/SHW_VERSION_MINOR 99/' && abi --record && abi
}

release_with_additions() {
    again && patch 70 && abi --record && abi --release && add_function && fails 'raise SHW_VERSION_PATCH' abi &&
        fails 'raise SHW_VERSION_PATCH' abi --record --unreleased && patch 71 && fails 'scripts/abi.py --record' abi &&
        fails 'scripts/abi.py --record' abi --release && abi --record && abi && abi --release && abi || return 1
    # what the second one has added may not go either
    edit technique.h '/shw_new/d' && patch 72 && fails 'function shw_new is gone' abi --record --unreleased
}

check 'the layout is the recorded one' recorded
check 'a new member of a struct is noticed' member
if [[ ${SHW_SLOW:-} != 1 ]]; then # the rest is about the script
    printf '1..%d\n' "$cases"
    exit "$status"
fi
check 'and one in the room between others' padding
check 'another value of an enumerator' enumerator
check 'another parameter of a function' parameter
check 'another constant' constant
check 'a new function needs no other version' addition
check 'another version is recorded' version_alone
check 'another layout is recorded for another version only' recording
check 'symbols of the Debian package' symbols
check 'a released version stays compatible' release
check 'a released version is only added to' release_with_additions
printf '1..%d\n' "$cases"
exit "$status"
