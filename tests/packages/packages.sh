#!/usr/bin/env bash
# The packages have the version of version.h everywhere, and every installed file is in one of the Debian packages. TAP on
# the output. What needs a program that is not installed is left out.
# usage: packages.sh SOURCE BUILD
set -uo pipefail
source=$1 build=$2
. "$(dirname "$0")/../testing/check.sh"
number() {
    sed -n "s/^#define SHW_VERSION_$1 //p" "$source/src/include/shadewood/version.h"
}
minor=$(number MAJOR).$(number MINOR)
version=$minor.$(number PATCH)
# The identifier that the viewer has for desktops: scripts/name-packages.py sets it.
application=$(basename "$source"/packaging/desktop/*.metainfo.xml .metainfo.xml)

# has FILE EXPRESSION: its first line that matches, without what is around the parentheses, is the version.
has() {
    local found
    found=$(sed -nE "s/$2/\1/p" "$source/$1" | head -n 1)
    [[ $found == "$version" ]] || { echo "$1 has the version '$found', not $version"; return 1; }
}

versions() {
    has CHANGELOG.md '^## ([0-9.]+).*' && has debian/changelog '^shadewood \(([0-9.]+)\) .*' &&
        has "packaging/desktop/$application.metainfo.xml" '.*<release version="([0-9.]+)".*' &&
        has packaging/conda/meta.yaml '.*set version = "([0-9.]+)".*' &&
        has "packaging/flatpak/$application.yml" '.*shadewood-([0-9.]+)\.tar\.gz.*' || return 1
    grep -q '^version' "$source/python/pyproject.toml" 2>/dev/null && { echo 'python/pyproject.toml has a version of its own'; return 1; }
    return 0
}

# The packages of debian/control.
list_packages() {
    sed -n 's/^Package: //p' "$source/debian/control"
}

library() {
    list_packages | grep -x "libshadewood$minor" && [[ -e $source/debian/libshadewood$minor.install ]] &&
        head -n 1 "$source/debian/libshadewood$minor.symbols" | grep -x "libshadewood.so.$minor libshadewood$minor #MINVER#" &&
        grep -F "libshadewood$minor (= \${binary:Version})" "$source/debian/control" || return 1
    # dpkg-gensymbols compares these with a shared library
    [[ -e $build/src/libshadewood.so ]] || return 0
    diff <(nm -D --defined-only "$build/src/libshadewood.so" | awk '{print $3}' | sort) \
        <(sed -n 's/^ \(.*\)@Base .*/\1/p' "$source/debian/libshadewood$minor.symbols")
}

# Every package says what it is and what it needs, and has a list of its files; every list has a package.
control() {
    local package file
    awk -v RS= '/^Package:/ {
        for (i = split("Architecture: Depends: Description:", fields, " "); i > 0; i--)
            if ($0 !~ "\n" fields[i]) { print $2 " has no " fields[i]; failed = 1 }
    } END { exit failed }' "$source/debian/control" || return 1
    while read -r package; do
        [[ -s $source/debian/$package.install ]] || { echo "$package has no list of files"; return 1; }
    done < <(list_packages)
    for file in "$source"/debian/*.install; do
        list_packages | grep -qx "$(basename "$file" .install)" || { echo "$file is of no package"; return 1; }
    done
}

# Documents and examples that debian/ names exist, and docs/packaging.md has every package.
documents() {
    local list pattern package
    for list in "$source"/debian/*.docs "$source"/debian/*.examples; do
        while read -r pattern; do
            compgen -G "$source/$pattern" >/dev/null || { echo "$list: there is no $pattern"; return 1; }
        done <"$list"
    done
    while read -r package; do
        grep -qF "| \`$package\` |" "$source/docs/packaging.md" || { echo "docs/packaging.md does not have $package"; return 1; }
    done < <(list_packages)
}

# debian/copyright refers to NOTICES, which every package has beside it.
notices() {
    local package
    mkdir -p "$folder/notices" && cp -r "$source"/{debian,docs,examples,python,NOTICES,README.md} "$folder/notices" || return 1
    (cd "$folder/notices" && make -s -f debian/rules override_dh_installdocs) || return 1
    while read -r package; do
        cmp "$source/NOTICES" "$folder/notices/debian/$package/usr/share/doc/$package/NOTICES" || return 1
    done < <(list_packages)
}

# The Python module has what python/setup.py needs, and copies no libraries.
python() {
    local package
    for package in python3-cffi python3-dev python3-setuptools pybuild-plugin-pyproject dh-python; do
        sed -n '/^Build-Depends:/,/^[A-Z].*:/p' "$source/debian/control" | grep -qE "^ +$package," || { echo "Build-Depends has no $package"; return 1; }
    done
    awk -v RS= '/^Package: python3-/ && /\${python3:Depends}.*\${shlibs:Depends}/ { found = 1 } END { exit !found }' "$source/debian/control" &&
        grep -qx 'export SHADEWOOD_BUNDLE = 0' "$source/debian/rules"
}

# What the build installs, and what debian/ says of it. Another build of the library has another file.
every_file() {
    local path pattern found missing=0 patterns=()
    mapfile -t patterns < <(sed '/^#/d' "$source"/debian/*.install "$source/debian/not-installed")
    DESTDIR=$folder/tree cmake --install "$build" --prefix /usr >"$folder/installed" 2>&1 || { tail "$folder/installed"; return 1; }
    while IFS= read -r path; do
        path=${path/\/lib\///lib/any/}
        path=${path//\/any\/x86_64-linux-gnu\///any/}
        case $path in
        */libshadewood.a | */libshadewood.so*) continue ;;
        esac
        found=0
        for pattern in "${patterns[@]}"; do
            # shellcheck disable=SC2053
            [[ $path != $pattern && $path != $pattern/* ]] || found=1
        done
        ((found)) || { echo "no package has $path"; missing=1; }
    done < <(cd "$folder/tree" && find usr -type f)
    return "$missing"
}

desktop() {
    local folder=$source/packaging/desktop
    if command -v desktop-file-validate; then
        [[ -z $(desktop-file-validate "$folder/shadewood-viewer.desktop" 2>&1 | tee /dev/stderr) ]] || return 1
    fi
    if command -v appstreamcli; then
        appstreamcli validate --no-net "$folder/$application.metainfo.xml" || return 1
    fi
    python3 -c 'import sys, xml.etree.ElementTree as tree
for path in sys.argv[1:]: tree.parse(path)' "$folder"/*.svg "$folder"/*.xml
}

# As far as it can be read without its runtime: the desktop files are those that are installed, and sources are archives with
# a checksum, or that of ours, where ./run packages writes it.
flatpak() {
    local manifest=$source/packaging/flatpak/$application.yml
    grep -qx "id: $application" "$manifest" && grep -q "^  <id>$application</id>\$" "$source/packaging/desktop/$application.metainfo.xml" || return 1
    [[ -e $source/packaging/desktop/$(sed -n 's/^rename-desktop-file: //p' "$manifest") &&
        -e $source/packaging/desktop/$(sed -n 's/^rename-icon: //p' "$manifest").svg ]] || return 1
    awk '/^ *- type: / { if ($3 != "archive") bad = 1; archives++ } /^ *url: https:/ { urls++ } /^ *sha256: / && length($2) == 64 { sums++ }
        /^ *path: / { paths++; if ($2 != "../../build/packages/archives/shadewood-'"$version"'.tar.gz") bad = 1 }
        END { exit bad || paths != 1 || urls != sums || archives != urls + paths }' "$manifest" || { echo 'its sources'; return 1; }
    command -v flatpak-builder || return 0
    (cd "$folder" && flatpak-builder --show-manifest "$manifest" >manifest) && grep -qF '"name" : "shadewood"' "$folder/manifest"
}

# What a publisher sets is set everywhere by one script, which leaves everything else, and refuses what cannot be.
names() {
    local file script=$source/scripts/name-packages.py
    mkdir -p "$folder/named/python" && cp -r "$source/debian" "$source/packaging" "$folder/named" &&
        cp "$source/python/pyproject.toml" "$folder/named/python" && cp -r "$folder/named" "$folder/before" || return 1
    for file in '--maintainer nobody' '--maintainer <a@b>' '--application Viewer' '--application a/b.c.d' '--homepage example.org'; do
        # shellcheck disable=SC2086
        ! "$script" --root "$folder/named" ${file/ /=} 2>/dev/null || { echo "$file is accepted"; return 1; }
    done
    diff -r "$folder/before" "$folder/named" || return 1
    "$script" --root "$folder/named" --maintainer 'A. Person <a@example.org>' --application org.example.Labels \
        --homepage 'https://example.org/?a=1&b=2' >"$folder/said" || return 1
    [[ $(grep -c '^maintainer  A. Person <a@example.org>  (\|^application org.example.Labels  (\|^homepage    https://example.org/?a=1&b=2  (' \
        "$folder/said") == "$(wc -l <"$folder/said")" ]] || { cat "$folder/said"; return 1; }
    ! grep -rF -e "$application" -e "$(sed -n 's/^Maintainer: //p' "$source/debian/control")" "$folder/named" || return 1
    python3 -c 'import sys, xml.etree.ElementTree as tree; assert tree.parse(sys.argv[1]).find("url").text == "https://example.org/?a=1&b=2"' \
        "$folder/named/packaging/desktop/org.example.Labels.metainfo.xml" || return 1
    ! command -v dpkg-parsechangelog >/dev/null ||
        [[ $(dpkg-parsechangelog -l "$folder/named/debian/changelog" -S Maintainer) == 'A. Person <a@example.org>' ]] || return 1
    "$script" --root "$folder/named" --application "$application" --homepage "$(sed -n 's/^Homepage: //p' "$source/debian/control")" \
        --maintainer "$(sed -n 's/^Maintainer: //p' "$source/debian/control")" >/dev/null && diff -r "$folder/before" "$folder/named"
}

copyright() {
    local name
    grep -q '^Files: \*$' "$source/debian/copyright" && grep -q 'Copyright: 2026 The Shadewood authors' "$source/debian/copyright" || return 1
    # whatever is compiled in is named
    while IFS= read -r name; do
        tr -s '\n ' ' ' <"$source/debian/copyright" | grep -qF "$name" || { echo "debian/copyright does not name $name"; return 1; }
    done < <(sed -nE 's/^([A-Za-z_]+( [A-Z][A-Za-z]+)?)( and .*|,.*)? \(in .*\)$/\1/p' "$source/NOTICES")
}

check 'one version everywhere' versions
check 'the library has the number of its SONAME' library
check 'fields of debian/control' control
command -v dh_installdocs >/dev/null && check 'every package has NOTICES' notices
check 'documents and examples of the packages' documents
check 'the package of the Python module' python
check 'a package for every file that is installed' every_file
check 'desktop file, icon and metainfo' desktop
check 'the manifest of the Flatpak' flatpak
check 'what a publisher sets' names
check 'debian/copyright' copyright
printf '1..%d\n' "$cases"
exit "$status"
