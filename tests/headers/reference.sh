#!/usr/bin/env bash
# The reference of the public headers is made without warnings, and says what the comments say; a function without a
# comment is noticed. TAP on the output; skipped without Doxygen.
# usage: reference.sh SOURCE
set -uo pipefail
source=$1
. "$(dirname "$0")/../testing/check.sh"
command -v doxygen >/dev/null || { echo '1..0 # SKIP there is no doxygen'; exit 77; }

says() { # PAGE TEXT...
    local page=$folder/reference/$1 text
    shift
    for text; do
        grep -qF -- "$text" "$page" || { echo "$page does not say: $text"; return 1; }
    done
}

pages() {
    "$source/scripts/reference.sh" "$folder/reference" && [[ ! -e $folder/reference/warnings ]] || return 1
    says label_8h.html 'Labelling: dense evaluation of a forest.' 'The technique of each stage, by enum shw_stage, with AUTO resolved.' &&
        says structshw__labeller__params.html 'borrowed until it is replaced' 'The largest image of' &&
        says input_8h.html 'The names of the inputs that are not planes of grey.' 'SHW_PREVIOUS' &&
        ! grep -q 'shw_forest_load_abi' "$folder"/reference/*.html
}

# In a copy, with a function of which nothing is said: that header alone, and no pages.
undocumented() {
    local headers=$folder/copy/src/include/shadewood
    mkdir -p "$headers" "$folder/copy/docs" && cp -r "$source/scripts" "$folder/copy" &&
        cp "$source"/src/include/shadewood/{technique,version}.h "$headers" &&
        sed 's/^GENERATE_HTML .*/GENERATE_HTML = NO/' "$source/docs/Doxyfile" >"$folder/copy/docs/Doxyfile" || return 1
    sed -i 's/^SHW_API const char \*shw_stage_name.*/&\n\nSHW_API int shw_new(void);/' "$headers/technique.h"
    ! "$folder/copy/scripts/reference.sh" "$folder/none" 2>"$folder/said" && grep -q 'shw_new.*is not documented' "$folder/said"
}

check 'made without warnings' pages
check 'a function without a comment is noticed' undocumented
printf '1..%d\n' "$cases"
exit "$status"
