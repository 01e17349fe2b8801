#!/usr/bin/env python3
"""Prints a public header with its comments as Doxygen reads them; docs/Doxyfile has this as its filter.

usage: scripts/doxygen_filter.py HEADER

Comments of the headers are plain ones. The first one of a header is about the file. One above a declaration is about all
declarations up to the next empty line, one above a member about that member, and one behind a declaration, a member or an
enumerator about what stands before it. Functions whose name ends in _abi are left out: their inline namesakes, which call
them, are what programs use. So are the bodies of inline functions.
"""

import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/", re.S)
DIRECTIVE = re.compile(r"#(?:[^\n\\/]|\\\n|\\|/(?!\*)|/\*.*?\*/)*", re.S)


def text_of(comment):
    """What it says, without commands, tags and links of Doxygen."""
    text = re.sub(r"[ \t]*\\\n", "\n", comment[2:-2])
    return re.sub(r"[\\@<>&#%$]|::", lambda found: "\\" + found.group(), text)


def about_next(comment, command=""):
    return f"/**{command}{text_of(comment)}*/"


def about_previous(comment):
    return f"/**<{text_of(comment)}*/"


def declarations_only(text):
    """Without the lines for C++, bodies and what Doxygen need not see."""
    text = re.sub(r"^#ifdef __cplusplus\n(?:(?!^#endif).)*?^#else\n", "#if 1\n", text, flags=re.M | re.S)
    text = re.sub(r"^#ifdef __cplusplus\n.*?^#endif\n", "", text, flags=re.M | re.S)
    text = re.sub(r"^SHW_API [^;{}]*?\bshw_\w+_abi\([^;{}]*;\n", "", text, flags=re.M)
    text = re.sub(r"^(static inline [^;{]*\))\n\{\n.*?^\}\n", r"\1;\n", text, flags=re.M | re.S)
    text = re.sub(r"^#undef .*\n", "", text, flags=re.M)
    return text


def end_of_declaration(text, begin):
    """The position behind the semicolon that ends it."""
    depth, position = 0, begin
    while position < len(text):
        comment = COMMENT.match(text, position)
        if comment:
            position = comment.end()
            continue
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        position += 1
        if text[position - 1] == ";" and depth == 0:
            break
    return position


def members(text):
    """A declaration, with the comments in it."""
    def replace(found):
        line = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
        if text.count("(", 0, found.start()) != text.count(")", 0, found.start()):
            return found.group()  # about a parameter
        return about_previous(found.group()) if line.strip() else about_next(found.group())

    return COMMENT.sub(replace, text)


def directive(text):
    """A macro, with the comment behind it; comments among the lines of one with arguments are about these lines."""
    if not re.match(r"#define \w+ ", text):
        return COMMENT.sub("", text)
    comments = COMMENT.findall(text)
    return COMMENT.sub("", text).rstrip() + "".join(" " + about_previous(comment) for comment in comments[-1:])


def convert(text):
    out, position, current, fresh = [], 0, None, False
    text = declarations_only(text)
    while position < len(text):
        gap = re.compile(r"\s*").match(text, position)
        if "\n\n" in gap.group():
            current = None
        out.append(gap.group())
        position = gap.end()
        comment, macro = COMMENT.match(text, position), DIRECTIVE.match(text, position)
        if comment:
            is_first = not any(part.strip() for part in out)
            out.append(about_next(comment.group(), " @file\n *" if is_first else ""))
            current, fresh, position = (None if is_first else comment.group()), True, comment.end()
            continue
        if position == len(text):
            break
        end = macro.end() if macro else end_of_declaration(text, position)
        declared = directive(macro.group()) if macro else members(text[position:end])
        behind = re.compile(r"[ \t]*(/\*.*?\*/)", re.S).match(text, end)
        if behind and not macro:
            declared, end = declared + about_previous(behind.group(1)), behind.end()
        is_documented = fresh or (behind and not macro) or (macro and "/**<" in declared)
        if current and not is_documented and not re.match(r"#(?!define)", declared):
            out.append(about_next(current) + "\n")
        out.append(declared)
        fresh, position = False, end
    return "".join(out)


if __name__ == "__main__":
    sys.stdout.write(convert(pathlib.Path(sys.argv[1]).read_text()))
