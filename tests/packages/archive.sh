#!/usr/bin/env bash
# The source archive has the sources and nothing else. The binary archive works where it is unpacked: the program labels, finds
# its modules, and knows no path of the build; and so does the viewer's AppDir.
# TAP on the output.
# usage: archive.sh SOURCE BUILD
set -uo pipefail
source=$1 build=$2
. "$(dirname "$0")/../testing/check.sh"
place=$folder/elsewhere

sources() {
    cpack --config "$build/CPackSourceConfig.cmake" -B "$folder/archives" &&
        diff <(tar --list --file="$(echo "$folder"/archives/shadewood-*[0-9].tar.gz)" | sed -n 's/^[^/]*\///; /[^/]$/p' | LC_ALL=C sort) \
            <("$source/scripts/list-sources.sh" | tr '\0' '\n' | grep -v '\(^\|/\)__pycache__/')
}

unpack() {
    cpack --config "$build/CPackConfig.cmake" -B "$folder/archives" && mkdir "$place" &&
        tar --extract --file="$(echo "$folder"/archives/shadewood-*-Linux-*.tar.gz)" --directory="$place" --strip-components=1
}

label() {
    local program=$place/bin/shadewood
    cd "$folder" && "$program" synth -q --output scenes --count 3 --size 64x48 &&
        "$program" train -q -t cpu --data scenes --output forest.ktx2 --trees 2 --pixels 100 --depth 6 &&
        "$program" label -q forest.ktx2 scenes/00000_colors.png --output labelled && [[ -n $(ls labelled) ]]
}

# Those that the build has; each is loaded, which a file of another kind would prevent.
modules() {
    local module
    for module in "$build"/shadewood-*.so; do
        [[ ! -e $module || -e $place/lib/shadewood/${module##*/} ]] || { echo "no ${module##*/}"; return 1; }
    done
    [[ -e $build/shadewood-hdf5.so ]] || return 0
    printf 'MATLAB 5.0 MAT-file' >"$folder/old.mat"
    "$place/bin/shadewood" convert "$folder/old.mat" -o "$folder/converted" 2>"$folder/said" && return 1
    tr -s '\n ' ' ' <"$folder/said" | grep -F 'it is a MAT-file of version 5' || { cat "$folder/said"; return 1; }
}

paths() {
    local file
    for file in "$place"/bin/shadewood* "$place"/lib/shadewood/*; do
        readelf -d "$file" 2>/dev/null | grep -E 'R(UN)?PATH' && { echo "in $file"; return 1; }
    done
    ! grep -rlF -e "$build" -e "$source" "$place" --include='*.cmake' --include='*.pc' --include='*.desktop' --include='*.py'
}

viewer() {
    "$place/bin/shadewood-viewer" --version
}

# The AppDir: whatever is copied has its licence, the program finds it, and nothing is missing but what drivers bring.
appdir() {
    local made file
    command -v patchelf >/dev/null || { echo 'left out: there is no patchelf'; return 0; }
    python3 "$source/scripts/appdir.py" "$folder" "$build" || return 1
    made=$folder/Shadewood.AppDir
    for file in "$made"/usr/lib/bundled/*.so*; do
        [[ $file == *.copyright ]] || ! command -v dpkg >/dev/null || [[ -s $file.copyright ]] || { echo "no licence of $file"; return 1; }
    done
    for file in AppRun shadewood-viewer.desktop shadewood-viewer.svg .DirIcon usr/share/doc/shadewood/NOTICES; do
        [[ -s $made/$file ]] || { echo "no $file"; return 1; }
    done
    ldd "$made/usr/bin/shadewood-viewer" >"$folder/needed"
    grep -F "$made/usr/" "$folder/needed" | grep -F libtiff || { cat "$folder/needed"; return 1; }
    ! grep -E '(libjansson|libtiff|libglfw|libwebp|libexif|libpng)[^ ]* => (/usr)?/lib|not found' "$folder/needed" || return 1
    "$made/AppRun" --version
}

check 'the sources' sources
check 'unpacks' unpack
check 'labels' label
check 'finds its modules' modules
check 'knows no path of the build' paths
check 'the viewer starts' viewer
check_slow 'the viewer as an AppDir' appdir
printf '1..%d\n' "$cases"
exit "$status"
