"""One window of this process that shows drawings, by tkinter and Pillow."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any, Final

from .canvas import Drawing
from .errors import TabletopError
from .pixels import to_image

NEEDS_X11: Final = sys.platform not in ("win32", "darwin")
SCREEN_SHARE: Final = 0.9  # of the height of the screen that a picture takes at most

_window: list[Any] = []  # the label of the window that is open, if one is


def show_drawing(drawing: Drawing) -> bool:
    """Show a drawing in place of the one before; False where no window can be opened.

    That is so without a display, outside the main thread, or without tkinter or Pillow.
    """
    if threading.current_thread() is not threading.main_thread() or not _has_display():
        return False
    try:
        import tkinter

        from PIL import ImageTk
    except ModuleNotFoundError:
        return False
    try:
        label = _label(tkinter, drawing.title)
        room = label.winfo_screenheight() * SCREEN_SHARE
        image = to_image(drawing, min(1.0, room / drawing.height))
        label.image = ImageTk.PhotoImage(image, master=label)  # which nobody else keeps alive
        label.configure(image=label.image)
        label.winfo_toplevel().title(drawing.title)
        label.update()
    except (tkinter.TclError, TabletopError):
        _window.clear()
        return False
    return True


def _has_display() -> bool:
    return not NEEDS_X11 or bool(os.environ.get("DISPLAY"))


def _label(tkinter: Any, title: str) -> Any:
    """The label that fills the window; a new window if there is none or somebody has closed it."""
    if _window:
        try:
            _window[0].winfo_exists()
        except tkinter.TclError:
            _window.clear()
    if not _window:
        label = tkinter.Label(tkinter.Tk(className=title), borderwidth=0)
        label.pack()
        _window.append(label)
    return _window[0]
