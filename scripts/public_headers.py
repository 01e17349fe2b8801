"""What the public headers declare: for scripts/abi.py, and for tests that use all of it."""

import os
import pathlib
import re
import shlex
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = "#include <shadewood/shadewood.h>\n"


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "LC_ALL": "C"}).stdout


class Headers:
    """Names that are declared at file scope. `compiler` is a command, with options if need be."""

    def __init__(self, folder=ROOT / "src/include", compiler="cc"):
        self.folder = pathlib.Path(folder)
        self.compiler = shlex.split(compiler)
        text = "\n".join(path.read_text() for path in sorted((self.folder / "shadewood").glob("*.h")))
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        exported = re.findall(r"^SHW_API\s+([^;{]*);", text, re.M)
        self.functions = sorted(re.search(r"(shw_\w+)\s*\(", each).group(1) for each in exported if "(" in each)
        self.objects = sorted(re.search(r"(shw_\w+)$", each).group(1) for each in exported if "(" not in each)
        self.inline = sorted(re.findall(r"^static inline [^;{(]*?\b(shw_\w+)\(", text, re.M))
        self.types = sorted(set(re.findall(r"^((?:struct|enum|union) shw_\w+)\s*\{", text, re.M)) -
                            {"struct shw_colour_input"})  # of C++ alone
        self.typedefs = sorted(set(re.findall(r"^typedef [^;]*?\(\*(shw_\w+)\)", text, re.M)))

    def preprocess(self, source, *options):
        with tempfile.NamedTemporaryFile("w", suffix=".c") as file:
            file.write(source)
            file.flush()
            return run(*self.compiler, "-std=c17", "-E", "-P", *options, f"-I{self.folder}", file.name)

    def macros(self):
        """(Object-like macros with values, function-like ones), without what headers define for themselves."""
        defined = self.preprocess(INCLUDE, "-dM")
        objects = sorted(re.findall(r"^#define (SHW_\w+) +\S", defined, re.M))
        return [name for name in objects if name != "SHW_API"], \
            sorted(re.findall(r"^#define (SHW_\w+)\(", defined, re.M))

    def values(self, names):
        """What macros expand to."""
        text = self.preprocess(INCLUDE + "".join(f'"{name}" = {name};\n' for name in names))
        text = text[text.index(f'"{names[0]}" ='):]
        return {name: " ".join(value.split()) for name, value in re.findall(r'^"(SHW_\w+)" = (.*?);$', text, re.M | re.S)}
