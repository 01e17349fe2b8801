"""The plug-in of napari, without napari: Debian does not have it. A stand-in below has the few attributes and events of
layers and viewers that shadewood/napari/session.py lists; it is written after napari's documentation, and shows that the
plug-in's own logic works, not that napari behaves as it does. widget.py is only read by the compiler here."""

import pathlib
import threading
import time

import numpy as np
import pytest

import shadewood
from conftest import make_picture
from shadewood.napari import session as sessions
from shadewood.napari import teaching

FAST = dict(trees=2, depth=4, candidates=10, technique="cpu")


class Emitter:
    """An event of napari: functions that are connected, and called by emit()."""

    def __init__(self):
        self.connected = []

    def connect(self, function):
        self.connected.append(function)

    def disconnect(self, function):
        self.connected.remove(function)

    def emit(self):
        for function in list(self.connected):
            function(self)


class Events:
    def __init__(self, *names):
        for name in names:
            setattr(self, name, Emitter())


class Layer:
    def __init__(self, data, name, rgb=False, limits=(0, 1), events=("data",)):
        self._data, self.name, self.rgb, self.contrast_limits, self.events = data, name, rgb, limits, Events(*events)
        self.refreshed = 0

    @property
    def data(self):
        return self._data

    @data.setter
    def data(self, data):
        self._data = data
        self.events.data.emit()

    def paint(self, where, value):
        """As a stroke: pixels change in place, and then there is an event."""
        self._data[where] = value
        self.events.paint.emit()

    def refresh(self):
        self.refreshed += 1


class Layers(list):
    def __init__(self):
        super().__init__()
        self.selection = type("Selection", (), {"active": None})()


class Viewer:
    def __init__(self, step=()):
        self.layers = Layers()
        self.dims = type("Dims", (), {})()
        self.dims.current_step, self.dims.events = tuple(step), Events("current_step")

    def add_labels(self, data, name, opacity):
        layer = Layer(data, name, events=("data", "paint"))
        self.layers.append(layer)
        return layer


class Loop:
    """The thread of a user interface: what others ask for runs when the test looks."""

    def __init__(self):
        self.functions, self.lock, self.said = [], threading.Lock(), []

    def later(self, function):
        with self.lock:
            self.functions.append(function)

    def run(self):
        with self.lock:
            functions, self.functions = self.functions, []
        for function in functions:
            function()


def start(image, labels, viewer=None, **settings):
    viewer, loop = viewer or Viewer(), Loop()
    layers = Layer(image, "picture", rgb=image.shape[-1] == 3), Layer(labels, "strokes", events=("data", "paint"))
    viewer.layers += layers
    return sessions.Session(viewer, *layers, loop.later, loop.said.append, {**FAST, **settings}), loop, viewer, layers


@pytest.fixture
def picture():
    return make_picture(np.random.default_rng(17), 48, 64, classes=2)


def paint_some(layer, truth, value):
    ys, xs = np.nonzero(truth == value)
    layer.paint((ys[::9], xs[::9]), value + 1)


def test_strokes_become_labels(picture):
    image, truth = picture
    session, loop, viewer, (_, strokes) = start(image, np.zeros((48, 64), int))
    paint_some(strokes, truth, 0)
    assert session.teacher.wait()
    loop.run()
    assert "two labels" in loop.said[-1] and session.result is None
    paint_some(strokes, truth, 1)
    assert session.teacher.wait()
    loop.run()
    assert loop.said[-1] == "" and viewer.layers[-1] is session.result and viewer.layers.selection.active is strokes
    found = session.result.data
    assert found.shape == truth.shape and set(np.unique(found)) <= {1, 2}
    assert np.mean(found == truth + 1) > 0.8
    expected = shadewood.PixelForestClassifier(**{**teaching.SETTINGS, **FAST}).fit(image, strokes.data - 1)
    assert np.array_equal(found, expected.predict(image).astype(int) + 1)
    layers = len(viewer.layers)
    paint_some(strokes, truth, 0)  # nothing new
    strokes.paint((slice(0, 1), slice(0, 1)), 2)
    assert session.teacher.wait()
    loop.run()
    assert len(viewer.layers) == layers
    viewer.layers.remove(session.result)  # as a user does
    strokes.paint((slice(3, 4), slice(0, 1)), 2)
    assert session.teacher.wait()
    loop.run()
    assert len(viewer.layers) == layers
    session.close()
    assert strokes.events.paint.connected == [] and viewer.dims.events.current_step.connected == []


def test_only_when_asked(picture):
    image, truth = picture
    session, loop, _, (_, strokes) = start(image, np.zeros((48, 64), int))
    session.live = False
    for value in (0, 1):
        paint_some(strokes, truth, value)
    assert session.teacher.wait() and loop.functions == []
    session.train()
    assert session.teacher.wait() and len(loop.functions) == 1
    session.close()


def test_a_stack(picture):
    """Strokes on one picture of a stack label the one that is shown."""
    image, truth = picture
    stack = np.stack([image, image[::-1], image[:, ::-1]])
    session, loop, viewer, (_, strokes) = start(stack, np.zeros((3, 48, 64), int), Viewer(step=(0, 24, 32)))
    for value in (0, 1):
        ys, xs = np.nonzero(truth == value)
        strokes.paint((np.zeros(len(ys[::9]), int), ys[::9], xs[::9]), value + 1)
    assert session.teacher.wait()
    loop.run()
    assert session.result.data[0].all() and not session.result.data[1:].any()
    viewer.dims.current_step = (1, 24, 32)
    viewer.dims.events.current_step.emit()
    assert session.teacher.wait()
    loop.run()
    assert np.array_equal(session.result.data[1], session.teacher.forest.predict(stack[1]).astype(int) + 1)
    assert session.result.refreshed == 2
    session.close()


def test_new_strokes_end_a_training(picture):
    """A training of minutes makes way for what is painted meanwhile."""
    image, truth = picture
    results = []
    teacher = teaching.Teacher(results.append, {**FAST, "trees": 4000, "candidates": 400})
    labels = truth.astype(int) + 1
    teacher.ask(teaching.Request([image], [labels], image, "slow", True))
    while not teacher._busy:
        time.sleep(0.01)
    teacher.settings["trees"] = 2
    teacher.ask(teaching.Request([image], [labels], image, "replaced", True))
    teacher.ask(teaching.Request([image], [labels], image, "last", False))
    assert teacher.wait()
    assert [result.ticket for result in results] == ["last"] and results[0].error is None
    assert teacher.forest.trees == 2
    teacher.close()


def test_images_of_other_types():
    floats = np.linspace(-1, 3, 12, dtype=float).reshape(3, 4)
    pictures = sessions.as_pictures(Layer(floats, "", limits=(0, 2)))
    assert pictures.dtype == np.uint16 and pictures.min() == 0 and pictures.max() == 65535
    assert pictures[1, 1] == pytest.approx(65535 * floats[1, 1] / 2, abs=1)
    for kept in (np.zeros((3, 4), np.uint8), np.zeros((3, 4), np.uint16)):
        assert sessions.as_pictures(Layer(kept, "")) is kept
    with pytest.raises(ValueError, match="shape"):
        start(np.zeros((9, 9), np.uint8), np.zeros((9, 8), int))


def test_saving(picture, tmp_path):
    image, truth = picture
    session, loop, _, (_, strokes) = start(image, truth.astype(int) + 1)
    with pytest.raises(ValueError, match="no forest"):
        session.save(tmp_path / "forest.ktx2")
    session.train()
    assert session.teacher.wait()
    session.save(tmp_path / "forest.ktx2")
    assert shadewood.PixelForestClassifier.load(tmp_path / "forest.ktx2").hash_ == session.teacher.forest.hash_
    session.close()


def test_the_manifest_names_what_exists():
    folder = pathlib.Path(sessions.__file__).parent
    manifest = (folder / "napari.yaml").read_text()
    module, function = "shadewood.napari.widget:make_widget".split(":")
    assert f"python_name: {module}:{function}" in manifest and manifest.count("shadewood.teach") == 2
    source = (folder / "widget.py").read_text()
    compile(source, "widget.py", "exec")
    assert f"def {function}(napari_viewer" in source
