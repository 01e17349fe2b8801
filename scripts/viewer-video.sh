#!/usr/bin/env bash
# Makes a video of the viewer's first ten minutes (docs/teaching.md), without a display. usage: viewer-video.sh
# FILE.mkv|FILE.mp4 [FOLDER [SECONDS]]; the folder of the programs: build/release; the length: 120 seconds, in which
# everything is done as fast as that needs. Frames of the window's clock are filmed, so it has that length however long
# training takes.
set -euo pipefail
file=$(realpath -m "$1")
cd "$(dirname "$0")/.."
programs=$(realpath "${2:-build/release}")
seconds=${3:-120}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. scripts/first_minutes.sh

render_photos "$programs" "$work"
{
    printf 'panels on\nwait 4\nfilm %s\n' "$file"
    first_minutes $((60 * seconds))
    echo "film off"
} >"$work/script"
cd "$work"
HOME=$work "$programs/shadewood-viewer" --headless --overwrite --size 960x640 --script script
ls -l "$file"
