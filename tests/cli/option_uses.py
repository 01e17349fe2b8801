#!/usr/bin/env python3
"""Every option of every command, as its help lists them, is given by a test or script.

usage: option_uses.py SOURCE PROGRAM [VIEWER]

Read are the command lines in tests/ and scripts/: in C the string literals, macros in them included. An option that stands in the
literal of a command belongs to that command; one in a literal of its own ("--variant global") to all commands that the file runs, as do
options in scripts. Comments do not count, nor do the words that assert_one_line() expects in a message."""
import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  (?:-(\w),|   ) --([a-z][a-z-]*)", re.MULTILINE)
GIVEN = re.compile(r"(?<![\w-])(--[a-z][a-z-]*|-[a-zA-Z])(?![\w-])")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
VIEWER = "viewer"


def run(*arguments):
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


def options_of(text):
    """Pairs of letter or nothing and name, without those that every command has and nobody needs a test of its own for."""
    return [(letter, name) for letter, name in OPTION.findall(text.split("\nexamples:")[0])
            if name not in ("help", "version", "verbose")]


def list_options(program, viewer):
    commands = re.findall(r"^  ([a-z-]+) ", run(program, "--help").split("commands:")[1], re.MULTILINE)
    options = {command: options_of(run(program, command, "--help")) for command in commands}
    if viewer:
        options[VIEWER] = options_of(run(viewer, "--help"))
    return options


def literals(text):
    """Those of a C source, with adjacent ones and macros joined."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.DOTALL)
    text = re.sub(r'(?:,\s*"(?:[^"\\]|\\.)*")+,\s*NULL\s*\)', ")", text)  # what assert_one_line() expects
    text = re.sub(r'\\\n', " ", text)
    macros = dict(re.findall(r'^#define (\w+)\s+("[^\n]*")\s*$', text, re.MULTILINE))
    text = re.sub(r"^#.*$", "", text, flags=re.MULTILINE)
    for _ in range(3):
        text = re.sub(r"\b[A-Z][A-Z_0-9]+\b", lambda word: macros.get(word[0], word[0]), text)
    text = re.sub(r'"\s*(?:\b(?:PRI\w+|[A-Z][A-Z_]+)\b)?\s*"', "", text)
    return [re.sub(r"\\(.)", r"\1", literal) for literal in LITERAL.findall(text)]


def uses_in_c(text, commands, uses):
    here, loose = set(), set()
    line = re.compile(r'(?:\bshadewood|\bsmall|PROGRAM"?) +(' + "|".join(commands) + r")\b([^;|&\n]*)")
    for literal in literals(text):
        found = line.findall(literal)
        for command, rest in found:
            here.add(command)
            uses[command].update(GIVEN.findall(rest))
        if not found and re.search(r"(?:^| )-", literal):
            loose.update(GIVEN.findall(literal))
    for command in here:
        uses[command].update(loose)


def uses_in_script(path, text, commands, uses):
    text = re.sub(r"^\s*#.*$", "", text, flags=re.MULTILINE)
    given = GIVEN.findall(text)
    for command in commands:
        before = r'''["']''' if path.suffix == ".py" else r'''(?:\$\{?\w+\}?"?|shadewood"?|small|=\() *'''
        if re.search(before + command + r"\b", text):
            uses[command].update(given)


def main(source, program, viewer=None):
    options = list_options(program, viewer)
    commands = sorted((c for c in options if c != VIEWER), key=len, reverse=True)
    uses = {command: set() for command in options}
    root = pathlib.Path(source)
    for path in sorted([*root.glob("tests/**/*"), *root.glob("scripts/**/*")]):
        if not path.is_file() or path.suffix not in (".c", ".h", ".sh", ".py") or path.name == "option_uses.py":
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix in (".c", ".h"):
            uses_in_c(text, commands, uses)
        else:
            uses_in_script(path, text, commands, uses)
        if viewer and "viewer" in str(path.relative_to(root)):
            uses[VIEWER].update(
                GIVEN.findall("\n".join(literals(text)) if path.suffix in (".c", ".h") else text))
    missing = [f"{command} --{name}" for command, list_ in options.items() for letter, name in list_
               if f"--{name}" not in uses[command] and not (letter and f"-{letter}" in uses[command])]
    count = sum(len(list_) for list_ in options.values())
    if missing:
        sys.exit(f"no test or script gives these of {count} options:\n" + "\n".join(missing))
    if count < 300:
        sys.exit(f"only {count} options were found: the help is not read as it should be")
    print(f"{count} options of {len(options)} programs and commands are given")


main(*sys.argv[1:])
