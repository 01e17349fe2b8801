"""The page of a run: a summary in sentences, charts and tables."""

import json
import types

from .charts import MS_TITLE, PUBLISHED, DotPlot, LineChart, dot, technique_html
from .document import number_of, text_of, timing_of
from .page import origin, whole_page
from .rows import Page
from .speculation import speculation_chart
from .text import LABEL_LENGTH, NONE_CELL, clip, digits, esc, median, plural, runs_of, short

LINES_MAX = 24  # in a chart
DOT_ROWS_MAX = 48
SOURCES = "abcdefgh"  # of published times, beside their marks if there are more than one
EXAMPLES = 3  # settings that a technique wins
OPEN_ROWS = 12  # longer tables are folded


def figure(kind, head, series, text, body):
    by = f", by {esc(series)}" if series else ""
    return f'<figure class="{kind}"><figcaption><b>{esc(head)}{by}</b> {esc(text)}</figcaption>\n{body}</figure>\n'


def line_chart(group, rows):
    """The chart of a family; "" if x has only one value."""
    ticks = {}
    for row in sorted(rows, key=lambda row: row.x):
        ticks.setdefault(row.x, group.series_label(row))
    if len(ticks) < 2:
        return ""
    lines = [types.SimpleNamespace(name=same[0].technique, more=None, style=same[0].style,
                                   dots=[row.dot() for row in same])
             for same in runs_of(rows, lambda row: row.technique)]
    published = {}  # by source and x
    for row in rows:
        for entry in row.published:
            if entry["ms"] > 0:
                dots = published.setdefault((entry["who"], entry["hardware"]), {})
                dots.setdefault(row.x, dot(entry["ms"], x=row.x))
    for (who, hardware), dots in published.items():
        lines.append(types.SimpleNamespace(name=who, more=hardware, style=PUBLISHED,
                                           dots=[dots[x] for x in sorted(dots)]))
    chart = LineChart(f"{group.stage} by {group.series}", group.series, lines[:LINES_MAX], list(ticks.items()))
    return figure("chart", group.stage, group.series, rows[0].all_parts(series=False), chart.html())


def dot_plot(title, rows, labelled, head, series, text):
    """A plot with a row for each setting of `rows`; "" if there are too few dots or too many rows."""
    sources, plotted = {}, []
    for same in runs_of(rows, lambda row: row.setting):
        dots, seen = [row.dot() for row in same], set()
        for entry in (entry for row in same for entry in row.published):
            key = entry["who"], entry["hardware"]
            if key not in sources and len(sources) < len(SOURCES):
                sources[key] = SOURCES[len(sources)]
            if key in sources and key not in seen and entry["ms"] > 0:
                seen.add(key)
                dots.append(dot(entry["ms"], style=PUBLISHED))
                dots[-1].source = sources[key]
        plotted.append((labelled(same[0]), dots))
    if sum(len(dots) for _, dots in plotted) < 2 or len(plotted) > DOT_ROWS_MAX:
        return ""
    legend = {row.style: technique_html(row.style, row.technique) for row in reversed(rows)}
    legend = [legend[style] for style in dict.fromkeys(row.style for row in rows)]
    for (who, hardware), letter in sources.items():
        legend.append(technique_html(PUBLISHED, clip((f"{letter}: " if len(sources) > 1 else "") + f"{who}, {hardware}",
                                                     2 * LABEL_LENGTH)))
    for d in (d for _, dots in plotted for d in dots if len(sources) < 2):
        d.source = None
    body = f'<p class="legend">{"".join(legend)}</p>\n' + DotPlot(title, MS_TITLE, "ms", plotted).html()
    return figure("dots", head, series, text, body)


def group_charts(group):
    """A line chart for each family with a numeric series, and a dot plot of the rest."""
    made, left = [], []
    rows = [row for row in group.rows if row.ms > 0 and not group.in_overview]
    rows.sort(key=lambda row: (row.family, row.style, row.technique, row.x))
    for family in runs_of(rows, lambda row: row.family):
        numeric = group.series and all(row.x > 0 for row in family)
        chart = line_chart(group, family) if numeric else ""
        made.append(chart)
        left.extend(family if not chart else [])
    left.sort(key=lambda row: (row.setting, row.style))
    if left:
        made.append(dot_plot(f"{group.stage}: {MS_TITLE}", left, group.label, group.stage, group.series,
                             group.common(left[0])))
    return "".join(made)


def overview(groups):
    """The stages of a suite in its basic setting."""
    rows = [row for group in groups if group.in_overview for row in group.rows if row.ms > 0]
    if not rows:
        return ""
    return dot_plot("every stage", rows, lambda row: clip(row.row["stage"]), "every stage", "", rows[-1].all_parts())


def timing_cell(timing, best):
    middle, spread = number_of(timing, "median"), number_of(timing, "q3") - number_of(timing, "q1")
    if not middle > 0:
        return NONE_CELL
    spread = f"<small>±{50 * spread / middle:.1f}\u202f%</small>" if spread >= 0 else ""
    return (f'<td class="n{" best" if best else ""}" data-value="{middle:.9g}" title="{number_of(timing, "runs"):.0f} '
            f'runs, from {number_of(timing, "min"):.6g} to {number_of(timing, "max"):.6g} ms">{digits(middle)}'
            f"{spread}</td>")


def rate_cell(throughput):
    rate = number_of(throughput, "per_second")
    if not rate > 0:
        return NONE_CELL
    return (f'<td class="n" data-value="{rate:.9g}" title="{number_of(throughput, "in_flight"):.0f} in flight">'
            f'{short(rate)}<small>{esc(throughput["unit"])}</small></td>')


def bound_cells(bound):
    ideal, ratio = number_of(bound, "ideal_ms"), number_of(bound, "ratio")
    if not ideal > 0 or not ratio > 0:
        return 2 * NONE_CELL
    return (f'<td class="n" data-value="{ideal:.9g}" title="{esc(bound["limit"])}">{digits(ideal)}</td>'
            f'<td class="n" data-value="{ratio:.9g}"><span class="reach" style="--share:{100 / max(ratio, 1):.0f}%">'
            f"{digits(ratio)}×</span></td>")


def equality_cell(row):
    equals = row.get("equals_cpu")
    if equals is None:
        return f'<td class="none" title="{esc(text_of(row, "unchecked"))}">not compared</td>'
    return '<td class="same">same</td>' if equals else '<td class="differs">DIFFERS</td>'


def published_cell(row):
    entries = []
    for entry in row.published:
        where, ms, ours = text_of(entry, "where"), entry["ms"], ""
        if row.ms > 0 and ms > 0:
            ours = f"; ours {digits(max(ms / row.ms, row.ms / ms))}× as {'fast' if ms >= row.ms else 'long'}"
        entries.append(f"{digits(ms)} ms, {esc(entry['who'])} <small>{esc(entry['hardware'])}"
                       f"{', ' if where else ''}{esc(where)}{ours}</small>")
    return f'<td class="published">{"<br>".join(entries)}</td>'


# Columns that a group has if any of its rows does: the member, the heads.
DEVICE_HEAD = ('<th class="n" title="median by the device\'s timestamps, and half of the interquartile range">latency, '
               "device<small>ms</small></th>")
WALL_HEAD = ('<th class="n" title="median by the host\'s clock, from recording to completion">latency, wall<small>ms'
             "</small></th>")
RATE_HEAD = '<th class="n" title="with many in flight">throughput<small>a second</small></th>'
BOUND_HEAD = ('<th class="n" title="the minimum time that the limit allows">ideal<small>ms</small></th><th class="n" '
              'title="device time to ideal time">times its limit</th>')
EQUALITY_HEAD = '<th title="whether the result is that of cpu, bit for bit">= cpu</th>'
HEADS = {"device_ms": DEVICE_HEAD, "wall_ms": WALL_HEAD, "throughput": RATE_HEAD, "bound": BOUND_HEAD}


def table_row(page, group, row, columns):
    custom = '<small title="a custom technique">custom</small>' if row.row.get("custom") else ""
    head = (f'<tr data-id="{esc(row.id)}"><td data-value="{row.x:.9g}" title="{esc(row.id)}">{esc(group.label(row))}'
            f"</td><td>{technique_html(row.style, row.technique)}{custom}</td>")
    if text_of(row.row, "skipped"):
        span = len(columns) + ("bound" in columns) + 1
        return f'{head}<td class="skipped" colspan="{span}">not run: {esc(row.row["skipped"])}</td></tr>\n'
    best = 0 < row.ms <= page.best.get(row.setting, 0)
    cells = {"device_ms": lambda timing: timing_cell(timing, best and timing is timing_of(row.row)),
             "wall_ms": lambda timing: timing_cell(timing, best and timing is timing_of(row.row)),
             "throughput": rate_cell, "bound": bound_cells}
    made = "".join(cells[column](row.row.get(column)) for column in HEADS if column in columns)
    return head + made + equality_cell(row.row) + (published_cell(row) if "published" in columns else "") + "</tr>\n"


def table(page, group):
    columns = {column for row in group.rows for column in (*HEADS, "published") if row.row.get(column)}
    by, common = f"by {esc(group.series)}: " if group.series else "", group.common(group.rows[0])
    heads = "".join(head for column, head in HEADS.items() if column in columns) + EQUALITY_HEAD
    return (f"<details{' open' if len(group.rows) <= OPEN_ROWS else ''}><summary>{by}{plural(len(group.rows), 'row')}"
            f"{f', all {esc(common)}' if common else ''}</summary><div class=\"scroll\"><table>\n"
            f"<thead><tr><th>{esc(group.series or 'setting')}</th><th>technique</th>{heads}"
            f"{'<th>published</th>' if 'published' in columns else ''}</tr></thead>\n<tbody>\n"
            + "".join(table_row(page, group, row, columns) for row in group.rows) + "</tbody></table></div></details>\n")


class Podium:
    """The best row of a setting, and the best of another style."""

    def __init__(self):
        self.first = self.second = None

    def enter(self, row):
        if self.first is None or row.ms < self.first.ms:
            if self.first is not None and self.first.style != row.style:
                self.second = self.first
            self.first = row
        elif row.style != self.first.style and (self.second is None or row.ms < self.second.ms):
            self.second = row


def winners(page, wins):
    """"compute is the fastest in 20 of 24 settings"; further ones with their settings. `wins`: labels by style."""
    settings, said = sum(map(len, wins.values())), []
    for style, labels in sorted(wins.items(), key=lambda item: (-len(item[1]), item[0])):
        who = technique_html(style, page.techniques[style])
        if said:
            more = "; …" if len(labels) > EXAMPLES else ""
            said.append(f"{who} in {len(labels)} ({esc('; '.join(labels[:EXAMPLES]))}{more})")
        elif settings == 1:
            said.append(f"{who} is the fastest")
        else:
            where = f"all {settings}" if len(labels) == settings else f"{len(labels)} of {settings}"
            said.append(f"{who} is the fastest in {where} settings")
    return ", ".join(said)


def contest(page, groups, podiums, seen):
    """How often each technique is the fastest in a stage of a suite."""
    wins, leads, ratios = {}, [], []
    for group, row in ((group, row) for group in groups for row in group.rows):
        podium = podiums.get(row.setting)
        if podium is None or podium.first is not row:
            continue
        # A basic setting is also a point of every series; it counts once.
        setting = json.dumps(row.row["setting"], sort_keys=True) if "setting" in row.row else None
        key = group.suite, group.stage, setting
        if group.series and key in seen:
            continue
        if not group.series and setting is not None:
            seen.add(key)
        ratios.append(number_of(row.row.get("bound"), "ratio"))
        if podium.second is not None:
            wins.setdefault(row.style, []).append(group.label(row))
            leads.append(podium.second.ms / row.ms)
    if not leads:
        return ""
    ratios = [ratio for ratio in ratios if ratio > 0]
    text = f"; the next takes {digits(median(leads))} times as long"
    if len(leads) > 1:
        text += f" in the median, from {digits(min(leads))} to {digits(max(leads))}"
    if ratios:
        text += (f". The fastest takes {digits(median(ratios))} times the minimum of its limit"
                 + (" in the median" if len(ratios) > 1 else ""))
    return f"<li><b>{esc(groups[0].suite)}, {esc(groups[0].stage)}</b>: {winners(page, wins)}{text}.</li>\n"


def equality_summary(rows):
    skipped = sum("skipped" in row.row for row in rows)
    equal = [row.row.get("equals_cpu") for row in rows if "skipped" not in row.row]
    same, different, unchecked = equal.count(True), equal.count(False), equal.count(None)
    text = f'<li class="differs">{different} results DIFFER from those of cpu.</li>\n' if different else ""
    if same:
        text += (f"<li>{'' if different else 'All '}{same} results that were compared equal those of <b>cpu</b>, bit for "
                 f"bit{';' if unchecked or skipped else '.'}")
        text += f" {unchecked} were not compared{',' if skipped else '.'}" if unchecked else ""
        text += f" {skipped} rows were not run, and say why." if skipped else ""
        text += "</li>\n"
    return text


def published_summary(page):
    """The largest published setting of a stage, by hardware, beside the best of ours."""
    largest = {}
    for row in page.rows:
        for entry in row.published if 0 < row.ms <= page.best[row.setting] else []:
            key = row.row["suite"], row.row["stage"], entry["who"], entry["hardware"]
            if entry["ms"] > (largest[key][1]["ms"] if key in largest else 0):
                largest[key] = row, entry
    said = []
    for row, entry in largest.values():
        ms = entry["ms"]
        times = f"{digits(max(ms / row.ms, row.ms / ms))} times as {'fast' if ms >= row.ms else 'long'}"
        said.append(f"<li><b>{esc(entry['who'])}</b> published {digits(ms)} ms on {esc(entry['hardware'])} for "
                    f"{esc(row.row['stage'])} ({esc(row.all_parts())}); here {digits(row.ms)} ms by "
                    f"{technique_html(row.style, row.technique)}, {times}.</li>\n")
    head = '<h3>Compared with published times</h3>\n<ul class="summary small">\n'
    return head + "".join(said) + "</ul>\n" if said else ""


def summary(page):
    podiums, seen, contests = {}, set(), []
    for row in page.rows:
        if row.ms > 0:
            podiums.setdefault(row.setting, Podium()).enter(row)
    for groups in runs_of(page.groups, lambda group: (group.suite, group.stage)):
        contests.append(contest(page, groups, podiums, seen))
    return f'<ul class="summary">\n{"".join(contests)}{equality_summary(page.rows)}</ul>\n{published_summary(page)}'


READING = """<section id="reading"><h2>How to read this</h2>
<dl class="terms">
<dt>latency</dt><dd>The time of one run with nothing else in flight: the median of many runs, and half of the \
interquartile range. <i>Device</i>: by the device's timestamps around the work. <i>Wall</i>: by the host's clock, from \
recording to completion. Charts and comparisons use the device's clock if there is one, and the host's for the technique \
<b>cpu</b>.</dd>
<dt>throughput</dt><dd>Runs per second with many in flight. It is not the inverse of the latency.</dd>
<dt>ideal</dt><dd>The minimum time for the work of a stage at the rate of its limit: a dashed line in charts. <i>Times its \
limit</i> is the device's time divided by it; the bar shows how much of the limit is reached.</dd>
<dt>= cpu</dt><dd>Every technique must give the same result as <b>cpu</b>, bit for bit. <i>Same</i>: they were compared and \
are equal.</dd>
<dt>published</dt><dd>Times that others reported, on their hardware of that time: diamonds in charts.</dd>
</dl></section>
"""


def limits_section(limits):
    rows = []
    for limit in limits:
        rate = number_of(limit, "per_second")
        cell = (f'<td class="skipped">not measured: {esc(limit["skipped"])}' if text_of(limit, "skipped") else
                f'<td class="n" data-value="{rate:.9g}"><b>{short(rate)}</b> <small>{esc(limit["unit"])}</small>')
        rows.append(f"<tr><td><code>{esc(limit['limit'])}</code></td><td>{esc(text_of(limit, 'title'))}</td>{cell}"
                    "</td></tr>\n")
    return ('<section id="limits"><h2>Limits of this machine</h2>\n<p>Measured by the suite <i>roofline</i>, in this run or '
            "in the stored one that --limits named. Ideal times are the work of a stage at these rates.</p>\n"
            '<div class="scroll"><table><thead><tr><th>limit</th><th>what</th><th class="n">a second</th></tr></thead>\n'
            f"<tbody>\n{''.join(rows)}</tbody></table></div></section>\n") if rows else ""


def run_page(document):
    page, device = Page(document), document.get("device")
    name = device["name"] if device is not None else text_of(document.get("host"), "processor")
    limits = document.get("limits", [])
    links = ['<a href="#limits">limits</a> '] if limits else []
    suites = []
    for i, groups in enumerate(runs_of(page.groups, lambda group: group.suite)):
        suite = esc(groups[0].suite)
        links.append(f'<a href="#suite-{i}">{suite}</a> ')
        made = f'<section><h2 id="suite-{i}">Suite {suite}</h2>\n<div class="charts">\n{overview(groups)}'
        made += f'{speculation_chart(groups)}</div>\n'
        for same in runs_of(groups, lambda group: group.stage):
            made += (f'<h3>{esc(same[0].stage)}</h3>\n<div class="charts">\n{"".join(map(group_charts, same))}</div>\n'
                     + "".join(table(page, group) for group in same))
        suites.append(made + "</section>\n")
    return whole_page(f"Shadewood on {name}", (
        f'<header><p class="kicker">shadewood bench</p><h1>{esc(name)}</h1>\n{origin(document)}<nav>{"".join(links)}'
        '<a href="#reading">how to read this</a></nav>\n</header>\n'
        f"<section><h2>In short</h2>\n{summary(page)}</section>\n{limits_section(limits)}{''.join(suites)}{READING}"))
