#!/usr/bin/env bash
# Labels of the program for Windows on a Vulkan device (lavapipe, by way of Wine's winevulkan, which needs a display), against
# those of the native program by `cpu`. TAP on the output.
#   device.sh WINDOWS NATIVE
set -uo pipefail
windows=$1
native=$2
work=$(mktemp -d)
number=0 failed=0

skip() {
    printf '# skipped: %s\nnot ok 1 # SKIP windows_device\n1..1\n' "$1"
    exit 0
}

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

command -v Xvfb >/dev/null || skip "there is no Xvfb"
# A folder of its own, with Wine's explorer, which makes the desktop. All output goes to files: explorer stays.
export WINEPREFIX=${WINEPREFIX:-$HOME/.wine}-display WINEDLLOVERRIDES="mscoree=;mshtml=;winemenubuilder.exe="
server=$(command -v wineserver || echo /usr/lib/wine/wineserver64)
Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp 3>"$work/display" >"$work/xvfb.log" 2>&1 &
xvfb=$!
trap '"$server" -k >/dev/null 2>&1; kill $xvfb; rm -rf "$work"' EXIT
until [[ -s $work/display ]] || ! kill -0 $xvfb 2>/dev/null; do sleep 0.1; done
[[ -s $work/display ]] || skip "Xvfb does not start: $(tail -n 1 "$work/xvfb.log")"
DISPLAY=:$(cat "$work/display")
export DISPLAY

cd "$work" || exit
{ "$native" synth -o scenes -n 3 --size 48x40 -q && "$native" train -d scenes -o forest.ktx2 --trees 2 --depth 6 --candidates 30 \
    --channels wide -t cpu -q && "$native" label forest.ktx2 scenes -o native -t cpu -p npy -q; } >log 2>&1 || { cat log; exit 1; }
"$windows" devices >devices 2>&1 || skip "Wine has no Vulkan device: $(tail -n 1 devices)"
check windows_lists_the_device grep -q Vulkan devices
for technique in compute fragment; do
    check "windows_labels_by_$technique" "$windows" label forest.ktx2 scenes -o "$technique" -t "$technique" -p npy -q
    check "windows_labels_the_same_by_$technique" diff -r native "$technique"
done
echo "1..$number"
((failed == 0))
