# For the tests of examples in other programs' frames: a forest, what `shadewood label` makes of some pictures with it, and
# validation. To be sourced with $program, the program shadewood; $folder is then the folder to work in.
. "$(dirname "${BASH_SOURCE[0]}")/../../tests/testing/check.sh"
cd "$folder"
pixels=$((64 * 48)) # of a picture

make_forest() {
    "$program" synth -q --output train --count 4 --size 64x48 &&
        "$program" train -q --data train --output forest.ktx2 --trees 2 --pixels 150 --depth 6 -t cpu
}

# The forest; pictures of 64 x 48 pixels, scenes/00000_colors.png and so on; labelled/00000_colors_labels.png.
make_pictures() { # COUNT
    make_forest && "$program" synth -q --output scenes --count "$1" --size 64x48 --seed 1000 &&
        "$program" label -q forest.ktx2 scenes/*_colors.png --output labelled -t cpu
}

# The samples of a picture in a file, as bytes: FORMAT is gray, rgb24 and so on; pal8 are the labels of label images.
bytes_of() { # FILE FORMAT
    ffmpeg -nostdin -v error -i "$1" -f rawvideo -pix_fmt "$2" - | if [[ $2 == pal8 ]]; then head -c $pixels; else cat; fi
}

# What `shadewood label` makes of frames of luma and chroma, which $convert turns into pictures: expected_labels and
# expected_overlay.
expect_frames() { # FILE FORMAT WIDTH HEIGHT MATRIX COUNT
    local i
    rm -rf frame*.ppm labelled
    "$convert" "$2" "$3" "$4" "$5" frame <"$1" && "$program" label -q forest.ktx2 frame*.ppm --output labelled -t cpu || return
    for ((i = 1; i <= $6; i++)); do bytes_of labelled/frame${i}_labels.png pal8; done >expected_labels
    for ((i = 1; i <= $6; i++)); do bytes_of labelled/frame${i}_overlay.png rgb24; done >expected_overlay
}

# Compares files of bytes, which have at least one picture.
same() { # EXPECTED FOUND
    local size
    size=$(stat -c %s "$1")
    [[ $size -ge $pixels && $(stat -c %s "$2") == "$size" ]] || { ls -l "$1" "$2"; return 1; }
    cmp "$1" "$2" || { echo "$(cmp -l "$1" "$2" | wc -l) of $size bytes differ"; return 1; }
}

# Runs a program under the validation layers, with synchronisation validation; fails if they say anything.
validated() { # COMMAND...
    mkdir -p layers
    rm -f layers/messages
    printf 'khronos_validation.%s\n' "log_filename = $folder/layers/messages" 'debug_action = VK_DBG_LAYER_ACTION_LOG_MSG' \
        'report_flags = error,warn' 'enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT' \
        >layers/vk_layer_settings.txt
    VK_LAYER_SETTINGS_PATH=$folder/layers VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation "$@" || return
    if [[ ! -e layers/messages ]]; then # the layer makes the file where it is
        echo '# without validation: its layers are not installed'
        [[ ${SHW_NO_SKIP:-} != 1 ]]
    elif [[ -s layers/messages ]]; then
        cat layers/messages
        return 1
    fi
}
