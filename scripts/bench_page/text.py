"""Text and numbers of pages."""

import itertools
import math

LABEL_LENGTH = 95
NONE_CELL = '<td class="n none">–</td>'
ESCAPES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;", '"': "&quot;", "'": "&#39;"})


def esc(text):
    """Text as content or within double quotes."""
    return text.translate(ESCAPES)


def printable(text):
    """A path, which may have any bytes."""
    return "".join(c if c.isprintable() else "?" for c in text)


def clip(text, length=LABEL_LENGTH):
    return text if len(text) <= length else text[:length - 1] + "…"


def digits(value):
    """Three significant digits: "0.0521", "12.3", "1234"."""
    if value >= 1e9 or 0 < value < 0.001:
        return f"{value:.2e}"
    decimals = next((n for n, least in enumerate((99.95, 9.995, 0.9995, 0.09995)) if value >= least), 4)
    return f"{value:.{decimals}f}"


def short(value):
    """The same with k, M, G, T: "2.31 T"."""
    units = iter(("", " k", " M", " G", " T", " P"))
    unit = next(units)
    while value >= 999.5 and unit != " P":
        value, unit = value / 1000, next(units)
    return (f"{value:.0f}" if value == math.floor(value) and value < 1000 else digits(value)) + unit


def runs_of(values, key):
    """Lists of consecutive values with the same key."""
    return [list(same) for _, same in itertools.groupby(values, key)]


def plural(count, what):
    return f"{count} {what}{'' if count == 1 else 's'}"


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2
