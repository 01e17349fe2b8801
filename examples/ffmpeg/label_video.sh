#!/usr/bin/env bash
# The labels and the overlay of a video are those that `shadewood label` gives for its frames. TAP on the output.
# usage: label_video.sh SHADEWOOD EXAMPLE
set -uo pipefail
program=$1 example=$2
. "$(dirname "$0")/../hosts.sh"

make_video() {
    make_pictures 5 &&
        ffmpeg -nostdin -v error -framerate 5 -i scenes/%05d_colors.png -c:v ffv1 -pix_fmt bgr0 clip.mkv
}

labels() {
    validated "$example" forest.ktx2 clip.mkv overlay.mkv labels ffv1 bgra || return
    for i in 0 1 2 3 4; do
        bytes_of labelled/0000${i}_colors_labels.png pal8
    done >expected
    for i in 1 2 3 4 5; do
        tail -c $pixels labels-00000$i.pgm
    done >found
    same expected found
}

overlay() {
    bytes_of labelled/%05d_colors_overlay.png rgb24 >expected
    bytes_of overlay.mkv rgb24 >found
    same expected found
}

compressed() {
    "$example" forest.ktx2 clip.mkv overlay.mp4 again mpeg4 yuv420p || return
    [[ $(ffprobe -v error -count_frames -show_entries stream=codec_name,nb_read_frames,avg_frame_rate -of csv=p=0 overlay.mp4) == mpeg4,5/1,5 ]] &&
        cmp labels-000003.pgm again-000003.pgm
}

make_video >log 2>&1 || { cat log; exit 1; }
"$example" forest.ktx2 clip.mkv first.mkv first ffv1 bgra >log 2>&1
(($? != 77)) || { cat log; exit 77; }
check 'labels' labels
check 'overlay' overlay
check 'another encoder' compressed
printf '1..%d\n' "$cases"
exit "$status"
