#!/usr/bin/env bash
# The script that exports models of scikit-learn is installed where the manual says; TAP on the output.
set -u
source=$1 built=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
named=$(grep -o 'share/shadewood/[a-z_]*\.py' "$source/man/shadewood.1" | head -n 1)

echo 1..1
if cmake --install "$built" --component export_sklearn --prefix "$folder" >"$folder/log" 2>&1 &&
    [[ -n $named ]] && cmp "$folder/$named" "$source/scripts/export_sklearn.py" >>"$folder/log" 2>&1; then
    echo "ok 1 - $named"
else
    echo "not ok 1 - $named"
    sed 's/^/# /' "$folder/log"
    exit 1
fi
