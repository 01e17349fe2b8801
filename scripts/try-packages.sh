#!/usr/bin/env bash
# Installs the packages in a fresh root of Debian 12, uses them, and removes them again. As root, with debootstrap; takes
# minutes. Nothing is written outside FOLDER, where the fresh root is kept as an archive, with what apt has loaded and what the
# compiler has made of the sources.
# usage: try-packages.sh FOLDER PACKAGES WHEELS
# PACKAGES is what `./run packages` has written (build/packages), WHEELS what `./run python` has (out/python).
set -euo pipefail
(($# == 3)) || { sed -n '2,6s/^# //p' "$0" >&2; exit 2; }
folder=$(realpath -m "$1") packages=$(realpath "$2/debian") archives=$(realpath "$2/archives") appdir=$(realpath "$2/Shadewood.AppDir")
wheel=$(find "$(realpath "$3")" -name 'shadewood-*.whl' -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f2-)
[[ -n $wheel ]] || { echo "try-packages: there is no wheel in $3" >&2; exit 1; }
source=$(cd "$(dirname "$0")/.." && pwd)
suite=bookworm root=$folder/root
version=$(sed -n '1s/^shadewood (\(.*\)) .*/\1/p' "$source/debian/changelog")
library=$(sed -n 's/^Package: \(libshadewood[0-9].*\)/\1/p' "$source/debian/control")
mkdir -p "$folder/apt"

say() {
    printf 'try-packages: %s\n' "$*"
}

# --- The root ---

close_root() {
    for mount in dev/pts proc; do
        ! mountpoint -q "$root/$mount" || umount "$root/$mount"
    done
    [[ ! -d $root/root/ccache ]] || mv "$root/root/ccache" "$folder/ccache"
    [[ ! -d $root/var/cache/apt/archives ]] ||
        find "$root/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp -n --target-directory="$folder/apt" {} +
    rm -rf --one-file-system "$root"
}

in_root() {
    chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

install_packages() { # PACKAGE...
    in_root apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends "$@" >>"$folder/apt.log" 2>&1 ||
        { tail -n 30 "$folder/apt.log" >&2; return 1; }
}

# The file of a Debian package, in the root.
deb() { # NAME
    local file=("$packages/$1"_*.deb)
    echo "/root/work/${file[0]##*/}"
}

open_root() {
    close_root
    if [[ ! -e $folder/$suite.tar ]]; then
        say "making a root of $suite"
        debootstrap --variant=minbase "$suite" "$root" >"$folder/debootstrap.log" 2>&1 || { tail -n 20 "$folder/debootstrap.log" >&2; exit 1; }
        tar --create --file="$folder/$suite.tar.new" --directory="$root" --exclude=./proc/* --exclude=./dev/* .
        mv "$folder/$suite.tar.new" "$folder/$suite.tar"
        rm -rf --one-file-system "$root"
    fi
    mkdir -p "$root"
    tar --extract --file="$folder/$suite.tar" --directory="$root"
    mkdir -p "$root/proc" "$root/dev/pts"
    for device in null:3 zero:5 urandom:9; do
        [[ -e $root/dev/${device%:*} ]] || mknod -m 666 "$root/dev/${device%:*}" c 1 "${device#*:}"
    done
    mount -t proc proc "$root/proc"
    mount -t devpts devpts "$root/dev/pts"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    [[ ! -d /etc/apt/apt.conf.d ]] || find /etc/apt/apt.conf.d -name '*proxy*' -exec cp --target-directory="$root/etc/apt/apt.conf.d" {} +
    find "$folder/apt" -name '*.deb' -exec cp --target-directory="$root/var/cache/apt/archives" {} +
    [[ ! -d $folder/ccache ]] || mv "$folder/ccache" "$root/root/ccache"
    : >"$folder/apt.log"
    in_root apt-get -q update >>"$folder/apt.log" 2>&1 || { tail -n 20 "$folder/apt.log" >&2; exit 1; }
    mkdir -p "$root/root/work"
}
trap close_root EXIT

# Every path, but for what apt and dpkg keep for themselves, and what others write when they are installed.
list_files() {
    in_root find / -xdev \( -path /proc -o -path /var/cache -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o \
        -path /root -o -path /tmp -o -path /dev \) -prune -o -print | sort
}

# --- What is tried ---

# Three commands, without a GPU and without a Vulkan loader.
label() { # PROGRAM
    in_root sh -euc '
        program=$1
        cd /root/work
        rm -rf scenes forest.ktx2 labelled
        $program synth -q --output scenes --count 3 --size 64x48
        $program train -q --data scenes --output forest.ktx2 --trees 2 --pixels 100 --depth 6
        $program label -q forest.ktx2 scenes/00000_colors.png --output labelled
        ls labelled | grep -q .
        ! $program devices >said 2>&1
    ' sh "$1"
}

no_vulkan_loader() {
    [[ ! -e $root/usr/lib/x86_64-linux-gnu/libvulkan.so.1 ]] || { say 'there is a Vulkan loader'; return 1; }
}

use_program() {
    no_vulkan_loader
    label shadewood
    in_root shadewood --version
    in_root shadewood-bench-page --help >/dev/null
    # modules that are recommended only say what they lack
    printf 'MATLAB 7.3 MAT-file' >"$root/root/work/new.mat"
    ! in_root shadewood convert /root/work/new.mat -o /root/work/converted 2>"$folder/said" || return 1
    grep -q 'shadewood-hdf5.so\|libhdf5' "$folder/said" || { cat "$folder/said"; return 1; }
}

# Three lines label an image; others look at the labels, and leave a forest and a picture. Then the plug-in of napari paints
# and labels, with the stand-in for napari of the tests.
use_python() { # PYTHON WHERE-IT-IS
    cat >"$root/root/work/three.py" <<'PYTHON'
import numpy as np, shadewood
image = np.zeros((24, 32, 3), np.uint8); image[:, 16:] = 200; strokes = (image[:, :, 0] > 0).astype(np.uint8)
labels = shadewood.PixelForestClassifier(trees=2, offset=4).fit([image], [strokes]).predict(image)

import pathlib, sys
assert np.array_equal(labels, strokes)
module = pathlib.Path(shadewood.__file__)
assert str(module).startswith(sys.argv[1]), module
assert (module.parent / "py.typed").exists()
shadewood.PixelForestClassifier(trees=2, offset=4).fit([image], [strokes]).save("forest.ktx2")
pathlib.Path("picture.ppm").write_bytes(b"P6 32 24 255\n" + image.tobytes())
records = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)
assert shadewood.RecordForestClassifier(trees=9).fit(records, records[:, 0] > 0).score(records, records[:, 0] > 0) > 0.9
print("Python", sys.version.split()[0], "with", module.parent)
PYTHON
    mkdir -p "$root/root/work/tests"
    cp "$source"/python/tests/{conftest,test_napari}.py "$root/root/work/tests"
    in_root sh -euc '
        cd /root/work
        "$1" three.py "$2"
        "$1" -m pytest -q -p no:cacheprovider --no-header tests/test_napari.py
    ' sh "$1" "$2"
}

write_program() {
    cat >"$root/root/work/program.c" <<'C'
#include <shadewood/shadewood.h>
#include <stdio.h>

int main(void)
{
    struct shw_channel_list list;

    if (!shw_abi_fits(SHW_ABI) || shw_channel_list_parse("rgb", NULL, NULL, &list) != SHW_OK || list.channel_count != 3)
        return 1;
    printf("program of %s with the library of %s\n", SHW_VERSION_STRING, shw_version_string());
    return 0;
}
C
    printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(user LANGUAGES C)' 'find_package(shadewood 0.3 REQUIRED)' \
        'add_executable(program program.c)' 'target_link_libraries(program PRIVATE shadewood::shadewood)' >"$root/root/work/CMakeLists.txt"
}

build_programs() { # PREFIX, empty for /usr
    write_program
    in_root sh -euc '
        prefix=$1
        cd /root/work
        [ -z "$prefix" ] || export PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name shadewood.pc)") CMAKE_PREFIX_PATH=$prefix
        static=
        [ -z "$prefix" ] || static=--static
        cc -std=c17 program.c $(pkg-config --cflags --libs $static shadewood) -o program
        ./program
        rm -rf build
        cmake -B build . >/dev/null
        cmake --build build >/dev/null
        build/program
    ' sh "$1"
}

# The program of docs/label-your-frame.md, as libshadewood-dev has it.
build_frame() {
    in_root sh -euc '
        documents=/usr/share/doc/libshadewood-dev
        mkdir /root/work/frame
        cd /root/work/frame
        cp "$documents"/examples/frame/engine.[ch] .
        zcat -f "$documents"/label-your-frame.md* | sed -n "/^\`\`\`c\$/,/^\`\`\`\$/{ /^\`\`\`/!p }" >label-frame.c
        cc -std=c17 label-frame.c engine.c $(pkg-config --cflags --libs shadewood) -lvulkan -o label-frame
        cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(frame LANGUAGES C)
find_package(shadewood 0.3 REQUIRED)
add_executable(label-frame label-frame.c engine.c)
target_link_libraries(label-frame PRIVATE shadewood::shadewood vulkan)
END
        cmake -B build . >/dev/null
        cmake --build build >/dev/null
    '
}

# With a Vulkan driver, both say the same; a forest of two classes has no others.
use_frame() {
    in_root sh -euc '
        cd /root/work
        tail -c 2304 picture.ppm | od -An -v -tu1 -w3 | awk "{ printf \"%c%c%c%c\", \$1, \$2, \$3, 255 }" >frame.rgba
        [ "$(stat -c %s frame.rgba)" = 3072 ]
        frame/label-frame forest.ktx2 32 24 <frame.rgba >classes.u16
        frame/build/label-frame forest.ktx2 32 24 <frame.rgba | cmp - classes.u16
        [ "$(stat -c %s classes.u16)" = 1536 ]
        [ "$(od -An -v -tu2 -w2 classes.u16 | sort -n | uniq -c | tr -s " \n" " ")" = " 384 0 384 1 " ]
    '
}

use_viewer() { # PROGRAM
    in_root sh -euc '
        cd /root/work
        "$1" --version
        "$1" --headless --overwrite -d 0 --size 320x200 --forest forest.ktx2 -o shown.png picture.ppm
        test -s shown.png
        echo quit >script
        xvfb-run -a "$1" --size 320x200 --forest forest.ktx2 -s script picture.ppm
    ' sh "$1"
}

try_debian() {
    open_root
    cp "$packages"/*.deb "$root/root/work"
    install_packages apt-utils
    list_files >"$folder/before"
    say 'apt install ./shadewood_*.deb; three commands without a Vulkan loader'
    install_packages "$(deb shadewood)"
    use_program
    say 'apt install ./python3-shadewood_*.deb; three lines of Python without a Vulkan loader, and the plug-in of napari'
    install_packages "$(deb python3-shadewood)" python3-pytest
    no_vulkan_loader
    use_python /usr/bin/python3 /usr/lib/python3/dist-packages/shadewood
    say 'apt install ./libshadewood-dev_*.deb; programs by pkg-config and by CMake'
    install_packages gcc libc6-dev pkg-config cmake make
    install_packages "$(deb "$library")" "$(deb libshadewood-dev)"
    build_programs ''
    build_frame
    say 'apt install ./*.deb; the program of docs/label-your-frame.md, and the viewer without a window and in one'
    install_packages xvfb xauth mesa-vulkan-drivers
    in_root sh -c 'cd /root/work && apt-get -q -y -o Dpkg::Use-Pty=0 install --no-install-recommends ./*.deb' >>"$folder/apt.log" 2>&1 ||
        { tail -n 30 "$folder/apt.log" >&2; return 1; }
    use_frame
    use_viewer shadewood-viewer
    say 'apt purge'
    in_root sh -euc 'dpkg-query -f "\${Package}\n" -W | grep shadewood >/root/work/ours; xargs apt-get -q -y purge --auto-remove </root/work/ours' \
        >>"$folder/apt.log" 2>&1 || { tail -n 30 "$folder/apt.log" >&2; return 1; }
    list_files >"$folder/after"
    if comm -13 "$folder/before" "$folder/after" | grep -i shadewood; then
        say 'this stays behind'
        return 1
    fi
}

# The wheel and the AppDir bring the libraries that they need, which this root does not have.
try_wheel() {
    open_root
    cp "$wheel" "$root/root/work"
    say 'pip install of the wheel, without a package index; three lines of Python and the plug-in of napari'
    install_packages python3-venv python3-numpy python3-cffi python3-pytest
    no_vulkan_loader
    in_root sh -euc '
        python3 -m venv --system-site-packages /root/work/venv
        /root/work/venv/bin/pip --quiet --disable-pip-version-check --no-cache-dir install --no-index /root/work/*.whl
    '
    use_python /root/work/venv/bin/python /root/work/venv/
    say 'the AppDir: the viewer without a window and in one'
    cp -a "$appdir" "$root/root/work"
    install_packages xvfb xauth libvulkan1 mesa-vulkan-drivers libx11-6 libxcursor1 libxi6 libxinerama1 libxrandr2 libfontconfig1
    use_viewer /root/work/Shadewood.AppDir/AppRun
}

# The binary archive needs the libraries that the programs are linked with.
try_archive() {
    local archive=("$archives"/shadewood-*-Linux-*.tar.gz) place=/root/work/elsewhere
    open_root
    say 'the binary archive in another place'
    mkdir -p "$root$place"
    tar --extract --file="${archive[0]}" --directory="$root$place" --strip-components=1
    install_packages libjansson4 libpng16-16 libjpeg62-turbo libtiff6 libwebp7 libwebpdemux2 libexif12 libexpat1 zlib1g libbz2-1.0 libsuperlu5 libblas3
    label "$place/bin/shadewood"
    say 'a program with its library, by pkg-config and by CMake'
    install_packages gcc libc6-dev pkg-config cmake make libvulkan-dev libjansson-dev libexpat1-dev zlib1g-dev libbz2-dev
    build_programs "$place"
}

# Configured and built without git, as somebody does who has unpacked it: the library alone, and without optimisation, which
# takes a third of the time. With shaderc, one process compiles all shaders of a folder.
try_sources() {
    local archive=$archives/shadewood-$version.tar.gz place=/root/work/sources
    say 'the source archive: the library, installed, and a program with it'
    mkdir -p "$root$place"
    tar --extract --file="$archive" --directory="$root$place" --strip-components=1
    install_packages libxxhash-dev glslang-tools spirv-tools libshaderc-dev g++ python3 ccache
    in_root env CMAKE_C_COMPILER_LAUNCHER=ccache CCACHE_DIR=/root/ccache sh -euc '
        cd "$1"
        cmake -B build -DSHADEWOOD_TOOLS=OFF -DSHADEWOOD_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug >/dev/null
        cmake --build build -j "$(nproc)" --target shadewood >build.log 2>&1 || { tail -n 20 build.log; exit 1; }
        cmake --install build --prefix /root/work/built >/dev/null
    ' sh "$place"
    build_programs /root/work/built
}

try_debian
try_wheel
try_archive
try_sources
say 'everything works'
