#!/usr/bin/env bash
# Makes the reference of the public headers as HTML in a folder, by Doxygen. Fails with its warnings, if there are any.
# Members of structs whose name and type say it all have no comment, and need none.
# usage: reference.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
mkdir -p "$folder"
number() {
    sed -n "s/^#define SHW_VERSION_$1 //p" src/include/shadewood/version.h
}
SHADEWOOD_VERSION=$(number MAJOR).$(number MINOR).$(number PATCH) SHADEWOOD_REFERENCE=$folder \
    doxygen docs/Doxyfile 2>"$folder/warnings"
if grep -vE '^$|warning: Member .* \(variable\) of struct .* is not documented\.$' "$folder/warnings" >&2; then
    exit 1
fi
rm "$folder/warnings"
