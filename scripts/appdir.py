#!/usr/bin/env python3
"""Makes FOLDER/Shadewood.AppDir: the viewer with the libraries that it needs, for appimagetool or to be started as it is,
by AppRun.
usage: appdir.py FOLDER [BUILD]
BUILD is a build folder whose programs have been built; build/release otherwise."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
from bundle_libraries import SYSTEM, bundle  # noqa: E402

# What a system with a desktop has, and what its graphics drivers and its X server's libraries share with the viewer.
DESKTOP = SYSTEM + r"|libvulkan\.|libX|libxcb|libbsd\.|libmd\.|libfontconfig\.|libfreetype\.|libbrotli|libexpat\.|libz\."
# FFmpeg's libraries need some 150 others: the module for videos takes the system's, and says what is missing.
FOR_VIDEOS = "shadewood-viewer-video.so"
PARTS = ["share/applications/shadewood-viewer.desktop", "share/icons/hicolor/scalable/apps/shadewood-viewer.svg",
         "share/metainfo/*.metainfo.xml", "share/man/man1/shadewood-viewer.1", "share/doc/shadewood/LICENSE",
         "share/doc/shadewood/NOTICES"]


def copy_parts(build, usr):
    """The viewer, its modules and what belongs to them, where the installation has them; returns what needs libraries."""
    with tempfile.TemporaryDirectory() as place:
        installed = pathlib.Path(place)
        subprocess.run(["cmake", "--install", str(build), "--prefix", place, "--strip"], check=True, stdout=subprocess.DEVNULL)
        program = installed / "bin/shadewood-viewer"
        if not program.exists():
            sys.exit(f"appdir.py: {build} has no shadewood-viewer")
        modules = [path for name in ("shadewood-shaders.so", "shadewood-tcc", FOR_VIDEOS)
                   for path in installed.glob(f"lib*/**/shadewood/{name}")]
        parts = [path for part in PARTS for path in installed.glob(part)]
        if len(parts) != len(PARTS):
            sys.exit(f"appdir.py: {build} does not install all of {' '.join(PARTS)}")
        for path in [program, *modules, *parts]:
            target = usr / path.relative_to(installed)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        return [usr / path.relative_to(installed) for path in [program, *modules] if path.name != FOR_VIDEOS]


def main(folder, build=ROOT / "build/release"):
    place = pathlib.Path(folder).resolve() / "Shadewood.AppDir"
    shutil.rmtree(place, ignore_errors=True)
    try:
        bundle(copy_parts(build, place / "usr"), place / "usr/lib/bundled", DESKTOP)
    except FileNotFoundError as error:
        sys.exit(f"appdir.py: {error}")
    for link, target in (("AppRun", "usr/bin/shadewood-viewer"), ("shadewood-viewer.desktop", "usr/" + PARTS[0]),
                         ("shadewood-viewer.svg", "usr/" + PARTS[1]), (".DirIcon", "shadewood-viewer.svg")):
        os.symlink(target, place / link)
    print(place)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(*sys.argv[1:])
