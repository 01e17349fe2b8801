#!/usr/bin/env bash
# Installs the library into an empty folder, static and shared, and builds programs against each; TAP on the output.
# BUILT is a build folder that has one of the two, and SHARED says which: ON or OFF.
set -u
source=$1 compiler=$2 built=$3 built_shared=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0 status=0

check() { # NAME COMMAND...
    local name=$1
    shift
    ((cases += 1))
    if "$@" >"$folder/log" 2>&1; then
        printf 'ok %d - %s\n' "$cases" "$name"
    else
        printf 'not ok %d - %s\n' "$cases" "$name"
        sed 's/^/# /' "$folder/log"
        status=1
    fi
}

pkg_config_program() { # PREFIX [--static]
    local path
    path=$(dirname "$(find "$1" -name shadewood.pc)")
    # shellcheck disable=SC2046
    "$compiler" -std=c17 "$source/tests/install/program.c" -o "$folder/program" \
        $(PKG_CONFIG_PATH=$path pkg-config --cflags --libs ${2:-} shadewood) &&
        LD_LIBRARY_PATH=$(dirname "$path") "$folder/program"
}

cmake_program() { # PREFIX
    mkdir -p "$folder/user" && cat >"$folder/user/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES C)
find_package(shadewood REQUIRED)
add_executable(program $source/tests/install/program.c)
target_link_libraries(program PRIVATE shadewood::shadewood)
END
    rm -rf "$folder/user/build"
    cmake -S "$folder/user" -B "$folder/user/build" -G Ninja -DCMAKE_PREFIX_PATH="$1" -DCMAKE_C_COMPILER="$compiler" &&
        cmake --build "$folder/user/build" && "$folder/user/build/program"
}

extending_program() { # PREFIX
    rm -rf "$folder/extend"
    cmake -S "$source/examples/extend" -B "$folder/extend" -G Ninja -DCMAKE_PREFIX_PATH="$1" -DCMAKE_C_COMPILER="$compiler" &&
        cmake --build "$folder/extend" && "$folder/extend/example_extend"
}

# Where pkg-config finds no other package.
alone() { # PREFIX
    export PKG_CONFIG_LIBDIR=$folder/none
    local status=0
    pkg_config_program "$1" && cmake_program "$1" || status=1
    unset PKG_CONFIG_LIBDIR
    return "$status"
}

only_public_symbols() { # PREFIX
    local library unexpected
    library=$(find "$1" -name 'libshadewood.so')
    unexpected=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -v '^shw_')
    [[ -z $unexpected ]] || { printf 'exported: %s\n' "$unexpected"; return 1; }
}

build_folder() { # SHARED
    if [[ $1 == "$built_shared" ]]; then echo "$built"; else echo "$folder/build-$1"; fi
}

install_library() { # SHARED PREFIX
    if [[ $1 != "$built_shared" ]]; then
        cmake -S "$source" -B "$folder/build-$1" -G Ninja -DBUILD_SHARED_LIBS="$1" -DSHADEWOOD_TOOLS=OFF \
            -DSHADEWOOD_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_COMPILER="$compiler" \
            -DSHADEWOOD_SPIRV_FROM="$built" &&
            cmake --build "$folder/build-$1" || return 1
    fi
    cmake --install "$(build_folder "$1")" --prefix "$2"
}

# A package is staged below a folder that is not part of the paths in it.
staged() { # SHARED
    local root=$folder/stage-$1
    DESTDIR=$root cmake --install "$(build_folder "$1")" --prefix /opt/shadewood || return 1
    [[ -f $root/opt/shadewood/include/shadewood/shadewood.h ]] || { echo 'no headers'; return 1; }
    ! grep -rlF "$folder" "$root" --include='*.cmake' --include='*.pc' || { echo 'paths of the build'; return 1; }
    pkg_config_program "$root" "$2" && cmake_program "$root/opt/shadewood"
}

versions() { # PREFIX SHARED
    local library version soname
    version=$(PKG_CONFIG_PATH=$(dirname "$(find "$1" -name shadewood.pc)") pkg-config --modversion shadewood)
    grep -qF "set(PACKAGE_VERSION \"$version\")" "$(find "$1" -name shadewood-config-version.cmake)" || return 1
    [[ $2 == ON ]] || { [[ -n $(find "$1" -name libshadewood.a) ]]; return; }
    library=$(find "$1" -name "libshadewood.so.$version")
    soname=$(objdump -p "$library" | awk '$1 == "SONAME" {print $2}')
    printf '%s %s\n' "$library" "$soname"
    [[ $soname == "libshadewood.so.${version%.*}" ]]
}

# The programs link with what a shared library does not export.
programs() {
    cmake -S "$source" -B "$folder/build-ON" -DSHADEWOOD_TOOLS=ON -DSHADEWOOD_VIEWER=OFF &&
        cmake --build "$folder/build-ON" && "$folder/build-ON/shadewood" --version
}

for shared in OFF ON; do
    prefix=$folder/prefix-$shared
    check "installs, shared $shared" install_library "$shared" "$prefix"
    check "staged, shared $shared" staged "$shared" "$([[ $shared == OFF ]] && echo --static)"
    check "versions, shared $shared" versions "$prefix" "$shared"
    check "pkg-config, shared $shared" pkg_config_program "$prefix" "$([[ $shared == OFF ]] && echo --static)"
    check "find_package, shared $shared" cmake_program "$prefix"
    check "feature type, channel kind and technique of the caller's, shared $shared" extending_program "$prefix"
done
check "a shared library needs no other package" alone "$folder/prefix-ON"
check "programs beside a shared library" programs
check "exports public names only" only_public_symbols "$folder/prefix-ON"
printf '1..%d\n' "$cases"
exit "$status"
