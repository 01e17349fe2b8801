#!/usr/bin/env python3
"""Library, programs and viewer compile with clang without warnings, and the library without extensions of GNU; TAP on the
output. Nothing is generated: warnings come before that. What had none is not compiled again until it changes.
usage: clang.py SOURCE BUILD"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

source, build = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


def is_ours(path):
    """Library, programs, viewer, and the code that is made from the headers of features and channel kinds."""
    return path.is_relative_to(source / "src") or path.is_relative_to(source / "viewer") or \
        path.is_relative_to(build / "src") or path.is_relative_to(build / "feature")


def is_core(path):
    """The library, which clang-cl is to compile."""
    return any(path.is_relative_to(source / "src" / folder)
               for folder in ("base", "vulkan", "dense", "detection", "records", "formats"))


def commands():
    """Each file once, as the build compiles it."""
    found = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        if is_ours(path):
            words = shlex.split(entry["command"])
            # Whatever compiles, launcher included, stands before the first option.
            options = words[next(i for i, word in enumerate(words) if word.startswith("-")):]
            output = options.index("-o")
            del options[output:output + 2]
            found[path] = ["clang++" if path.suffix == ".cpp" else "clang", *options, "-fsyntax-only", "-Werror",
                           *(("-Wgnu", "-Wpedantic") if is_core(path) else ())]
    return found


def checked(command):
    """Where a file is noted that had no warnings, and what it was made of: it is not compiled again until that changes."""
    return notes / hashlib.sha256(f"{version}{command}".encode()).hexdigest()[:32]


def is_unchanged(note):
    try:
        made_of = shlex.split(note.read_text().partition(":")[2].replace("\\\n", " "))
        return all(os.stat(build / path).st_mtime_ns < note.stat().st_mtime_ns for path in made_of)
    except OSError:
        return False


def compile_file(item):
    path, command = item
    note = checked(command)
    if is_unchanged(note):
        return ""
    new = note.with_suffix(".new")
    new.touch()
    before = new.stat().st_mtime_ns
    result = subprocess.run([*command, "-MMD", "-MF", new], cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode == 0:
        os.utime(new, ns=(before, before))
        new.rename(note)
        return ""
    new.unlink(missing_ok=True)
    return f"{path}\n{result.stdout}"


if shutil.which("clang") is None:
    if os.environ.get("SHW_NO_SKIP") == "1":
        print("not ok 1 - there is no clang, but SHW_NO_SKIP=1")
        sys.exit(1)
    print("# skipped: there is no clang\nnot ok 1 # SKIP no warnings of clang\n1..1")
    sys.exit(0)
version = subprocess.run(["clang", "--version"], stdout=subprocess.PIPE, text=True).stdout
notes = build / "tests/clang/checked"
notes.mkdir(parents=True, exist_ok=True)
files = commands()
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [problem for problem in pool.map(compile_file, files.items()) if problem]
for line in "".join(problems).splitlines():
    print(f"# {line}")
good = not problems and len(files) > 100
print(f"{'ok' if good else 'not ok'} 1 - no warnings of clang in {len(files)} files\n1..1")
sys.exit(0 if good else 1)
