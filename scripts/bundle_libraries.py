"""Copies the shared libraries that files need into a folder beside them, where the loader looks for them first: for the
wheel (python/setup.py) and the AppDir (appdir.py). This takes ldd and patchelf."""

import os
import pathlib
import re
import shutil
import subprocess

# What every Linux with glibc has: the list of the tag manylinux, as far as it matters here.
SYSTEM = r"linux-vdso|ld-linux|libc\.|libm\.|libdl\.|libpthread\.|librt\.|libgcc_s\.|libstdc\+\+\."


def needed(path, system=SYSTEM):
    """The libraries that a file needs beyond the system's, with where the loader finds them."""
    lines = subprocess.run(["ldd", str(path)], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.findall(r"^\s*(\S+) => (/\S+|not found)", lines, re.M)
    return {name: where for name, where in found if not re.match(system, name)}


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


def bundle(files, folder, system=SYSTEM):
    """Copies what the files need into the folder, with the licences, and has files and copies look there.

    Raises FileNotFoundError where a library or patchelf is missing."""
    libraries = {name: where for path in files for name, where in needed(path, system).items()}
    if not libraries:
        return
    if shutil.which("patchelf") is None:
        raise FileNotFoundError(f"{', '.join(sorted(libraries))} cannot be copied without patchelf")
    folder.mkdir(parents=True, exist_ok=True)
    for name, where in libraries.items():
        if not where.startswith("/"):
            raise FileNotFoundError(f"there is no {name}")
        shutil.copy(where, folder / name)
        (folder / name).chmod(0o755)
        look_in(folder / name, "$ORIGIN")
        terms = licence_of(where)
        if terms is not None:
            shutil.copy(terms, folder / f"{name}.copyright")
    for path in files:
        look_in(path, os.path.join("$ORIGIN", os.path.relpath(folder, path.parent)))
