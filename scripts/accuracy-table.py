#!/usr/bin/env python3
"""Trains forests of several seeds for each of a list of settings, measures them, and prints the accuracy as a table in Markdown,
mean ± sample standard deviation in percent.

usage: accuracy-table.py [--shadewood PROGRAM] [--seeds N] [--classes] SETTINGS FOLDER

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

FOLDER gets a folder for each setting, with the forests. What is in it already is not done again, and an interrupted training is
continued, so the same command finishes what was begun, and with more --seeds adds to it. Options of a setting that has forests may
not change, except those of evaluate. With --background among these, the table has the variants of accuracy; with --classes, a
second table has the accuracy of each class. Data is not looked at: where it changes, remove the folder."""
import argparse
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
OPTIONS = ("both", "train", "evaluate")
KEYS = (*OPTIONS, "forests")
VARIANTS = {"all": "all pixels", "without_background": "without background", "without_void": "without void"}


def fail(text):
    sys.exit(f"accuracy-table: {text}")


class Setting:
    """One row of the table. Options are lists of words as they are written, with variables. `source` is the setting whose
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


def read_settings(path, folder):
    parser = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None, default_section="")
    try:
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
    except (OSError, UnicodeDecodeError, configparser.Error) as error:
        fail(f"{path}: {' '.join(str(error).split())}")
    for section in parser.sections():
        keys = KEYS if section != EVERYWHERE else OPTIONS
        for key in parser[section]:
            if key not in keys:
                fail(f"{path}: [{section}] has '{key}', which is none of {', '.join(keys)}")
    common = dict(parser[EVERYWHERE]) if EVERYWHERE in parser else {}
    settings = [Setting(name, {key: [common.get(key, ""), parser[name].get(key, "")] for key in OPTIONS}, folder)
                for name in parser.sections() if name != EVERYWHERE]
    if not settings:
        fail(f"{path}: there is no setting")
    for number, setting in enumerate(settings):
        if setting.folder == folder:
            fail(f"{path}: [{setting.name}] has no letter or digit for the name of a folder")
        for other in settings[:number]:
            if other.folder == setting.folder:
                fail(f"{path}: [{other.name}] and [{setting.name}] would have the same folder {setting.folder}")
    trained = {setting.name: setting for setting in settings if "forests" not in parser[setting.name]}
    for setting in settings:
        take_source(path, setting, trained, parser[setting.name])
    return settings


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
    with subprocess.Popen([program, command, *words, "--quiet", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as process:
        try:
            output, errors = process.communicate()
        except KeyboardInterrupt:
            process.communicate()  # it is told, too, and saves its checkpoint
            raise
    if process.returncode != 0:
        fail(errors.strip().splitlines()[-1] if errors.strip() else f"{command} ended with {process.returncode}")
    return json.loads(output)


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


def print_accuracy(settings, results, seeds):
    variants = all("variants" in result.get("mean", result) for result in results)
    head, paths = ["setting"], []
    for key, name in VARIANTS.items() if variants else ():
        head += [f"{name}: pixels", "mean of classes"]
        paths += [("variants", key, "pixel_accuracy"), ("variants", key, "mean_class_accuracy")]
    if not variants:
        head += ["pixels", "mean of classes"]
        paths += [("pixel_accuracy",), ("mean_class_accuracy",)]
    print_table(head + ["mean IoU", "training"],
                [[setting.name, *(cell(result, *path) for path in paths), cell(result, "mean_iou"), seconds(setting, seeds)]
                 for setting, result in zip(settings, results)])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS)
    parser.add_argument("--shadewood", default="build/release/shadewood", metavar="PROGRAM")
    parser.add_argument("--seeds", type=int, default=5, metavar="N")
    parser.add_argument("--classes", action="store_true")
    parser.add_argument("settings", type=pathlib.Path, metavar="SETTINGS")
    parser.add_argument("folder", type=pathlib.Path, metavar="FOLDER")
    options = parser.parse_args()
    if options.seeds < 1:
        fail("--seeds is at least 1")
    settings = read_settings(options.settings, options.folder)
    for setting in settings:  # so that what is wrong is known before hours of training
        expand((setting.train if setting.source is setting else []) + setting.evaluate)
        prepare(setting)
    try:
        for setting in (setting for setting in settings if setting.source is setting):
            for seed in range(options.seeds):
                train(options.shadewood, setting, seed)
        results = [measure(options.shadewood, setting, options.seeds) for setting in settings]
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    except KeyboardInterrupt:
        fail("interrupted; the same command continues")
    print_accuracy(settings, results, options.seeds)
    if options.classes:
        print()
        print_classes(settings, results)


if __name__ == "__main__":
    main()
