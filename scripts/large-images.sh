#!/bin/sh
# Labels large TIFF images in pieces and prints the time and the memory that it takes: one of constant tiles, and one of 13
# bands of 16 bits. Needs GDAL's tools (Debian: gdal-bin) and GNU time, and 3 GB of disk, which are free again afterwards.
# usage: large-images.sh PROGRAM [WIDTHxHEIGHT [SIDE [MEMORY]]]
# The defaults are 100000x10000 pixels, bands of 10980 x 10980, and 512M.
set -eu
program=$(realpath "$1")
size=${2:-100000x10000}
side=${3:-10980}
memory=${4:-512M}
folder=$(mktemp -d "${TMPDIR:-/tmp}/large-images.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$program" synth -q -o scenes --count 6 --size 160x120 --noise 15 > /dev/null
"$program" train -q --data scenes --channels rgb --trees 1 --depth 5 --pixels 500 -t cpu -o colours.ktx2 > /dev/null
bands="-b 1 -b 2 -b 3 -b 1 -b 2 -b 3 -b 1 -b 2 -b 3 -b 1 -b 2 -b 3 -b 1"
planes=plane:b1
for band in 2 3 4 5 6 7 8 9 10 11 12 13; do planes=$planes,plane:b$band; done
mkdir bands
for scene in scenes/*_colors.png; do
    # shellcheck disable=SC2086
    gdal_translate -q -ot UInt16 -scale 0 255 0 10000 $bands "$scene" "bands/$(basename "$scene" _colors.png).tif"
done
"$program" train -q -d . --images 'bands/{}.tif' --labels 'scenes/{}_ground_truth.png' \
    --channels "$planes,gauss:2@b8,ndiff:b8,b4" --trees 3 --depth 5 --pixels 500 -t cpu -o bands.ktx2 > /dev/null
label() { # name, options
    name=$1
    shift
    /usr/bin/time -f "$name: %e s, processor %U + %S s, peak %M kB" "$program" label -q -t cpu --memory "$memory" \
        --label-tiff -o out "$@" > /dev/null
}
gdal_create -q -ot Byte -bands 3 -burn 90 -outsize "${size%x*}" "${size#*x}" -co TILED=YES -co INTERLEAVE=PIXEL \
    -co COMPRESS=DEFLATE -co BIGTIFF=YES sparse.tif
label "$size of constant tiles" --no-labels --no-overlay colours.ktx2 sparse.tif
rm sparse.tif
# shellcheck disable=SC2086
gdal_translate -q -ot UInt16 -scale 0 255 0 10000 -outsize "$side" "$side" $bands -co TILED=YES -co INTERLEAVE=BAND \
    -co BIGTIFF=YES scenes/00000_colors.png large.tif
label "13 bands of $side x $side" --no-overlay bands.ktx2 large.tif
