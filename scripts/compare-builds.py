#!/usr/bin/env python3
"""Compares the speed of two builds: shadewood bench by both, and again, in turns, for rows that became slower.

usage: compare-builds.py [--slower 1.05] [--repeats 5] [--out FOLDER] OLD NEW SUITE... [--technique LIST] [BENCH-OPTION...]

OLD and NEW are programs `shadewood`; suites and options are those of `shadewood bench`. Prints the geometric mean of the quotients
new / old of all rows that both have, for each suite and in all, and each row whose quotient exceeds the limit. The suites and
techniques of such rows are measured again, old and new in turns; then the median of their quotients counts. Times are those of the
device's clock where both have it, else the wall clock's medians. Ends with 1 if the geometric mean of a suite exceeds 1.00 or a row the limit."""
import argparse
import json
import math
import pathlib
import statistics
import subprocess
import sys


def measure(program, arguments, path):
    """One run of the bench: milliseconds by row, and the clock that they are from."""
    result = subprocess.run([program, "bench", "--quiet", "--json", str(path), *arguments],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if not path.exists():
        sys.exit(f"compare-builds: {program} bench {' '.join(arguments)}: {result.stderr.strip()}")
    with open(path, encoding="utf-8") as file:
        return {row["id"]: row for row in json.load(file)["rows"]}


def quotient(old, new):
    """New / old of one row; None where either has no times."""
    for clock in ("device_ms", "wall_ms"):
        if old.get(clock) and new.get(clock) and old[clock]["median"] > 0:
            return new[clock]["median"] / old[clock]["median"]
    return None


def compare(options, number, suites, techniques):
    """Quotients by row, from one run of each build; `techniques` may be None for all."""
    arguments = [*suites, *options.options, *(["--technique", ",".join(sorted(techniques))] if techniques else [])]
    old = measure(options.old, arguments, options.out / f"old{number}.json")
    new = measure(options.new, arguments, options.out / f"new{number}.json")
    quotients = {row: quotient(old[row], new[row]) for row in old.keys() & new.keys()}
    return {row: (old[row], value) for row, value in quotients.items() if value is not None}


def report(quotients, slower):
    """Prints means and slow rows; returns whether all is well."""
    good = True
    suites = sorted({row["suite"] for row, _ in quotients.values()})
    for suite in suites + (["all"] if len(suites) > 1 else []):
        logs = [math.log(value) for row, value in quotients.values() if suite in (row["suite"], "all")]
        mean = math.exp(sum(logs) / len(logs))
        good = good and mean <= 1.0
        print(f"{suite:12} {len(logs):4} rows, geometric mean of new / old {mean:.3f}")
    for row, (_, value) in sorted(quotients.items(), key=lambda item: -item[1][1]):
        if value > slower:
            good = False
            print(f"  {value:.3f}  {row}")
    return good


def main():
    parser = argparse.ArgumentParser(description="Compares the speed of two builds by shadewood bench.")
    parser.add_argument("--slower", type=float, default=1.05, help="rows above this quotient are repeated (1.05)")
    parser.add_argument("--repeats", type=int, default=5, help="how often, old and new in turns (5)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("compare-builds"), help="folder for the JSON")
    parser.add_argument("--technique", help="only these techniques, separated by commas")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("suites", nargs="+", metavar="suite")
    options, options.options = parser.parse_known_args()
    options.out.mkdir(parents=True, exist_ok=True)
    quotients = compare(options, 0, options.suites, options.technique.split(",") if options.technique else None)
    if not quotients:
        sys.exit("compare-builds: the two runs have no row with times in common")
    good = report(quotients, options.slower)
    slow = {name for name, (_, value) in quotients.items() if value > options.slower}
    if slow and options.repeats > 0:
        suites = sorted({quotients[name][0]["suite"] for name in slow})
        techniques = {quotients[name][0]["technique"] for name in slow}
        again = [compare(options, number, suites, techniques) for number in range(1, options.repeats + 1)]
        for row in slow:
            values = [run[row][1] for run in again if row in run]
            quotients[row] = (quotients[row][0], statistics.median(values)) if values else quotients[row]
        print(f"\nafter {options.repeats} repetitions of the slow rows, in turns:")
        good = report(quotients, options.slower)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
