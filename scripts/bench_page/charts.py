"""Charts as inline SVG; the style of the page defines colours and type."""

import itertools
import math
import types

from .text import digits, esc

PUBLISHED = 8  # the style of published times, beside those of techniques
MS_TITLE = "milliseconds"


class Axis:
    """Maps values from `low` to `high`, which are positive if it is logarithmic, to positions, with round ticks."""

    ROOM = 0.06  # of the length, at both ends
    TICKS_MAX = 24

    def __init__(self, logarithmic, low, high, start, end):
        self.logarithmic, self.start, self.end = logarithmic, start, end
        if logarithmic:
            low = max(low, 1e-18)
            high = min(max(high, low), low * 1e36)
            room = max(self.ROOM * math.log10(high / low), 0.2 if high / low < 1.5 else 0.04)
            self.low, self.high = low * 10 ** -room, high * 10 ** room
        else:
            room = self.ROOM * (high - low) if high > low else max(0.5 * abs(low), 1)
            self.low, self.high = low - room, high + room
        spans_little = logarithmic and self.high / self.low < 5
        ticks = self.powers() if logarithmic and not spans_little else self.multiples()
        self.ticks = [tick for tick in ticks if self.low <= tick <= self.high][:self.TICKS_MAX]

    def powers(self):
        """Powers of ten; also 2 and 5 times them if there are few; fewer if there are many."""
        decades = math.log10(self.high / self.low)
        step = 4 if decades > 12 else 2 if decades > 7 else 1
        for power in range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1):
            if power % step == 0:
                yield math.pow(10, power)
            if decades < 3.5:
                yield 2 * math.pow(10, power)
                yield 5 * math.pow(10, power)

    def multiples(self):
        wanted = (self.high - self.low) / 6  # about six ticks
        step = math.pow(10, math.floor(math.log10(wanted)))
        wanted /= step
        step *= 10 if wanted > 5 else 5 if wanted > 2 else 2 if wanted > 1 else 1
        tick = math.ceil(self.low / step) * step
        for _ in range(self.TICKS_MAX):
            yield tick
            tick += step

    def place(self, value):
        """The position of a value, clamped to the axis."""
        if self.logarithmic:
            share = math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0), 1) * (self.end - self.start)


# Dots are marks with a range and a minimum (`ideal`); 0 means that there is none.


def dot(value, low=0.0, high=0.0, ideal=0.0, style=0, row=None, x=0.0):
    return types.SimpleNamespace(value=value, low=low, high=high, ideal=ideal, style=style, row=row, x=x, source=None)


def mark(style, x, y):
    paths = {2: (x, y - 5, "l4.6 8h-9.2z"), 3: (x, y - 4.8, "l4.8 4.8-4.8 4.8-4.8-4.8z"),
             4: (x, y + 5, "l4.6-8h-9.2z"), 5: (x - 4, y - 1.2, "h8v2.4h-8z"), 6: (x - 1.2, y - 4, "v8h2.4v-8z"),
             PUBLISHED: (x, y - 5.5, "l5.5 5.5-5.5 5.5-5.5-5.5z")}
    if style in (0, 7):
        return f'<circle class="m" cx="{x:.1f}" cy="{y:.1f}" r="{3.8 if style == 0 else 2.2}"/>'
    if style == 1:
        return f'<rect class="m" x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"/>'
    x, y, path = paths[style]
    return f'<path class="m" d="M{x:.1f} {y:.1f}{path}"/>'


def technique_html(style, name):
    return (f'<span class="technique"><svg class="key t{style}" viewBox="0 0 14 14" aria-hidden="true">'
            f"{mark(style, 7, 7)}</svg>{esc(name)}</span>")


def tip(row, value, unit):
    return f"<title>{esc(row['id'])}: {digits(value)} {unit}</title>" if row else ""


def path(kind, data):
    return f'<path class="{kind}" d="{data}"/>'


def label(kind, x, y, text, anchor=""):
    anchor = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text class="{kind}"{anchor} x="{x:.1f}" y="{y:.1f}">{esc(text)}</text>'


def svg(width, height, title, body, kind=""):
    return (f'<svg{kind} viewBox="0 0 {width:.0f} {height:.0f}" role="img" xmlns="http://www.w3.org/2000/svg">'
            f"<title>{esc(title)}</title>\n{''.join(body)}</svg>\n")


def dot_values(dots):
    return [value for d in dots for value in (d.value, d.low, d.high, d.ideal) if value > 0]


class LineChart:
    """Lines over a numeric x; `ticks` are pairs of a value of x and a label, in order. The axis of x is logarithmic if its
    values span a factor of eight or more. `reference` is a value of y marked by a line; 0: none."""

    WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 560, 340, 58, 14, 46
    NAMES_LEAST, NAMES_MOST, NAME_LETTER, MORE_LETTER = 70, 190, 8.4, 6.3
    LABEL_GAP, LETTER = 15, 6.9  # the width of a letter in a tick's label, about
    FAR = 60  # a name further from the end of its line gets a fainter leader

    def __init__(self, title, x_title, lines, ticks, y_title=MS_TITLE, unit="ms", reference=0):
        self.title, self.x_title, self.lines, self.ticks = title, x_title, lines, ticks
        self.y_title, self.unit, self.reference = y_title, unit, reference
        low, high = ticks[0][0], ticks[-1][0]
        values = [value for line in lines for value in dot_values(line.dots)] or [1]
        values += [reference] if reference else []
        room = max([self.NAMES_LEAST] + [20 + self.NAME_LETTER * len(line.name) for line in lines]
                   + [20 + self.MORE_LETTER * len(line.more) for line in lines if line.more is not None])
        self.x = Axis(low > 0 and high / low >= 8, low, high, self.LEFT, self.WIDTH - min(room, self.NAMES_MOST))
        self.y = Axis(True, min(values), max(values), self.HEIGHT - self.BOTTOM, self.TOP)

    def x_axis(self):
        """A label that would touch the previous one is omitted, except the last."""
        foot, free_from = self.HEIGHT - self.BOTTOM, 0
        last_from = self.x.place(self.ticks[-1][0]) - self.LETTER * len(self.ticks[-1][1]) / 2
        for i, (value, text) in enumerate(self.ticks):
            place, half = self.x.place(value), self.LETTER * len(text) / 2
            yield path("grid", f"M{place:.1f} {self.TOP:.1f}V{foot + 4:.1f}")
            if i + 1 < len(self.ticks) and (place - half < free_from or place + half + self.LETTER > last_from):
                continue
            free_from = place + half + self.LETTER
            yield label("tick", place, foot + 18, text, "middle") + "\n"
        yield label("axis", (self.x.start + self.x.end) / 2, self.HEIGHT - 8, self.x_title, "middle") + "\n"

    def y_axis(self):
        for tick in self.y.ticks:
            place = self.y.place(tick)
            yield path("grid", f"M{self.x.start:.1f} {place:.1f}H{self.x.end:.1f}")
            yield label("tick", self.x.start - 7, place + 3.5, f"{tick:.6g}", "end") + "\n"
        middle = (self.HEIGHT - self.BOTTOM + self.TOP) / 2
        yield (f'<text class="axis" text-anchor="middle" transform="translate(13 {middle:.1f})rotate(-90)">'
               f"{esc(self.y_title)}</text>\n")
        if self.reference:
            place = self.y.place(self.reference)
            yield path("reference", f"M{self.x.start:.1f} {place:.1f}H{self.x.end:.1f}") + "\n"

    def polyline(self, kind, points):
        drawing, data = False, ""
        for x, y in points:
            if y > 0:
                data += f"{'L' if drawing else 'M'}{self.x.place(x):.1f} {self.y.place(y):.1f}"
            drawing = y > 0
        return path(kind, data) + "\n"

    def line(self, line):
        yield f'<g class="t{line.style}">'
        yield self.polyline("ideal", [(d.x, d.ideal) for d in line.dots])
        yield self.polyline("line", [(d.x, d.value) for d in line.dots])
        for d in line.dots:
            x, y = self.x.place(d.x), self.y.place(d.value)
            yield "<g>" + tip(d.row, d.value, self.unit)
            if d.low > 0 and d.high > 0:
                yield path("range", f"M{x:.1f} {self.y.place(d.low):.1f}V{self.y.place(d.high):.1f}")
            yield mark(line.style, x, y) + "</g>\n"
        yield "</g>\n"

    def names(self):
        """Names beside the ends of lines, moved apart until they do not overlap, within the chart."""
        names = [types.SimpleNamespace(
            line=line, x=self.x.place(line.dots[-1].x), end=self.y.place(line.dots[-1].value),
            height=self.LABEL_GAP if line.more is None else 2 * self.LABEL_GAP - 2) for line in self.lines]
        names.sort(key=lambda name: name.end)
        least = self.TOP + 4
        for name in names:
            name.y = max(name.end + 4, least)
            least = name.y + name.height
        most = self.HEIGHT - self.BOTTOM + 6 + self.LABEL_GAP
        for name in reversed(names):
            name.y = min(name.y, most - name.height)
            most = name.y
        x = self.x.end + 14
        for name in names:
            far = " far" if name.x < self.x.end - self.FAR else ""
            yield f'<g class="t{name.line.style}">'
            yield path("leader" + far, f"M{name.x + 6:.1f} {name.end:.1f}L{x - 3:.1f} {name.y - 4:.1f}")
            yield label("name", x, name.y, name.line.name)
            if name.line.more is not None:
                yield label("more", x, name.y + self.LABEL_GAP - 3, name.line.more)
            yield "</g>\n"

    def html(self):
        lines = itertools.chain.from_iterable(self.line(line) for line in self.lines)
        return svg(self.WIDTH, self.HEIGHT, self.title, [*self.x_axis(), *self.y_axis(), *lines, *self.names()])


class DotPlot:
    """Dots along a logarithmic axis: `rows` are pairs of a label and dots. `reference` is a value marked by a line, and
    `beyond` a factor around it that is shaded; 0: none."""

    WIDTH, RIGHT, TOP, ROW, BOTTOM = 980, 24, 8, 24, 42
    LETTER, LABEL_LEAST, LABEL_MOST = 7, 120, 430

    def __init__(self, title, x_title, unit, rows, reference=0, beyond=0):
        self.title, self.x_title, self.unit, self.rows = title, x_title, unit, rows
        self.reference, self.beyond = reference, beyond
        values = [value for _, dots in rows for value in dot_values(dots)] + ([reference] if reference else []) or [1]
        room = min(max([self.LABEL_LEAST] + [14 + self.LETTER * len(text) for text, _ in rows]), self.LABEL_MOST)
        self.axis = Axis(True, min(values), max(values), room, self.WIDTH - self.RIGHT)
        self.bottom = self.TOP + self.ROW * len(rows)

    def axis_html(self):
        place, bottom = self.axis.place, self.bottom
        for tick in self.axis.ticks:
            yield path("grid", f"M{place(tick):.1f} {self.TOP:.1f}V{bottom:.1f}")
            yield label("tick", place(tick), bottom + 16, f"{tick:.6g}", "middle") + "\n"
        yield label("axis", (self.axis.start + self.axis.end) / 2, bottom + 34, self.x_title, "middle") + "\n"
        if self.reference:
            left, right = place(self.reference / (1 + self.beyond)), place(self.reference * (1 + self.beyond))
            yield (f'<rect class="band" x="{left:.1f}" y="{self.TOP:.1f}" width="{right - left:.1f}" '
                   f'height="{bottom - self.TOP:.1f}"/>')
            yield path("reference", f"M{place(self.reference):.1f} {self.TOP:.1f}V{bottom:.1f}") + "\n"

    def dot_html(self, d, y):
        place = self.axis.place
        x = place(d.value)
        yield f'<g class="t{d.style}">' + tip(d.row, d.value, self.unit)
        if d.ideal > 0:
            yield path("ideal", f"M{place(d.ideal):.1f} {y:.1f}H{x:.1f}")
            yield path("stop", f"M{place(d.ideal):.1f} {y - 4.5:.1f}v9")
        if d.low > 0 and d.high > 0:
            yield path("range", f"M{place(d.low):.1f} {y:.1f}H{place(d.high):.1f}")
        yield mark(d.style, x, y)
        if d.source:
            yield label("more", x + 8, y - 2, d.source)
        yield "</g>\n"

    def html(self):
        body = list(self.axis_html())
        for i, (text, dots) in enumerate(self.rows):
            y = self.TOP + self.ROW * (i + 0.5)
            body.append(path("grid", f"M{self.axis.start:.1f} {y:.1f}H{self.axis.end:.1f}"))
            body.append(label("row", self.axis.start - 10, y + 4, text, "end") + "\n")
            for d in dots:
                body.extend(self.dot_html(d, y))
        return svg(self.WIDTH, self.bottom + self.BOTTOM, self.title, body, ' class="wide"')
