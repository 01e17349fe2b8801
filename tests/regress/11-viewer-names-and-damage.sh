#!/usr/bin/env bash
# The viewer: files whose names begin with a space, and videos of which no picture can be decoded.
set -euo pipefail
program=$1 viewer=$(dirname "$1")/shadewood-viewer

fail() {
    printf '%s\n' "$*"
    exit 1
}

[[ -x $viewer ]] || { echo 'the viewer is not built'; exit 77; }
"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" train -q --data scenes -t cpu --trees 1 --depth 3 -o ' forest.ktx2' >/dev/null
cp scenes/00000_colors.png ' picture.png'
code=0
"$viewer" --headless --forest ' forest.ktx2' ' picture.png' 2>err || code=$?
((code != 3)) || { echo 'there is no Vulkan device'; exit 77; }
((code == 0)) || fail "a space before the name: exit $code, $(cat err)"
"$viewer" --headless ' forest.ktx2' 2>err || fail "a space before the name of a forest: $(cat err)"
printf 'drop  picture.png\n' >script # in a line, blanks before the argument do not count
! "$viewer" --headless --script script 2>err || fail 'blanks in a line are part of the name'

# A Matroska file with one packet of MPEG-4 video that is nothing but zeros.
python3 - <<'END'
def size(n): return (0x0100000000000000 | n).to_bytes(8, "big")
def element(name, data): return bytes.fromhex(name) + size(len(data)) + data
def number(name, value): return element(name, value.to_bytes(8, "big"))
head = element("1a45dfa3", number("4286", 1) + number("42f7", 1) + number("42f2", 4) + number("42f3", 8) +
               element("4282", b"matroska") + number("4287", 4) + number("4285", 2))
video = element("e0", number("b0", 64) + number("ba", 48))
track = element("ae", number("d7", 1) + number("73c5", 1) + number("83", 1) + element("86", b"V_MPEG4/ISO/ASP") + video)
cluster = element("1f43b675", number("e7", 0) + element("a3", b"\x81\0\0\x80" + bytes(2000)))
info = element("1549a966", number("2ad7b1", 1000000))
open("zeros.mkv", "wb").write(head + element("18538067", info + element("1654ae6b", track) + cluster))
END
code=0
timeout 60 "$viewer" --headless zeros.mkv 2>err || code=$?
if ! grep -q 'without FFmpeg\|built without' err; then
    ((code == 1)) && [[ -s err ]] && grep -q 'zeros.mkv' err || fail "a damaged video: exit $code, $(cat err)"
fi

echo 'the viewer opens names that begin with a space, and says when no picture of a video can be decoded'
