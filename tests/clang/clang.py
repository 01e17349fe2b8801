#!/usr/bin/env python3
"""Library, programs and viewer compile with clang without warnings; TAP on the output. Nothing is generated: warnings come
before that. usage: clang.py SOURCE BUILD"""

import concurrent.futures
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
            compiler = "clang++" if path.suffix == ".cpp" else "clang"
            found[path] = [compiler, *options, "-fsyntax-only", "-Werror"]
    return found


def compile_file(item):
    path, command = item
    result = subprocess.run(command, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if result.returncode == 0 else f"{path}\n{result.stdout}"


if shutil.which("clang") is None:
    if os.environ.get("SHW_NO_SKIP") == "1":
        print("not ok 1 - there is no clang, but SHW_NO_SKIP=1")
        sys.exit(1)
    print("# skipped: there is no clang\nnot ok 1 # SKIP no warnings of clang\n1..1")
    sys.exit(0)
files = commands()
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    problems = [problem for problem in pool.map(compile_file, files.items()) if problem]
for line in "".join(problems).splitlines():
    print(f"# {line}")
good = not problems and len(files) > 100
print(f"{'ok' if good else 'not ok'} 1 - no warnings of clang in {len(files)} files\n1..1")
sys.exit(0 if good else 1)
