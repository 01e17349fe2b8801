#!/usr/bin/env python3
"""Wraps the documents: lines end where sentences do, or at 100 columns. Code, tables, headings and pictures stay.
usage: wrap_docs.py [--check]: with --check only lists the documents that are not wrapped so."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
WIDTH = 100
ATOM = re.compile(r"(?:`[^`]*`|\[[^\]]*\]\([^)]*\)|[^\s`\[]|\[|`)+")
ABBREVIATIONS = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "approx.", "al.", "no.", "No.", "St.", "Eq.")
ITEM = re.compile(r"(\s*)([-*]|\d+\.) +(?=\S)")


def documents():
    return sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md"),
                   *(ROOT / "src").glob("*/README.md"), ROOT / "viewer/README.md", *(ROOT / "tests").glob("*/README.md")])


def ends_sentence(word, following):
    bare = word.rstrip(')*_"')
    return bare.endswith((".", "?", "!", ".`")) and bare not in ABBREVIATIONS and re.match(r"[*_(\"]*[A-Z`\[0-9]", following)


def wrap(text, first, rest):
    """The lines of a paragraph; `first` begins the first one, `rest` the others."""
    words, lines, line = ATOM.findall(text), [], first
    empty = True
    for i, word in enumerate(words):
        if not empty and len(line) + 1 + len(word) > WIDTH:
            lines.append(line)
            line, empty = rest, True
        line, empty = line + ("" if empty else " ") + word, False
        if i + 1 < len(words) and ends_sentence(word, words[i + 1]):
            lines.append(line)
            line, empty = rest, True
    return lines + [line]


def is_kept(line):
    return not line.strip() or line.startswith(("#", "|", "![", "<", "    ", "\t")) or re.match(r"\[[^\]]+\]: ", line)


def wrapped(text):
    lines, output, paragraph, fence = text.split("\n"), [], [], False

    def flush():
        if paragraph:
            item = ITEM.match(paragraph[0])
            first = item[0] if item else re.match(r"(?:> )?\s*", paragraph[0])[0]
            rest = " " * len(first) if item else first
            body = " ".join([paragraph[0][len(first):], *(line.strip().removeprefix("> ") for line in paragraph[1:])])
            output.extend(wrap(body, first, rest))
            paragraph.clear()

    for line in lines:
        if line.lstrip().startswith("```"):
            flush()
            fence = not fence
            output.append(line)
        elif fence or (is_kept(line) and not (paragraph and line.startswith("  ") and line.strip())):
            flush()
            output.append(line)
        else:
            if ITEM.match(line):
                flush()
            paragraph.append(line)
    flush()
    return "\n".join(output)


def main():
    check, status = sys.argv[1:] == ["--check"], 0
    for path in documents():
        text = path.read_text()
        new = wrapped(text)
        if new == text:
            continue
        if check:
            print(f"{path.relative_to(ROOT)}: not wrapped")
            status = 1
        else:
            path.write_text(new)
    return status


if __name__ == "__main__":
    sys.exit(main())
