"""The chart of the suite records: over which trees speculation takes less time than a record a lane."""

import types

from .charts import LineChart, dot
from .document import text_of
from .text import digits, esc

DATA_PARALLEL = "compute"
SPECULATIVE = ("speculative", "speculative-mapped", "windowed")
STAGE, SERIES, SHAPE = "shapes", "depth", "shape"  # of the rows; the last is a member of their settings


def fastest(rows, techniques):
    return min((row for row in rows if row.technique in techniques and row.ms > 0), key=lambda row: row.ms, default=None)


def ratios(rows):
    """By shape and depth: the time of a record a lane divided by that of the fastest speculative technique, and its row."""
    settings = {}
    for row in rows:
        settings.setdefault((text_of(row.row.get("setting"), SHAPE), row.x), []).append(row)
    made = {}
    for (shape, depth), same in settings.items():
        ours, theirs = fastest(same, SPECULATIVE), fastest(same, (DATA_PARALLEL,))
        if shape and depth > 0 and ours is not None and theirs is not None:
            made.setdefault(shape, {})[depth] = theirs.ms / ours.ms, ours
    return made


def sentence(made):
    wins = sorted((ratio, row) for depths in made.values() for ratio, row in depths.values() if ratio > 1)
    count = sum(map(len, made.values()))
    if not wins:
        return f"A record a lane is faster in all {count} settings."
    ratio, row = wins[-1]
    return (f"Speculation is faster in {len(wins)} of {count} settings, by {digits(ratio)} times at most "
            f"({row.technique}, {row.all_parts()}).")


def speculation_chart(groups):
    """"" if there are no such rows."""
    rows = [row for group in groups if (group.suite, group.stage, group.series) == ("records", STAGE, SERIES)
            for row in group.rows]
    made = ratios(rows)
    depths = sorted({depth for line in made.values() for depth in line})
    if len(depths) < 2:
        return ""
    lines = [types.SimpleNamespace(name=shape, more=None, style=style % 8, dots=[
        dot(line[depth][0], style=style % 8, row=line[depth][1].row, x=depth) for depth in sorted(line)])
             for style, (shape, line) in enumerate(made.items())]
    chart = LineChart("where speculation wins", "depth of the tree", lines, [(depth, f"{depth:.0f}") for depth in depths],
                      "times as fast as compute", "times", 1)
    return (f'<figure class="chart"><figcaption><b>where speculation wins</b> {esc(sentence(made))} Above the line at 1 the '
            f"fastest of {', '.join(SPECULATIVE)} takes less time than {DATA_PARALLEL}.</figcaption>\n{chart.html()}</figure>\n")
