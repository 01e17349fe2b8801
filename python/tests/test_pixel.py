"""PixelForestClassifier: the same bytes as the program, arrays as they come, and what users do wrong."""

import copy
import json
import pickle
import threading

import numpy as np
import pytest

import shadewood
from conftest import make_picture, read_png, write_pnm
from shadewood import PixelForestClassifier

SMALL = dict(trees=3, depth=5, candidates=40, pixels=200, offset=12, size=9, seed=5)


@pytest.fixture(scope="module")
def forest(pictures):
    return PixelForestClassifier(**SMALL).fit(*pictures)


@pytest.mark.parametrize("settings, options", [
    ({}, []),
    ({"channels": "lab", "pool": "round", "ferns": True}, ["--channels", "lab", "--pool", "round", "--ferns"]),
    ({"thresholds": "random", "criterion": "gini", "weights": "inverse-root", "prior": "data", "combine": "vote"},
     ["--thresholds", "random", "--score", "gini", "--weights", "inverse-root", "--prior", "data", "--combine", "vote"]),
    ({"levels": 2, "folds": 3, "flip": "paired", "smooth": 3, "bias": 5},
     ["--levels", "2", "--folds", "3", "--flip", "paired", "--smooth", "3", "--bias", "5"]),
    ({"feature": "pixel-difference", "size": None, "sampling": "balanced", "images_percent": 60, "replacement": True,
      "out_of_bag": True, "min_samples": 3, "leaves": 9, "single": 20, "offset_min": 2, "shapes": 3, "technique": "cpu"},
     ["--feature", "pixel-difference", "--sampling", "balanced", "--images-percent", "60", "--replacement",
      "--out-of-bag", "--min-samples", "3", "--leaves", "9", "--single", "20", "--offset-min", "2", "--shapes", "3"]),
])
def test_same_forest_as_the_program(program, pictures, tmp_path, settings, options):
    images, labels = pictures
    for i, (image, truth) in enumerate(zip(images, labels)):
        write_pnm(tmp_path / f"{i}.ppm", image)
        write_pnm(tmp_path / f"{i}.pgm", truth)
    output = tmp_path / "theirs.ktx2"
    program("train", "--data", tmp_path, "--images", "{}.ppm", "--labels", "{}.pgm", "--output", output, "--trees", 3,
            "--depth", 5, "--candidates", 40, "--pixels", 200, "--offset", 12, "--seed", 5, *(["--size", 9] if settings.get("size", 9) else []), *options)
    params = {**SMALL, **settings}
    ours = PixelForestClassifier(**params).fit(images, labels)
    theirs = PixelForestClassifier.load(output)
    assert ours.hash_ == json.loads(program("inspect", "--json", output))["hash"] == theirs.hash_
    ours.save(tmp_path / "ours.ktx2")
    assert (tmp_path / "ours.ktx2").read_bytes() == output.read_bytes()
    program("label", tmp_path / "ours.ktx2", tmp_path / "0.ppm", "--output", tmp_path / "out", "--no-overlay",
            "--leaves", "--probabilities", "npy")
    assert np.array_equal(read_png(tmp_path / "out/0_labels.png"), theirs.predict(images[0]))
    leaves, planes = np.load(tmp_path / "out/0_leaves.npy"), np.load(tmp_path / "out/0_probabilities.npy")
    assert np.array_equal(leaves.reshape(3, *labels[0].shape), np.moveaxis(theirs.apply(images[0]), -1, 0))
    assert np.array_equal(planes.reshape(3, *labels[0].shape),
                          np.moveaxis(ours.predict_proba(images[0], raw=True), -1, 0))


def test_techniques_agree(forest, pictures):
    """Where there is a device; without one, `auto` is `cpu`."""
    image = pictures[0][0]
    expected = forest.predict_proba(image, raw=True)
    for technique in ("cpu", "auto", "compute", "fragment"):
        other = PixelForestClassifier.from_bytes(forest.to_bytes(), technique=technique)
        try:
            assert np.array_equal(other.predict_proba(image, raw=True), expected)
        except shadewood.NoDeviceError:
            assert technique in ("compute", "fragment")


def test_probabilities(forest, pictures):
    image = pictures[0][0]
    raw, shares, labels = forest.predict_proba(image, raw=True), forest.predict_proba(image), forest.predict(image)
    assert raw.dtype == np.uint16 and shares.dtype == np.float32 and shares.shape == (*image.shape[:2], 3)
    assert np.abs(shares.sum(axis=2) - 1).max() < 1e-6
    assert np.abs(shares - raw / 65535.0).max() < 1e-4
    top = np.sort(raw.astype(int), axis=2)
    clear = top[:, :, -1] - top[:, :, -2] > 3
    assert clear.any() and np.array_equal(raw.argmax(axis=2)[clear], labels[clear])


def test_explanation_agrees_with_labels(forest, pictures):
    image = pictures[0][0]
    labels, leaves, raw = forest.predict(image), forest.apply(image), forest.predict_proba(image, raw=True)
    for x, y in ((0, 0), (image.shape[1] - 1, 3), (20, image.shape[0] - 1)):
        why = forest.explain(image, x, y)
        assert why.label == labels[y, x]
        assert [tree.leaf for tree in why.trees] == list(leaves[y, x])
        assert np.array_equal(why.distribution, raw[y, x])
        for tree in why.trees:
            assert int(tree.distribution.sum()) == 65535
            for test in tree.tests:
                assert test.right == (test.response is None or test.thresholds[0] <= test.response < test.thresholds[1])
                assert sum(-r.value if r.subtracted else r.value for r in test.regions) == test.response
    with pytest.raises(shadewood.ArgumentError):
        forest.explain(image, image.shape[1], 0)
    with pytest.raises(ValueError):
        forest.explain(image, -1, 0)


class Capsule:
    """An array of another library, which has nothing but DLPack."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_as_they_come(forest, pictures):
    image = pictures[0][0]
    expected = forest.predict(image)
    wide = np.zeros((image.shape[0], image.shape[1] + 7, 3), np.uint8)
    wide[:, 2:-5] = image
    fortran, upwards = np.asfortranarray(image), image[::-1].copy()[::-1]
    alpha = np.concatenate([image, np.full_like(image[:, :, :1], 9)], axis=2)
    for same in (wide[:, 2:-5], fortran, upwards, np.repeat(image, 2, axis=1)[:, ::2], alpha, memoryview(image),
                 Capsule(image.copy()), image.tolist() and np.array(image.tolist(), np.uint8)):
        assert np.array_equal(forest.predict(same), expected)
    assert np.array_equal(forest.predict(image[None])[0], expected)
    assert np.array_equal(forest.predict([image, image])[1], expected)
    deep = image.astype(np.uint16) * 257
    assert np.array_equal(forest.predict(deep), expected)
    assert np.array_equal(forest.predict(deep.astype(">u2")), expected)
    row = image[5:6]
    assert np.array_equal(forest.predict(row), forest.predict(np.array(row)))
    grey = image[:, :, 0]
    assert np.array_equal(forest.predict(grey), forest.predict(np.repeat(grey[:, :, None], 3, axis=2)))
    assert np.array_equal(forest.predict(grey), forest.predict(grey[:, :, None]))
    halves = (deep / 65535).astype(np.float16)
    rounded = np.rint(np.clip(halves.astype(np.float64), 0, 1) * 65535).astype(np.uint16)
    assert np.array_equal(forest.predict(halves), forest.predict(rounded))


def test_images_are_not_copied():
    from shadewood import _images

    base = np.zeros((20, 30, 3), np.uint8)
    for view in (base, base[2:, 4:20], base[::2], Capsule(base), memoryview(base)):
        found = _images.as_image(view).array
        assert np.shares_memory(found, base)
    assert not np.shares_memory(_images.as_image(base[:, ::2]).array, base)
    assert not np.shares_memory(_images.as_image(np.broadcast_to(base[:1], base.shape)).array, base)


def test_labels_and_void(pictures):
    images, labels = pictures
    expected = PixelForestClassifier(**SMALL).fit(images, labels).hash_
    signed = [np.where(each == 65535, -1, each.astype(np.int64)) for each in labels]
    bytes_ = [np.where(each == 65535, 255, each).astype(np.uint8) for each in labels]
    masks = [each != 65535 for each in labels]
    filled = [np.where(each == 65535, 0, each) for each in labels]
    model = PixelForestClassifier(**SMALL)
    assert model.fit(images, signed).hash_ == expected
    assert model.fit(images, bytes_, void=255).hash_ == expected
    assert model.fit(images, filled, mask=masks).hash_ == expected
    assert model.fit(images, filled).hash_ != expected
    assert 0.5 < model.fit(images, labels).score(images, signed) <= 1
    assert model.score(images[0], labels[0]) == np.mean(
        (model.predict(images[0]) == labels[0])[labels[0] != 65535])


def test_many_as_an_array(pictures):
    image, labels = pictures[0][0], pictures[1][0]
    both = np.stack([image, image[::-1]]), np.stack([labels, labels[::-1]])
    assert PixelForestClassifier(**SMALL).fit(*both).hash_ == \
        PixelForestClassifier(**SMALL).fit([image, image[::-1]], [labels, labels[::-1]]).hash_
    assert PixelForestClassifier(**SMALL).fit(image, labels).hash_ == \
        PixelForestClassifier(**SMALL).fit([image], [labels]).hash_


def test_depth(pictures):
    images, labels = pictures
    depth = [(1000 + 40 * each.astype(np.int64) % 5000).astype(np.uint16) for each in labels]
    model = PixelForestClassifier(**{**SMALL, "channels": "gauss:1,depth", "feature": "mean-difference"})
    model.fit(images, labels, inputs={"depth": depth})
    assert np.array_equal(model.predict(images[0], inputs={"depth": depth[0]}),
                          model.predict(images, inputs={"depth": depth})[0])
    with pytest.raises(shadewood.ArgumentError, match="depth"):
        model.predict(images[0])
    with pytest.raises(ValueError, match="2"):
        model.fit(images, labels, inputs={"depth": depth[:2]})
    with pytest.raises(ValueError, match="pixels"):
        model.predict(images[0], inputs={"depth": depth[1]})


def test_classes(pictures):
    model = PixelForestClassifier(**SMALL).fit(*pictures, classes=["grass", ("rock", (1, 2, 3)), "sea", "unseen"])
    assert model.class_names_ == ["grass", "rock", "sea", "unseen"]
    assert list(model.class_colours_[1]) == [1, 2, 3] and model.n_classes_ == 4
    assert list(model.classes_) == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="class 2"):
        PixelForestClassifier(**SMALL).fit(*pictures, classes=["a", "b"])


def test_files_pickle_and_copies(forest, pictures, tmp_path):
    image = pictures[0][0]
    forest.save(tmp_path / "forest.ktx2")
    assert (tmp_path / "forest.ktx2").read_bytes() == forest.to_bytes()
    for other in (PixelForestClassifier.load(tmp_path / "forest.ktx2"), pickle.loads(pickle.dumps(forest)),
                  copy.deepcopy(forest)):
        assert other.hash_ == forest.hash_ and other.to_bytes() == forest.to_bytes()
        assert np.array_equal(other.predict(image), forest.predict(image))
    assert pickle.loads(pickle.dumps(forest)).get_params() == forest.get_params()
    unfitted = pickle.loads(pickle.dumps(PixelForestClassifier(trees=2)))
    with pytest.raises(ValueError, match="not fitted"):
        unfitted.predict(image)


def test_clone():
    base = pytest.importorskip("sklearn.base")
    model = PixelForestClassifier(**SMALL)
    assert base.clone(model).get_params() == model.get_params()
    assert model.set_params(trees=9).trees == 9
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(tress=9)
    assert repr(PixelForestClassifier(trees=2)) == "PixelForestClassifier(trees=2)"


def test_progress_and_cancelling(pictures):
    seen = []
    PixelForestClassifier(**{**SMALL, "levels": 2}).fit(*pictures, progress=seen.append)
    assert [each.tree for each in seen] == sorted(each.tree for each in seen[:len(seen) // 2]) * 2 or len(seen) > 6
    assert {each.level for each in seen} == {0, 1} and all(each.trees == 3 for each in seen)
    fractions = [each.fraction for each in seen]
    assert fractions == sorted(fractions) and fractions[-1] == 1
    model = PixelForestClassifier(**SMALL)
    with pytest.raises(shadewood.Cancelled):
        model.fit(*pictures, progress=lambda progress: False)
    with pytest.raises(KeyError):
        model.fit(*pictures, progress=lambda progress: {}["exceptions of a progress function arrive"])
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(pictures[0][0])


def test_errors(forest, pictures, tmp_path):
    images, labels = pictures
    with pytest.raises(shadewood.FileError, match="none.ktx2"):
        PixelForestClassifier.load(tmp_path / "none.ktx2")
    (tmp_path / "bad.ktx2").write_bytes(b"no forest")
    with pytest.raises(shadewood.FormatError):
        PixelForestClassifier.load(tmp_path / "bad.ktx2")
    with pytest.raises(OSError):
        forest.save(tmp_path / "no" / "folder.ktx2")
    for wrong in (dict(trees=0), dict(depth=65), dict(technique="fast"), dict(channels="no"), dict(feature="no"),
                  dict(criterion="entropy"), dict(depth=-1), dict(pixels="some"), dict(seed=-1), dict(bins=1)):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            PixelForestClassifier(**{**SMALL, **wrong}).fit(images, labels)
    for name, value in (("seed", -1), ("leaves", -1), ("threads", "two"), ("memory", 1.5), ("smooth", 1 << 40),
                        ("below_offset", "x"), ("single", None)):
        with pytest.raises((ValueError, TypeError), match=f"^{name} is {value!r}, "):
            PixelForestClassifier(**{**SMALL, name: value}).fit(images, labels)
    with pytest.raises(ValueError, match="device is -1, which is out of range"):
        PixelForestClassifier(**{**SMALL, "technique": "compute", "device": -1}).fit(images, labels)
    for wrong in (dict(classes=["a", "b\0c", "d"]), dict(names=["a\0"] * len(images))):
        with pytest.raises(ValueError, match="null character"):
            PixelForestClassifier(**SMALL).fit(images, labels, **wrong)
    model = PixelForestClassifier(**SMALL)
    for bad in ((images, labels[:2]), ([], []), (images[0], labels[1]), (images[0].astype(float), labels[0]),
                (images[0], labels[0].astype(float)), (images[0], labels[0].astype(int) - 2), (images[0][:0], labels[0][:0])):
        with pytest.raises((ValueError, TypeError)):
            model.fit(*bad)
    with pytest.raises(shadewood.Error):
        model.fit(images[0], np.full_like(labels[0], 65535))
    with pytest.raises(ValueError, match="shape"):
        forest.predict(np.zeros(5, np.uint8))
    with pytest.raises(ValueError, match="no pixel"):
        forest.score(images[0], np.full_like(labels[0], 65535))


def test_masked_arrays(pictures):
    """What labels hide is void; images that hide pixels are refused."""
    images, labels = pictures
    hidden = [np.indices(each.shape)[1] % 3 == 0 for each in labels]
    masked = [np.ma.masked_array(each, mask) for each, mask in zip(labels, hidden)]
    plain = PixelForestClassifier(**SMALL).fit(images, labels, mask=[~mask for mask in hidden])
    found = PixelForestClassifier(**SMALL).fit([np.ma.masked_array(each) for each in images], masked)
    assert found.hash_ == plain.hash_ != PixelForestClassifier(**SMALL).fit(images, labels).hash_
    image = np.ma.masked_array(images[0], np.zeros_like(images[0], bool))
    image[0, 0] = np.ma.masked
    with pytest.raises(ValueError, match="hides pixels"):
        found.predict(image)


def test_threads(forest):
    """Any number of threads label with one forest."""
    generator = np.random.default_rng(3)
    images = [make_picture(generator, 30, 40)[0] for _ in range(8)]
    expected, found = forest.predict(images), [None] * len(images)

    def label(i):
        found[i] = forest.predict(images[i])

    threads = [threading.Thread(target=label, args=(i,)) for i in range(len(images))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, other) for one, other in zip(expected, found))


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
from shadewood import PixelForestClassifier
image = np.random.default_rng(0).integers(0, 256, (600, 800, 3), dtype=np.uint8)
labels = (image[:, :, 0] // 64).astype(np.uint16)
sent = []
def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)
timer = threading.Timer(1.5, send)
timer.start()
try:
    PixelForestClassifier(trees=500, depth=20, candidates=100000, pixels=400000, technique="cpu").fit(image, labels)
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
"""


def test_keyboard_interrupt():
    """In a process of its own, whose first rounds would take minutes. Seconds are generous, for busy machines."""
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 0 and float(done.stdout) < 60


MANY_INTERRUPTS = """
import os, random, signal, threading, time
import numpy as np
from shadewood import PixelForestClassifier, RecordForestClassifier
generator, moments = np.random.default_rng(0), random.Random(0)
X = generator.normal(size=(3000, 8)).astype(np.float32)
y = (X[:, 0] > 0).astype(int)
image = generator.integers(0, 255, (150, 200, 3), dtype=np.uint8)
labels = (image[:, :, 0] > 100).astype(np.uint8)
forest = PixelForestClassifier(trees=2, depth=5, technique="cpu", threads=1, pixels=200, candidates=50).fit(image, labels)
busy = threading.Event()
def send():
    while True:
        busy.wait()
        time.sleep(moments.random() ** 3 * 0.02)
        for _ in range(moments.choice([1, 2, 4])):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(moments.random() * 0.0008)
threading.Thread(target=send, daemon=True).start()
end, interrupted = time.monotonic() + 8, 0
while time.monotonic() < end:
    try:
        try:
            busy.set()
            forest.predict(image)
            RecordForestClassifier(trees=3, technique="cpu", threads=1).fit(X, y)
        except KeyboardInterrupt:
            interrupted += 1
        busy.clear()
    except KeyboardInterrupt:
        busy.clear()
signal.signal(signal.SIGINT, signal.SIG_IGN)
print(interrupted, flush=True)
os._exit(0)
"""


def test_many_interrupts():
    """Ctrl+C again and again, also while work starts or an earlier one is handled: nothing is freed while it is in use."""
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", MANY_INTERRUPTS], stdout=subprocess.PIPE, text=True, timeout=300)
    assert done.returncode == 0 and int(done.stdout) > 10


def test_a_weight_for_each_class():
    image = np.zeros((24, 32, 3), np.uint8)
    image[:, 16:] = 200
    for weights in ([], [1.0], [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match=f"^there are {len(weights)} weights and 2 classes$"):
            PixelForestClassifier(trees=1, offset=4, weights=weights).fit(image, (image[:, :, 0] > 0).astype(np.uint8))
