#!/usr/bin/env bash
# The element gives the labels and the overlays that `shadewood label` gives for the same frames, in every format and with
# every technique. TAP on the output.
# usage: shadewoodlabel.sh SHADEWOOD PLUGIN
set -uo pipefail
program=$1 plugin=$2
. "$(dirname "$0")/../hosts/hosts.sh"
export GST_PLUGIN_PATH=${plugin%/*} GST_REGISTRY=$folder/registry
command -v gst-launch-1.0 >/dev/null || { echo 'gst-launch-1.0 is not installed'; exit 77; }

# The frames of a test picture, as raw bytes and through the element.
frames_through() { # FORMAT WIDTH PROPERTY...
    local format=$1 width=$2
    shift 2
    gst-launch-1.0 -q videotestsrc num-buffers=2 pattern=ball "!" "video/x-raw,format=$format,width=$width,height=48" "!" \
        tee name=t "!" queue "!" filesink location=frames t. "!" queue "!" \
        shadewoodlabel forest=forest.ktx2 "$@" "!" filesink location=through
}

# What `shadewood label` gives for these frames: expected_labels and expected_overlay, unless that is known already.
# GStreamer's rows are multiples of four bytes.
expect() { # FORMAT-OF-FFMPEG WIDTH BYTES-OF-A-PIXEL
    local row=$(($2 * $3)) stride=$((($2 * $3 + 3) / 4 * 4)) i
    pixels=$(($2 * 48))
    if ((row < stride)); then
        ffmpeg -nostdin -v error -f rawvideo -pix_fmt gray -s "${stride}x48" -i frames -vf "crop=$row:48:0:0" \
            -f rawvideo packed -y && mv packed frames || return
    fi
    ffmpeg -nostdin -v error -f rawvideo -pix_fmt "$1" -s "${2}x48" -i frames -pix_fmt rgb24 -f rawvideo colours -y || return
    ! cmp -s colours known || return 0
    rm -rf frame?.png labelled
    ffmpeg -nostdin -v error -f rawvideo -pix_fmt rgb24 -s "${2}x48" -i colours frame%d.png &&
        "$program" label -q forest.ktx2 frame1.png frame2.png --output labelled -t cpu || return
    for i in 1 2; do bytes_of labelled/frame${i}_labels.png pal8; done >expected_labels
    bytes_of labelled/frame%d_overlay.png rgb24 >expected_overlay
    mv colours known
}

labels() { # FORMAT FORMAT-OF-FFMPEG BYTES-OF-A-PIXEL PROPERTY...
    local format=$1 name=$2 bytes=$3 validated=validated
    shift 3
    [[ $* != *technique=cpu* ]] || validated= # there is no device to be validated
    $validated frames_through "$format" 64 output=labels "$@" &&
        expect "$name" 64 "$bytes" && same expected_labels through
}

overlay() { # FORMAT FORMAT-OF-FFMPEG BYTES-OF-A-PIXEL
    frames_through "$1" 64 && expect "$2" 64 "$3" &&
        ffmpeg -nostdin -v error -f rawvideo -pix_fmt "$2" -s 64x48 -i through -f rawvideo -pix_fmt rgb24 found -y &&
        same expected_overlay found
}

# Rows that end with padding, in the frame and in the labels.
padded() {
    frames_through RGB 61 output=labels && expect rgb24 61 3 &&
        ffmpeg -nostdin -v error -f rawvideo -pix_fmt gray -s 64x48 -i through -vf crop=61:48:0:0 \
            -f rawvideo -pix_fmt gray found -y &&
        same expected_labels found
}

alpha() {
    frames_through RGBA 64 opacity=100 && cmp <(od -An -v -tu1 -w4 frames | awk '{ print $4 }') \
        <(od -An -v -tu1 -w4 through | awk '{ print $4 }') && ! cmp -s frames through && frames_through RGBA 64 opacity=0 &&
        cmp frames through
}

inspected() {
    gst-inspect-1.0 shadewoodlabel >said || { cat said; return 1; }
    for property in forest output opacity technique device; do
        grep -q "^ *$property *: " said || { echo "no $property"; return 1; }
    done
}

refuses() {
    ! gst-launch-1.0 -q videotestsrc num-buffers=1 "!" shadewoodlabel "!" fakesink 2>said && grep -q '"forest" is not set' said &&
        ! gst-launch-1.0 -q videotestsrc num-buffers=1 "!" shadewoodlabel forest=missing "!" fakesink 2>said &&
        grep -q 'the forest missing' said && ! frames_through GRAY8 64 output=overlay 2>said
}

make_forest >log 2>&1 || { cat log; exit 1; }
check 'the inspector knows the element' inspected
check 'labels of RGB' labels RGB rgb24 3
check 'labels of RGBA by compute' labels RGBA rgba 4 technique=compute
check 'labels of BGRA by fragment' labels BGRA bgra 4 technique=fragment
check 'overlay of RGB' overlay RGB rgb24 3
check 'overlay of BGRA' overlay BGRA bgra 4
check 'labels of GRAY8 by cpu' labels GRAY8 gray 1 technique=cpu
check 'alpha stays' alpha
check 'padded rows' padded
check 'what is wrong is refused' refuses
printf '1..%d\n' "$cases"
exit "$status"
