#!/usr/bin/env bash
# A forest whose tests would be divided by depth, but which has none, labels an image in tiles and reads nothing beyond
# them.
set -euo pipefail
program=$1

"$program" synth -q -o scenes --count 3 --size 48x40 >out
"$program" train -q --data scenes -t cpu --trees 2 --leaves 1 --feature depth-mean-difference \
    --channels constant-depth:1000,lab -o f.ktx2 >out
python3 - <<'END'
width, height = 2560, 1440
with open("big.ppm", "wb") as file:
    file.write(b"P6 %d %d 255\n" % (width, height) + bytes(range(240)) * (width * height // 80))
END
for way in whole tiles; do
    tile=()
    [[ $way == whole ]] || tile=(--max-tile 128x128)
    "$program" label -q f.ktx2 big.ppm "${tile[@]}" -t cpu --no-overlay -o $way >out 2>err ||
        { printf '%s: exit %d, %s\n' $way $? "$(cat err)"; exit 1; }
done
cmp tiles/big_labels.png whole/big_labels.png

echo 'a forest of single leaves reads nothing beyond its tiles'
