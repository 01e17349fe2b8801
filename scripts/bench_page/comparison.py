"""The page of a comparison of two runs, judged as `shadewood bench compare` does."""

import math

from .charts import DotPlot, dot
from .document import number_of, text_of
from .page import origin, whole_page
from .rows import skip_word
from .text import NONE_CELL, clip, digits, esc, plural, printable

OPEN_ROWS = 40  # longer tables are folded
PLOT_ROWS = 16

# The class, style and mark of each verdict: grey for unchanged rows; colours and shapes for changed ones.
VERDICTS = {"alike": ("", 0), "within noise": ("noise", 0), "faster": ("faster", 3), "slower": ("slower", 2),
            "no longer equals cpu": ("differs", 4), "not timed": ("none", 0)}


def quartiles(timing):
    low, middle, high = (number_of(timing, key) for key in ("q1", "median", "q3"))
    return (low, high) if low <= middle <= high else (middle, middle)


class Change:
    """A row in both documents; `ratio` is that of the medians, B to A, or 0."""

    def __init__(self, a, b, threshold):
        self.b, self.ratio, self.clock, self.verdict = b, 0.0, "", "not timed"
        self.a_timing = self.b_timing = None
        for clock in ("wall_ms", "device_ms"):  # the latter if both have it
            if number_of(a.get(clock), "median") > 0 and number_of(b.get(clock), "median") > 0:
                self.a_timing, self.b_timing, self.clock = a[clock], b[clock], clock.split("_")[0]
        if self.clock:
            (a_low, a_high), (b_low, b_high) = quartiles(self.a_timing), quartiles(self.b_timing)
            self.ratio = number_of(self.b_timing, "median") / number_of(self.a_timing, "median")
            beyond_noise = a_high < b_low or b_high < a_low
            if not (self.ratio > 1 + threshold or self.ratio * (1 + threshold) < 1):
                self.verdict = "alike"
            else:
                self.verdict = "within noise" if not beyond_noise else "slower" if self.ratio > 1 else "faster"
        if b.get("equals_cpu") is False and a.get("equals_cpu") is not False:
            self.verdict = "no longer equals cpu"

    def dot(self):
        """The range of the ratio, by the quartiles of both."""
        a1, a3, b1, b3 = (number_of(t, key) for t in (self.a_timing, self.b_timing) for key in ("q1", "q3"))
        return dot(self.ratio, b1 / a3 if a3 > 0 and b1 > 0 else 0, b3 / a1 if a1 > 0 and b3 > 0 else 0,
                   style=VERDICTS[self.verdict][1], row=self.b)


class StageChange:
    """The changes of one stage of one suite; `ratio` is the geometric mean of the timed ones, or 0."""

    def __init__(self, suite, stage):
        self.suite, self.stage, self.changes, self.ratio = suite, stage, [], 0.0

    def finish(self):
        logarithms = [math.log(change.ratio) for change in self.changes if change.ratio > 0]
        self.ratio = math.exp(sum(logarithms) / len(logarithms)) if logarithms else 0.0

    def short_id(self, change):
        return skip_word(skip_word(change.b["id"], self.suite), self.stage)


class Comparison:
    def __init__(self, a, b, threshold):
        self.a, self.b, self.threshold, stages = a, b, threshold, {}
        in_a, in_b = ({row["id"]: row for row in document["rows"]} for document in (a, b))
        for row in a["rows"]:
            if row["id"] in in_b:
                key = row["suite"], row["stage"]
                stages.setdefault(key, StageChange(*key)).changes.append(Change(row, in_b[row["id"]], threshold))
        self.stages = list(stages.values())
        for stage in self.stages:
            stage.finish()
        self.only_a = [row_id for row_id in in_a if row_id not in in_b]
        self.only_b = [row_id for row_id in in_b if row_id not in in_a]
        self.verdicts = [change.verdict for stage in self.stages for change in stage.changes]
        self.slower_stages = [stage for stage in self.stages if stage.ratio > 1 + threshold]

    def ratio_plot(self, title, rows, more):
        plot = DotPlot(title, "faster to the left, slower to the right", "times", rows, 1, self.threshold)
        return (f'<figure class="dots"><figcaption><b>{esc(title)}</b> shaded: less than {100 * self.threshold:g} % apart'
                f"{more}</figcaption>\n{plot.html()}</figure>\n")

    def counts(self):
        count = self.verdicts.count
        bad = count("slower") or count("no longer equals cpu") or self.slower_stages
        made = (f'<p class="verdict{" bad" if bad else ""}">'
                f'{"There are regressions." if bad else "There is no regression."}</p>\n<ul class="summary">\n')
        for what, parent, key in (("devices", "device", "name"), ("drivers", "device", "driver"),
                                  ("versions of Shadewood", None, "shadewood"), ("processors", "host", "processor")):
            a, b = (text_of(side.get(parent) if parent else side, key) for side in (self.a, self.b))
            if a != b:
                made += f"<li>The {what} differ: {esc(a or 'none')}; {esc(b or 'none')}.</li>\n"
        made += (f'<li>Rows in both: {len(self.verdicts)}. <span class="slower">{count("slower")} slower</span> and <span '
                 f'class="faster">{count("faster")} faster</span> by more than {100 * self.threshold:g} %, {count("alike")} '
                 f'alike, {count("within noise")} that differ by more, but within noise: the ranges between their quartiles '
                 "overlap.</li>\n")
        if count("no longer equals cpu"):
            number = count("no longer equals cpu")
            made += (f'<li class="differs">{number} result{" is" if number == 1 else "s are"} no longer that of cpu.</li>\n')
        for stage in self.slower_stages:
            made += (f'<li class="slower">{esc(stage.suite)}, {esc(stage.stage)} is slower as a whole: {stage.ratio:.3f} '
                     "times.</li>\n")
        return made + "</ul>\n"

    def overview(self):
        rows = []
        for stage in self.stages[:OPEN_ROWS]:
            slower, faster = stage.ratio > 1 + self.threshold, stage.ratio * (1 + self.threshold) < 1
            if stage.ratio > 0:
                style = VERDICTS["slower" if slower else "faster" if faster else "alike"][1]
                rows.append((clip(f"{stage.suite}, {stage.stage}"), [dot(stage.ratio, style=style)]))
        title = "every stage: geometric means of the times of B to those of A"
        return self.ratio_plot(title, rows, "") if rows else ""

    def stage_plot(self, stage):
        timed = sorted((change for change in stage.changes if change.ratio > 0), key=lambda c: -abs(math.log(c.ratio)))
        shown = sorted(timed[:PLOT_ROWS], key=lambda change: -change.ratio)
        if not shown:
            return ""
        return self.ratio_plot(f"{stage.suite}, {stage.stage}: times of B to those of A",
                               [(stage.short_id(change), [change.dot()]) for change in shown],
                               "; the largest changes only" if len(shown) < len(timed) else "")

    def stage_row(self, stage, change):
        numbers = (number_of(change.a_timing, "median"), ""), (number_of(change.b_timing, "median"), ""), (change.ratio, "×")
        cells = "".join(f'<td class="n" data-value="{value:.9g}">{digits(value)}{after}</td>' if value > 0 else NONE_CELL
                        for value, after in numbers)
        why = text_of(change.b, "skipped") if change.verdict == "not timed" else ""
        return (f'<tr data-id="{esc(change.b["id"])}"><td>{esc(stage.short_id(change))}</td>{cells}<td>{change.clock}</td>'
                f'<td class="{VERDICTS[change.verdict][0]}">{change.verdict}{": " if why else ""}{esc(why)}</td></tr>\n')

    def stage_section(self, stage):
        count = len(stage.changes)
        mean = (f"<p>B takes <b>{digits(stage.ratio)} times</b> as long as A in the geometric mean of {count} rows.</p>\n"
                if stage.ratio > 0 else "")
        return (f"<section><h2>{esc(stage.suite)}, {esc(stage.stage)}</h2>\n{mean}{self.stage_plot(stage)}"
                f"<details{' open' if count <= OPEN_ROWS else ''}><summary>{plural(count, 'row')}</summary>"
                '<div class="scroll"><table><thead><tr><th>row</th><th class="n">A<small>ms</small></th><th class="n">B'
                '<small>ms</small></th><th class="n">B / A</th><th>clock</th><th>verdict</th></tr></thead>\n<tbody>\n'
                + "".join(self.stage_row(stage, change) for change in stage.changes)
                + "</tbody></table></div></details></section>\n")


def only_section(title, ids):
    rows = "".join(f"<li><code>{esc(row_id)}</code></li>\n" for row_id in ids)
    return f"<section><h2>{title}</h2>\n<ul>\n{rows}</ul></section>\n" if ids else ""


def comparison_page(a, b, names, threshold):
    comparison = Comparison(a, b, threshold)
    pair = "".join(f"<div><h3>{letter}: <code>{esc(printable(name))}</code></h3>\n{origin(document)}</div>\n"
                   for letter, name, document in zip("AB", names, (a, b)))
    stages = "".join(comparison.stage_section(stage) for stage in comparison.stages)
    return whole_page("Shadewood: comparison of two runs of the bench", (
        '<header><p class="kicker">shadewood bench compare</p><h1>What changed from A to B</h1>\n<div class="pair">\n'
        f"{pair}</div></header>\n<section><h2>In short</h2>\n{comparison.counts()}{comparison.overview()}</section>\n"
        f"{stages}{only_section('Only in A', comparison.only_a)}{only_section('Only in B', comparison.only_b)}"))
