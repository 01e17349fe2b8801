#!/usr/bin/env python3
"""Renders packaging/conda/meta.yaml as conda-build does on Linux, and compares what it says with the sources.
usage: recipe.py SOURCE check VERSION | recipe.py SOURCE list FIELD
FIELD is imports or commands, of the section test: one a line."""
import pathlib
import re
import sys

import jinja2
import yaml

SYSTEM = {"linux": True, "unix": True, "osx": False, "win": False}
SECTIONS = {"package", "source", "build", "requirements", "test", "about"}

# Debian's packages that the build needs, by conda-forge's names.
NAMES = {
    "cmake": "cmake", "ninja-build": "ninja", "pkg-config": "pkg-config", "glslang-tools": "glslang", "spirv-tools": "spirv-tools",
    "python3-cffi": "cffi", "python3-dev": "python", "python3-setuptools": "setuptools", "pybuild-plugin-pyproject": "pip",
    "libvulkan-dev": "libvulkan-headers", "libjansson-dev": "jansson", "libxxhash-dev": "xxhash", "zlib1g-dev": "zlib",
    "libbz2-dev": "bzip2", "libexpat1-dev": "expat", "libpng-dev": "libpng", "libjpeg-dev": "libjpeg-turbo",
    "libtiff-dev": "libtiff", "libwebp-dev": "libwebp-base", "libexif-dev": "libexif", "libstb-dev": "stb",
    "libhdf5-dev": "hdf5", "libshaderc-dev": "shaderc", "libsuperlu-dev": "superlu", "libblas-dev": "libblas",
    "libavcodec-dev": "ffmpeg", "libavdevice-dev": "ffmpeg", "libavformat-dev": "ffmpeg", "libavutil-dev": "ffmpeg",
    "libswscale-dev": "ffmpeg",
}
# What only Debian's packages, the viewer, TinyCC and ranks need.
NOT_IN_CONDA = {"debhelper-compat", "dh-python", "libtcc-dev", "libopenmpi-dev", "libglfw3-dev", "libimgui-dev", "libfontconfig-dev",
                "fonts-dejavu-core", "fonts-font-awesome"}


def selected(text):
    """Without the lines whose selector, `# [expression]`, is false."""
    lines = []
    for line in text.splitlines():
        selector = re.search(r"#\s*\[(.+)\]\s*$", line)
        if not selector or eval(selector.group(1), {"__builtins__": {}}, SYSTEM):
            lines.append(line)
    return "\n".join(lines)


def render(source):
    text = (source / "packaging/conda/meta.yaml").read_text()
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(selected(text))
    return yaml.safe_load(template.render(RECIPE_DIR="/recipe", compiler=lambda language: f"{language}_compiler"))


def names(packages):
    return {package.split()[0] for package in packages}


def build_depends(source):
    """The packages that debian/control names for the build, without their versions."""
    field = re.search(r"^Build-Depends:(.*?)^\S", (source / "debian/control").read_text(), re.S | re.M).group(1)
    return {entry.split()[0] for entry in field.split(",") if entry.strip()}


def problems(source, version):
    recipe = render(source)
    needs = recipe["requirements"]
    archive = f"shadewood-{version}.tar.gz"
    if set(recipe) != SECTIONS:
        yield f"sections are {sorted(recipe)}"
    if recipe["package"] != {"name": "shadewood", "version": version}:
        yield f"it is a recipe of {recipe['package']}, not of version {version}"
    if recipe["source"] != {"fn": archive, "url": f"file:///recipe/../../build/packages/archives/{archive}"}:
        yield f"the sources are {recipe['source']}, not {archive}"
    if recipe["build"].get("skip"):
        yield "it is skipped on Linux"
    for name in recipe["about"]["license_file"]:
        if not (source / name).is_file():
            yield f"there is no {name}"
    debian, available = build_depends(source), names(needs["build"]) | names(needs["host"])
    for package in sorted(debian - NAMES.keys() - NOT_IN_CONDA):
        yield f"debian/control needs {package}, which the recipe does not know"
    for package in sorted(debian & NAMES.keys()):
        if NAMES[package] not in available:
            yield f"debian/control needs {package}, the recipe does not need {NAMES[package]}"
    project = (source / "python/pyproject.toml").read_text()
    for field, packages in (("requires", needs["host"]), ("dependencies", needs["run"])):
        for package in re.findall(r'"([^"]+)"', re.search(rf"^{field} = \[(.*)\]", project, re.M).group(1)):
            if package.replace(">=", " >=") not in packages:
                yield f"python/pyproject.toml needs {package}, the recipe does not"


def main():
    source, action, argument = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    if action == "list":
        print(*render(source)["test"][argument], sep="\n")
        return 0
    found = list(problems(source, argument))
    for problem in found:
        print(problem)
    return len(found) > 0


if __name__ == "__main__":
    sys.exit(main())
