#!/usr/bin/env bash
# Builds, for 64-bit Windows and from the source packages of Debian, the libraries that Shadewood, its programs and its
# tests use: static ones, in DIR/root. What is there already is kept. Nothing of the system's apt is changed.
#   windows_packages.sh [DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build/windows-packages}
toolchain=$PWD/cmake/mingw-w64.cmake
mkdir -p "$folder/source/partial" "$folder/build" "$folder/root/include" "$folder/root/lib/pkgconfig" "$folder/apt/lists/partial"
folder=$(realpath "$folder")
root=$folder/root
host=x86_64-w64-mingw32

# Lists of packages of their own, from where the system has its packages: source packages need not be among its lists.
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
archive=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE)' "Component: main" | awk -v suite="$suite" '$2 == suite { print $1; exit }')
[[ $archive ]] || { echo "windows_packages: no archive of the packages of $suite is known to apt" >&2; exit 1; }
echo "deb-src $archive $suite main" >"$folder/apt/sources.list"
apt=(apt-get -q -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null
    -o "Dir::State::Lists=$folder/apt/lists" -o "Dir::Cache=$folder/apt" -o APT::Sandbox::User=root)

# source PACKAGE: its unpacked and patched source, whose folder is printed.
source_of() {
    local into=$folder/source/$1
    if [[ ! -d $into ]]; then
        (
            mkdir -p "$folder/source/partial/$1"
            cd "$folder/source/partial/$1"
            [[ -e $folder/apt/lists/updated ]] || { "${apt[@]}" update && touch "$folder/apt/lists/updated"; }
            "${apt[@]}" source --download-only "$1"
            dpkg-source --no-check -x ./*.dsc tree
        ) >"$folder/source/$1.log" 2>&1 || { cat "$folder/source/$1.log" >&2; exit 1; }
        mv "$folder/source/partial/$1/tree" "$into"
        rm -r "$folder/source/partial/$1"
    fi
    echo "$into"
}

# log PACKAGE COMMAND...: what it says is shown if it fails.
log() {
    local name=$1
    shift
    "$@" >>"$folder/build/$name.log" 2>&1 || { tail -n 40 "$folder/build/$name.log" >&2; exit 1; }
}

# once PACKAGE FUNCTION ARGUMENT...: unless it is built already.
once() {
    local name=$1
    shift
    [[ ! -e $folder/build/$name.done ]] || return 0
    echo "windows_packages: $name" >&2
    rm -f "$folder/build/$name.log"
    "$@"
    touch "$folder/build/$name.done"
}

# by_cmake PACKAGE OPTION...
by_cmake() {
    local name=$1 source
    shift
    source=$(source_of "$name")
    log "$name" cmake -G Ninja -S "$source" -B "$folder/build/$name" -DCMAKE_TOOLCHAIN_FILE="$toolchain" \
        -DSHADEWOOD_WINDOWS_PACKAGES="$root" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$root" \
        -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@"
    log "$name" cmake --build "$folder/build/$name" --target install
    rm -r "$folder/build/$name"
}

# by_configure PACKAGE OPTION...
by_configure() {
    local name=$1 source
    shift
    source=$(source_of "$name")
    mkdir -p "$folder/build/$name"
    cd "$folder/build/$name"
    [[ -e $source/configure.ac ]] || source=$source/$name
    [[ -e $source/configure ]] || (cd "$source" && log "$name" autoreconf -i)
    log "$name" "$source/configure" --host=$host --prefix="$root" --disable-shared --enable-static \
        CC=$host-gcc-posix CFLAGS='-O2 -Wa,-muse-unaligned-vector-move' "$@"
    log "$name" make -j"$(nproc)" install
    cd "$OLDPWD"
    rm -r "$folder/build/$name"
}

# What is a header alone, or the same for each machine, is the system's.
headers() {
    cp -rL /usr/include/vulkan /usr/include/vk_video /usr/include/xxhash.h "$root/include"
    cp -rL /usr/include/stb "$root/include"
    mkdir -p "$root/share"
    cp -L /usr/share/fonts-font-awesome/fonts/fontawesome-webfont.ttf "$root/share"
    printf 'Name: libxxhash\nDescription: its header\nVersion: 0.8\nCflags: -I%s/include\n' "$root" \
        >"$root/lib/pkgconfig/libxxhash.pc"
}

# The static library has the name that the linker looks for only where there is no other.
test_library() {
    by_cmake cmocka -DWITH_EXAMPLES=OFF -DWITH_STATIC_LIB=ON -DUNIT_TESTING=OFF
    mv "$root/lib/libcmocka-static.a" "$root/lib/libcmocka.a"
    rm "$root/lib/libcmocka.dll.a"
}

png() {
    by_cmake libpng1.6 -DPNG_SHARED=OFF -DPNG_TESTS=OFF
}

# The package libz-mingw-w64-dev, which has no file for pkg-config.
z() {
    cp /usr/$host/include/zlib.h /usr/$host/include/zconf.h "$root/include"
    cp /usr/$host/lib/libz.a "$root/lib"
    printf 'prefix=%s\nName: zlib\nDescription: zlib\nVersion: 1.2.13\nCflags: -I${prefix}/include\nLibs: -L${prefix}/lib -lz\n' \
        "$root" >"$root/lib/pkgconfig/zlib.pc"
}

# The viewer's windows and panels.
glfw() {
    by_cmake glfw3 -DGLFW_BUILD_DOCS=OFF -DGLFW_BUILD_TESTS=OFF -DGLFW_BUILD_EXAMPLES=OFF
}

imgui() {
    local source part
    source=$(source_of imgui)
    mkdir -p "$folder/build/imgui" "$root/include/imgui/backends"
    for part in imgui imgui_draw imgui_tables imgui_widgets backends/imgui_impl_vulkan; do
        log imgui $host-g++-posix -O2 -Wa,-muse-unaligned-vector-move -I"$source" -I"$root/include" \
            -DIMGUI_STB_RECT_PACK_FILENAME='<stb/stb_rect_pack.h>' -DIMGUI_STB_TRUETYPE_FILENAME='<stb/stb_truetype.h>' \
            -c "$source/$part.cpp" -o "$folder/build/imgui/$(basename $part).o"
    done
    log imgui $host-ar rcs "$root/lib/libimgui.a" "$folder"/build/imgui/*.o
    cp "$source"/*.h "$root/include/imgui"
    cp "$source"/backends/*.h "$root/include/imgui/backends"
    printf 'prefix=%s\nName: imgui\nDescription: Dear ImGui\nVersion: 1.86\nRequires.private: vulkan\nCflags: -I${prefix}/include/imgui\nLibs: -L${prefix}/lib -limgui -limm32\n' \
        "$root" >"$root/lib/pkgconfig/imgui.pc"
    rm -r "$folder/build/imgui"
}

# What programs link with that load vulkan-1.dll, the loader of a driver's package: the names of the header's functions.
vulkan() {
    {
        printf 'LIBRARY vulkan-1.dll\nEXPORTS\n'
        grep -ohE '^VKAPI_ATTR .*VKAPI_CALL vk[A-Za-z0-9]+' "$root/include/vulkan/vulkan_core.h" | grep -oE 'vk[A-Za-z0-9]+$'
    } >"$folder/build/vulkan-1.def"
    log vulkan $host-dlltool -d "$folder/build/vulkan-1.def" -l "$root/lib/libvulkan-1.a"
    printf 'prefix=%s\nName: vulkan\nDescription: vulkan-1.dll\nVersion: 1.3\nLibs: -L${prefix}/lib -lvulkan-1\n' "$root" \
        >"$root/lib/pkgconfig/vulkan.pc"
}

# What the archive has beside the programs: the licences of all that is linked in, as Debian gives them.
licences() {
    local package
    mkdir -p "$root/licences"
    for package in "$folder"/source/*/debian/copyright; do
        cp "$package" "$root/licences/$(basename "$(dirname "$(dirname "$package")")").txt"
    done
    rm -f "$root/licences/cmocka.txt" # the tests alone
    for package in libz-mingw-w64-dev gcc-mingw-w64-base mingw-w64-common fonts-font-awesome; do
        cp "/usr/share/doc/$package/copyright" "$root/licences/$package.txt"
    done
}

once headers headers
once jansson by_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF
once cmocka test_library
once zlib z
once expat by_configure expat --without-docbook --without-xmlwf --without-examples --without-tests
once libpng png
once libjpeg by_cmake libjpeg-turbo -DCMAKE_INSTALL_LIBDIR="$root/lib" -DENABLE_SHARED=OFF -DWITH_SIMD=OFF -DWITH_TURBOJPEG=OFF
once tiff by_cmake tiff -Dtiff-tools=OFF -Dtiff-tests=OFF -Dtiff-contrib=OFF -Dtiff-docs=OFF -Dcxx=OFF -Dlzma=OFF -Dzstd=OFF \
    -Djbig=OFF -Dlerc=OFF -Dwebp=OFF -Dlibdeflate=OFF
once libwebp by_cmake libwebp -DWEBP_BUILD_ANIM_UTILS=OFF -DWEBP_BUILD_CWEBP=OFF -DWEBP_BUILD_DWEBP=OFF -DWEBP_BUILD_GIF2WEBP=OFF \
    -DWEBP_BUILD_IMG2WEBP=OFF -DWEBP_BUILD_VWEBP=OFF -DWEBP_BUILD_WEBPINFO=OFF -DWEBP_BUILD_WEBPMUX=OFF -DWEBP_BUILD_EXTRAS=OFF \
    -DWEBP_LINK_STATIC=ON
once vulkan vulkan
once glfw glfw
once imgui imgui
once libexif by_configure libexif --disable-docs --disable-nls
licences
echo "windows_packages: $root" >&2
