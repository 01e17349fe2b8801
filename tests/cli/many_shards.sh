#!/usr/bin/env bash
# 100,000 small pictures in 16 shards, three of which are killed while they run, and run again: the merged tables are those of one call,
# also after 1,000 pictures were added. Prints the times. TAP on the output. usage: many_shards.sh BUILD [COUNT]
set -uo pipefail
build=$(realpath "$1") count=${2:-100000}
[[ ${SHW_SLOW:-} == 1 ]] || { printf '1..0 # SKIP SHW_SLOW is not 1\n'; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PATH=$build:$PATH VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
cases=0 status=0
cd "$folder" || exit 1

result() { # CODE NAME
    ((cases += 1))
    if (($1 == 0)); then printf 'ok %d - %s\n' "$cases" "$2"; else printf 'not ok %d - %s\n' "$cases" "$2"; status=1; fi
}

timed() { # NAME COMMAND...
    local begun=$EPOCHREALTIME name=$1 code
    shift
    "$@" >log 2>&1
    code=$?
    grep '^#' log
    ((code == 0)) || sed 's/^/# /' log | tail -20
    awk -v a="$begun" -v b="$EPOCHREALTIME" -v n="$name" 'BEGIN { printf "# %.1f s: %s\n", b - a, n }'
    result "$code" "$name"
}

make_pictures() { # FIRST COUNT FOLDER
    python3 - "$@" <<'END'
import pathlib, random, struct, sys, zlib

def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

first, count, folder = int(sys.argv[1]), int(sys.argv[2]), pathlib.Path(sys.argv[3])
folder.mkdir(exist_ok=True)
for number in range(first, first + count):
    draw = random.Random(number)
    x, y = draw.randrange(1, 32), draw.randrange(1, 32)
    a, b, c, d = (bytes(draw.randrange(256) for _ in range(3)) for _ in range(4))
    rows = (b"\0" + a * x + b * (32 - x)) * y + (b"\0" + c * x + d * (32 - x)) * (32 - y)
    (folder / f"{number:06d}.png").write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 32, 32, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
END
}

options=(--technique cpu --threads 1 --no-overlay --objects --quiet)

label() { # PICTURES OUTPUT
    shadewood label forest.ktx2 "$1" --output "$2" "${options[@]}" --resume
}

# Two at a time.
all_shards() {
    local shard failed=0
    for shard in {1..16}; do
        while (($(jobs -rp | wc -l) >= 2)); do wait -n || failed=1; done
        shadewood label forest.ktx2 photos --output parts "${options[@]}" --shard "$shard"/16 &
    done
    while [[ -n $(jobs -p) ]]; do wait -n || failed=1; done
    return "$failed"
}

# The same, but three of them are killed when they have labelled some of their pictures.
kill_three() {
    local shard killed=0 pid
    for shard in {1..16}; do
        while (($(jobs -rp | wc -l) >= 2)); do wait -n; done
        shadewood label forest.ktx2 photos --output parts "${options[@]}" --shard "$shard"/16 &
        pid=$!
        case $shard in
        3 | 7 | 12)
            while kill -0 "$pid" 2>/dev/null && (($(done_by "$shard") < count / 50)); do sleep 0.02; done
            kill -KILL "$pid" 2>/dev/null && wait "$pid"
            (($? == 137)) && ((killed += 1))
            printf '# shard %s was killed after %s pictures\n' "$shard" "$(done_by "$shard")"
            ;;
        esac
    done
    wait
    ((killed == 3))
}

done_by() { # SHARD
    cat "parts/shadewood-label-$1-of-16.jsonl" 2>/dev/null | grep -c '"key"'
}

is_refused() {
    ! shadewood merge-shards parts 2>said && grep -q 'shard 3 of 16 has not ended' said
}

same() {
    cmp one/shares.csv parts/shares.csv && cmp one/objects.csv parts/objects.csv
}

shadewood synth --quiet --output rooms --count 12 --size 48x40 >/dev/null &&
    shadewood train --quiet --data rooms --technique cpu --trees 2 --depth 5 --pixels 100 --output forest.ktx2 >/dev/null
result $? 'a forest'
timed 'pictures' make_pictures 0 "$count" photos
timed 'one call' label photos one
timed 'all shards, three of which are killed' kill_three
timed 'merging is refused' is_refused
timed 'all shards, after that' all_shards
timed 'merging' shadewood merge-shards parts
timed 'the tables are the same' same
timed 'all shards, with nothing to do' all_shards
timed 'one call, with nothing to do' label photos one
make_pictures "$count" $((count / 100)) more && cp more/*.png photos && sleep 3
timed 'one hundredth more, alone' label more alone
timed 'all shards, with what was added' all_shards
timed 'merging' shadewood merge-shards parts
timed 'one call, with what was added' label photos one
timed 'the tables are the same' same
printf '1..%d\n' "$cases"
exit "$status"
