"""Builds the extension by CMake, and makes the wheel whole.

Settings are environment variables:
SHADEWOOD_BUILD    a CMake build folder of the same sources whose library is taken; otherwise one is configured here
SHADEWOOD_BUNDLE   0: the extension uses the system's libraries, as distributions want it; otherwise those that it needs
                   beyond the C library are copied into the wheel (this takes patchelf)
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent

# What every Linux with glibc has: the list of the tag manylinux, as far as it matters here.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libgcc_s\.|libstdc\+\+\.)")


def version():
    text = (ROOT / "src/include/shadewood/version.h").read_text()
    return ".".join(re.search(rf"SHW_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


def needed(path):
    """The libraries that a file needs beyond the system's, with where the loader finds them."""
    lines = subprocess.run(["ldd", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: where for name, where in re.findall(r"^\s*(\S+) => (/\S+)", lines, re.M) if not SYSTEM.match(name)}


def bundle(extension):
    """Copies the libraries into shadewood/libs, where the loader looks for them first, with their licences."""
    found = needed(extension)
    if not found:
        return
    if shutil.which("patchelf") is None:
        sys.exit(f"the wheel would need {', '.join(sorted(found))}: install patchelf, which puts them into it, or set "
                 "SHADEWOOD_BUNDLE=0 to use the system's")
    folder = extension.parent / "libs"
    folder.mkdir(exist_ok=True)
    for name, where in found.items():
        shutil.copy(where, folder / name)
        (folder / name).chmod(0o755)
        look_in(folder / name, "$ORIGIN")
        terms = licence_of(where)
        if terms is not None:
            shutil.copy(terms, folder / f"{name}.copyright")
    look_in(extension, "$ORIGIN/libs")


def licence_of(library):
    """Debian's file with the licence of a library, or None elsewhere."""
    if shutil.which("dpkg") is None:
        return None
    for path in (library, os.path.realpath(library), os.path.realpath(library).replace("/usr/lib", "/lib", 1)):
        owner = subprocess.run(["dpkg", "-S", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        if owner:
            terms = pathlib.Path("/usr/share/doc") / owner.split(":")[0] / "copyright"
            return terms if terms.exists() else None
    return None


def look_in(path, where):
    subprocess.run(["patchelf", "--set-rpath", where, str(path)], check=True)


class Build(build_ext):
    def build_extension(self, extension):
        given = os.environ.get("SHADEWOOD_BUILD")
        build = pathlib.Path(given or pathlib.Path(self.build_temp) / "cmake").resolve()
        if not given:
            options = ["TESTS=OFF", "VIEWER=OFF", "VIDEO=OFF", "INSTALL=OFF", "SHADERC=OFF", "TCC=OFF", "HDF5=OFF"]
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), *generator, "-DCMAKE_BUILD_TYPE=Release",
                            f"-DSHADEWOOD_PYTHON3={sys.executable}", "-DBUILD_SHARED_LIBS=OFF",
                            *(f"-DSHADEWOOD_{option}" for option in options)], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "shadewood_python", "--parallel"], check=True)
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).with_name("_native.abi3.so")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "python/shadewood/_native.abi3.so", target)
        for name in ("LICENSE", "NOTICES"):
            shutil.copy(ROOT / name, target.parent / name)
        if os.environ.get("SHADEWOOD_BUNDLE") != "0":
            bundle(target)

    def get_ext_filename(self, name):
        return os.path.join(*name.split(".")) + ".abi3.so"


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), distclass=Binary, ext_modules=[Extension("shadewood._native", [], py_limited_api=True)],
      cmdclass={"build_ext": Build}, options={"bdist_wheel": {"py_limited_api": "cp38"}})
