#!/usr/bin/env python3
"""Writes a program that uses everything public, as C and C++ understand it, from the headers themselves.

usage: every.py functions|macros [--compiler CC] [--include FOLDER] --output FILE

functions: it refers to every function and object, calls every function that checks SHW_ABI with another one, and parses a
list of channels. Exit code 0 if all that is as it should be. macros: every macro stands where programs use it.
"""

import argparse
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from abi import describe  # noqa: E402
from public_headers import INCLUDE, Headers  # noqa: E402

FUNCTIONS = """
#include <stdio.h>
#include <string.h>

typedef void (*function)(void);

static const struct {
    const char *name;
    function address;
} functions[] = {
@functions@};

static const void *const objects[] = {@objects@};

/* Parameters of another layout are not even looked at: these addresses cannot be read. */
static int refuses_other_structs(void)
{
    int good = 1;

@refusals@    return good;
}

int main(void)
{
    struct shw_channel_list list;
    volatile unsigned count = 0;

    for (unsigned i = 0; i < sizeof functions / sizeof *functions; i++)
        count = count + (functions[i].address != NULL);
    for (unsigned i = 0; i < sizeof objects / sizeof *objects; i++)
        count = count + (objects[i] != NULL);
    if (shw_channel_list_parse(SHW_CHANNELS_WINN16, NULL, NULL, &list) != SHW_OK || list.channel_count != 16)
        return 1;
    if (shw_version() != SHW_VERSION || strcmp(shw_version_string(), SHW_VERSION_STRING) != 0)
        return 2;
    printf("%u of version %s\\n", count, shw_version_string());
    return count == @count@ && shw_abi_fits(SHW_ABI) && !shw_abi_fits(SHW_ABI ^ 1u) && refuses_other_structs() ? 0 : 3;
}
"""

# What is said of macros with arguments, and of those that are no expressions.
USES = {
    "SHW_COLOUR_IMAGE": "count_inputs(SHW_COLOUR_IMAGE(image))",
    "SHW_COLOUR_USE": "count_inputs(SHW_COLOUR_USE(use))",
    "SHW_LOG_ITEMS": "0\n#define COUNT(name) +1\n        SHW_LOG_ITEMS(COUNT)\n#undef COUNT\n        - SHW_LOG_ITEM_COUNT",
    "SHW_VERSION_JOIN": "sizeof SHW_VERSION_JOIN(1, 2, 3)",
    "SHW_VERSION_TEXT": "sizeof SHW_VERSION_TEXT(1)",
}

MACROS = """
#include <stdio.h>

static unsigned count_inputs(const struct shw_inputs *inputs)
{
    return inputs->count == 1 && shw_inputs_find(inputs, SHW_COLOUR) == inputs->inputs ? inputs->inputs->image.width +
        inputs->inputs->use.extent.width : 0;
}

int main(void)
{
    struct shw_image image = {NULL, 3, 1, 0, SHW_PIXEL_RGB8};
    struct shw_image_use use = {};
    unsigned total = 0;

    use.extent.width = 4;
    if (count_inputs(SHW_COLOUR_IMAGE(image)) != 3 || count_inputs(SHW_COLOUR_USE(use)) != 4)
        return 1;
@uses@    printf("%u\\n", total);
    return 0;
}
"""


def functions(headers):
    found = describe(headers)
    names = headers.functions + headers.inline
    refusals = ""
    for name in headers.functions:
        signature = found[f"function {name}"]
        parameters = signature[signature.index("(") + 1:-1].split(", ")
        if name.endswith("_abi"):
            values = [f"({kind})8" if kind.endswith("*") else f"({kind})0" for kind in parameters[1:]]
            refusals += f"    good &= {name}(SHW_ABI ^ 1u, {', '.join(values)}) == SHW_ERROR_ABI;\n"
    assert refusals
    return FUNCTIONS.replace("@functions@", "".join(f'    {{"{name}", (function){name}}},\n' for name in names)) \
        .replace("@objects@", ", ".join(f"&{name}" for name in headers.objects)) \
        .replace("@refusals@", refusals).replace("@count@", str(len(names) + len(headers.objects)))


def macros(headers):
    plain, others = headers.macros()
    missing = [name for name in others if name not in USES]
    if missing:
        sys.exit(f"{__file__}: say in USES how programs use {', '.join(missing)}")
    uses = "".join(f"    total += (unsigned)sizeof({name});\n" for name in plain if not name.startswith("SHADEWOOD_"))
    return MACROS.replace("@uses@", uses + "".join(f"    total += (unsigned)({USES[name]});\n" for name in others))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kind", choices=("functions", "macros"))
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--include", type=pathlib.Path, default=ROOT / "src/include")
    parser.add_argument("--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    headers = Headers(options.include, options.compiler)
    options.output.write_text(INCLUDE + (functions if options.kind == "functions" else macros)(headers))


main()
