#!/usr/bin/env bash
# The library, the program and the Python module, in the environment that conda-build makes: docs/packaging.md. Part of
# Shadewood; MIT licence, see LICENSE.
set -euo pipefail
cd "$SRC_DIR"
export PKG_CONFIG_PATH=$PREFIX/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
# CMAKE_ARGS are several options, of conda's compilers.
# shellcheck disable=SC2086
cmake --preset release ${CMAKE_ARGS:-} -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DBUILD_SHARED_LIBS=ON -DSHADEWOOD_TESTS=OFF -DSHADEWOOD_VIEWER=OFF -DSHADEWOOD_TCC=OFF -DSHADEWOOD_MPI=OFF -DSHADEWOOD_PYTHON3="$PYTHON"
cmake --build build/release --parallel "$CPU_COUNT"
cmake --install build/release --strip
SHADEWOOD_BUILD=$PWD/build/release SHADEWOOD_BUNDLE=0 "$PYTHON" -m pip install --no-deps --no-build-isolation --no-index \
    --no-cache-dir ./python
