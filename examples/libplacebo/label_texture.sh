#!/usr/bin/env bash
# The labels of a picture, and the overlay that libplacebo renders, are those that `shadewood label` gives. TAP on the output.
# usage: label_texture.sh SHADEWOOD EXAMPLE
set -uo pipefail
program=$1 example=$2
. "$(dirname "$0")/../hosts/hosts.sh"

labels() {
    validated "$example" forest.ktx2 picture.ppm labels.pgm overlay.ppm || return
    bytes_of labelled/00000_colors_labels.png pal8 >expected
    tail -c $pixels labels.pgm >found
    same expected found
}

overlay() {
    bytes_of labelled/00000_colors_overlay.png rgb24 >expected
    bytes_of overlay.ppm rgb24 >found
    same expected found
}

{ make_pictures 1 && ffmpeg -nostdin -v error -i scenes/00000_colors.png picture.ppm; } >log 2>&1 || { cat log; exit 1; }
"$example" forest.ktx2 picture.ppm first.pgm first.ppm >log 2>&1
(($? != 77)) || { cat log; exit 77; }
check 'labels' labels
check 'overlay' overlay
printf '1..%d\n' "$cases"
exit "$status"
