"""Project: what the program makes of the same file."""

import json

import numpy as np
import pytest

import shadewood
from conftest import ROOT, make_picture, read_png, write_pnm
from shadewood import Project


@pytest.fixture
def painted(tmp_path):
    """A project of two pictures with strokes, of which one is kept for testing."""
    generator = np.random.default_rng(21)
    pictures = []
    for i in range(3):
        image, labels = make_picture(generator, 50, 70)
        write_pnm(tmp_path / f"{i}.ppm", image)
        strokes = []
        for number in range(3):
            places = np.argwhere(labels == number)
            for y, x in places[generator.integers(len(places), size=4)] if len(places) else []:
                strokes.append({"class": number, "radius": 1, "points": [int(x), int(y), int(x) + 2, int(y)]})
        pictures.append({"name": f"{i}.ppm", "width": 70, "height": 50, "strokes": strokes, **({"test": True} if i == 2 else {})})
    project = {"format": "shadewood-project", "version": 3, "classes": [
        {"name": "grass", "colour": [0, 158, 115]}, {"name": "rock", "colour": [9, 8, 7]}, {"name": "sea", "colour": [0, 0, 255]}],
        "training": {"trees": 4, "depth": 6, "smooth": 4, "seed": "3"}, "pictures": pictures}
    path = tmp_path / "meadow.json"
    path.write_text(json.dumps(project))
    return path


def test_same_as_the_program(program, painted, tmp_path):
    project = Project.open(painted)
    assert [each.name for each in project.classes] == ["grass", "rock", "sea"]
    assert project.classes[1].colour == (9, 8, 7)
    assert [(each.name, each.width, each.height, each.kept) for each in project.pictures] == [
        ("0.ppm", 70, 50, False), ("1.ppm", 70, 50, False), ("2.ppm", 70, 50, True)]
    labels = project.labels(0)
    described = json.loads(painted.read_text())["pictures"][0]["strokes"]
    assert labels.shape == (50, 70) and (labels == 65535).any()
    x, y = described[-1]["points"][:2]
    assert labels[y, x] == described[-1]["class"]

    seen = []
    forest = project.train(progress=seen.append)
    program("train", painted, "--output", tmp_path / "theirs.ktx2")
    assert forest.hash_ == json.loads(program("inspect", "--json", tmp_path / "theirs.ktx2"))["hash"]
    assert forest.to_bytes() == (tmp_path / "theirs.ktx2").read_bytes()
    assert seen and seen[-1].fraction == 1

    image, _ = make_picture(np.random.default_rng(5), 40, 60)
    write_pnm(tmp_path / "new.ppm", image)
    program("label", painted, tmp_path / "new.ppm", "--output", tmp_path / "out", "--no-overlay")
    assert np.array_equal(read_png(tmp_path / "out/new_labels.png"), project.predict(image))


def test_levels(program, painted, tmp_path):
    described = json.loads(painted.read_text())
    described["version"] = 5
    described["training"]["levels"] = 2
    painted.write_text(json.dumps(described))
    program("train", painted, "--output", tmp_path / "theirs.ktx2")
    assert Project.open(painted).train().to_bytes() == (tmp_path / "theirs.ktx2").read_bytes()


def test_errors(painted, tmp_path):
    with pytest.raises(shadewood.FileError):
        Project.open(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(shadewood.FormatError):
        Project.open(tmp_path / "bad.json")
    described = json.loads(painted.read_text())
    described["pictures"] = []
    (tmp_path / "empty.json").write_text(json.dumps(described))
    with pytest.raises(shadewood.FormatError):
        Project.open(tmp_path / "empty.json").train()
    (tmp_path / "0.ppm").unlink()
    project = Project.open(painted)
    with pytest.raises(shadewood.Error, match="0.ppm"):
        project.train()
    with pytest.raises(IndexError):
        project.labels(3)
    with pytest.raises(shadewood.Cancelled):
        write_pnm(tmp_path / "0.ppm", np.zeros((50, 70, 3), np.uint8))
        Project.open(painted).train(progress=lambda progress: False)


def test_code_is_not_run_unasked(painted):
    described = json.loads(painted.read_text())
    described["version"] = 6
    described["code"] = [{"text": (ROOT / "examples/code/pixel-difference.glsl").read_text()}]
    painted.write_text(json.dumps(described))
    with pytest.raises(shadewood.ArgumentError, match="trust"):
        Project.open(painted)
    try:
        forest = Project.open(painted, trust_code=True).train()
    except shadewood.UnsupportedError:  # a build without shaderc
        return
    assert forest.predict(np.zeros((9, 9), np.uint8)).shape == (9, 9)
