#!/usr/bin/env bash
# The recipe of conda, as far as it goes without conda: what meta.yaml says is true of the sources, build.sh installs into a
# PREFIX when it is called as conda-build calls it, and the recipe's own tests pass there. The PREFIX has a virtual
# environment instead of conda's Python, and the system's libraries serve as conda's. TAP on the output.
# Objects and shaders are those of BUILD, so that little more than linking is left.
# usage: conda.sh SOURCE BUILD VERSION
set -uo pipefail
source=$1 build=$2 version=$3 python3=/usr/bin/python3
for package in cffi jinja2 pip setuptools wheel yaml; do
    "$python3" -c "import $package" 2>/dev/null && continue
    printf '# skipped: there is no python3-%s\n' "$package"
    [[ ${SHW_NO_SKIP:-} == 1 ]] && exit 1
    exit 77
done
. "$(dirname "$0")/../testing/check.sh"
recipe=$source/packaging/conda
prefix=$folder/prefix
shaders=$(sed -n 's/^SHADEWOOD_SPIRV_FROM:PATH=//p' "$build/CMakeCache.txt")

# as_conda VARIABLE=VALUE... COMMAND...: with what conda-build sets, and nothing of the caller's.
as_conda() {
    local python
    python=$("$prefix/bin/python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    env -i CONDA_BUILD=1 PATH="$prefix/bin:/usr/bin:/bin" HOME="$folder/home" LC_ALL=C.UTF-8 PREFIX="$prefix" BUILD_PREFIX="$prefix" \
        SRC_DIR="$folder/work" RECIPE_DIR="$recipe" PKG_NAME=shadewood PKG_VERSION="$version" PKG_BUILDNUM=0 \
        PYTHON="$prefix/bin/python" PY_VER="$python" STDLIB_DIR="$prefix/lib/python$python" \
        SP_DIR="$prefix/lib/python$python/site-packages" CPU_COUNT=2 PYTHONNOUSERSITE=1 "$@"
}

meta() {
    "$python3" "$source/tests/packages/recipe.py" "$source" check "$version"
}

# In a copy of the sources, as they are in the source archive.
install_it() {
    mkdir -p "$folder/work" "$folder/home" &&
        "$source/scripts/list-sources.sh" | tar --create --directory="$source" --no-recursion --null --files-from=- |
        tar --extract --directory="$folder/work" && "$python3" -m venv --without-pip --system-site-packages "$prefix" || return 1
    (cd "$folder/work" && as_conda CMAKE_GENERATOR='Unix Makefiles' CMAKE_C_COMPILER_LAUNCHER="$source/tests/install/reuse.sh;$build" \
        CMAKE_CXX_COMPILER_LAUNCHER="$source/tests/install/reuse.sh;$build" \
        CMAKE_ARGS="-DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=$prefix -DCMAKE_INSTALL_LIBDIR=lib -DSHADEWOOD_SPIRV_FROM=${shaders:-$build}" \
        /bin/bash -e "$recipe/build.sh")
}

# Everything is in the PREFIX, and no text has another path: conda replaces that of the PREFIX.
files() {
    local file
    for file in bin/shadewood lib/libshadewood.so lib/pkgconfig/shadewood.pc include/shadewood/shadewood.h lib/shadewood/shadewood-shaders.so \
        share/doc/shadewood/NOTICES lib/python3*/site-packages/shadewood/_native.abi3.so; do
        compgen -G "$prefix/$file" || { echo "no $file"; return 1; }
    done
    [[ -z $(find "$folder/home" -type f) ]] || { find "$folder/home" -type f; return 1; }
    ! grep -rIlF -e "$folder/work" -e "$build" --exclude-dir=__pycache__ --exclude=direct_url.json "$prefix"
}

# The section test of the recipe.
recipe_tests() {
    local line
    mkdir "$folder/test" && cd "$folder/test" || return 1
    [[ $(as_conda sh -c 'command -v shadewood') == "$prefix/bin/shadewood" ]] || return 1
    while IFS= read -r line; do
        as_conda python -c "import os, $line; assert $line.__file__.startswith(os.environ['SP_DIR']), $line.__file__" || return 1
    done < <("$python3" "$source/tests/packages/recipe.py" "$source" list imports)
    "$python3" "$source/tests/packages/recipe.py" "$source" list commands >"$folder/commands" && [[ -s $folder/commands ]] || return 1
    as_conda PKG_CONFIG_PATH="$prefix/lib/pkgconfig" /bin/sh -ex "$folder/commands" && [[ -n $(ls labelled) ]]
}

check 'meta.yaml' meta
check_slow 'build.sh installs into the PREFIX' install_it
check_slow 'what it has installed' files
check_slow 'the tests of the recipe' recipe_tests
printf '1..%d\n' "$cases"
exit "$status"
