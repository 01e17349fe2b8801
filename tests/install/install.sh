#!/usr/bin/env bash
# Installs the library into an empty folder, static and shared, and builds a program that uses everything public against
# each, by pkg-config and by find_package; and a project that contains the library. TAP on the output.
# BUILT is a build folder that has one of the two, and SHARED says which: ON or OFF. Other builds take its objects.
# usage: install.sh SOURCE COMPILER BUILT SHARED
set -u
source=$1 compiler=$2 built=$3 built_shared=$4
. "$(dirname "$0")/../testing/check.sh"
reuse="$source/tests/install/reuse.sh;$built"
prefix=/opt/shadewood

# configure SOURCE BUILD OPTION...
configure() {
    local from=$1 to=$2
    shift 2
    cmake -S "$from" -B "$to" -G Ninja -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_COMPILER_LAUNCHER="$reuse" "$@"
}

build_folder() { # SHARED
    if [[ $1 == "$built_shared" ]]; then echo "$built"; else echo "$folder/build-$1"; fi
}

# Staged below a folder that is not part of the paths in it, as packages are.
install_library() { # SHARED
    local root=$folder/stage-$1
    if [[ $1 != "$built_shared" ]]; then
        configure "$source" "$folder/build-$1" -DBUILD_SHARED_LIBS="$1" -DSHADEWOOD_VIEWER=OFF -DSHADEWOOD_TESTS=OFF \
            -DCMAKE_BUILD_TYPE=Debug -DSHADEWOOD_SPIRV_FROM="$built" &&
            cmake --build "$folder/build-$1" || return 1
    fi
    DESTDIR=$root cmake --install "$(build_folder "$1")" --prefix "$prefix" || return 1
    [[ -f $root$prefix/include/shadewood/shadewood.h ]] || { echo 'no headers'; return 1; }
    ! grep -rlF -e "$folder" -e "$built" "$root" --include='*.cmake' --include='*.pc' || { echo 'paths of the build'; return 1; }
}

licences() { # SHARED
    local documents=$folder/stage-$1$prefix/share/doc/shadewood
    cmp "$source/LICENSE" "$documents/LICENSE" && grep -q 'Yann Collet' "$documents/NOTICES"
}

pkg_config_path() { # SHARED
    dirname "$(find "$folder/stage-$1" -name shadewood.pc)"
}

pkg_config_program() { # SHARED
    local path options=()
    path=$(pkg_config_path "$1")
    [[ $1 == ON ]] || options=(--static)
    # shellcheck disable=SC2046
    "$compiler" -std=c17 "$folder/every.c" -o "$folder/program" \
        $(PKG_CONFIG_PATH=$path pkg-config --cflags --libs "${options[@]}" shadewood) &&
        LD_LIBRARY_PATH=$(dirname "$path") "$folder/program"
}

# A project in a folder of its own, with what the arguments say before its program.
project() { # FOLDER LINE...
    mkdir -p "$1"
    {
        printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(user LANGUAGES C)' "${@:2}"
        printf '%s\n' "add_executable(program $folder/every.c)" 'target_link_libraries(program PRIVATE shadewood::shadewood)'
    } >"$1/CMakeLists.txt"
}

cmake_program() { # SHARED
    project "$folder/user" 'find_package(shadewood REQUIRED)'
    rm -rf "$folder/user/build"
    configure "$folder/user" "$folder/user/build" -DCMAKE_PREFIX_PATH="$folder/stage-$1$prefix" &&
        cmake --build "$folder/user/build" && "$folder/user/build/program"
}

extending_program() { # SHARED
    configure "$source/examples/extend" "$folder/extend" -DCMAKE_PREFIX_PATH="$folder/stage-$1$prefix" &&
        cmake --build "$folder/extend" && "$folder/extend/example_extend"
}

# Where pkg-config finds no other package.
alone() {
    export PKG_CONFIG_LIBDIR=$folder/none
    local status=0
    pkg_config_program ON && cmake_program ON || status=1
    unset PKG_CONFIG_LIBDIR
    return "$status"
}

only_public_symbols() {
    local unexpected
    unexpected=$(nm -D --defined-only "$(find "$folder/stage-ON" -name libshadewood.so)" | awk '{print $3}' | grep -v '^shw_')
    [[ -z $unexpected ]] || { printf 'exported: %s\n' "$unexpected"; return 1; }
}

versions() { # SHARED
    local library version soname root=$folder/stage-$1
    version=$(PKG_CONFIG_PATH=$(pkg_config_path "$1") pkg-config --modversion shadewood)
    grep -qF "set(PACKAGE_VERSION \"$version\")" "$(find "$root" -name shadewood-config-version.cmake)" || return 1
    LD_LIBRARY_PATH=$(dirname "$(pkg_config_path "$1")") "$folder/program" | grep -F "of version $version" || return 1
    [[ $1 == ON ]] || { [[ -n $(find "$root" -name libshadewood.a) ]]; return; }
    library=$(find "$root" -name "libshadewood.so.$version")
    soname=$(objdump -p "$library" | awk '$1 == "SONAME" {print $2}')
    printf '%s %s\n' "$library" "$soname"
    [[ $soname == "libshadewood.so.${version%.*}" ]]
}

# A program that opens the library, with the structs that it was compiled with and with others.
opened() {
    local library
    library=$(find "$folder/stage-ON" -name libshadewood.so)
    cat >"$folder/opened.c" <<'END'
#include <dlfcn.h>
#include <shadewood/shadewood.h>
int main(int argc, char **argv)
{
    void *library = dlopen(argv[argc - 1], RTLD_NOW);
    __typeof__(shw_channel_list_parse_abi) *parse;
    struct shw_channel_list list;
    if (library == NULL || dlsym(library, "shw_channel_list_parse") != NULL)
        return 1; /* a program of version 0.1 finds nothing */
    *(void **)&parse = dlsym(library, "shw_channel_list_parse_abi");
    return parse(SHW_ABI, "rgb", NULL, NULL, &list) == SHW_OK && list.channel_count == 3 &&
           parse(SHW_ABI ^ 1u, "rgb", NULL, NULL, NULL) == SHW_ERROR_ABI ? 0 : 2;
}
END
    "$compiler" -std=gnu17 -I"$folder/stage-ON$prefix/include" "$folder/opened.c" -o "$folder/opened" -ldl &&
        "$folder/opened" "$library"
}

# The programs link with what a shared library does not export. Has been built for the installation.
programs() {
    "$(build_folder ON)/shadewood" --version
}

# The installed program finds what it loads. A module that opens the file says what is wrong with it.
modules() {
    local module root=$folder/stage-ON$prefix
    for module in "$(build_folder ON)"/shadewood-*.so; do
        [[ ! -e $module ]] || [[ -n $(find "$root" -path "*/shadewood/${module##*/}") ]] || { echo "no $module"; return 1; }
    done
    [[ -e $(build_folder ON)/shadewood-hdf5.so ]] || return 0
    printf 'MATLAB 5.0 MAT-file' >"$folder/old.mat"
    says 'it is a MAT-file of version 5' "$root/bin/shadewood" convert "$folder/old.mat" -o "$folder/converted"
}

# The library alone is built for a project that contains it, and nothing of it is installed with that.
contained() {
    project "$folder/outer" 'include(FetchContent)' "FetchContent_Declare(shadewood SOURCE_DIR $source)" \
        'FetchContent_MakeAvailable(shadewood)'
    printf 'install(TARGETS program)\nenable_testing()\n' >>"$folder/outer/CMakeLists.txt"
    configure "$folder/outer" "$folder/outer/build" -DSHADEWOOD_SPIRV_FROM="$built" && cmake --build "$folder/outer/build" &&
        "$folder/outer/build/program" && cmake --install "$folder/outer/build" --prefix "$folder/outer/out" || return 1
    ninja -C "$folder/outer/build" -t targets all | grep -E '^(.*/)?(shadewood_(program|tools|viewer|testing)|test_[a-z_]*): ' &&
        { echo 'programs of the library'; return 1; }
    ctest --test-dir "$folder/outer/build" -N | grep -x 'Total Tests: 0' &&
        grep -x 'CMAKE_BUILD_TYPE:STRING=' "$folder/outer/build/CMakeCache.txt" &&
        [[ $(find "$folder/outer/out" -type f) == "$folder/outer/out/bin/program" ]]
}

# says TEXT COMMAND...: it fails, and says TEXT.
says() {
    local text=$1
    shift
    "$@" >"$folder/said" 2>&1 && { echo "$* succeeds"; return 1; }
    tr -s '\n ' ' ' <"$folder/said" | grep -F -- "$text" || { cat "$folder/said"; return 1; }
}

# Neither the sources nor what is installed can be used without Vulkan's headers.
without_vulkan() {
    local nowhere=(-DCMAKE_MAKE_PROGRAM="$(command -v ninja)" -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF -DCMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH=OFF)
    project "$folder/installed" "find_package(shadewood REQUIRED PATHS $folder/stage-ON$prefix NO_DEFAULT_PATH)"
    says "Vulkan's headers (vulkan/vulkan_core.h) are missing. Install them (Debian: libvulkan-dev" \
        configure "$source" "$folder/missing" "${nowhere[@]}" &&
        says "there is no vulkan/vulkan_core.h in Vulkan_INCLUDE_DIR, $folder/none" \
            configure "$source" "$folder/missing" -DVulkan_INCLUDE_DIR="$folder/none" &&
        says "Vulkan's headers (vulkan/vulkan_core.h) are missing. Install them (Debian: libvulkan-dev" \
            configure "$folder/installed" "$folder/installed/build" "${nowhere[@]}"
}

"$source/tests/abi/every.py" functions --compiler "$compiler" --output "$folder/every.c" || exit 1
for shared in OFF ON; do
    check "installs, shared $shared" install_library "$shared"
    check "licences, shared $shared" licences "$shared"
    check "pkg-config, shared $shared" pkg_config_program "$shared"
    check "find_package, shared $shared" cmake_program "$shared"
    check "versions, shared $shared" versions "$shared"
done
check "feature type, channel kind and technique of the caller's" extending_program ON
check "a shared library needs no other package" alone
check "opened at run time" opened
check "programs beside a shared library" programs
check "modules beside a shared library" modules
check "exports public names only" only_public_symbols
check "a project that contains the library" contained
check "Vulkan's headers are looked for" without_vulkan
printf '1..%d\n' "$cases"
exit "$status"
