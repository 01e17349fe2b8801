#!/usr/bin/env python3
"""Draws the folders of src and viewer, with the arrows between them, as docs/architecture.md shows them: assets/architecture.svg.
Everything in it comes from the READMEs in src, which the test `rooms` compares with includes and symbols.
usage: architecture.py [--check]: with --check only says whether the picture is up to date."""
import html
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/rooms"))
import rooms  # noqa: E402

WIDTH, MARGIN, ROOM_WIDTH, ROOM_HEIGHT, GAP, HEAD = 1000, 16, 104, 26, 10, 30
COLOURS = {"base": "#e8e8e8", "vulkan": "#e0e6f0", "dense": "#dceede", "detection": "#f3e6d6", "records": "#efe0ee", "formats": "#e6e0f2",
           "files": "#f4f0d4", "bench": "#e2edf0", "cli": "#f0dede", "viewer": "#f0dede"}


def floors_of(names, allowed):
    """The names by floors: each stands on those that it may include, which are on lower ones."""
    floor = {}

    def visit(name):
        if name not in floor:
            floor[name] = 1 + max((visit(other) for other in allowed[name] if other in allowed), default=-1)
        return floor[name]

    for name in names:
        visit(name)
    return [[name for name in names if floor[name] == level] for level in range(max(floor.values()) + 1)]


def reduced(allowed):
    """Without arrows that follow from others."""

    def reach(name, but):
        return {far for other in allowed[name] if other != but for far in {other} | reach(other, None)}

    return [(name, other) for name in allowed for other in allowed[name] if other not in reach(name, other)]


class Picture:
    def __init__(self):
        self.parts = []

    def box(self, x, y, width, height, colour, stroke="#888"):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="5" fill="{colour}" stroke="{stroke}"/>')

    def text(self, x, y, text, size=13, anchor="start", weight="normal"):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}">{html.escape(text)}</text>')

    def arrow(self, x0, y0, x1, y1):
        self.parts.append(f'<line x1="{x0:g}" y1="{y0:g}" x2="{x1:g}" y2="{y1:g}" stroke="#555" stroke-width="1.4" marker-end="url(#arrow)"/>')

    def svg(self, height):
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" font-family="DejaVu Sans, sans-serif">\n'
                '<defs><marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
                '<path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>\n'
                f'<rect width="{WIDTH}" height="{height:g}" fill="white"/>\n' + "\n".join(self.parts) + "\n</svg>\n")


def room_rows(folder, own, width):
    """Rows of rooms, the highest floor first, that fit into a box of that width."""
    if not own:
        return []
    fit = max(1, int((width - GAP) // (ROOM_WIDTH + GAP)))
    rows = []
    for floor in reversed(floors_of(sorted(own), own)):
        rows += [floor[i : i + fit] for i in range(0, len(floor), fit)]
    return rows


def draw(folders, own_rooms):
    picture, y, places = Picture(), MARGIN, {}
    for names in reversed(floors_of(list(folders), folders)):
        width = (WIDTH - MARGIN * (len(names) + 1)) / len(names)
        rows = {name: room_rows(name, own_rooms.get(name, {}), width) for name in names}
        height = HEAD + max(len(rows[name]) * (ROOM_HEIGHT + GAP) for name in names)
        for i, name in enumerate(names):
            x = MARGIN + i * (width + MARGIN)
            picture.box(x, y, width, height, COLOURS.get(name, "#eee"))
            picture.text(x + GAP, y + 20, name, 15, weight="bold")
            for r, row in enumerate(rows[name]):
                for c, room in enumerate(row):
                    left, top = x + GAP + c * (ROOM_WIDTH + GAP), y + HEAD + r * (ROOM_HEIGHT + GAP)
                    picture.box(left, top, ROOM_WIDTH, ROOM_HEIGHT, "white", "#bbb")
                    picture.text(left + ROOM_WIDTH / 2, top + 17, room, anchor="middle")
            places[name] = (x, y, width, height)
        y += height + 44
    for name, other in sorted(reduced(folders)):
        (x0, y0, w0, h0), (x1, y1, w1, _) = places[name], places[other]
        from_x = x0 + w0 / 2 + (x1 + w1 / 2 - x0 - w0 / 2) * 0.25
        to_x = min(max(from_x, x1 + 20), x1 + w1 - 20)
        picture.arrow(min(max(from_x, x0 + 20), x0 + w0 - 20), y0 + h0, to_x, y1)
    return picture.svg(y - 44 + MARGIN)


def main():
    folders, own = rooms.read_rules(ROOT)
    own_rooms = {}
    for room, allowed in own.items():
        folder, name = room.split("/")
        own_rooms.setdefault(folder, {})[name] = {other.split("/")[1] for other in allowed}
    svg, path = draw(folders, own_rooms), ROOT / "assets/architecture.svg"
    if sys.argv[1:] == ["--check"]:
        if not path.exists() or path.read_text() != svg:
            print("assets/architecture.svg is not what scripts/architecture.py draws")
            return 1
    else:
        path.write_text(svg)
    return 0


if __name__ == "__main__":
    sys.exit(main())
