# For tests that are scripts: cases in TAP, with a folder that goes with the script. To be sourced; `exit "$status"` at the end.
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0 status=0

check() { # NAME COMMAND...
    local name=$1
    shift
    ((cases += 1))
    if "$@" >"$folder/log" 2>&1; then
        printf 'ok %d - %s\n' "$cases" "$name"
    else
        printf 'not ok %d - %s\n' "$cases" "$name"
        sed 's/^/# /' "$folder/log"
        status=1
    fi
}

# The same for one that only `./run test --slow` runs: it takes long, and others check the same kind of thing.
check_slow() { # NAME COMMAND...
    [[ ${SHW_SLOW:-} != 1 ]] || check "$@"
}
