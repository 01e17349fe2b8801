#!/usr/bin/env python3
"""Trains forests of several seeds for each of a list of settings, measures them, and prints the accuracy as tables in Markdown,
mean ± sample standard deviation in percent.

usage: accuracy-table.py [--shadewood PROGRAM] [--seeds N] [--jobs N] [--classes] SETTINGS FOLDER

SETTINGS is a text file with a section for each setting, which has up to three lines of options of shadewood: `both` for train and
evaluate, `train` and `evaluate`. Those of the section [all], if there is one, come first in every setting. $NAME stands for a
variable of the environment, such as a folder of data. Lines that begin with # are comments.

    [all]
    both = --data $SCENES
    train = --trees 3 --depth 12 --split $SCENES/train.txt
    evaluate = --split $SCENES/test.txt

    [colour]
    train = --channels lab

    [filter bank]
    train = --channels winn17

A line `forests = NAME` instead of `train` takes the forests of another setting, to measure them on other data.

Options that some settings share are sections [set NAME], and `set = NAME, NAME` in a setting takes them, after those of [all]. A
section [table TITLE] begins another table, of the settings after it; its line `head = DATA; SCORE` names columns, and the names of
settings are divided among them at semicolons:

    [set scenes]
    both = --data $SCENES

    [table Scores]
    head = data; score

    [scenes; gini]
    set = scenes
    train = --score gini

FOLDER gets a folder for each setting, with the forests. What is in it already is not done again, and an interrupted training is
continued, so the same command finishes what was begun, and with more --seeds adds to it. Options of a setting that has forests may
not change, except those of evaluate. With --background among these, the table has the variants of accuracy; with --classes, a
second table has the accuracy of each class. --jobs trains and evaluates N forests at a time; times are then of a busy machine. Data
is not looked at: where it changes, remove the folder."""
import argparse
import concurrent.futures
import configparser
import json
import os
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

EVERYWHERE = "all"
SET = "set "
TABLE = "table "
OPTIONS = ("both", "train", "evaluate")
KEYS = (*OPTIONS, "forests", "set")
VARIANTS = {"all": "all pixels", "without_background": "without background", "without_void": "without void"}


def fail(text):
    sys.exit(f"accuracy-table: {text}")


class Setting:
    """A row of a table. Options are lists of words as they are written, with variables. `source` is the setting whose
    forests are measured, mostly itself."""

    def __init__(self, name, lines, folder):
        self.name = name
        words = {}
        for key in OPTIONS:
            try:
                words[key] = shlex.split(" ".join(lines.get(key, [])))
            except ValueError as error:
                fail(f"[{name}] {key}: {error}")
        self.train = words["both"] + words["train"]
        self.evaluate = words["both"] + words["evaluate"]
        self.source = self
        self.folder = folder / re.sub(r"[^\w.+-]+", "-", name).strip("-.")

    def forest(self, seed):
        return self.source.folder / f"seed{seed}.ktx2"

    def record(self, seed):
        return self.source.folder / f"seed{seed}.json"


class Table:
    """Its heads are the first columns, which the names of its settings fill."""

    def __init__(self, title, head):
        self.title = title
        self.heads = split_cells(head)
        self.settings = []


def split_cells(text):
    return [cell.strip() for cell in text.split(";")]


def keys_of(section):
    if section == EVERYWHERE or section.startswith(SET):
        return OPTIONS
    return ("head",) if section.startswith(TABLE) else KEYS


def parse(path):
    parser = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None, default_section="")
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        fail(f"{path}: {' '.join(str(error).split())}")
    for section in parser.sections():
        for key in parser[section]:
            if key not in keys_of(section):
                fail(f"{path}: [{section}] has '{key}', which is none of {', '.join(keys_of(section))}")
    return parser


def make_setting(path, parser, name, folder):
    """With the lines of [all], of its sets and its own."""
    own = parser[name]
    shared = [parser[EVERYWHERE]] if EVERYWHERE in parser else []
    for taken in own["set"].split(",") if "set" in own else ():
        if SET + taken.strip() not in parser:
            fail(f"{path}: [{name}] takes the options of '{taken.strip()}', which is no set")
        shared.append(parser[SET + taken.strip()])
    return Setting(name, {key: [lines.get(key, "") for lines in (*shared, own)] for key in OPTIONS}, folder)


def read_tables(path, folder):
    parser = parse(path)
    tables = [Table("", "setting")]
    for section in parser.sections():
        if section.startswith(TABLE):
            tables.append(Table(section[len(TABLE):], parser[section].get("head", "setting")))
        elif section != EVERYWHERE and not section.startswith(SET):
            tables[-1].settings.append(make_setting(path, parser, section, folder))
    tables = [table for table in tables if table.settings]
    if not tables:
        fail(f"{path}: there is no setting")
    for table in tables:
        for setting in table.settings:
            if len(table.heads) > 1 and len(split_cells(setting.name)) != len(table.heads):
                fail(f"{path}: [{setting.name}] has {len(split_cells(setting.name))} cells, the head of its table {len(table.heads)}")
    settings = [setting for table in tables for setting in table.settings]
    check_folders(path, settings, folder)
    trained = {setting.name: setting for setting in settings if "forests" not in parser[setting.name]}
    for setting in settings:
        take_source(path, setting, trained, parser[setting.name])
    return tables


def check_folders(path, settings, folder):
    for number, setting in enumerate(settings):
        if setting.folder == folder:
            fail(f"{path}: [{setting.name}] has no letter or digit for the name of a folder")
        for other in settings[:number]:
            if other.folder == setting.folder:
                fail(f"{path}: [{other.name}] and [{setting.name}] would have the same folder {setting.folder}")


def take_source(path, setting, trained, section):
    if "forests" not in section:
        return
    if section["forests"] not in trained:
        fail(f"{path}: [{setting.name}] takes the forests of '{section['forests']}', which is no setting that is trained")
    if "train" in section:
        fail(f"{path}: [{setting.name}] has both train and forests")
    setting.source = trained[section["forests"]]


def expand(words):
    expanded = [os.path.expandvars(word) for word in words]
    for word in expanded:
        if re.search(r"\$(\w|\{)", word):
            fail(f"'{word}': there is no such variable in the environment")
    return expanded


def read_json(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")


def write_json(path, document):
    """Whole or not at all."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    part.replace(path)


def run(program, command, words):
    """An interrupt reaches the program, too, which saves its checkpoint; only the main thread, which is another, is interrupted."""
    process = subprocess.run([program, command, *words, "--quiet", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             check=False)
    if process.returncode != 0:
        fail(process.stderr.strip().splitlines()[-1] if process.stderr.strip() else f"{command} ended with {process.returncode}")
    return json.loads(process.stdout)


def prepare(setting):
    """The setting's folder, which must be of the same options."""
    try:
        setting.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot create the folder {setting.folder}: {error.strerror}")
    if setting.source is not setting:
        return
    path = setting.folder / "options.json"
    before = read_json(path)
    if before is None or not (list(setting.folder.glob("seed*.ktx2")) or list(setting.folder.glob("seed*.checkpoint"))):
        write_json(path, setting.train)
    elif before != setting.train:
        fail(f"[{setting.name}] is trained with {shlex.join(setting.train)}, but {setting.folder} has forests trained with "
             f"{shlex.join(before)}: remove it, or name another folder")


def train(program, setting, seed):
    forest, checkpoint = setting.forest(seed), setting.folder / f"seed{seed}.checkpoint"
    if forest.exists():
        return
    print(f"accuracy-table: {setting.name}: training seed {seed}", file=sys.stderr, flush=True)
    resumed = checkpoint.exists()
    result = run(program, "train", [*expand(setting.train), "--seed", str(seed), "--checkpoint", str(checkpoint), "--resume",
                                    "--output", str(forest)])
    if resumed:
        del result["seconds"]  # which are those of the last part
    write_json(setting.record(seed), result)


def measure(program, setting, seeds):
    """What evaluate says of the setting's forests; again only if they or the options are others."""
    path = setting.folder / "accuracy.json"
    forests = [setting.forest(seed) for seed in range(seeds)]
    key = {"options": setting.evaluate, "source": setting.source.name, "times": [forest.stat().st_mtime_ns for forest in forests]}
    known = read_json(path)
    if known is not None and known["key"] == key:
        return known["result"]
    print(f"accuracy-table: {setting.name}: evaluating", file=sys.stderr, flush=True)
    result = run(program, "evaluate", [*expand(setting.evaluate), *map(str, forests)])
    write_json(path, {"key": key, "result": result})
    return result


def cell(result, *path):
    """A measure in percent: mean ± deviation, "-" for what is not defined."""
    texts = []
    for value in (result.get("mean", result), result.get("deviation")):
        for part in path:
            value = value[part] if value is not None else None
        texts.append("-" if value is None else f"{100 * value:.2f}")
    return " ± ".join(texts)


def seconds(setting, seeds):
    """The median training time of the forests that were trained without an interruption."""
    records = [read_json(setting.record(seed)) or {} for seed in range(seeds)]
    times = [record["seconds"] for record in records if "seconds" in record]
    return f"{statistics.median(times):.1f} s" if times else "-"


def print_row(cells):
    print("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |")


def print_table(head, rows):
    print_row(head)
    print("|" + "---|" * len(head))
    for row in rows:
        print_row(row)


def labelling(result):
    """The median over forests of an image's time, from its pixels to its classes."""
    forests = result.get("forests", [result])
    return f"{statistics.median(1000 * forest['labelling_seconds'] / forest['images'] for forest in forests):.1f} ms"


def print_accuracy(table, results, seeds):
    variants = all("variants" in result.get("mean", result) for result in results)
    head, paths = [*table.heads], []
    for key, name in VARIANTS.items() if variants else ():
        head += [f"{name}: pixels", "mean of classes"]
        paths += [("variants", key, "pixel_accuracy"), ("variants", key, "mean_class_accuracy")]
    if not variants:
        head += ["pixels", "mean of classes"]
        paths += [("pixel_accuracy",), ("mean_class_accuracy",)]
    rows = []
    for setting, result in zip(table.settings, results):
        names = split_cells(setting.name) if len(table.heads) > 1 else [setting.name]
        rows.append([*names, *(cell(result, *path) for path in paths), cell(result, "mean_iou"), seconds(setting, seeds),
                     labelling(result)])
    print_table(head + ["mean IoU", "training", "labelling"], rows)


def print_classes(settings, results):
    names = []
    for result in results:
        names += [entry["name"] for entry in result.get("mean", result)["classes"] if entry["name"] not in names]
    rows = []
    for name in names:
        row = [name]
        for result in results:
            classes = [entry["name"] for entry in result.get("mean", result)["classes"]]
            row.append(cell(result, "classes", classes.index(name), "accuracy") if name in classes else "")
        rows.append(row)
    print_table(["class", *(setting.name for setting in settings)], rows)


def print_tables(tables, results, options):
    for number, table in enumerate(tables):
        own = [results[setting.name] for setting in table.settings]
        if number > 0:
            print()
        if table.title:
            print(f"{table.title}\n")
        print_accuracy(table, own, options.seeds)
        if options.classes:
            print()
            print_classes(table.settings, own)


def work(options, settings):
    """Trains and measures; results by name."""
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        try:
            trained = [pool.submit(train, options.shadewood, setting, seed) for setting in settings if setting.source is setting
                       for seed in range(options.seeds)]
            for future in trained:
                future.result()
            measured = [pool.submit(measure, options.shadewood, setting, options.seeds) for setting in settings]
            return {setting.name: future.result() for setting, future in zip(settings, measured)}
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--shadewood", default="build/release/shadewood", metavar="PROGRAM")
    parser.add_argument("--seeds", type=int, default=5, metavar="N")
    parser.add_argument("--jobs", type=int, default=1, metavar="N")
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("settings", type=pathlib.Path, metavar="SETTINGS")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.seeds < 1 or options.jobs < 1:
        fail("--seeds and --jobs are at least 1")
    tables = read_tables(options.settings, options.folder)
    settings = [setting for table in tables for setting in table.settings]
    for setting in settings:  # so that what is wrong is known before hours of training
        expand((setting.train if setting.source is setting else []) + setting.evaluate)
        prepare(setting)
    try:
        results = work(options, settings)
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        fail("interrupted; the same command continues")
    print_tables(tables, results, options)


if __name__ == "__main__":
    main()
