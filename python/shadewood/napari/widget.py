"""What napari shows: which layers, whether to train while painting, and a forest to be saved."""

from __future__ import annotations

from typing import Any, Callable, Optional

from .session import Session


def make_widget(napari_viewer: Any) -> Any:
    """The dock widget of the plug-in, for npe2."""
    from magicgui.widgets import CheckBox, Container, FileEdit, Label, PushButton, create_widget
    from napari.layers import Image, Labels
    from qtpy.QtCore import QObject, Signal

    class Caller(QObject):
        """Runs functions in the thread of the user interface."""

        called = Signal(object)

    caller = Caller()
    caller.called.connect(lambda function: function())
    image, labels = create_widget(annotation=Image, label="image"), create_widget(annotation=Labels, label="strokes")
    live, train = CheckBox(text="train while painting", value=True), PushButton(text="train")
    path, save, message = FileEdit(mode="w", label="forest", filter="*.ktx2"), PushButton(text="save"), Label(value="")
    state = {"session": None}  # type: dict[str, Optional[Session]]

    def say(text: str) -> None:
        message.value = text

    def guarded(action: Callable[[], None]) -> Callable[..., None]:
        def run(*_: Any) -> None:
            try:
                action()
            except Exception as error:
                say(str(error))

        return run

    def close() -> None:
        if state["session"] is not None:
            state["session"].close()
        state["session"] = None

    def begin() -> None:
        close()
        if image.value is not None and labels.value is not None:
            state["session"] = Session(napari_viewer, image.value, labels.value, caller.called.emit, say, live=live.value)

    def train_now() -> None:
        if state["session"] is None:
            begin()
        if state["session"] is not None:
            state["session"].train()

    def set_live() -> None:
        if state["session"] is not None:
            state["session"].live = live.value

    def save_forest() -> None:
        if state["session"] is None:
            raise ValueError("choose an image and a Labels layer first")
        state["session"].save(str(path.value))

    for part in (image, labels):
        part.changed.connect(guarded(begin))
    live.changed.connect(guarded(set_live))
    train.clicked.connect(guarded(train_now))
    save.clicked.connect(guarded(save_forest))
    container = Container(widgets=[image, labels, live, train, path, save, message])
    container.native.destroyed.connect(guarded(close))
    guarded(begin)()
    return container
