# What scripts/test.sh says of the logs of ctest. It adds to the variables passed, failed and skipped.

# show FILE: what went wrong or was skipped, by a ctest log.
show() {
    grep -aE '^[0-9]+: (not ok|# (skipped|0x|.*error:))|SUMMARY: |Test +#.*\*\*\*' "$1" | grep -avE '^[0-9]+: # error:'
}

# count FILE: adds the cases of a ctest log. A program that ends badly without a failed case counts as one, and so does one
# that is skipped as a whole.
count() {
    local ok bad skip broken whole
    ok=$(grep -caE '^[0-9]+: ok [0-9]+ - ' "$1")
    skip=$(grep -caE '^[0-9]+: not ok [0-9]+ # SKIP' "$1")
    bad=$(grep -caE '^[0-9]+: not ok [0-9]+ - ' "$1")
    whole=$(grep -caE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*\*\*\*Skipped' "$1")
    broken=$(grep -aE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*(\*\*\*|Exception)' "$1" | grep -vc '\*\*\*Skipped')
    ((skip += whole))
    ((bad < broken)) && bad=$broken
    ((passed += ok, failed += bad, skipped += skip))
    printf '  %d passed, %d failed, %d skipped\n' "$ok" "$bad" "$skip"
}

# count_without_data FILE: the same of a log of tests that are meant to skip what needs real data: that is not counted.
count_without_data() {
    local before=$skipped
    count "$1"
    skipped=$before
}

# skips LOG...: the cases that were skipped, "data NAME" for want of real data, "other NAME: REASON".
skips() {
    awk '
        match($0, /^[0-9]+: # skipped: /) { split($0, part, ":"); reason[part[1]] = substr($0, RLENGTH + 1) }
        match($0, /^[0-9]+: not ok [0-9]+ # SKIP /) {
            split($0, part, ":")
            name = substr($0, RLENGTH + 1)
            why = reason[part[1]]
            print why ~ /^no real data/ ? "data " name : "other " name (why != "" ? ": " why : "")
        }
        match($0, /Test +#[0-9]+: .*\*\*\*Skipped/) {
            number = name = $0
            sub(/^.*Test +#/, "", number)
            sub(/:.*$/, "", number)
            sub(/^.*Test +#[0-9]+: */, "", name)
            sub(/ .*$/, "", name)
            print "other " name (reason[number] != "" ? ": " reason[number] : "")
        }' "$@" | sort -u
}

# close_with LOG...: what was skipped, and why that is fine.
close_with() {
    local names
    if ((skipped > 0)); then
        printf '\n'
        skips "$@" | sed -n 's/^other /skipped: /p'
        names=$(skips "$@" | sed -n 's/^data //p' | paste -sd ' ')
        if [[ $names ]]; then
            printf 'skipped, as SHADEWOOD_DATA names no folder with published data: %s\n' "$names"
            printf 'That is fine: the other tests make their data; docs/testing.md says what published ones add.\n'
        fi
    fi
}
