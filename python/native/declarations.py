"""What the extension declares to cffi: everything that the public headers and native.h declare, as the C preprocessor
gives it.

Nothing is kept by hand: types of Vulkan in our structs become opaque ones, inline functions become declarations, and
macros with a number become constants.
"""

import pathlib
import re
import shlex
import subprocess

NATIVE = pathlib.Path(__file__).resolve().parent
ROOT = NATIVE.parent.parent
SOURCE = "#include <shadewood/shadewood.h>\n#include \"native.h\"\n"
NUMBER = re.compile(r"\(?\(?(?:u?int\d+_t\)\s*)?(0x[0-9a-fA-F]+|\d+)[uUlL]*\)?$")
# The headers of C++ and of functions with a body to which no Python code refers.
ATTRIBUTE = re.compile(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)")


def preprocess(compiler, folders, *options):
    includes = [f"-I{folder}" for folder in folders]
    command = [*shlex.split(compiler), "-std=gnu17", "-E", *options, *includes, "-x", "c", "-"]
    return subprocess.run(command, input=SOURCE, check=True, stdout=subprocess.PIPE, text=True).stdout


def split_by_owner(text):
    """(what our headers say, what all others do), without line markers."""
    ours, theirs, mine = [], [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            path = pathlib.PurePath(marker.group(1))
            mine = path.parent.name == "shadewood" or path.name == "native.h"
        else:
            (ours if mine else theirs).append(line)
    return "\n".join(ours), "\n".join(theirs)


def statements(text):
    """The declarations at file scope; functions with a body end as declarations."""
    depth, begin, body = 0, 0, None
    for i, letter in enumerate(text):
        if letter == "{":
            if depth == 0 and re.match(r"\s*static\s+inline\b", text[begin:i]):
                body = i
            depth += 1
        elif letter == "}":
            depth -= 1
            if depth == 0 and body is not None:
                yield re.sub(r"^\s*static\s+inline\s+", "", text[begin:body]).strip() + ";"
                begin, body = i + 1, None
        elif letter == ";" and depth == 0:
            yield text[begin:i + 1].strip()
            begin = i + 1


def vulkan_types(ours, theirs):
    """Declarations of the types of Vulkan that our text names, and of those behind them."""
    known = {}
    for name, behind in re.findall(r"typedef\s+(?:enum|struct|union)\s+\w+\s*\{[^}]*\}\s*(Vk\w+)\s*;()", theirs):
        known[name] = None
    for text in re.findall(r"typedef\s+enum\s+(Vk\w+)\s*\{", theirs):
        known[text] = f"typedef int... {text};"
    for text in re.findall(r"typedef\s+(?:struct|union)\s+(Vk\w+)\s*\{", theirs):
        known[text] = f"typedef struct {{ ...; }} {text};"
    for text, name in re.findall(r"(typedef\s+struct\s+Vk\w+_T\s*\*\s*(Vk\w+)\s*;)", theirs):
        known[name] = text
    for text, base, name in re.findall(r"(typedef\s+(\w+)\s+(Vk\w+)\s*;)", theirs):
        known[name] = text
    for name in re.findall(r"\(\s*\*\s*(PFN_vk\w+)\s*\)\s*\(", theirs):
        known[name] = f"typedef ... *{name};"
    wanted, queue = {}, re.findall(r"\b(?:Vk|PFN_vk)\w+\b", ours)
    while queue:
        name = queue.pop()
        if name not in wanted and known.get(name):
            wanted[name] = known[name]
            queue += [each for each in re.findall(r"\bVk\w+\b", known[name]) if each != name]
    order = list(known)
    return [wanted[name] for name in sorted(wanted, key=lambda name: (name != "VkFlags", order.index(name)))]


def constants(compiler, folders):
    """Lines `#define NAME NUMBER` of our object-like macros that are numbers."""
    defined = dict(re.findall(r"^#define ((?:SHW|SHADEWOOD)_\w+) +(\S.*)$", preprocess(compiler, folders, "-dM"), re.M))
    lines = []
    for name, value in sorted(defined.items()):
        while value in defined:
            value = defined[value]
        shift = re.match(r"\((\d+)[uU]? << (\d+)\)$", value)
        number = NUMBER.match(value)
        if shift:
            lines.append(f"#define {name} {int(shift.group(1)) << int(shift.group(2))}")
        elif number:
            lines.append(f"#define {name} {int(number.group(1), 0)}")
    return lines


def declare(compiler, folders):
    """The text for ffi.cdef()."""
    ours, theirs = split_by_owner(preprocess(compiler, folders))
    ours = ATTRIBUTE.sub("", ours)
    declared = [re.sub(r"\s+", " ", statement) for statement in statements(ours)]
    declared = [re.sub(r"\b__extension__ |\b_Noreturn ", "", each) for each in declared if each not in ("", ";")]
    return "\n".join(constants(compiler, folders) + vulkan_types(ours, theirs) + declared) + "\n"
