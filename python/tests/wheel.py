"""The wheel: whole, for every Python 3, and of use where there is no Vulkan. Needs the build folder SHADEWOOD_BUILD."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from conftest import ROOT

SCRIPT = """
import numpy as np, shadewood, sys
assert shadewood.__file__.startswith(sys.argv[1]), shadewood.__file__
image = np.zeros((24, 32, 3), np.uint8)
image[:, 16:] = 200
forest = shadewood.PixelForestClassifier(trees=2, offset=4).fit(image, (image[:, :, 0] > 0).astype(np.uint8))
print(forest.predict(image)[12, [3, 28]].tolist())
"""


PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def make_wheel(tmp_path_factory):
    """Builds a wheel of the build folder, with settings for setup.py, and returns its path."""
    for module, tool in (("pip", None), ("wheel", None), ("setuptools", None), (None, "patchelf")):
        if (module and importlib.util.find_spec(module) is None) or (tool and shutil.which(tool) is None):
            assert os.environ.get("SHW_NO_SKIP") != "1", f"there is no {module or tool}"
            pytest.skip(f"there is no {module or tool}")

    def make(**settings):
        folder = tmp_path_factory.mktemp("wheel")
        # A copy, since setuptools writes beside setup.py.
        shutil.copytree(ROOT / "python", folder / "source/python", ignore=shutil.ignore_patterns("build", "*.egg-info"))
        for name in ("src", "scripts", "LICENSE", "NOTICES"):
            os.symlink(ROOT / name, folder / "source" / name)
        settings = {"SHADEWOOD_BUILD": str(ROOT / "build/release"), **os.environ, **settings}
        subprocess.run([*PIP, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "-w", folder,
                        folder / "source/python"], check=True, env=settings)
        wheels = list(folder.glob("*.whl"))
        assert len(wheels) == 1 and re.search(r"-cp38-abi3-linux_\w+\.whl$", wheels[0].name)
        return wheels[0]

    return make


@pytest.fixture(scope="module")
def installed(make_wheel):
    """The folder into which pip has installed the wheel."""
    wheel = make_wheel()
    folder = wheel.parent / "installed"
    subprocess.run([*PIP, "install", "--no-deps", "--no-index", "--target", folder, wheel], check=True)
    return folder


def test_it_needs_nothing_else(installed):
    objects = [installed / "shadewood/_native.abi3.so", *installed.glob("shadewood/libs/*.so*")]
    objects = [path for path in objects if path.suffix != ".copyright"]
    for path in objects:
        for line in subprocess.run(["ldd", path], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines():
            name = line.split()[0].split("/")[-1]
            assert "not found" not in line, line
            assert str(installed) in line or re.match(r"(linux-vdso|ld-linux|lib(c|m|dl|pthread|rt|gcc_s|stdc\+\+))\W", name), line
            assert "vulkan" not in line
    assert (installed / "shadewood/NOTICES").exists() and (installed / "shadewood/py.typed").exists()


def test_without_libraries(make_wheel, tmp_path):
    """As distributions want it: nothing of others, no path where libraries are looked for, and no licences."""
    with zipfile.ZipFile(make_wheel(SHADEWOOD_BUNDLE="0")) as wheel:
        names = [name for name in wheel.namelist() if not name.endswith(".py") and ".dist-info/" not in name]
        extension = wheel.extract("shadewood/_native.abi3.so", tmp_path)
    assert sorted(names) == ["shadewood/_native.abi3.so", "shadewood/napari/napari.yaml", "shadewood/py.typed"]
    dynamic = subprocess.run(["readelf", "-d", extension], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert "NEEDED" in dynamic and not re.search(r"R(UN)?PATH", dynamic), dynamic


def test_it_labels_without_vulkan(installed, tmp_path):
    """No driver and no library path: the loader finds no device."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(installed),
                   "VK_DRIVER_FILES": "/nonexistent", "VK_ICD_FILENAMES": "/nonexistent"}
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(installed)], check=True, stdout=subprocess.PIPE, text=True,
                          cwd=tmp_path, env=environment)
    assert done.stdout.strip() == "[0, 1]"


def test_the_plug_in_is_announced(installed):
    entries = next(installed.glob("*.dist-info")) / "entry_points.txt"
    assert "napari.manifest" in entries.read_text()
    assert (installed / "shadewood/napari/napari.yaml").exists()
