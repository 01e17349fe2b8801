#!/usr/bin/env bash
# The library must neither define nor refer to a vk* symbol: engines have their own, as functions or as pointers.
set -uo pipefail
library=$1
[[ -f $library ]] || { echo "not ok 1 - there is no library $library"; exit 1; }
found=$(nm -A "$library" 2>/dev/null | grep -E ' [A-Za-z] vk[A-Z]')
count=$(nm "$library" 2>/dev/null | grep -cE ' T shw_device_import_abi$')
if [[ -n $found || $count != 1 ]]; then
    echo "$found"
    echo "not ok 1 - no vk symbol"
    exit 1
fi
echo "ok 1 - no vk symbol"
