#!/usr/bin/env python3
"""Compares the public structs, enumerators, functions and macros with those that are recorded in tests/abi/public.txt.

usage: scripts/abi.py [--record [--unreleased] | --release] [--compiler CC] [--include FOLDER] [--recorded FILE]
                      [--released FOLDER] [--symbols FILE]

Without --record: exit code 0 if nothing has changed, otherwise 1 and what has. What was there and is gone or different is
incompatible: SHW_VERSION_MINOR (shadewood/version.h) then has to be another one than that of the record. What is new is
not, nor is the value of a macro that ends in _COUNT, or of SHW_LOG_ITEM_COUNT: arrays of that size show in structs.

--record writes the record and, if something incompatible has changed, a new SHW_ABI to shadewood/version.h. It refuses
an incompatible change under the recorded version, unless --unreleased says that nobody has that version yet. It also
writes the table of symbols of the Debian package, debian/libshadewood*.symbols: each with the version that it came with.

--release notes that the version of the headers is given to others: the record becomes tests/abi/released/MINOR.txt. From
then on, versions of that minor number only add: anything else that differs from that file is refused, --unreleased or not,
and what is new needs another SHW_VERSION_PATCH.

The layout is read from the compiler's debugging information: this needs a C compiler and readelf.
"""

import argparse
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from public_headers import INCLUDE, ROOT, Headers, run  # noqa: E402

# The names that GCC gives to basic types, for those of clang.
BASIC = {"unsigned long": "long unsigned int", "long": "long int", "unsigned short": "short unsigned int",
         "short": "short int", "long long": "long long int", "unsigned long long": "long long unsigned int",
         "bool": "_Bool"}

COUNT = re.compile(r"macro SHW_\w+_COUNT$|enum shw_log_item SHW_LOG_ITEM_COUNT$")


class Entry:
    """An entry of the debugging information, a type or a part of one."""

    def __init__(self, tag):
        self.tag, self.children, self.attributes = tag, [], {}

    @property
    def name(self):
        return self.attributes.get("name")

    def number(self, attribute):
        return int(self.attributes.get(attribute, "0").split()[0], 0)


def read_entries(text):
    """The entries by offset, of what `readelf --debug-dump=info` prints."""
    entries, path = {}, []
    for line in text.splitlines():
        head = re.match(r" <([0-9a-f]+)><([0-9a-f]+)>: Abbrev Number: \d+(?: \(DW_TAG_(\w+)\))?", line)
        if head:
            depth = int(head.group(1), 16)
            del path[depth:]
            if head.group(3) is not None:
                entry = entries[int(head.group(2), 16)] = Entry(head.group(3))
                if path:
                    path[-1].children.append(entry)
                path.append(entry)
            continue
        attribute = re.match(r" +<[0-9a-f]+> +DW_AT_(\w+) *: (?:\(ind[a-z]+ string[^)]*\): )?(.*?)\s*$", line)
        if attribute and path:
            path[-1].attributes[attribute.group(1)] = attribute.group(2)
    return entries


class Layout:
    """Types as C writes them, and structs with the offsets of their members."""

    def __init__(self, entries):
        self.entries = entries

    def target(self, entry):
        reference = entry.attributes.get("type")
        return self.entries[int(reference.strip("<>"), 16)] if reference else None

    def spell(self, entry, inner=""):
        """The declaration of `inner` as of this type."""
        if entry is None:
            return f"void {inner}".rstrip()
        target = self.target(entry)
        if entry.tag == "pointer_type":
            if target is not None and target.tag in ("subroutine_type", "array_type"):
                return self.spell(target, f"(*{inner})")
            return self.spell(target, f"*{inner}")
        if entry.tag == "const_type":
            if target is not None and target.tag == "pointer_type":
                return self.spell(target, f"const {inner}".rstrip())
            return "const " + self.spell(target, inner)
        if entry.tag == "array_type":
            sizes = (child.number("count") if "count" in child.attributes else child.number("upper_bound") + 1
                     for child in entry.children)
            return self.spell(target, inner + "".join(f"[{size}]" for size in sizes))
        if entry.tag == "subroutine_type":
            parameters = [self.spell(self.target(child)) if child.tag == "formal_parameter" else "..."
                          for child in entry.children]
            return self.spell(target, f"{inner}({', '.join(parameters) or 'void'})")
        kind = {"structure_type": "struct ", "union_type": "union ", "enumeration_type": "enum "}.get(entry.tag, "")
        return f"{kind}{BASIC.get(entry.name, entry.name)} {inner}".rstrip()

    def members(self, struct, offset=0, prefix=""):
        """A line for each member; members of anonymous structs stand in their place."""
        for member in struct.children:
            if member.tag != "member":
                continue
            at = offset + member.number("data_member_location")
            target = self.target(member)
            name = prefix + (member.name or "")
            if target.tag in ("structure_type", "union_type") and target.name is None:
                yield from self.members(target, at, name + "." if member.name else prefix)
            else:
                yield f"{at} {self.spell(target, name)}"


def describe(headers):
    """Everything public by name: {"struct shw_log": text, "enum shw_result SHW_OK": text, ...}."""
    source = INCLUDE
    for kind, names in (("type", headers.types), ("typedef", headers.typedefs)):
        source += "".join(f"{name} *{kind}_{i};\n" for i, name in enumerate(names))
    for kind, names in (("function", headers.functions), ("object", headers.objects)):
        source += "".join(f"__typeof__({name}) *{kind}_{i};\n" for i, name in enumerate(names))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "public.c"
        path.write_text(source)
        run(*headers.compiler, "-std=gnu17", "-O0", "-gdwarf-4", f"-I{headers.folder}", "-c", str(path), "-o",
            f"{folder}/public.o")
        layout = Layout(read_entries(run("readelf", "--debug-dump=info", f"{folder}/public.o")))

    found = {}
    variables = {entry.name: layout.target(layout.target(entry)) for entry in layout.entries.values()
                 if entry.tag == "variable" and re.match(r"(type|typedef|function|object)_\d+$", entry.name or "")}
    for i, name in enumerate(headers.types):
        entry = variables[f"type_{i}"]
        if entry.tag == "enumeration_type":
            for child in entry.children:
                found[f"{name} {child.name}"] = str(child.number("const_value"))
        else:
            found[name] = "\n    ".join([f"{entry.number('byte_size')} bytes", *layout.members(entry)])
    for i, name in enumerate(headers.typedefs):
        found[f"typedef {name}"] = layout.spell(layout.target(variables[f"typedef_{i}"]))
    for kind, names in (("function", headers.functions), ("object", headers.objects)):
        for i, name in enumerate(names):
            found[f"{kind} {name}"] = layout.spell(variables[f"{kind}_{i}"])
    macros = [name for name in headers.macros()[0] if not re.match(r"SHW_(ABI|VERSION\w*)$|SHADEWOOD_", name)]
    found.update((f"macro {name}", value) for name, value in headers.values(macros).items())
    return found


# --- The record ---


def write_record(path, version, abi, found):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"version: {version}\nabi: {abi}\n" + "".join(f"{key}: {value}\n" for key, value in found.items()))


def read_record(path):
    """(version, SHW_ABI, what is public), or None where there is none, or one with the marks of a merge."""
    text = path.read_text() if path.exists() else ""
    if not text or re.search(r"^<<<<<<< ", text, re.M):
        return None
    found = dict(re.findall(r"^(\S[^:\n]*): (.*(?:\n    .*)*)$", text, re.M))
    return found.pop("version"), found.pop("abi"), found


# --- The symbols of the Debian package ---


def symbol_table(version, known, headers):
    """The table of dpkg-gensymbols: `known` symbols keep their versions, new ones have this one."""
    minor = version.rsplit(".", 1)[0]
    table = f"libshadewood.so.{minor} libshadewood{minor} #MINVER#\n* Build-Depends-Package: libshadewood-dev\n"
    return table + "".join(f" {name}@Base {known.get(name, version)}\n" for name in sorted(headers.functions + headers.objects))


def read_symbols(path, version):
    """Their versions by name; none of another minor version, which is another library."""
    text = path.read_text() if path.exists() else ""
    known = dict(re.findall(r"^ (shw_\w+)@Base (\S+)$", text, re.M))
    return known if f"libshadewood.so.{version.rsplit('.', 1)[0]} " in text else {}


def differences(before, now):
    """Lines about what is incompatible, and about what is new."""
    broken = []
    for key, value in before.items():
        if key not in now:
            broken.append(f"{key} is gone")
        elif now[key] != value and not COUNT.match(key):
            was, has = value.split("\n    "), now[key].split("\n    ")
            broken.append(f"{key}: was " + "; ".join(line for line in was if line not in has) + ", is now " +
                          "; ".join(line for line in has if line not in was))
    return broken, [f"{key} is new" for key in now if key not in before] + \
        [f"{key}: {before[key]} has become {now[key]}" for key in now
         if COUNT.match(key) and before.get(key, now[key]) != now[key]]


def check_release(full, released, now):
    """What those who have the released version of this minor number would stumble over."""
    if released is None:
        return []
    broken, new = differences(released[2], now)
    if broken:
        return broken + [f"Version {released[0]} has been released with what was before, and others of its minor number "
                         "are compatible with it: take this back, or raise SHW_VERSION_MINOR and set SHW_VERSION_PATCH "
                         "to 0."]
    if new and full == released[0]:
        return new + [f"Version {full} has been released without this: raise SHW_VERSION_PATCH in "
                      "src/include/shadewood/version.h, then run scripts/abi.py --record."]
    return []


def check(version, abi, record, broken, new):
    problems = broken + new
    if broken and version == record[0]:
        problems.append(f"Version {version} was recorded with another layout. Programs that were compiled with it would "
                        "misread this one: raise SHW_VERSION_MINOR in src/include/shadewood/version.h and set "
                        "SHW_VERSION_PATCH to 0, then run scripts/abi.py --record. (If nobody has that version yet: "
                        "scripts/abi.py --record --unreleased.)")
    elif problems:
        problems.append("Run scripts/abi.py --record.")
    elif (version, abi) != record[:2]:
        problems.append(f"Version {version} with SHW_ABI {abi} is not what is recorded, {record[0]} with {record[1]}: run "
                        "scripts/abi.py --record.")
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--record", action="store_true", help="write the record, and SHW_ABI")
    parser.add_argument("--unreleased", action="store_true", help="nobody has the recorded version yet")
    parser.add_argument("--release", action="store_true", help="note that this version is given to others")
    parser.add_argument("--released", type=pathlib.Path, default=ROOT / "tests/abi/released", help="what others have")
    parser.add_argument("--compiler", default="cc", help="command of the C compiler")
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "src/include", help="folder of the headers")
    parser.add_argument("--recorded", type=pathlib.Path, default=ROOT / "tests/abi/public.txt", help="the record")
    parser.add_argument("--symbols", type=pathlib.Path, help="the table of symbols of the Debian package")
    options = parser.parse_args()
    headers = Headers(options.include, options.compiler)
    header = options.include / "shadewood/version.h"
    text = header.read_text()
    full = ".".join(re.search(rf"SHW_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))
    version = full.rsplit(".", 1)[0]
    symbols = options.symbols or ROOT / f"debian/libshadewood{version}.symbols"
    abi = re.search(r"SHW_ABI (0x\w+)u", text).group(1)
    now = describe(headers)
    record = read_record(options.recorded)
    released = options.released / f"{version}.txt"
    problems = check_release(full, read_record(released), now)
    if problems:
        return problems
    if record is None and not options.record:
        return [f"{options.recorded} is no record of the layout: run scripts/abi.py --record."]
    broken, new = differences(record[2], now) if record else ([], [])
    table = symbol_table(full, read_symbols(symbols, full), headers)
    if not options.record:
        problems = check(version, abi, record, broken, new)
        if not problems and (not symbols.exists() or symbols.read_text() != table):
            problems = [f"{symbols} has other symbols than the headers: run scripts/abi.py --record."]
        if options.release and not problems:
            write_record(released, full, abi, now)
        return problems
    if broken and version == record[0] and not options.unreleased:
        return check(version, abi, record, broken, new)
    if record is None or broken or version != record[0]:
        abi = "0x" + hashlib.sha256(f"{version} {now}".encode()).hexdigest()[:8]
    else:
        abi = record[1]
    write_record(options.recorded, version, abi, now)
    symbols.write_text(table)
    if f"SHW_ABI {abi}u" not in text:
        header.write_text(re.sub(r"SHW_ABI 0x\w+u", f"SHW_ABI {abi}u", text))
    return []


if __name__ == "__main__":
    try:
        found_problems = main()
    except subprocess.CalledProcessError as error:
        found_problems = [f"{' '.join(error.cmd)} failed"]
    print("\n".join(found_problems), end="\n" if found_problems else "")
    sys.exit(1 if found_problems else 0)
