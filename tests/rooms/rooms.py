#!/usr/bin/env python3
"""The folders of src and viewer, and the arrows between them: computed from includes and from symbols, and compared with what the
READMEs there allow. TAP on the output. usage: rooms.py SOURCE BUILD

A README in a first-level folder has a line "May include: `FOLDER`, ..." for other first-level folders, and, if it has
folders of its own, a table whose rows begin with "| `ROOM` | text | `ROOM`, ... |": what each is and which of the
others it may include; files beside the rooms may include all of them. docs/architecture.md shows the same graph as a picture (scripts/architecture.py)."""
import collections
import pathlib
import re
import subprocess
import sys


def room_of(file):
    """The folder of a file: 'base', 'dense/train', 'viewer/label'."""
    return "/".join(pathlib.PurePosixPath(file).parts[:-1][:2])


class Tree:
    """The files of src, and those of viewer as if it were a folder of src; each with its path."""

    def __init__(self, source):
        self.paths = {}
        for root, prefix in ((source / "src", ""), (source / "viewer", "viewer/")):
            for path in sorted(root.rglob("*.[ch]*")):
                file = path.relative_to(root).as_posix()
                if path.suffix in (".c", ".cpp", ".h") and not file.startswith("include/"):
                    self.paths[prefix + file] = path
        self.rooms = {room_of(file) for file in self.paths}

    def includes(self, file):
        """What a file of the tree includes of the tree."""
        for target in re.findall(r'^#\s*include "([^"]+)"', self.paths[file].read_text(), re.MULTILINE):
            if file.startswith("viewer/") and f"viewer/{target}" in self.paths:
                yield f"viewer/{target}"
            elif target in self.paths:
                yield target


def arrows_by_include(tree):
    """arrows[from][to]: examples of includes."""
    arrows = collections.defaultdict(lambda: collections.defaultdict(list))
    for file in tree.paths:
        for target in tree.includes(file):
            if room_of(target) != room_of(file):
                arrows[room_of(file)][room_of(target)].append(f"{file} includes {target}")
    return arrows


def objects_of(tree, build):
    """Object files with the source that each was made from; generated sources belong to the folder that builds them."""
    for root, prefix in ((build / "src", ""), (build / "viewer", "viewer/")):
        for path in sorted(root.rglob("*.o")):
            parts = [part for part in path.relative_to(root).parts if part != "CMakeFiles"]
            target = next((i for i, part in enumerate(parts) if part.endswith(".dir")), None)
            if target is None:
                continue
            folder = prefix + "/".join(parts[:target])
            file = prefix + "/".join(parts[:target] + parts[target + 1 :])[: -len(".o")]
            if file in tree.paths:
                yield file, path
            elif folder in tree.rooms:  # not what an earlier layout has left
                yield f"{folder}/generated.c", path


def arrows_by_symbol(tree, build):
    defined, used = {}, collections.defaultdict(set)
    names = {str(path): file for file, path in objects_of(tree, build)}
    if not names:
        return None
    output = subprocess.run(["nm", "--print-file-name", *names], capture_output=True, text=True, check=True).stdout
    for line in output.splitlines():
        place, _, rest = line.partition(":")
        words = rest.split()
        kind, symbol = words[-2], words[-1]
        if kind == "U":
            used[names[place]].add(symbol)
        elif kind in "TDRBVWC":
            defined.setdefault(symbol, names[place])
    arrows = collections.defaultdict(lambda: collections.defaultdict(list))
    for file, symbols in sorted(used.items()):
        for symbol in sorted(symbols):
            if symbol in defined and room_of(defined[symbol]) != room_of(file):
                arrows[room_of(file)][room_of(defined[symbol])].append(f"{file} uses {symbol} of {defined[symbol]}")
    return arrows


def circles(arrows):
    """Sets of rooms that reach each other (Tarjan's strongly connected components)."""
    index, low, stack, found = {}, {}, [], []

    def visit(room):
        index[room] = low[room] = len(index)
        stack.append(room)
        for other in arrows.get(room, ()):
            if other not in index:
                visit(other)
                low[room] = min(low[room], low[other])
            elif other in stack:
                low[room] = min(low[room], index[other])
        if low[room] == index[room]:
            circle = []
            while not circle or circle[-1] != room:
                circle.append(stack.pop())
            if len(circle) > 1:
                found.append(sorted(circle))

    for room in list(arrows):
        if room not in index:
            visit(room)
    return found


def first_level(arrows):
    result = collections.defaultdict(lambda: collections.defaultdict(list))
    for room, others in arrows.items():
        for other, examples in others.items():
            if room.split("/")[0] != other.split("/")[0]:
                result[room.split("/")[0]][other.split("/")[0]] += examples
    return result


def names_in(text):
    return re.findall(r"`([\w/]+)`", text)


def read_rules(source):
    """(folders[first level], rooms[room]): what the READMEs allow each to include."""
    folders, rooms = {}, {}
    for readme in sorted([*(source / "src").glob("*/README.md"), source / "viewer/README.md"]):
        folder, text = readme.parent.name, readme.read_text()
        allowed = re.search(r"^May include: (.*(?:\n.+)*)", text, re.MULTILINE)
        folders[folder] = set(names_in(allowed[1])) if allowed else set()
        for row in re.findall(r"^\| `(\w+)` \|.*\|(.*?)\|$", text, re.MULTILINE):
            rooms[f"{folder}/{row[0]}"] = {f"{folder}/{name}" for name in names_in(row[1])}
    return folders, rooms


def not_allowed(arrows, folders, rooms):
    """Arrows against the rules, with an example of each."""
    for room, others in sorted(arrows.items()):
        for other, examples in sorted(others.items()):
            from_folder, to_folder = room.split("/")[0], other.split("/")[0]
            if from_folder != to_folder:
                good = to_folder in folders.get(from_folder, ())
            else:
                good = other in rooms.get(room, ()) or room == from_folder
            if not good:
                yield f"{room} -> {other}: {examples[0]}"


def unused(arrows, folders, rooms):
    """Permissions that nothing needs."""
    top = first_level(arrows)
    for folder, allowed in sorted(folders.items()):
        yield from (f"README.md of {folder}: {other}" for other in sorted(allowed - set(top.get(folder, ()))))
    for room, allowed in sorted(rooms.items()):
        yield from (f"README.md of {room} -> {other}" for other in sorted(allowed - set(arrows.get(room, ()))))


def unlisted(tree, folders, rooms):
    """Folders without a README or a row, and rows without a folder."""
    for folder in sorted({room.split("/")[0] for room in tree.rooms} - set(folders)):
        yield f"{folder} has no README.md"
    for room in sorted(tree.rooms):
        if "/" in room and room not in rooms:
            yield f"the README.md of {room.split('/')[0]} has no row for {room}"
    yield from (f"there is no {room}" for room in sorted(set(rooms) - tree.rooms))


def main():
    source, build = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    tree, (folders, rooms) = Tree(source), read_rules(source)
    include, symbol = arrows_by_include(tree), arrows_by_symbol(tree, build)
    both = collections.defaultdict(lambda: collections.defaultdict(list))
    for arrows in (include, symbol or {}):
        for room, others in arrows.items():
            for other, examples in others.items():
                both[room][other] += examples
    picture = subprocess.run([source / "scripts/architecture.py", "--check"], capture_output=True, text=True, check=False)
    cases = [
        ("each folder has its place in a README", list(unlisted(tree, folders, rooms))),
        ("no circle by include", circles(include)),
        ("no circle of first-level folders", circles(first_level(both))),
        ("no circle by symbol", circles(symbol) if symbol else ["the build has no objects"]),
        ("no circle by both", circles(both)),
        ("the READMEs allow each include", list(not_allowed(include, folders, rooms))),
        ("the READMEs allow each symbol", list(not_allowed(symbol or {}, folders, rooms))),
        ("the READMEs allow no more than there is", list(unused(both, folders, rooms))),
        ("the picture shows them", [] if picture.returncode == 0 else [picture.stdout.strip()]),
    ]
    if not any(file == "viewer/shell/main.c" for file, _ in objects_of(tree, build)):
        cases = [case for case in cases if case[0] != "the READMEs allow no more than there is"]  # by what is not built
    for number, (name, faults) in enumerate(cases, 1):
        print(f"{'not ok' if faults else 'ok'} {number} - {name}")
        for fault in faults:
            print(f"# {fault}")
    print(f"1..{len(cases)}")
    return any(faults for _, faults in cases)


if __name__ == "__main__":
    sys.exit(main())
