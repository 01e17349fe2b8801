#!/usr/bin/env bash
# The element gives the labels and the overlays that `shadewood label` gives for the same frames, in every format and with
# every technique. TAP on the output.
# usage: shadewoodlabel.sh SHADEWOOD PLUGIN CONVERT
set -uo pipefail
program=$1 plugin=$2 convert=$3
. "$(dirname "$0")/../hosts/hosts.sh"
export GST_PLUGIN_PATH=${plugin%/*} GST_REGISTRY=$folder/registry
command -v gst-launch-1.0 >/dev/null || { echo 'gst-launch-1.0 is not installed'; exit 77; }

# The frames of a test picture, as raw bytes and through the element.
frames_through() { # FORMAT WIDTH OUT-FORMAT PROPERTY...
    local format=$1 width=$2 out=$3 yuv=
    [[ $format != NV12 && $format != I420 ]] || yuv=,colorimetry=bt709,chroma-site=mpeg2
    shift 3
    gst-launch-1.0 -q videotestsrc num-buffers=2 pattern=ball "!" "video/x-raw,format=$format,width=$width,height=48$yuv" "!" \
        tee name=t "!" queue "!" filesink location=frames t. "!" queue "!" \
        shadewoodlabel forest=forest.ktx2 "$@" "!" "video/x-raw,format=$out" "!" filesink location=through
}

# What `shadewood label` gives for these frames: expected_labels and expected_overlay, unless that is known already.
# GStreamer's rows are multiples of four bytes.
expect() { # FORMAT-OF-FFMPEG WIDTH BYTES-OF-A-PIXEL
    local row=$(($2 * $3)) stride=$((($2 * $3 + 3) / 4 * 4)) i
    pixels=$(($2 * 48))
    if [[ $1 == nv12 || $1 == yuv420p ]]; then
        rm -f known
        expect_frames frames "$1" "$2" 48 bt709 2
        return
    fi
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

# On the device under validation.
checked() { # PROPERTY...
    if [[ $* == *technique=cpu* ]]; then frames_through "$@"; else validated frames_through "$@"; fi
}

labels() { # FORMAT FORMAT-OF-FFMPEG BYTES-OF-A-PIXEL PROPERTY...
    local format=$1 name=$2 bytes=$3
    shift 3
    checked "$format" 64 GRAY8 output=labels "$@" && expect "$name" 64 "$bytes" && same expected_labels through
}

overlay() { # FORMAT FORMAT-OF-FFMPEG BYTES-OF-A-PIXEL OUT-FORMAT FORMAT-OF-FFMPEG PROPERTY...
    local format=$1 name=$2 bytes=$3 out=$4 out_name=$5
    shift 5
    checked "$format" 64 "$out" "$@" && expect "$name" 64 "$bytes" &&
        ffmpeg -nostdin -v error -f rawvideo -pix_fmt "$out_name" -s 64x48 -i through -f rawvideo -pix_fmt rgb24 found -y &&
        same expected_overlay found
}

# Rows that end with padding, in the frame and in the labels.
padded() {
    frames_through RGB 61 GRAY8 output=labels && expect rgb24 61 3 &&
        ffmpeg -nostdin -v error -f rawvideo -pix_fmt gray -s 64x48 -i through -vf crop=61:48:0:0 \
            -f rawvideo -pix_fmt gray found -y &&
        same expected_labels found
}

# Chroma of a width that is odd; the processor reads the frame where it is.
odd() { # FORMAT
    frames_through "$1" 61 RGBA technique=cpu && mv through expected && frames_through "$1" 61 RGBA && same expected through
}

# `auto` labels on the processor where there is no device.
alone() {
    VK_DRIVER_FILES=/missing VK_ICD_FILENAMES=/missing frames_through RGB 64 RGB && expect rgb24 64 3 &&
        same expected_overlay through &&
        ! VK_DRIVER_FILES=/missing VK_ICD_FILENAMES=/missing frames_through RGB 64 RGBA technique=compute
}

opacity() { # PROPERTY...
    frames_through RGBA 64 RGBA opacity=100 "$@" && ! cmp -s frames through &&
        ! od -An -v -tu1 -w4 through | awk '$4 != 255' | grep -q . && frames_through RGBA 64 RGBA opacity=0 "$@" &&
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
        grep -q 'the forest missing' said && ! frames_through GRAY8 64 RGBA output=overlay 2>said &&
        ! frames_through RGB 64 RGBA technique=compute device=99 2>said && grep -q 'Vulkan device 99' said
}

make_forest >log 2>&1 || { cat log; exit 1; }
check 'the inspector knows the element' inspected
check 'labels of RGB' labels RGB rgb24 3
check_slow 'labels of RGBA by compute' labels RGBA rgba 4 technique=compute
check_slow 'labels of BGRA by fragment' labels BGRA bgra 4 technique=fragment
check 'labels of GRAY8 by cpu' labels GRAY8 gray 1 technique=cpu
check_slow 'labels of GRAY8 by compute' labels GRAY8 gray 1 technique=compute
check 'labels of NV12' labels NV12 nv12 1
check_slow 'labels of I420 by cpu' labels I420 yuv420p 1 technique=cpu
check 'overlay of RGB' overlay RGB rgb24 3 RGB rgb24
check_slow 'overlay of BGRA' overlay BGRA bgra 4 BGRA bgra
check_slow 'overlay of RGB by cpu' overlay RGB rgb24 3 RGBA rgba technique=cpu
check_slow 'overlay of NV12' overlay NV12 nv12 1 RGBA rgba technique=fragment
check 'overlay of I420' overlay I420 yuv420p 1 BGRA bgra
check 'opacity' opacity
check_slow 'opacity by cpu' opacity technique=cpu
check 'padded rows' padded
check_slow 'odd widths of NV12' odd NV12
check 'odd widths of I420' odd I420
check 'without a device' alone
check 'what is wrong is refused' refuses
printf '1..%d\n' "$cases"
exit "$status"
