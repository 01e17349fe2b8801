#!/usr/bin/env bash
# Builds with every preset that matters and runs the tests; closes with "N passed, N failed, N skipped".
set -uo pipefail
cd "$(dirname "$0")/.."

presets=(release asan tsan)
windows=false
for option in "$@"; do
    case $option in
    --quick) presets=(release) ;;
    --slow) export SHW_SLOW=1 ;;
    --windows) windows=true ;;
    *)
        printf 'run: unknown option %s (try ./run help)\n' "$option" >&2
        exit 2
        ;;
    esac
done

export CMOCKA_MESSAGE_OUTPUT=TAP
export ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1
# What is freed is kept for 16 MiB, not 256: up to half of the time goes into faults of pages that are new.
[[ ${SHW_SLOW:-} == 1 ]] || ASAN_OPTIONS+=:quarantine_size_mb=16
export LSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/lsan.supp:print_suppressions=0
export TSAN_OPTIONS=suppressions=$PWD/tests/sanitizers/tsan.supp
# Large pages: a tenth of the time goes into faults of small ones.
export GLIBC_TUNABLES=${GLIBC_TUNABLES-glibc.malloc.hugetlb=1}
# Shaders that Mesa has compiled are kept, also for tests that run in a home of their own.
export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}}
# Without a device in the machine there is lavapipe alone: the loader need not look for others, which a tenth of a short
# program's time goes into.
lavapipe=/usr/share/vulkan/icd.d/lvp_icd.$(uname -m).json
if [[ ! ${VK_DRIVER_FILES-}${VK_ICD_FILENAMES-} && -e $lavapipe && ! -e /dev/dri && ! -e /dev/nvidiactl && ! -e /dev/dxg ]]; then
    export VK_DRIVER_FILES=$lavapipe
fi
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    # What was compiled in one clone serves in another, too; what is compiled for the first time is not preprocessed for it.
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR-1} CCACHE_DEPEND=${CCACHE_DEPEND-1}
fi
# Debian's Python, which has the packages that tests need, and not what other installations have in its place: a script of
# pyenv takes ten times as long to start.
if [[ -x /usr/bin/python3 && $(command -v python3) != /usr/bin/python3 ]]; then
    mkdir -p build/bin
    ln -sf /usr/bin/python3 build/bin/python3
    export PATH=$PWD/build/bin:$PATH
fi

passed=0 failed=0 skipped=0
logs=()
. scripts/test_log.sh

# progress: prints a line for every twentieth test of the ctest log that it reads.
progress() {
    local ended=0 number
    grep --line-buffered -aoE '^ *[0-9]+/[0-9]+ Test ' | while IFS=' ' read -r number _; do
        ((++ended % 20 == 0)) && printf '  %d of %d tests have ended\n' "$ended" "${number#*/}"
    done
}

# build PRESET: all, or with sanitizers the programs of the tests that are in that build. Shaders are compiled once.
build() {
    local targets=() options=(-DSHADEWOOD_TESTS=ON "-DSHADEWOOD_SLOW=$([[ ${SHW_SLOW:-} == 1 ]] && echo ON || echo OFF)")
    [[ ${SHW_NO_SKIP:-} == 1 ]] && options+=(-DSHADEWOOD_WERROR=ON) # otherwise what the demo has built is kept
    mkdir -p "build/$1"
    exec >"build/$1/build.log" 2>&1
    [[ $1 != "${presets[0]}" ]] && options+=("-DSHADEWOOD_SPIRV_FROM=$PWD/build/${presets[0]}")
    cmake --preset "$1" "${options[@]}" || return
    [[ $1 == release ]] || targets=(--target shadewood_tests)
    nice cmake --build "build/$1" "${targets[@]}"
}

build "${presets[0]}" &
for i in "${!presets[@]}"; do
    preset=${presets[i]} next=${presets[i + 1]:-}
    log=build/$preset/test.log
    selection=()
    [[ ${SHW_SLOW:-} == 1 ]] || selection=(-LE slow)
    [[ $preset == tsan ]] && selection=(-L threads)
    printf '== %s: building (%d s)\n' "$preset" "$SECONDS"
    wait $!
    built=$?
    [[ $next ]] && { build "$next" & } # niced, so that it runs while this build's tests wait
    if ((built != 0)); then
        tail -n 60 "build/$preset/build.log"
        printf '  the build failed\n'
        ((failed += 1))
        continue
    fi
    printf '== %s: testing (%d s)\n' "$preset" "$SECONDS"
    ctest --test-dir "build/$preset" --verbose --no-tests=error -j "$(($(nproc) + 1))" "${selection[@]}" 2>&1 | tee "$log" | progress
    show "$log"
    count "$log"
    logs+=("$log")
    if [[ $preset == asan && -d ${SHADEWOOD_DATA:-} ]]; then
        printf '== %s: testing without real data (%d s)\n' "$preset" "$SECONDS"
        log=build/$preset/test-without-data.log
        SHADEWOOD_DATA=$PWD/build/$preset/no-data ctest --test-dir "build/$preset" --verbose --no-tests=error \
            -j "$(($(nproc) + 1))" -L '^data$' "${selection[@]}" 2>&1 | tee "$log" | progress
        show "$log" | grep -av '# skipped: no real data\|# SKIP'
        count_without_data "$log"
    fi
done

if $windows; then
    log=build/windows/test.log
    mkdir -p build/windows
    printf '== windows: building and testing under Wine\n'
    failed_before=$failed
    scripts/windows.sh --short --verbose 2>&1 | tee "$log" | progress
    ended=${PIPESTATUS[0]}
    show "$log"
    count "$log"
    if ((ended != 0 && failed == failed_before)); then
        tail -n 60 "$log"
        printf '  the build failed\n'
        ((failed += 1))
    fi
    logs+=("$log")
fi

close_with "${logs[@]}"
printf '\nin %d s:\n%d passed, %d failed, %d skipped\n' "$SECONDS" "$passed" "$failed" "$skipped"
((failed == 0 && passed > 0))
