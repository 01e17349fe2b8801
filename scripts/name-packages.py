#!/usr/bin/env python3
"""Says or sets what a package needs to know of whoever publishes it, in every file that has it.
usage: name-packages.py [--maintainer 'NAME <ADDRESS>'] [--application ID] [--homepage URL] [--root FOLDER]

Without options: what is set. The application's identifier is the reverse of a domain, with a name: org.example.Viewer. A
homepage of '' is none."""
import argparse
import pathlib
import re
import sys
from xml.sax.saxutils import escape, unescape

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Where a homepage stands: the file, the line that has it, what it is without the URL, and what the line comes after.
HOMEPAGES = [
    ("debian/control", r"^Homepage: (.+)\n", "Homepage: {}\n", r"^Rules-Requires-Root: .*\n"),
    ("packaging/conda/meta.yaml", r"^  home: (.+)\n", "  home: {}\n", r"^about:\n"),
    ("packaging/desktop/*.metainfo.xml", r'^  <url type="homepage">(.+)</url>\n', '  <url type="homepage">{}</url>\n', r"^  </description>\n"),
    ("python/pyproject.toml", r'^urls = \{Homepage = "(.+)"\}\n', 'urls = {{Homepage = "{}"}}\n', r"^dynamic = .*\n"),
]
MAINTAINERS = [("debian/control", r"^Maintainer: (.+)\n"), ("debian/changelog", r"^ -- (.+)  .*\n")]


def only(root, pattern):
    found = list(root.glob(pattern))
    if len(found) != 1:
        sys.exit(f"name-packages.py: there are {len(found)} files {root / pattern}, not one")
    return found[0]


def replace(path, pattern, value):
    """Puts the value into the group of the first line that matches."""
    text = path.read_text()
    match = re.search(pattern, text, re.M)
    if not match:
        sys.exit(f"name-packages.py: {path} lacks {pattern}")
    path.write_text(text[: match.start(1)] + value + text[match.end(1):])


def get_homepage(root, entry):
    match = re.search(entry[1], only(root, entry[0]).read_text(), re.M)
    return match.group(1) if match else ""


def set_homepage(root, url, entry):
    pattern, line, form, before = entry
    path = only(root, pattern)
    text = re.sub(line, "", path.read_text(), flags=re.M)
    place = re.search(before, text, re.M)
    if not place:
        sys.exit(f"name-packages.py: {path} lacks {before}")
    if path.suffix == ".xml":
        url = escape(url)
    path.write_text(text[: place.end()] + (form.format(url) if url else "") + text[place.end():])


def set_application(root, identifier):
    metainfo, manifest = only(root, "packaging/desktop/*.metainfo.xml"), only(root, "packaging/flatpak/*.yml")
    replace(metainfo, r"^  <id>(.+)</id>\n", identifier)
    replace(manifest, r"^id: (.+)\n", identifier)
    metainfo.rename(metainfo.with_name(f"{identifier}.metainfo.xml"))
    manifest.rename(manifest.with_name(f"{identifier}.yml"))


def show(root):
    for name, places in (("maintainer", MAINTAINERS), ("application", [("packaging/desktop/*.metainfo.xml", r"^  <id>(.+)</id>\n"),
                                                                       ("packaging/flatpak/*.yml", r"^id: (.+)\n")])):
        for pattern, line in places:
            path = only(root, pattern)
            print(f"{name:11} {re.search(line, path.read_text(), re.M).group(1)}  ({path.relative_to(root)})")
    for entry in HOMEPAGES:
        print(f"{'homepage':11} {unescape(get_homepage(root, entry)) or 'none'}  ({only(root, entry[0]).relative_to(root)})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--maintainer")
    parser.add_argument("--application")
    parser.add_argument("--homepage")
    parser.add_argument("--root", type=pathlib.Path, default=ROOT, help="the sources, if not those of this script")
    arguments = parser.parse_args()
    # Refused before anything is written.
    if arguments.maintainer is not None and not re.fullmatch(r"[^<>\n]*[^<>\s] <[^<>\s@]+@[^<>\s@]+>", arguments.maintainer):
        parser.error("a maintainer is a name and an address: 'NAME <ADDRESS>'")
    if arguments.application is not None and not re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*){2,}", arguments.application, re.A):
        parser.error("an identifier has three words or more, of letters, digits and _, between dots: org.example.Viewer")
    if arguments.homepage and not re.fullmatch(r"https?://[^\s\"<>{}\\]+", arguments.homepage):
        parser.error("a homepage begins with https:// or http://")
    if arguments.maintainer is not None:
        for pattern, line in MAINTAINERS:
            replace(only(arguments.root, pattern), line, arguments.maintainer)
    if arguments.application is not None:
        set_application(arguments.root, arguments.application)
    if arguments.homepage is not None:
        for entry in HOMEPAGES:
            set_homepage(arguments.root, arguments.homepage, entry)
    show(arguments.root)


if __name__ == "__main__":
    main()
