#!/usr/bin/env bash
# Labels of the program for Windows on a Vulkan device (lavapipe, by way of Wine's winevulkan, which needs a display), against
# those of the native program by `cpu`. TAP on the output.
# The viewer there draws and teaches what the native one does.
#   device.sh WINDOWS NATIVE [WINDOWS-VIEWER NATIVE-VIEWER]
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

# Opens a picture with a forest; then paints on it, learns and saves the project.
if [[ -n ${3:-} ]]; then
    printf '%s\n' 'wait labels' 'screenshot labels.png' 'project new' 'add-class stone' 'add-class grass' \
        'stroke stone 3 4 4 40 8' 'stroke grass 2 6 30 30 33' 'wait trained' 'save taught.json' 'wait labels' >script.txt
    view() { # FOLDER VIEWER
        mkdir -p "$1" && cp -r scenes forest.ktx2 script.txt "$1" &&
            (cd "$1" && timeout 600 "$2" --headless --settings settings.json --script script.txt --forest forest.ktx2 \
                --screenshot taught.png scenes/00000_colors.png) && [[ -s $1/labels.png && -s $1/taught.json ]]
    }
    check windows_viewer_runs view windows-viewer "$3"
    check native_viewer_runs view native-viewer "$4"
    check windows_viewer_draws_the_same cmp windows-viewer/labels.png native-viewer/labels.png
    check windows_viewer_teaches_the_same cmp windows-viewer/taught.png native-viewer/taught.png
    check windows_viewer_saves_the_same diff windows-viewer/taught.json native-viewer/taught.json
    # A window is there until the program is told to end.
    window() {
        printf 'wait labels\nwait 5\nleave\n' >window.txt &&
            timeout 600 "$3" --settings window.json --script window.txt --forest forest.ktx2 scenes/00000_colors.png
    }
    check windows_viewer_opens_a_window window "$@"
fi
echo "1..$number"
((failed == 0))
