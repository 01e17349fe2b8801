#!/usr/bin/env python3
"""Every action of the viewer is in a script of a test, and what can be clicked can be clicked by scripts.

usage: action_uses.py SOURCE VIEWER

The actions are those that the viewer's help lists, each with what it does. A test runs one if a line of a script begins with it in one of
the tests' string literals. Dear ImGui's buttons, rows and so on are called only within view_ui_mark(), by which scripts find them."""
import pathlib
import re
import subprocess
import sys

ACTION = re.compile(r"^  ([a-z][a-z-]*)(?: .*)?$", re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
JOINT = re.compile(r'"\s*"')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CLICKED = re.compile(r"(?P<mark>view_ui_mark\([^;]*?)?ImGui::(?:\w*Button|MenuItem|Selectable|Checkbox)\(")


def list_actions(viewer):
    text = subprocess.run([viewer, "--help"], check=True, capture_output=True, text=True).stdout
    return sorted(set(ACTION.findall(text[text.index("\nActions,"):text.index("\nKeys:")])))


def first_words(text):
    """Of the lines in the literals; a line may begin with what another literal ends with (%s)."""
    for literal in LITERAL.findall(JOINT.sub("", COMMENT.sub(" ", text))):
        for line in re.split(r"\\n", literal):
            found = re.match(r"(?:%s)?\s*([a-z][a-z-]*)(?: |$)", line)
            if found:
                yield found[1]


def main(source, viewer):
    root = pathlib.Path(source)
    actions = list_actions(viewer)
    given = {word for path in root.glob("tests/**/*.c") for word in first_words(path.read_text(encoding="utf-8"))}
    missing = [name for name in actions if name not in given]
    hidden = [f"{path.name}: {call[0]}" for path in sorted(root.glob("viewer/ui/*.cpp"))
              for call in CLICKED.finditer(COMMENT.sub(" ", path.read_text(encoding="utf-8"))) if call["mark"] is None]
    if missing:
        sys.exit(f"no script of a test runs these of {len(actions)} actions:\n" + "\n".join(missing))
    if hidden:
        sys.exit("scripts cannot click on:\n" + "\n".join(hidden))
    if len(actions) < 150:
        sys.exit(f"only {len(actions)} actions were found: the help is not read as it should be")
    print(f"{len(actions)} actions are run")


main(*sys.argv[1:])
