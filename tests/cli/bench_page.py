#!/usr/bin/env python3
"""scripts/bench-page.py: what its pages say, how they group and chart rows, that nothing in a report can break out of its place, and what
the script refuses. TAP on the output. usage: bench_page.py SOURCE BUILD"""

import copy
import json
import math
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import traceback

SOURCE, BUILD = (pathlib.Path(argument) for argument in sys.argv[1:])
SCRIPT = SOURCE / "scripts/bench-page.py"
CORPUS = SOURCE / "tests/fuzz/corpus/bench_report"
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "tests/cli")]

import bench_page.comparison  # what the script needs: run_script() has it in memory
import bench_page.run
from bench_page.charts import Axis
from bench_page.rows import Page
from bench_page.text import clip, digits, short
from page_check import faults


def timing(median):
    return {"median": median, "min": 0.9 * median, "max": 1.2 * median, "q1": 0.95 * median, "q3": 1.05 * median, "runs": 21}


def row(name, stage, technique, series, x, ms):
    made = {"id": name, "suite": "pipeline", "stage": stage, "technique": technique, "device_ms": timing(ms), "equals_cpu": True}
    if series:
        made.update(series=series, setting={series: x})
    return made


def document(rows):
    return {"format": "shadewood-bench", "version": 1, "shadewood": "0.1.0", "date": "2026-11-21T14:00:00Z",
            "command": "shadewood bench --json x", "host": {"processor": "A processor", "processors": 2, "system": "Linux"},
            "device": {"name": "A device", "driver": "Driver 1"}, "limits": [], "rows": rows}


def by_trees():
    """Trees 1, 2 and 4 by two techniques; compute is the faster except for one tree."""
    times = {"fragment": lambda trees: 2.0 * trees, "compute": lambda trees: 1 + trees * 0.5 + 3.0 * (trees == 1)}
    return document([row(f"pipeline/evaluate/by-trees/640x480/trees-{trees}/argmax/{technique}", "evaluate", technique, "trees",
                         trees, ms(trees)) for trees in (1, 2, 4) for technique, ms in times.items()])


PUBLISHED = {"who": "Sharp 2008", "hardware": "GeForce 7900 GTX", "ms": 30.0, "where": "Figure 10"}


def run(*command, env=None):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          env={**os.environ, **(env or {})}, check=False)


def run_script(*arguments):
    """What run(SCRIPT, ...) returns, by a copy of this process, which has Python's modules in memory."""
    arguments = [str(word) for word in (SCRIPT, *arguments)]
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.dup2(output.fileno(), 1)
                os.dup2(errors.fileno(), 2)
                sys.argv = arguments
                runpy.run_path(arguments[0], run_name="__main__")
            except SystemExit as end:
                code = end.code
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(arguments, code, output.read(), errors.read())


def program(*arguments):
    return run(BUILD / "shadewood", *arguments)


def store(report, name="report.json"):
    path = pathlib.Path(name)
    path.write_text(report if isinstance(report, str) else json.dumps(report), encoding="utf-8")
    return path


def page_of(*reports, options=()):
    """The page of stored or given reports, after page_check.py has found no fault with it."""
    paths = [report if isinstance(report, pathlib.Path) else store(report, f"report{i}.json") for i, report in enumerate(reports)]
    result = run_script(*paths, "-o", "page.html", *options)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b""), result
    in_all = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    ids = set.intersection(*({entry["id"] for entry in report["rows"]} for report in in_all))
    page = pathlib.Path("page.html").read_text(encoding="utf-8")
    found = faults(page, [{"rows": [{"id": name} for name in ids]}])
    assert not found, found[:10]
    return page


def says(page, *texts):
    for text in texts:
        assert text in page, f"no '{text}' in {page[page.find('</style>'):][:3000]}"


def refuses(report, text):
    """One line, the code 2, and no page; the program refuses the same."""
    path = report if isinstance(report, pathlib.Path) else store(report)
    result = run_script(path, "-o", "refused.html")
    message = result.stderr.decode()
    assert result.returncode == 2 and message.count("\n") == 1 and text in message, (result, text)
    assert message.startswith("bench-page.py: ") and not pathlib.Path("refused.html").exists()
    assert program("bench", "compare", path, path).returncode == 2, path.read_bytes()[:200]


def numbers_have_three_digits():
    for value, plain, brief in ((0, "0.0000", "0"), (0.0521, "0.0521", "0.0521"), (0.5, "0.500", "0.500"), (1.234, "1.23", "1.23"),
                                (12.34, "12.3", "12.3"), (812, "812", "812"), (99.96, "100", "100"), (1234, "1234", "1.23 k"),
                                (2e12, "2.00e+12", "2 T"), (1e-5, "1.00e-05", "1.00e-05"), (9.996, "10.0", "10.0"),
                                (1e30, "1.00e+30", "1.00e+15 P")):
        assert (digits(value), short(value)) == (plain, brief), value


def long_labels_are_cut():
    assert clip("12345×789", 9) == "12345×789" and clip("12345×7890", 9) == "12345×78…"


def axes_hold_their_values_and_have_ticks():
    for low, high in ((1, 1), (0.05, 0.08), (1, 64), (1e-3, 1e4), (1e-12, 1e12), (1e-12, 1e30), (0.95, 1.02)):
        for logarithmic in (False, True):
            axis = Axis(logarithmic, low, high, 100, 500)
            assert 100 <= axis.place(low) <= axis.place(high) <= 500
            assert 1 <= len(axis.ticks) <= 24 and all(map(math.isfinite, axis.ticks))
            assert axis.ticks == sorted(set(axis.ticks))
            assert axis.place(-1) <= axis.place(low) and math.isfinite(axis.place(0))


def rows_are_grouped():
    report = by_trees()
    report["rows"].append(row("pipeline/whole/640x480/cpu", "whole", "cpu", None, 0, 9))
    page = Page(report)
    first, second = page.groups
    assert [len(first.rows), len(second.rows)] == [6, 1]
    assert len({entry.setting for entry in page.rows}) == 4 and {entry.family for entry in first.rows} == {0}
    assert first.rows[0].setting == first.rows[1].setting
    assert first.label(first.rows[4]) == "trees 4" and first.common(first.rows[4]) == "640×480 · argmax"
    assert first.series_label(first.rows[4]) == "4" and second.rows[0].parts == ["640×480"]
    assert second.in_overview and not first.in_overview


def a_page_says_who_wins_where():
    page = page_of(by_trees())
    says(page, "<h1>A device</h1>", "compute</span> is the fastest in 2 of 3 settings, ", "fragment</span> in 1 (trees 1)",
         "; the next takes 2.25 times as long in the median, from 2.00 to 2.67.",
         "All 6 results that were compared equal those of <b>cpu</b>, bit for bit.")
    assert page.count("<tr data-id=") == 6 and page.count('class="line"') == 2 and 'class="ideal" d="M' not in page


def a_chart_shows_where_speculation_wins():
    def timed(shape, depth, technique, ms):
        made = row(f"records/shapes/by-depth/{shape}/depth-{depth}/records-9/{technique}", "shapes", technique, "depth", depth, ms)
        made["suite"], made["setting"]["shape"] = "records", shape
        return made

    times = {("chain", 2): (4.0, 9.0, 2.0), ("chain", 8): (3.0, 4.0, 6.0), ("balanced", 2): (2.0, 3.0, 4.0)}
    rows = [timed(*setting, technique, ms) for setting, three in times.items()
            for technique, ms in zip(("compute", "speculative", "windowed"), three)]
    page = page_of(document(rows))
    says(page, "<b>where speculation wins</b>", "Speculation is faster in 1 of 3 settings, by 2.00 times at most (windowed, chain",
         'class="reference"', "times as fast as compute", "depth-2/records-9/windowed: 2.00 times<", ">chain</text>")
    slower = page_of(document(rows[3:]))
    says(slower, "A record a lane is faster in all 2 settings.")
    assert "where speculation wins" not in page_of(document(rows[6:])) and "where speculation wins" not in page_of(by_trees())


def a_page_shows_limits_and_what_is_published():
    report = by_trees()
    for entry in report["rows"]:
        entry["bound"] = {"limit": "compute_buffer_loads", "ideal_ms": 0.5, "ratio": 2.5}
    report["rows"][5]["published"] = [PUBLISHED]
    report["limits"] = [
        {"limit": "compute_buffer_loads", "title": "coherent loads", "per_second": 2.3e12, "unit": "loads"},
        {"limit": "point_blends", "title": "points", "unit": "points", "skipped": "it does not blend"}]
    page = page_of(report)
    says(page, "<b>2.30 T</b> <small>loads</small>", "not measured: it does not blend",
         "The fastest takes 2.50 times the minimum of its limit in the median.",
         "<b>Sharp 2008</b> published 30.0 ms on GeForce 7900 GTX for evaluate", "10.0 times as fast.", 'class="name"')
    assert page.count('class="ideal" d="M') == 2


def dot_plots_show_what_has_no_series():
    report = document([row(f"pipeline/{stage}/640x480/{technique}", stage, technique, None, 0, ms)
                       for stage, ms in (("channels", 1), ("whole", 4)) for technique in ("cpu", "compute")])
    report["rows"][3]["published"] = [PUBLISHED, dict(PUBLISHED, who="Another")]
    page = page_of(report)
    says(page, "<b>every stage</b>", "a: Sharp 2008, GeForce 7900 GTX", "b: Another, GeForce 7900 GTX")
    assert page.count('class="wide"') == 1 and page.count('<g class="t8">') == 2


def what_differs_or_was_not_run_is_told():
    report = by_trees()
    report["rows"][0]["equals_cpu"] = False
    report["rows"][1].update(skipped="too little memory", device_ms=None)
    report["rows"][2].update(equals_cpu=None, unchecked="nothing to compare with")
    says(page_of(report), "1 results DIFFER from those of cpu.", "not run: too little memory",
         'title="nothing to compare with">not compared',
         "3 results that were compared equal those of <b>cpu</b>, bit for bit; 1 were not compared, 1 rows were not run")


def make_hostile(value, text):
    if isinstance(value, list):
        return [make_hostile(entry, text) for entry in value]
    if isinstance(value, dict):
        return {key: text + (entry if key == "id" else "") if isinstance(entry, str) and key != "format" else make_hostile(entry, text)
                for key, entry in value.items()}
    return value


def nothing_breaks_out_of_its_place():
    report = by_trees()
    report["rows"][0]["published"] = [PUBLISHED]
    report["rows"][1]["skipped"] = "why"
    report["limits"] = [{"limit": "a", "title": "b", "unit": "c", "skipped": "d"}]
    for text in ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "' onload='alert(1)",
                 "</style></title><b>&amp;", "<!--", "]]>", "{}{0}%s\\1\\n", "\U0001f332é/\u202e"):
        hostile = make_hostile(report, text)
        other = copy.deepcopy(hostile)
        other["rows"].append(row(text, text, text, text, 1, 1))
        other["shadewood"] += "x"
        path = store(hostile, text.replace("/", "_") + ".json")
        for page, rows in ((page_of(hostile), 6), (page_of(path, other), 6)):
            assert page.count("<script") == page.count("</script") == page.count("<style") == page.count("</style") == 1
            assert "<img" not in page and "<!--" not in page and '"><b>' not in page and page.count("<title>Shadewood") == 1
            assert page.count("<tr data-id=") == rows


def odd_reports_make_pages():
    """Names that do not follow the usual form, times without sense, more techniques than styles."""
    ids = ("", "/", "//////////////////////////", "pipeline/", "pipeline/evaluate", "pipeline/evaluate/by-x", "x", "cpu",
           "pipeline/evaluate/1x", "pipeline/evaluate/x1-2-3/cpu", "/cpu", "-")
    rows = [row(name, "evaluate", "cpu" if i % 2 else f"own {i}", "x" if i % 3 else None, i, {4: 1e17, 5: 1e-11}.get(i, i))
            for i, name in enumerate(ids)]
    rows += [row(f"pipeline/many/x-{i % 2 + 1}/technique {i // 2}", "many", f"technique {i // 2}", "x", i % 2 + 1, i + 1)
             for i in range(60)]
    report = dict(document(rows), device=None)
    page = page_of(report)
    says(page, "<h1>A processor</h1>", "<dt>device</dt><dd>none</dd>")
    assert page.count("<tr data-id=") == 72 and "nan" not in page and 'inf"' not in page
    for path in CORPUS.glob("*.json"):
        page_of(path)


def a_report_without_rows_makes_a_page():
    says(page_of(document([])), "how to read this", "<h1>A device</h1>")
    says(page_of(document([]), document([])), "Rows in both: 0.", "There is no regression.")
    least = {"format": "shadewood-bench", "version": 1, "shadewood": "", "date": "", "rows": []}
    says(page_of(least), "how to read this")


def a_comparison_judges_as_the_program_does():
    before, after = by_trees(), by_trees()
    for entry, factor in zip(after["rows"], (1.5, 0.5, 1.05, 1.12, 1, 1)):
        entry["device_ms"] = timing(entry["device_ms"]["median"] * factor)
    for report in (before, after):  # so wide that a change of 12 % is within noise
        report["rows"][3]["device_ms"]["q1"] *= 0.9
    after["rows"][3]["device_ms"]["q3"] *= 1.1
    after["rows"][4]["equals_cpu"] = False
    after["rows"][5].update(device_ms=None, skipped="it was <lost>")
    before["rows"].append(row("pipeline/a/cpu", "a", "cpu", None, 0, 1))
    after["rows"].append(row("pipeline/b/cpu", "b", "cpu", None, 0, 1))
    after["device"]["driver"] = "Driver 2"
    page = page_of(before, after)
    says(page, "There are regressions.", "The drivers differ: Driver 1; Driver 2.", "Rows in both: 6.",
         '"slower">1 slower</span> and <span class="faster">1 faster</span> by more than 10 %, 1 alike, 1 that differ by more, but '
         "within noise", "1 result is no longer that of cpu.", "not timed: it was &lt;lost&gt;",
         "<h2>Only in A</h2>\n<ul>\n<li><code>pipeline/a/cpu</code>", "<h2>Only in B</h2>\n<ul>\n<li><code>pipeline/b/cpu</code>")
    text = program("bench", "compare", "report0.json", "report1.json")
    assert text.returncode == 1
    says(text.stdout.decode(), "6 rows; 1 slower and 1 faster by more than 10 %, 1 alike, 1 that differ by more within noise, 1 not")
    for verdict in ("slower", "faster", "within noise", "no longer equals cpu"):
        assert page.count(f">{verdict}</td>") == 1, verdict
        says(text.stdout.decode(), verdict)
    says(page_of(before, after, options=("--threshold", "60")), "by more than 60 %")
    same = page_of(before, before)
    says(same, "There is no regression.", "B takes <b>1.00 times</b> as long as A in the geometric mean of 6 rows.")
    assert program("bench", "compare", "report0.json", "report0.json").returncode == 0


def slower_stages_are_regressions():
    before, after = by_trees(), by_trees()
    for report, factor in ((before, 1), (after, 1.3)):
        for entry in report["rows"]:
            entry["device_ms"] = dict(timing(entry["device_ms"]["median"] * factor), q1=0, q3=1e6)
    says(page_of(before, after), "There are regressions.", "6 that differ by more", "evaluate is slower as a whole: 1.300 times.")


def the_page_of_a_real_run():
    result = program("bench", "pipeline", "--size", "32x24", "--runs", "2", "--seconds", "1", "-q", "--json", "run.json")
    assert result.returncode == 0, result.stderr
    page = page_of(pathlib.Path("run.json"))
    rows = json.loads(pathlib.Path("run.json").read_text(encoding="utf-8"))["rows"]
    assert page.count("<tr data-id=") == len(rows) > 0
    says(page, 'class="wide"', f"All {sum(row['equals_cpu'] is True for row in rows)} results that were compared equal")


def the_same_reports_give_the_same_bytes():
    for paths in ([CORPUS / "two-techniques.json"], [CORPUS / "odd.json", CORPUS / "two-techniques.json"]):
        pages = {run(SCRIPT, *paths, env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "1", "2")}
        assert len(pages) == 1 and pages.pop() == page_of(*paths).encode()


def nothing_comes_from_a_network():
    page = page_of(by_trees())
    assert page.count("http") == page.count("http://www.w3.org/2000/svg") + page.count("http-equiv")
    assert "url(" not in page and "@import" not in page
    says(page, "default-src 'none'", "prefers-color-scheme: dark")


def files_that_are_no_reports_are_refused():
    def changed(**members):
        return dict(by_trees(), **members)

    def with_row(**members):
        report = by_trees()
        report["rows"][2].update(members)
        return report

    refuses("", "is not JSON: line 1, column 1")
    refuses('{"format": "shadewood-bench",\n "version": 1,,}', "is not JSON: line 2, column 15")
    refuses("[" * 100000, "is nested too deeply")
    refuses("[]", 'its "format" is not "shadewood-bench"')
    refuses(changed(format="x"), 'its "format" is not "shadewood-bench"')
    refuses(changed(version=True), '"version" is not a positive integer')
    refuses(changed(version=2), "is a report of version 2, by a newer Shadewood")
    refuses(changed(rows={}), '"rows" is not a list')
    refuses(changed(date=None), '"date" is not a string')
    refuses(changed(device={"driver": "x"}), '"device.name" is missing')
    refuses(changed(limits=[3]), '"limits[0]" is not an object')
    refuses(with_row(id="a\nb"), '"rows[2].id" is not one line')
    refuses(with_row(stage="x" * 4097), '"rows[2].stage" is not one line')
    refuses(with_row(setting={"a": [1]}), '"rows[2].setting.a" is not a number')
    refuses(with_row(device_ms=timing(-1)), '"rows[2].device_ms.median" is negative')
    refuses(with_row(device_ms=timing(1e300)), "is not between 1e-12 and 1e18")
    refuses(with_row(equals_cpu=1), "is neither true nor false nor null")
    refuses(with_row(bound=7), '"rows[2].bound" is neither an object nor null')
    refuses(with_row(published=65 * [PUBLISHED]), "has more than 64 entries")
    refuses(with_row(id=by_trees()["rows"][0]["id"]), "occurs twice")
    refuses(json.dumps(by_trees()).replace("2026", "\\ud800"), '"date" is not one line')
    refuses(json.dumps(by_trees()).replace('"rows"', '"rows": [], "rows"'), "two members of the same name")
    refuses(json.dumps(with_row(x="~")).replace('"~"', "NaN"), "NaN is not a number of JSON")
    path = pathlib.Path("latin.json")
    path.write_bytes(json.dumps(by_trees()).encode().replace(b"A device", b"\xe9"))
    refuses(path, "is not UTF-8")
    pathlib.Path("folder").mkdir()
    result = run(SCRIPT, "folder")
    assert result.returncode == 2 and result.stderr == b"bench-page.py: cannot read folder: Is a directory\n", result
    result = run(SCRIPT, "missing.json")
    assert result.returncode == 2 and result.stderr == b"bench-page.py: cannot read missing.json: No such file or directory\n", result
    for arguments in ((), ("a", "b", "c"), ("--threshold", "-1", "a", "b"), ("--html", "a")):
        assert run_script(*arguments).returncode == 2, arguments


def pages_are_written_whole_or_not_at_all():
    report, folder = store(by_trees()).resolve(), pathlib.Path("out")
    folder.mkdir()
    page = folder / "page.html"
    page.write_text("before")
    result = run(SCRIPT, report, "-o", page)
    assert (result.returncode, result.stderr) == (2, b"bench-page.py: out/page.html exists, and is not a page of this program: "
                                                  b"choose another name, or replace it with --overwrite\n"), result
    assert page.read_text() == "before"
    before = report.read_bytes()
    for name in (report, os.path.relpath(report, "out/..")):
        result = run(SCRIPT, report, "-o", name, "--overwrite")
        assert result.returncode == 2 and result.stderr.count(b"\n") == 1 and b"would be overwritten" in result.stderr, result
    assert report.read_bytes() == before
    store({}, "bad.json")
    assert run(SCRIPT, "bad.json", "-o", page).returncode == 2 and page.read_text() == "before"
    result = run("sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "sh", SCRIPT, report, "-o", page, "--overwrite")
    assert result.returncode == 2 and result.stderr.count(b"\n") == 1 and b"cannot write out/page.html: " in result.stderr, result
    assert page.read_text() == "before" and os.listdir(folder) == ["page.html"]
    assert run("sh", "-c", 'umask 027; exec "$@"', "sh", SCRIPT, report, "-o", page, "--overwrite").returncode == 0
    assert page.read_text(encoding="utf-8").endswith("</html>\n") and os.listdir(folder) == ["page.html"]
    assert page.stat().st_mode & 0o777 == 0o640
    whole = page.read_bytes()
    killed = "import os, runpy, sys; os.fsync = lambda file: os.kill(os.getpid(), 9); sys.argv = sys.argv[1:]; " \
             "runpy.run_path(sys.argv[0], run_name='__main__')"
    for _ in range(2):
        assert run(sys.executable, "-B", "-c", killed, SCRIPT, report, "-o", page).returncode == -9
        assert page.read_bytes() == whole and len(os.listdir(folder)) == 2
    assert run(SCRIPT, report, "-o", page).returncode == 0
    assert os.listdir(folder) == ["page.html"] and page.read_bytes() == whole
    assert run(SCRIPT, report).stdout == page.read_bytes()
    result = run(SCRIPT, report, "-o", "nowhere/page.html")
    assert (result.returncode, result.stderr) == (2, b"bench-page.py: cannot write nowhere/page.html: No such file or directory\n")
    result = run("sh", "-c", 'exec "$@" >/dev/full', "sh", SCRIPT, report)
    assert result.returncode == 2 and result.stderr.count(b"\n") == 1, result


def the_installed_script_has_its_files():
    result = run("cmake", "--install", BUILD, "--component", "bench_page", "--prefix", "prefix")
    assert result.returncode == 0, result
    installed = list(pathlib.Path("prefix").rglob("shadewood-bench-page"))
    assert len(installed) == 1 and len(list(pathlib.Path("prefix").rglob("page.css"))) == 1
    result = run(installed[0], CORPUS / "two-techniques.json")
    assert result.returncode == 0 and result.stdout == run(SCRIPT, CORPUS / "two-techniques.json").stdout, result
    assert run(installed[0], "missing.json").stderr.startswith(b"shadewood-bench-page: ")


def the_program_names_the_script():
    for arguments in (("bench", "--html", "x"), ("bench", "--html=x"), ("bench", "compare", "--html", "x", "a", "b")):
        result = program(*arguments)
        assert result.returncode == 2 and result.stderr.count(b"\n") == 1 and b"shadewood-bench-page" in result.stderr, result
    assert b"shadewood-bench-page" not in program("bench", "--htm").stderr


TESTS = (numbers_have_three_digits, long_labels_are_cut, axes_hold_their_values_and_have_ticks, rows_are_grouped,
         a_page_says_who_wins_where, a_chart_shows_where_speculation_wins, a_page_shows_limits_and_what_is_published, dot_plots_show_what_has_no_series,
         what_differs_or_was_not_run_is_told, nothing_breaks_out_of_its_place, odd_reports_make_pages,
         a_report_without_rows_makes_a_page, a_comparison_judges_as_the_program_does, slower_stages_are_regressions,
         the_page_of_a_real_run, the_same_reports_give_the_same_bytes, nothing_comes_from_a_network,
         files_that_are_no_reports_are_refused, pages_are_written_whole_or_not_at_all, the_installed_script_has_its_files,
         the_program_names_the_script)


def main():
    failures = 0
    for number, test in enumerate(TESTS, 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                test()
                print(f"ok {number} - {test.__name__.replace('_', ' ')}", flush=True)
            except Exception:
                failures += 1
                print(f"not ok {number} - {test.__name__.replace('_', ' ')}")
                print("".join(f"# {line[:2000]}\n" for line in traceback.format_exc().splitlines()), end="", flush=True)
            os.chdir("/")
    print(f"1..{len(TESTS)}")
    return 1 if failures else 0


sys.exit(main())
