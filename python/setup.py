"""Builds the extension by CMake, and makes the wheel whole.

Settings are environment variables:
SHADEWOOD_BUILD    a CMake build folder of the same sources whose library is taken; otherwise one is configured here
SHADEWOOD_BUNDLE   0: the extension uses the system's libraries, and licences are where the package has them, as
                   distributions want it; otherwise the libraries that it needs beyond the C library are copied into
                   the wheel (this takes patchelf), with the licences
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
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
from bundle_libraries import bundle  # noqa: E402


def version():
    text = (ROOT / "src/include/shadewood/version.h").read_text()
    return ".".join(re.search(rf"SHW_VERSION_{part} (\d+)", text).group(1) for part in ("MAJOR", "MINOR", "PATCH"))


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
        if os.environ.get("SHADEWOOD_BUNDLE") == "0":
            return
        for name in ("LICENSE", "NOTICES"):
            shutil.copy(ROOT / name, target.parent / name)
        try:
            bundle([target], target.parent / "libs")
        except FileNotFoundError as error:
            sys.exit(f"{error}; SHADEWOOD_BUNDLE=0 uses the system's libraries")

    def get_ext_filename(self, name):
        return os.path.join(*name.split(".")) + ".abi3.so"


class Binary(Distribution):
    def has_ext_modules(self):
        return True


setup(version=version(), distclass=Binary, ext_modules=[Extension("shadewood._native", [], py_limited_api=True)],
      cmdclass={"build_ext": Build}, options={"bdist_wheel": {"py_limited_api": "cp38"}})
