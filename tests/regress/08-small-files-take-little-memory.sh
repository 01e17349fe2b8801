#!/usr/bin/env bash
# Small files that claim to be large are refused for what they are, with 500 MB of address space.
set -euo pipefail
program=$1

# refuse TEXT COMMAND...: fails with one line with the text.
refuse() {
    local text=$1 code=0
    shift
    (ulimit -v 500000 && exec "$@") >out 2>err || code=$?
    if ((code != 1)) || [[ $(wc -l <err) != 1 ]] || ! grep -qF -- "$text" err; then
        printf '%s: exit %d, %s\n' "$*" "$code" "$(cat err)"
        exit 1
    fi
}

"$program" synth -q -o scenes --count 3 --size 48x40 >/dev/null
"$program" train -q --data scenes -t cpu --threads 1 --trees 1 --depth 4 -o f.ktx2 >/dev/null
python3 - <<'END'
import struct, zlib

def chunk(kind, data, length=None):
    return struct.pack(">I", len(data) if length is None else length) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

def png(name, width, height, *chunks):
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(bytes(4)))
    open(name, "wb").write(b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + pixels + chunk(b"IEND", b""))

png("text.png", 1, 1, chunk(b"tEXt", b"Comment\0" + bytes(100), 0x7fffffff))
png("size.png", 16384, 16384, chunk(b"tEXt", b"Comment\0" + bytes(900000)))
png("texts.png", 1, 1, *[chunk(b"zTXt", b"Comment\0\0" + zlib.compress(bytes(15 << 20)))] * 126)

def tiff(name, width, height, bits, compression):
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, bits), (259, 3, 1, compression), (262, 3, 1, 2),
            (273, 4, 1, 1000), (277, 3, 1, 4), (278, 4, 1, 16), (279, 4, 1, 9000)]
    head = b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(struct.pack("<HHII", *tag) for tag in tags)
    open(name, "wb").write(head.ljust(10000, b"\0"))

for compression in (1, 5, 8, 32773):
    tiff(f"{compression}.tif", 16384, 16384, 16, compression)

strokes = '[{"class": 0, "radius": 3, "points": [5, 5]}, {"class": 1, "radius": 3, "points": [5, 30]}]'
open("p.json", "w").write(
    '{"format": "shadewood-project", "version": 1, "training": {"trees": 1}, "classes": '
    '[{"name": "a", "colour": [1, 2, 3]}, {"name": "b", "colour": [4, 5, 6]}], "pictures": [%s]}' % ", ".join(
        '{"name": "scenes/0000%d_colors.png", "width": 16384, "height": 16384, "strokes": %s}' % (i, strokes) for i in range(3)))
END
for file in text.png size.png *.tif; do
    refuse "$file" "$program" label -q -t cpu --threads 1 f.ktx2 "$file"
    ! grep -q memory err || { cat err; exit 1; }
done
refuse 'painted on at 16384 x 16384' "$program" train -q -t cpu --threads 1 p.json -o p.ktx2
(ulimit -v 500000 && exec "$program" label -q -t cpu --threads 1 f.ktx2 texts.png)

echo 'what a small file claims takes no memory'
