#!/usr/bin/env bash
# A program links with the static library and what shadewood.pc names, and nothing else.
set -euo pipefail
program=$1
source=$(cd "$(dirname "$0")/../.." && pwd) build=$(dirname "$program")
[[ -f $build/src/libshadewood.a ]] || { echo 'the build has no static library'; exit 77; }

cat >program.c <<'END'
#include <shadewood/shadewood.h>
int main(void)
{
    struct shw_cascade_trainer *trainer = NULL;
    return shw_cascade_trainer_create(NULL, NULL, &trainer) == SHW_ERROR_ARGUMENT ? 0 : 1;
}
END
packages=$(sed -n 's/^Requires.private: //p' "$build/src/shadewood.pc")
read -ra options <<<"$(pkg-config --libs "$packages") $(sed -n 's/^Libs.private: //p' "$build/src/shadewood.pc")"
cc -std=c17 -I"$source/src/include" program.c -o out "$build/src/libshadewood.a" "${options[@]}"
./out

echo "a static program needs $packages alone"
