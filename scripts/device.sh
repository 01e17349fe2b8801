#!/usr/bin/env bash
# Checks a device in one call: every test that runs on it, then the bench.
# usage: device.sh BUILD-FOLDER OUT-FOLDER [DEVICE]
# Writes OUT-FOLDER/tests.log and bench.json, .csv and .txt; fails if a test fails or a technique's labelling differs
# from cpu's.
set -uo pipefail
build=$1 out=$2
export SHADEWOOD_DEVICE=${3:-0} CMOCKA_MESSAGE_OUTPUT=TAP SHADEWOOD_SPIRV=$build/spirv
mkdir -p "$out"
status=0
"$build/shadewood" devices | tee "$out/devices.txt"
# Groups of cases are in one program a folder, which lists them when it is called without arguments.
declare -A program_of
while IFS= read -r program; do
    for group in $("$program" 2>&1 | sed -n 's/^    //p'); do
        program_of[$group]=$program
    done
done < <(find "$build/tests" -maxdepth 2 -name 'test_*' -type f -perm -u+x | sort)
for test in vulkan import record pieces embed_enabled embed_tiles embed_parts embed_formats embed_forests embed_compute_queue evaluate equality_channels \
    label_part equality_evaluate equality_train equality_train_blend equality_train_parts equality_train_windows differential_label differential_train \
    golden_channels golden_evaluate equality_ferns equality_detect embed_detect equality_boost records_device embed_records \
    equality_records equality_record_train; do
    if [[ -z ${program_of[$test]:-} ]]; then
        printf 'not ok 0 - %s is not built: ./run test builds it\n' "$test"
        status=1
        continue
    fi
    printf '== %s\n' "$test"
    timeout 300 "${program_of[$test]}" "$test" || status=1
done >"$out/tests.log" 2>&1
printf '%d passed, %d failed, %d skipped\n' "$(grep -c '^ok ' "$out/tests.log")" "$(grep -cE '^not ok [0-9]+ - ' "$out/tests.log")" \
    "$(grep -c '^not ok [0-9]* # SKIP' "$out/tests.log")"
grep -E '^not ok|[0-9]: error:' "$out/tests.log" | head -n 20
"$build/shadewood" bench --quick --device "$SHADEWOOD_DEVICE" --json "$out/bench.json" --csv "$out/bench.csv" >"$out/bench.txt" || status=1
grep -q '"equals_cpu": false' "$out/bench.json" && status=1
cat "$out/bench.txt"
exit "$status"
