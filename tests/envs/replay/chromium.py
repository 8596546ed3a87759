"""A headless Chromium, told what to do through its DevTools protocol."""

from __future__ import annotations

import base64
import itertools
import json
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import connect

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE_S = 30.0


def program() -> str | None:
    """The browser installed here, if there is one."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


SIZES = (
    *((320, 568, True), (390, 844, True), (768, 1024, False), (900, 900, False)),
    *((1000, 720, False), (1024, 768, False), (1100, 760, False), (1280, 800, False)),
)
"""Windows into which a page has to fit: width, height, whether it is a phone's."""


class Browser:
    """One page in a browser of its own, with what it complains about.

    Args:
        folder: for the browser's profile.
    """

    def __init__(self, folder: Path) -> None:
        found = program()
        assert found is not None, "whoever asks for a browser has looked for one"
        options = (
            *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
            *("--remote-debugging-port=0", "--disable-dev-shm-usage", "--no-first-run"),
            *(f"--user-data-dir={folder}", "about:blank"),
        )
        self._process = subprocess.Popen(
            [found, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        port, path = self._address(folder / "DevToolsActivePort")
        address = f"ws://127.0.0.1:{port}{path}"
        self._open = ExitStack()
        self._socket = self._open.enter_context(connect(address, max_size=None, compression=None))
        self._numbers = itertools.count(1)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self._preferred: dict[str, str] = {}
        self._session: str | None = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)[
            "sessionId"
        ]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol, and note what the page says meanwhile."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        self._socket.send(json.dumps(message))
        while True:
            heard = json.loads(self._socket.recv(timeout=_PATIENCE_S))
            if heard.get("id") == number:
                assert "error" not in heard, heard
                return heard["result"]
            self._note(heard)

    def open(self, page: Path | str, *, width: int, height: int, phone: bool = False) -> None:
        """Show a file, or an address, in a window, or on a phone, of that size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        self.call("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.call("Page.navigate", url=page.as_uri() if isinstance(page, Path) else page)
        self.wait("document.readyState === 'complete'")

    def prefer(self, scheme: str) -> None:
        """Let the user prefer "light" or "dark"."""
        self._prefer("prefers-color-scheme", scheme)

    def prefer_stillness(self, stillness: bool) -> None:
        """Let the user prefer as little motion as possible, or not."""
        self._prefer("prefers-reduced-motion", "reduce" if stillness else "no-preference")

    def _prefer(self, name: str, value: str) -> None:
        self._preferred[name] = value
        features = [{"name": name, "value": value} for name, value in self._preferred.items()]
        self.call("Emulation.setEmulatedMedia", features=features)

    def ask(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, expression: str) -> None:
        """Wait until it holds."""
        end = time.monotonic() + _PATIENCE_S
        while not self.ask(expression):
            assert time.monotonic() < end, f"never came true: {expression}"
            time.sleep(0.02)

    def press(self, key: str) -> None:
        """Press and release a key."""
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, selector: str) -> None:
        """Click the middle of an element with the mouse."""
        x, y = self.middle(selector)
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, *points: tuple[float, float], lets_go: bool = True) -> None:
        """Press the mouse at the first point of the window, and draw it along the others."""
        for number, (x, y) in enumerate(points):
            kind = "mouseMoved" if number else "mousePressed"
            where: dict[str, Any] = {"x": x, "y": y, "button": "left", "buttons": 1}
            self.call("Input.dispatchMouseEvent", type=kind, clickCount=1, **where)
        if lets_go:
            x, y = points[-1]
            where = {"x": x, "y": y, "button": "left", "clickCount": 1}
            self.call("Input.dispatchMouseEvent", type="mouseReleased", **where)

    def draw_finger(self, *points: tuple[float, float]) -> None:
        """Touch the window at the first point, draw the finger along the others, and lift it."""
        for number, (x, y) in enumerate(points):
            kind = "touchMove" if number else "touchStart"
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def tap(self, selector: str) -> None:
        """Touch the middle of an element with a finger."""
        x, y = self.middle(selector)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def middle(self, selector: str) -> tuple[float, float]:
        """Where the middle of an element is in the window, which is scrolled to it."""
        box = (
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            "e.scrollIntoView({block: 'nearest'}); const b = e.getBoundingClientRect();"
            "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        x, y = self.ask(box)
        return x, y

    def sticking_out(self) -> list[str]:
        """What is too wide: the page for its window, or a button for itself or the window."""
        return self.ask(
            "[...document.querySelectorAll('#buttons > *')].filter(e => !e.hidden &&"
            "(e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth)"
            ").map(e => e.id).concat("
            "document.scrollingElement.scrollWidth > innerWidth ? ['page'] : [])"
        )

    def screenshot(self) -> bytes:
        """What the window shows, PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def __enter__(self) -> Browser:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._open.close()
        self._process.terminate()
        self._process.wait(timeout=_PATIENCE_S)

    def _note(self, heard: dict[str, Any]) -> None:
        method, what = heard.get("method"), heard.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(what["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning"):
            self.complaints.append(str(what["args"]))
        elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
            self.complaints.append(str(what["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(what["request"]["url"])

    def _address(self, file: Path) -> tuple[str, str]:
        end = time.monotonic() + _PATIENCE_S
        while True:
            lines = file.read_text().splitlines() if file.exists() else []
            if len(lines) == 2:
                return lines[0], lines[1]
            assert self._process.poll() is None, "the browser has ended"
            assert time.monotonic() < end, "the browser does not open its port"
            time.sleep(0.05)
