"""Reports of `shadewood bench --json`: everything that a page reads is checked first."""

import json
import re

from .text import printable

# As in the program.
FILE_BYTES_MAX = 64 << 20
ROWS_MAX = 100000
TEXT_BYTES_MAX = 4096
PUBLISHED_MAX = 64


class Failure(Exception):
    """Ends the program with one line."""


class Wrong(Exception):
    """What is wrong in a document, and where."""


def check_text(value, place):
    if not isinstance(value, str):
        raise Wrong(place, "is not a string")
    if re.search("[\0-\x1f\x7f-\x9f\ud800-\udfff]", value) or len(value.encode()) > TEXT_BYTES_MAX:
        raise Wrong(place, "is not one line of at most 4096 bytes without control characters")


def check_number(value, place):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Wrong(place, "is not a number")
    if value < 0:
        raise Wrong(place, "is negative")
    if value != 0 and not 1e-12 <= value <= 1e18:  # so that quotients are finite
        raise Wrong(place, "is not between 1e-12 and 1e18")


def check_boolean(value, place):
    if value is not None and not isinstance(value, bool):
        raise Wrong(place, "is neither true nor false nor null")


def check_setting(value, place):
    if not isinstance(value, dict):
        raise Wrong(place, "is not an object")
    for key, entry in value.items():
        check_text(key, place)
        (check_text if isinstance(entry, str) else check_number)(entry, f"{place}.{key}")


def check_samples(value, place):
    if not isinstance(value, list):
        raise Wrong(place, "is not a list")
    for entry in value:
        check_number(entry, place)


def check_members(value, place, members):
    for key, check in members.items():
        optional, key = key.endswith("?"), key.rstrip("?")
        inner = f"{place}.{key}" if place else key
        if key in value:
            check(value[key], inner)
        elif not optional:
            raise Wrong(inner, "is missing")


def members_or_null(members):
    def check(value, place):
        if value is not None and not isinstance(value, dict):
            raise Wrong(place, "is neither an object nor null")
        check_members(value or {}, place, members if value is not None else {})
    return check


def list_of(members, most=ROWS_MAX):
    def check(value, place):
        if not isinstance(value, list):
            raise Wrong(place, "is not a list")
        if len(value) > most:
            raise Wrong(place, f"has more than {most} entries")
        for i, entry in enumerate(value):
            if not isinstance(entry, dict):
                raise Wrong(f"{place}[{i}]", "is not an object")
            check_members(entry, f"{place}[{i}]", members)
    return check


TIMING = members_or_null({"median": check_number, "min": check_number, "max": check_number, "q1": check_number,
                          "q3": check_number, "runs": check_number, "samples?": check_samples})
ROW = {
    "id": check_text, "suite": check_text, "stage": check_text, "technique": check_text, "custom?": check_boolean,
    "title?": check_text, "series?": check_text, "setting?": check_setting, "device_ms?": TIMING, "wall_ms?": TIMING,
    "throughput?": members_or_null({"per_second": check_number, "unit": check_text, "in_flight?": check_number}),
    "work?": members_or_null({"amount": check_number, "unit": check_text}),
    "bound?": members_or_null({"limit": check_text, "ideal_ms": check_number, "ratio?": check_number}),
    "equals_cpu?": check_boolean, "unchecked?": check_text, "skipped?": check_text,
    "published?": list_of({"who": check_text, "hardware": check_text, "ms": check_number, "where?": check_text},
                          PUBLISHED_MAX)}
LIMIT = {"limit": check_text, "title?": check_text, "per_second?": check_number, "unit": check_text,
         "device_ms?": TIMING, "wall_ms?": TIMING, "skipped?": check_text}
DOCUMENT = {
    "shadewood": check_text, "date": check_text, "command?": check_text,
    "host?": members_or_null({"processor?": check_text, "processors?": check_number, "system?": check_text}),
    "device?": members_or_null({"name": check_text, "driver": check_text, "api_version?": check_text,
                                "is_cpu?": check_boolean, "memory_bytes?": check_number,
                                "timestamp_period_ns?": check_number, "subgroup_size?": check_number}),
    "limits?": list_of(LIMIT), "rows": list_of(ROW)}


def object_of(pairs):
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("an object has two members of the same name")
    return made


def refuse_constant(name):
    raise ValueError(f"{name} is not a number of JSON")


def parse(data, name):
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=object_of, parse_constant=refuse_constant)
    except UnicodeDecodeError as error:
        raise Failure(f"{name} is not JSON: it is not UTF-8 at byte {error.start}") from None
    except json.JSONDecodeError as error:
        raise Failure(f"{name} is not JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Failure(f"{name} is not JSON that can be read: it is nested too deeply") from None
    except ValueError as error:
        raise Failure(f"{name} is not JSON: {error}") from None


def load(path):
    name = printable(path)
    try:
        with open(path, "rb") as file:
            data = file.read(FILE_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        raise Failure(f"cannot read {name}: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > FILE_BYTES_MAX:
        raise Failure(f"cannot read {name}: it is larger than 64 MiB")
    document = parse(data, name)
    if not isinstance(document, dict) or document.get("format") != "shadewood-bench":
        raise Failure(f"{name} is not a report of 'shadewood bench --json': its \"format\" is not \"shadewood-bench\"")
    version = document.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise Failure(f"{name}: \"version\" is not a positive integer")
    if version != 1:
        raise Failure(f"{name} is a report of version {version}, by a newer Shadewood; this script reads version 1")
    try:
        check_members(document, "", DOCUMENT)
    except Wrong as wrong:
        place, what = wrong.args
        raise Failure(f"{name}: \"{printable(place)[:200]}\" {what}") from None
    seen = set()
    for row in document["rows"]:
        if row["id"] in seen:
            raise Failure(f"{name}: the id {printable(row['id'])[:200]} occurs twice")
        seen.add(row["id"])
    return document


def text_of(value, key):
    """A member of an object; "" if there is none of that type. `value` may be None; so below."""
    found = value.get(key) if value else None
    return found if isinstance(found, str) else ""


def number_of(value, key):
    found = value.get(key) if value else None
    return float(found) if isinstance(found, (int, float)) else 0.0


def timing_of(row):
    """By the device's clock if the row has it, otherwise by the host's; None if it was not timed."""
    return next((row[clock] for clock in ("device_ms", "wall_ms") if number_of(row.get(clock), "median") > 0), None)
