#!/usr/bin/env python3
"""Checks that the files named in README.md, in those of folders and in docs/*.md exist: targets of links, and names between backquotes.

Names with capital letters in them (NAME.c, STAGE) and braces stand for others and are not checked; neither is what
lies outside the sources, such as build/ and out/.

No document, program or test names a folder beside that of the sources, or beside the current one: nobody else has it."""
import fnmatch
import glob
import os
import re
import sys

FOLDERS = ("assets", "cmake", "docs", "examples", "man", "scripts", "shaders", "src", "tests", "viewer")
SOURCES = re.compile(r"[\w./*-]+\.(?:c|h|cpp|comp|frag|vert|py|sh|cmake)")

BESIDE = re.compile(r"""(?:["`']|\$(?!PWD)\{?\w+\}?|SOURCE ")/?\.\./\w+/""")
BESIDE_IN_TESTS = re.compile(r"""(?:\$(?!PWD)\{?\w+\}?|SOURCE ")/\.\./\w+/""")  # those make folders of their own


def lines_that_name_a_folder_beside(documents):
    paths = [path for folder in FOLDERS for path in glob.glob(folder + "/**", recursive=True) if SOURCES.fullmatch(os.path.basename(path))]
    for path in [*documents, "run", *paths]:
        pattern = BESIDE_IN_TESTS if path.startswith("tests/") else BESIDE
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                if pattern.search(line) and "#include" not in line:
                    yield f"{path}:{number}: {line.strip()}"


def is_checked(name):
    if re.search(r"[A-Z{}<]", re.sub(r"CMakeLists\.txt|README\.md", "", name)):
        return False
    return name.split("/")[0] in FOLDERS if "/" in name else bool(SOURCES.fullmatch(name))


def main(root):
    os.chdir(root)
    known = {os.path.basename(path) for folder in FOLDERS for path in glob.glob(folder + "/**", recursive=True)}
    documents = ["README.md", "CONTRIBUTING.md", "viewer/README.md", *sorted(glob.glob("src/*/README.md")), *sorted(glob.glob("docs/*.md"))]
    missing, checked = [], 0
    for document in documents:
        with open(document, encoding="utf-8") as file:
            text = file.read()
        links = [os.path.normpath(os.path.join(os.path.dirname(document), target))
                 for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", text)]
        spans = [name for span in re.findall(r"`([^`\n]+)`", text) for name in [span.strip()]
                 if re.fullmatch(r"[\w./*{}<>-]+", name) and is_checked(name)]
        checked += len(links) + len(spans)
        missing += [f"{document}: {link}" for link in links if not os.path.exists(link)]
        for name in spans:
            # a header is also named as it is included, and a source next to another by its name alone
            places = (name, os.path.join(os.path.dirname(document), name), "src/" + name, "src/include/" + name, "shaders/" + name, "viewer/" + name)
            if not any(glob.glob(place) for place in places) and ("/" in name or not fnmatch.filter(known, name)):
                missing.append(f"{document}: {name}")
    beside = list(lines_that_name_a_folder_beside(documents))
    if beside:
        sys.exit("a folder beside the sources or the current one:\n" + "\n".join(beside))
    if missing:
        sys.exit("no such file:\n" + "\n".join(missing))
    if checked < 100:
        sys.exit(f"only {checked} names found: the documents are not read as they should be")


main(sys.argv[1])
