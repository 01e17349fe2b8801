#!/usr/bin/env bash
# The ZIP archive of CPack, unpacked in a folder whose name has a space and an umlaut: its program runs there, and has what
# it needs. TAP on the output.
#   archive.sh BUILD WINE NATIVE
# BUILD is the build folder for Windows, WINE what runs its programs, NATIVE the native program.
set -uo pipefail
build=$1
wine=$2
native=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0 failed=0

check() {
    local name=$1
    shift
    ((++number))
    if "$@" >"$work/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$work/log"
        ((++failed))
    fi
}

pack() {
    cpack --config "$build/CPackConfig.cmake" -B "$work/packed" && mkdir "$work/Über den Wald" &&
        cd "$work/Über den Wald" && cmake -E tar xf "$work"/packed/*.zip
}

complete() {
    [[ -s $place/bin/shadewood.exe ]] || return
    [[ ! -e $build/shadewood-viewer.exe || -s $place/bin/shadewood-viewer.exe ]] || return
    for file in LICENSE NOTICES README.md docs/windows.md licences/libpng1.6.txt; do
        [[ -s $place/share/doc/shadewood/$file ]] || { echo "there is no $file"; return 1; }
    done
}

# Windows has these, and a graphics driver vulkan-1.dll.
libraries() {
    ! for program in "$place"/bin/*.exe; do x86_64-w64-mingw32-objdump -p "$program"; done | sed -n 's/.*DLL Name: //p' |
        grep -viE '^(kernel32|user32|gdi32|shell32|advapi32|msvcrt|imm32|ole32|ws2_32|psapi|vulkan-1)\.dll$'
}

# In the unpacked folder, too.
works() {
    cd "$place" || return
    "$wine" bin/shadewood.exe synth -o 'Bäume 1' -n 3 --size 48x40 -q &&
        "$wine" bin/shadewood.exe train -d 'Bäume 1' -o 'Bäume 1/a.ktx2' --trees 2 --depth 5 --candidates 20 -t cpu -q &&
        "$native" train -d 'Bäume 1' -o 'Bäume 1/b.ktx2' --trees 2 --depth 5 --candidates 20 -t cpu -q &&
        cmp 'Bäume 1/a.ktx2' 'Bäume 1/b.ktx2'
}

check archive_is_made pack
place=$(echo "$work/Über den Wald"/*)
check archive_is_complete complete
check archive_needs_no_other_libraries libraries
check archive_works_where_it_is_unpacked works
echo "1..$number"
((failed == 0))
