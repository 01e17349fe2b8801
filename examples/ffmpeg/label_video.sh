#!/usr/bin/env bash
# The labels and the overlay of a video are those that `shadewood label` gives for its frames. TAP on the output.
# usage: label_video.sh SHADEWOOD EXAMPLE CONVERT
set -uo pipefail
program=$1 example=$2 convert=$3
. "$(dirname "$0")/../hosts/hosts.sh"

make_video() {
    make_pictures 5 &&
        ffmpeg -nostdin -v error -framerate 5 -i scenes/%05d_colors.png -c:v ffv1 -pix_fmt bgr0 clip.mkv
}

expect_pictures() {
    local i
    for i in 0 1 2 3 4; do bytes_of labelled/0000${i}_colors_labels.png pal8; done >expected_labels
    bytes_of labelled/%05d_colors_overlay.png rgb24 >expected_overlay
}

labels() { # CLIP
    local i
    rm -f labels-*.pgm
    validated "$example" forest.ktx2 "$1" overlay.mkv labels ffv1 bgra || return
    for i in 1 2 3 4 5; do tail -c $pixels labels-00000$i.pgm; done >found
    same expected_labels found
}

overlay() {
    bytes_of overlay.mkv rgb24 >found
    same expected_overlay found
}

# Planes of luma and chroma, without loss.
frames() { # FORMAT-OF-FFMPEG WIDTH HEIGHT MATRIX CLIP CODEC
    pixels=$(($2 * $3))
    ffmpeg -nostdin -v error -i clip.mkv -vf "scale=$2:$3:out_color_matrix=$4,format=$1" -c:v "$6" -pix_fmt "$1" \
        -colorspace "${4/bt601/smpte170m}" -color_range tv "$5" &&
        ffmpeg -nostdin -v error -i "$5" -f rawvideo -pix_fmt "$1" frames -y &&
        expect_frames frames "${1%le}" "$2" "$3" "$4" 5 && labels "$5" && overlay
}

compressed() {
    "$example" forest.ktx2 clip.mkv overlay.mp4 first mpeg4 yuv420p &&
        "$example" forest.ktx2 clip.mkv overlay.mp4 again mpeg4 yuv420p || return
    [[ $(ffprobe -v error -count_frames -show_entries stream=codec_name,nb_read_frames,avg_frame_rate -of csv=p=0 overlay.mp4) == mpeg4,5/1,5 ]] &&
        cmp first-000003.pgm again-000003.pgm
}

make_video >log 2>&1 || { cat log; exit 1; }
"$example" forest.ktx2 clip.mkv first.mkv first ffv1 bgra >log 2>&1
(($? != 77)) || { cat log; exit 77; }
expect_pictures
check 'labels of colours' labels clip.mkv
check 'their overlay' overlay
check_slow 'another encoder' compressed
check 'YUV420P of BT.709' frames yuv420p 64 48 bt709 planar.mkv ffv1
check_slow 'NV12' frames nv12 64 48 bt601 nv12.nut rawvideo
check '10 bits' frames yuv420p10le 64 48 bt709 deep.mkv ffv1
check_slow 'sizes that are odd' frames yuv420p 61 47 bt601 odd.mkv ffv1
printf '1..%d\n' "$cases"
exit "$status"
