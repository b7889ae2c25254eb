"""Debian's Chromium, driven over its DevTools pipe: no driver, no port, no further package."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)


def executable() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Tab:
    """One page of a browser of its own, with all that it complains about and asks for."""

    def __init__(self, profile: Path, width: int = 1440, height: int = 1000) -> None:
        self.seconds = 60.0
        self.events: list[dict[str, Any]] = []
        self.downloads = profile / "downloads"
        self.downloads.mkdir(parents=True)
        self._number, self._rest, self._session = 0, b"", None
        command_in, self._write = os.pipe()
        self._read, answer_out = os.pipe()
        # The browser reads commands on descriptor 3 and answers on 4.
        shell = f'exec "$@" 3<&{command_in} 4>&{answer_out}'
        program = [str(executable()), *FLAGS, f"--user-data-dir={profile / 'user'}", f"--window-size={width},{height}"]
        self._process = subprocess.Popen(
            ["bash", "-c", shell, "bash", *program, "about:blank"],
            pass_fds=(command_in, answer_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(command_in)
        os.close(answer_out)
        behaviour = {"behavior": "allow", "downloadPath": str(self.downloads), "eventsEnabled": True}
        self.call("Browser.setDownloadBehavior", **behaviour)
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        attached = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.media()

    def __enter__(self) -> Tab:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._session = None
            self.call("Browser.close")
            self._process.wait(20)
        except (OSError, TimeoutError, EOFError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()
        finally:
            os.close(self._write)
            os.close(self._read)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """What the browser answers to one command."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._write, data) :]
        until = time.monotonic() + self.seconds
        while True:
            answer = self._message(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return dict(answer["result"])

    def _message(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._rest:
            if not select.select([self._read], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            more = os.read(self._read, 1 << 16)
            if not more:
                raise EOFError("the browser has gone")
            self._rest += more
        data, _, self._rest = self._rest.partition(b"\0")
        message: dict[str, Any] = json.loads(data)
        if "method" in message:
            self.events.append(message)
        return message

    def run(self, script: str) -> Any:
        """The value of an expression, awaited."""
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, condition: str, seconds: float = 60.0) -> None:
        until = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > until:
                raise TimeoutError(condition)
            time.sleep(0.05)

    def open(self, path: Path) -> None:
        self.call("Page.navigate", url=path.as_uri())
        self.wait("document.readyState === 'complete'")

    def media(self, kind: str = "", scheme: str = "light") -> None:
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=kind, features=features)

    def press(self, key: str, code: int, **more: Any) -> None:
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, **more)

    def hover(self, selector: str) -> None:
        found = f"document.querySelector({json.dumps(selector)})"
        self.run(f"{found}.scrollIntoView({{block: 'center', behavior: 'instant'}})")
        box = self.run(f"(r => [r.x + r.width / 2, r.y + r.height / 2])({found}.getBoundingClientRect())")
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=box[0], y=box[1])

    def downloaded(self, name: str, seconds: float = 20.0) -> bytes:
        until = time.monotonic() + seconds
        while not (self.downloads / name).exists():
            if time.monotonic() > until:
                raise TimeoutError(f"{name} was not downloaded: {os.listdir(self.downloads)}")
            self.run("0")
            time.sleep(0.05)
        return (self.downloads / name).read_bytes()

    def screenshot(self, path: Path, *, full: bool = False) -> None:
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=full)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self, path: Path) -> None:
        printed = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(printed["data"]))

    def complaints(self) -> list[Any]:
        """Errors and warnings, of scripts and of the browser, and dialogs."""
        heard = []
        for event in self.events:
            kind, what = event["method"], event["params"]
            if kind == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                heard.append([argument.get("value", argument.get("description")) for argument in what["args"]])
            elif kind in ("Runtime.exceptionThrown", "Page.javascriptDialogOpening"):
                heard.append(what)
            elif kind == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                heard.append(what["entry"])
        return heard

    def requests(self) -> list[str]:
        """All that was asked for, but for what the file itself holds."""
        urls = [e["params"]["request"]["url"] for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("data:", "blob:", "about:"))]
