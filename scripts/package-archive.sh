#!/usr/bin/env bash
# Makes shadewood-VERSION.tar.gz, the sources, and shadewood-VERSION-SYSTEM-PROCESSOR.tar.gz, the programs with their modules
# and the library as they were built, which work wherever they are unpacked.
# usage: package-archive.sh FOLDER [BUILD]
# BUILD is a build folder whose programs have been built; build/release otherwise.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/.."
build=$(realpath "${2:-build/release}")
mkdir -p "$folder"
rm -f "$folder"/*.tar.gz
for config in CPackConfig.cmake CPackSourceConfig.cmake; do
    cpack --config "$build/$config" -B "$folder" >"$folder/cpack.log" 2>&1 || {
        cat "$folder/cpack.log" >&2
        exit 1
    }
done
rm -rf "$folder/_CPack_Packages" "$folder/cpack.log"
ls -1 "$folder"/*.tar.gz
