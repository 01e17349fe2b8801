#!/usr/bin/env bash
# A program that was compiled with other structs than the library gets an error, and its members are not misread.
set -euo pipefail
program=$1
source=$(cd "$(dirname "$0")/../.." && pwd) library=$(dirname "$program")/src/libshadewood.a
[[ -f $library ]] || { echo 'the build has no static library'; exit 77; }

cat >program.c <<'END'
#include <shadewood/shadewood.h>
#include <stdio.h>
int main(void)
{
    const struct shw_trainer_params params = {.threads = 2};
    const struct shw_dataset dataset = {0};
    struct shw_trainer *trainer = NULL;
    puts(shw_result_string(shw_trainer_create(&params, &dataset, &trainer)));
    return 0;
}
END
# said: what the program prints.
said() {
    cc -std=c17 -Iinclude program.c -o out "$library" -ljansson -lm -ldl -pthread && ./out
}

cp -r "$source/src/include" include
cp "$source/tests/abi/public.txt" public.txt
[[ $(said) == 'invalid argument' ]] || { echo "the same structs: $(said)"; exit 1; }
# The headers of another version.
sed -i 's/^    uint32_t threads; .*/    uint32_t inserted;\n&/' include/shadewood/train.h
sed -i 's/SHW_VERSION_MINOR .*/SHW_VERSION_MINOR 99/' include/shadewood/version.h
"$source/scripts/abi.py" --record --include include --recorded public.txt --symbols symbols
[[ $(said) == 'compiled with the headers of another version of Shadewood' ]] || { echo "other structs: $(said)"; exit 1; }

echo 'a program that was compiled with other structs is told so'
