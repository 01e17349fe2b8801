"""The rows of a run in groups, each row with the parts of its id that distinguish it."""

import math
import re

from .charts import dot
from .document import number_of, text_of, timing_of
from .text import clip

STYLES = 8  # of techniques: classes t0 to t7, each with a colour and a mark; the last stands for all further ones


def skip_word(text, word):
    return text[len(word) + 1:] if word and text.startswith(word + "/") else text


def setting_parts(row):
    """The id without suite, stage, series and technique, split, with sizes and numbers as "640×480" and "trees 8"."""
    text = skip_word(skip_word(row["id"], row["suite"]), row["stage"])
    if text.startswith("by-") and skip_word(text[3:], text_of(row, "series")) != text[3:]:
        text = skip_word(text[3:], text_of(row, "series"))
    text = re.sub(f"(^|/){re.escape(row['technique'])}\\Z", "", text) if row["technique"] else text
    text = re.sub("-(?=[0-9])", " ", re.sub("(?<=[0-9])x(?=[0-9])", "×", text))
    parts = text.split("/")
    return parts[:-1] if parts[-1] == "" else parts


class Row:
    """A row, with the number of its setting: the same for rows that differ by technique only."""

    def __init__(self, row, style, settings):
        self.row, self.style = row, style
        self.id, self.technique, series = row["id"], row["technique"], text_of(row, "series")
        self.x = number_of(row.get("setting"), series)
        self.ms = number_of(timing_of(row), "median")
        self.published = row.get("published", [])
        key = self.id[:-len(self.technique)] if self.technique and self.id.endswith("/" + self.technique) else self.id
        self.setting = settings.setdefault(key, len(settings))
        self.parts = setting_parts(row)
        self.series_part = next((i for i, part in enumerate(self.parts) if self.is_of_series(part, series)), None)
        self.family = 0

    def is_of_series(self, part, series):
        """Whether the series varies the part: "trees 8" in "trees", a size in "pixels", the value itself."""
        if not series:
            return False
        if part.startswith(series + " ") or (series == "pixels" and re.match("[0-9].*×", part)):
            return True
        return part == (self.row.get("setting") or {}).get(series)

    def all_parts(self, series=True):
        return clip(" · ".join(part for i, part in enumerate(self.parts) if series or i != self.series_part))

    def dot(self):
        timing = timing_of(self.row)
        return dot(self.ms, number_of(timing, "q1"), number_of(timing, "q3"),
                   number_of(self.row.get("bound"), "ideal_ms"), self.style, self.row, self.x)


class Group:
    """Rows of one suite, stage and series ("" for none), in the document's order."""

    def __init__(self, suite, stage, series):
        self.suite, self.stage, self.series, self.rows = suite, stage, series, []

    def finish(self):
        """Finds the parts that vary and the families: rows that differ by technique and series only."""
        counts = {len(row.parts) for row in self.rows}
        # With different numbers of parts, all of them are shown.
        self.varying = {i for i in range(max(counts)) if len(counts) > 1 or len({r.parts[i] for r in self.rows}) > 1}
        families = {}
        for row in self.rows:
            key = tuple("" if i == row.series_part else part for i, part in enumerate(row.parts))
            row.family = families.setdefault(key, len(families))
        # The overview shows groups without a series whose rows differ by technique only.
        self.in_overview = not self.series and len({row.setting for row in self.rows}) == 1

    def common(self, row):
        return clip(" · ".join(part for i, part in enumerate(row.parts) if i not in self.varying))

    def label(self, row):
        """What distinguishes the row; if nothing does, its setting."""
        return clip(" · ".join(part for i, part in enumerate(row.parts) if i in self.varying)) or self.common(row)

    def series_label(self, row):
        """The value of the series in words: "640×480", "8"."""
        if row.series_part is None:
            return f"{row.x:.6g}"
        return clip(re.sub(f"^{re.escape(self.series)} ", "", row.parts[row.series_part]))


class Page:
    def __init__(self, document):
        self.document, groups, settings = document, {}, {}
        self.techniques = [None] * STYLES  # by style; the last is the first of all further ones
        self.rows = []
        for row in document["rows"]:
            key = row["suite"], row["stage"], text_of(row, "series")
            self.rows.append(Row(row, self.style_of(row["technique"]), settings))
            groups.setdefault(key, Group(*key)).rows.append(self.rows[-1])
        suites, stages = {}, {}  # numbers, in order of appearance
        for group in groups.values():
            suites.setdefault(group.suite, len(suites))
            stages.setdefault(group.stage, len(stages))
        self.groups = sorted(groups.values(), key=lambda group: (suites[group.suite], stages[group.stage]))
        self.best = {}  # the least time of each setting
        for group in self.groups:
            group.finish()
            for row in group.rows:
                if row.ms > 0:
                    self.best[row.setting] = min(row.ms, self.best.get(row.setting, math.inf))
        self.rows = [row for group in self.groups for row in group.rows]

    def style_of(self, technique):
        """Built-in techniques have fixed styles, others the remaining ones in order of appearance."""
        ours = ("cpu", "compute", "fragment", "blend")
        style = ours.index(technique) if technique in ours else len(ours)
        while technique not in ours and style < STYLES - 1 and self.techniques[style] not in (None, technique):
            style += 1
        self.techniques[style] = self.techniques[style] or technique
        return style
