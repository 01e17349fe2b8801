#!/usr/bin/env bash
# Builds the library and the program for Windows with mingw-w64 and runs tests of both under Wine.
#   windows.sh [--short] [--verbose]
# The native build in build/release compiles the shaders and makes the results that those of Windows must equal.
# --short: the library, the program, the tests of src/base, and the comparison of results.
# Without it, also the viewer, the ZIP archive, the tests of the core (dense, records, detection, golden), those of the
# command line that tests/windows lists, and labels and the viewer on a device (lavapipe, by way of winevulkan and Xvfb).
# --verbose: with every case, as scripts/test.sh counts them.
set -uo pipefail
cd "$(dirname "$0")/.."

short=false
output=--output-on-failure
for option in "$@"; do
    case $option in
    --short) short=true ;;
    --verbose) output=--verbose ;;
    *)
        printf 'run: unknown option %s (try ./run help)\n' "$option" >&2
        exit 2
        ;;
    esac
done

export WINEPREFIX=${WINEPREFIX:-$PWD/build/windows-prefix} WINEDEBUG=${WINEDEBUG:--all}
# Without Wine's explorer: a program that asks for a device starts it and leaves its own output to it. ctest waits until
# nobody can write there any more, and explorer ends only when no other program uses the desktop.
export WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe=;explorer.exe="
export CMOCKA_MESSAGE_OUTPUT=TAP
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR-1}
fi

say() {
    printf '%s\n' "$*" >&2
}

# build FOLDER TARGET...
build() {
    local folder=$1
    shift
    cmake --build "$folder" --target "$@" >"$folder/build.log" 2>&1 || {
        tail -n 40 "$folder/build.log" >&2
        exit 1
    }
}

say "windows: the native program"
[[ -e build/release/CMakeCache.txt ]] || cmake --preset release >/dev/null || exit 1
native=(shadewood_program test_dense) # the latter for the shaders of the tests' own features
$short || native+=(test_cli shadewood_viewer)
build build/release "${native[@]}"

scripts/windows_packages.sh || exit 1
say "windows: building"
mkdir -p build/windows
# The short job tests what is computed, not how fast.
optimise=-O3 viewer=ON
$short && optimise=-O1 viewer=OFF
cmake --preset windows "-DCMAKE_C_FLAGS_RELEASE=$optimise" -DSHADEWOOD_VIEWER=$viewer -DSHADEWOOD_VIDEO=OFF \
    "-DSHADEWOOD_SPIRV_FROM=$PWD/build/release" "-DSHADEWOOD_NATIVE=$PWD/build/release" >build/windows/configure.log 2>&1 || {
    cat build/windows/configure.log >&2
    exit 1
}
programs=(shadewood_program test_base)
$short || programs+=(shadewood_viewer test_dense test_records test_detection test_golden)
build build/windows "${programs[@]}"

say "windows: testing under Wine"
unset DISPLAY
wine=$(command -v wine64 || echo /usr/lib/wine/wine64)
server=$(command -v wineserver || echo /usr/lib/wine/wineserver64)
[[ -d $WINEPREFIX ]] || "$wine" wineboot -i >/dev/null 2>&1
"$server" -p >/dev/null 2>&1 # otherwise each program starts one of its own
# Wine's services stay, too. They begin here, since they keep the output of the program that they begin with.
"$wine" cmd /c exit </dev/null >/dev/null 2>&1
trap '"$server" -k >/dev/null 2>&1' EXIT
selection=()
if $short; then
    selection=(-R '^(base|system|class_colour|natural_order|time_left|windows_results)$')
fi
ctest --test-dir build/windows "$output" --no-tests=error -j "$(nproc)" "${selection[@]}"
