"""Detector and CascadeTrainer: the same as the program's."""

import csv
import json
import os
import pathlib
import pickle

import numpy as np
import pytest

import shadewood
from conftest import ROOT, write_pnm
from shadewood import DETECTION, CascadeTrainer, Detector

OPENCV = pathlib.Path("/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml")
LBP = pathlib.Path("/usr/share/opencv4/lbpcascades/lbpcascade_frontalface.xml")


def opencv(path):
    if not path.exists():
        if os.environ.get("SHW_NO_SKIP") == "1":
            pytest.fail(f"there is no {path}")
        pytest.skip(f"there is no {path}: Debian's package opencv-data has it")
    return path


def draw_face(generator, size):
    """Dark eyes and a mouth in a light square: no face, but something to learn."""
    face = np.full((size, size), 190.0)
    face += np.linspace(-20, 20, size)[:, None]
    third = size // 3
    face[third:third + size // 6, size // 6:size // 6 + size // 5] = 60
    face[third:third + size // 6, -size // 6 - size // 5:-size // 6] = 60
    face[2 * third + size // 8:2 * third + size // 4, third:2 * third] = 90
    return np.clip(face + generator.normal(0, 8, face.shape), 0, 255).astype(np.uint8)


def draw_scene(generator, height, width, faces=()):
    scene = generator.normal(120, 30, (height // 8 + 1, width // 8 + 1)).repeat(8, 0).repeat(8, 1)[:height, :width]
    scene = np.clip(scene + generator.normal(0, 8, scene.shape), 0, 255).astype(np.uint8)
    for x, y, size in faces:
        scene[y:y + size, x:x + size] = draw_face(generator, size)
    return scene


@pytest.fixture(scope="module")
def scene():
    return draw_scene(np.random.default_rng(4), 120, 160, [(20, 30, 36), (90, 40, 50)])


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("settings, options", [
    ({}, []),
    ({"group": "none", "min_size": 30}, ["--group", "none", "--min-size", "30"]),
    ({"group": "suppress", "overlap": 0.2, "scale_factor": 1.3, "step": 3, "min_score": "any"},
     ["--group", "suppress", "--overlap", "0.2", "--scale-factor", "1.3", "--step", "3", "--min-score", "any"]),
    ({"min_neighbours": 1, "epsilon": 0.3, "technique": "cpu", "max_size": 60},
     ["--min-neighbours", "1", "--epsilon", "0.3", "--max-size", "60"])])
@pytest.mark.parametrize("cascade", [OPENCV, LBP], ids=["haar", "lbp"])
def test_same_as_the_program(program, scene, tmp_path, cascade, settings, options):
    write_pnm(tmp_path / "scene.pgm", scene)
    program("detect", opencv(cascade), tmp_path / "scene.pgm", "--output", tmp_path / "out", "--no-pictures", *options)
    rows = rows_of(tmp_path / "out/detections.csv")
    found = Detector.from_opencv(cascade, **settings).detect(scene)
    assert found.dtype == DETECTION
    theirs = [(int(r["x"]), int(r["y"]), int(r["width"]), int(r["height"]), float(r["score"])) for r in rows]
    ours = [(d["x"], d["y"], d["width"], d["height"], d["score"]) for d in found]
    assert len(ours) == len(theirs)
    assert all(a[:4] == b[:4] and a[4] == pytest.approx(b[4], abs=1e-4) for a, b in zip(ours, theirs))
    if settings.get("group") == "none" and cascade == OPENCV:
        assert len(ours) > 0


def test_trained_cascades(program, tmp_path):
    generator = np.random.default_rng(8)
    patches = np.stack([draw_face(generator, 12) for _ in range(40)])
    backgrounds = [draw_scene(generator, 60, 80) for _ in range(3)]
    np.save(tmp_path / "faces.npy", patches)
    (tmp_path / "without").mkdir()
    for i, background in enumerate(backgrounds):
        write_pnm(tmp_path / f"without/{i}.pgm", background)
    settings = dict(window=(12, 12), stages=6, candidates=60, copies=3, background_count=300, depth=2, seed=3)
    program("train-cascade", "--objects", tmp_path / "faces.npy", "--backgrounds", tmp_path / "without",
                   "--window", "12x12", "--stages", 6, "--candidates", 60, "--copies", 3, "--background-count", 300,
                   "--depth", 2, "--seed", 3, "--target-pass", 1000000, "--target-recall", 1, "--output",
                   tmp_path / "theirs.ktx2")
    seen = []
    trainer = CascadeTrainer(**settings, target_pass=1000000, target_recall=1).fit(patches, backgrounds,
                                                                                   progress=seen.append)
    assert trainer.detector_.hash_ == Detector.load(tmp_path / "theirs.ktx2").hash_
    assert trainer.detector_.to_bytes() == (tmp_path / "theirs.ktx2").read_bytes()
    stages = [each.stages for each in seen]
    assert stages == sorted(stages) and stages[0] == 1 and seen[-1].max_stages == 6
    assert trainer.quality_.met and trainer.quality_.found > 0
    assert trainer.detector_.kind_ == "pixels" and trainer.detector_.min_score_ is not None

    with_face = draw_scene(generator, 60, 80, [(30, 20, 24)])
    found = trainer.detector_.detect(with_face)
    assert len(found) > 0 and abs(int(found[0]["x"]) - 30) < 8 and abs(int(found[0]["y"]) - 20) < 8
    other = pickle.loads(pickle.dumps(trainer.detector_))
    assert np.array_equal(other.detect(with_face), found)
    trainer.detector_.save(tmp_path / "ours.ktx2")
    assert np.array_equal(Detector.load(tmp_path / "ours.ktx2").detect(with_face), found)
    with pytest.raises(shadewood.Cancelled):
        CascadeTrainer(**settings).fit(patches, backgrounds, progress=lambda progress: False)


def test_annotated_images(program, tmp_path):
    generator = np.random.default_rng(9)
    places = [[(10 + 3 * i, 12, 20), (50, 25, 18)] for i in range(5)]
    scenes = [draw_scene(generator, 60, 80, faces) for faces in places]
    lines = ["image,x,y,width,height"]
    for i, scene in enumerate(scenes):
        write_pnm(tmp_path / f"{i}.pgm", scene)
        lines += [f"{i}.pgm,{x},{y},{size},{size}" for x, y, size in places[i]]
    (tmp_path / "faces.csv").write_text("\n".join(lines) + "\n")
    program("train-cascade", "--annotations", tmp_path / "faces.csv", "--window", "10x10", "--stages", 4, "--candidates",
            40, "--background-count", 200, "--copies", 2, "--target-pass", 1000000, "--target-recall", 1, "--output",
            tmp_path / "theirs.ktx2")
    pairs = [(scene, [(x, y, size, size) for x, y, size in faces]) for scene, faces in zip(scenes, places)]
    trainer = CascadeTrainer(window=(10, 10), stages=4, candidates=40, background_count=200, copies=2,
                             target_pass=1000000, target_recall=1).fit(pairs, [])
    assert trainer.detector_.hash_ == Detector.load(tmp_path / "theirs.ktx2").hash_


def test_pico():
    """Of real data, if it is there, and of a file that is none."""
    folder = os.environ.get("SHADEWOOD_DATA")
    cascades = sorted(pathlib.Path(folder).glob("pico/**/facefinder*")) if folder else []
    if not cascades:
        pytest.skip("no real data: pico's cascade")
    detector = Detector.from_pico(cascades[0], angles=[0, 11.25])
    assert detector.kind_ == "scaled-pixels"
    assert Detector.load(cascades[0]).hash_ == detector.hash_
    detector.detect(draw_scene(np.random.default_rng(1), 80, 90))


def test_errors(scene, tmp_path):
    (tmp_path / "bad").write_bytes(b"no cascade")
    for read in (Detector.load, Detector.from_opencv, Detector.from_pico):
        with pytest.raises(shadewood.FormatError):
            read(tmp_path / "bad")
        with pytest.raises(shadewood.FileError):
            read(tmp_path / "none")
    with pytest.raises(ValueError, match="no cascade"):
        Detector().detect(scene)
    with pytest.raises(shadewood.Error):
        CascadeTrainer().fit([], [])
    with pytest.raises(ValueError):
        CascadeTrainer(stages=0).fit([scene], [scene])
    path = opencv(OPENCV)
    for wrong in (dict(angles="some"), dict(angles=[5]), dict(group="best"), dict(technique="blend"), dict(min_score="x"),
                  dict(scale_factor=0.5)):
        with pytest.raises(ValueError):
            Detector.from_opencv(path, **wrong).detect(scene)
