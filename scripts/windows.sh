#!/usr/bin/env bash
# Builds the library and the program for Windows with mingw-w64 and runs tests of both under Wine.
#   windows.sh [--short]
# The native build in build/release compiles the shaders and makes the results that those of Windows must equal.
# --short: the library, the program, the tests that need neither a device nor minutes, and the comparison of results.
# Without it, also the tests of the command line, which a native test program runs with the program for Windows.
set -uo pipefail
cd "$(dirname "$0")/.."

short=false
for option in "$@"; do
    case $option in
    --short) short=true ;;
    *)
        printf 'run: unknown option %s (try ./run help)\n' "$option" >&2
        exit 2
        ;;
    esac
done

export WINEPREFIX=${WINEPREFIX:-$PWD/build/windows-prefix} WINEDEBUG=${WINEDEBUG:--all} WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe="
export CMOCKA_MESSAGE_OUTPUT=TAP
if command -v ccache >/dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache} CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
    export CCACHE_BASEDIR=${CCACHE_BASEDIR-$PWD} CCACHE_NOHASHDIR=${CCACHE_NOHASHDIR-1}
fi
