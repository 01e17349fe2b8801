#!/usr/bin/env bash
# Builds the Debian packages, and the source package, from a copy of the sources, in a folder of which nothing is written
# outside.
# usage: package-debian.sh FOLDER
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
version=$(sed -n '1s/^shadewood (\(.*\)) .*/\1/p' debian/changelog)
copy=$folder/shadewood-$version
rm -rf "$copy" "$folder"/*.{deb,dsc,tar.xz,buildinfo,changes}
mkdir -p "$copy"
scripts/list-sources.sh | tar --create --no-recursion --null --files-from=- | tar --extract --directory="$copy"
cd "$copy"
# By the system's own tools, whatever others its user has.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
# The tests have run before; the optional packages with debugging symbols take most of the time.
DEB_BUILD_OPTIONS="nocheck noautodbgsym ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage -uc -us >"$folder/build.log" 2>&1 || {
    tail -n 40 "$folder/build.log" >&2
    exit 1
}
cd "$folder"
if command -v lintian >/dev/null; then
    lintian --fail-on error,warning ./*.changes
fi
rm -rf "$copy"
ls -1 ./*.deb
