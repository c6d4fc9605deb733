"""A page in headless Chromium, driven by the DevTools protocol over a pipe: no socket, no package, no network.

https://chromedevtools.github.io/devtools-protocol/; messages are JSON, each ended by a NUL, on descriptors 3 and 4 of the
browser (--remote-debugging-pipe).
"""
import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
           "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe"]
KEYS = {"Tab": 9, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowRight": 39}


class Browser:
    """A running browser with one page; a context manager that ends it. `timeout_s` is for one answer."""

    def __init__(self, binary, timeout_s=120):
        self.timeout_s, self.last_id, self.buffer, self.session = timeout_s, 0, b"", None
        self.events = []  # (method, parameters), oldest first
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        command, self.to_browser = os.pipe()
        self.from_browser, answer = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{command} 4>&{answer}', "bash", binary, *OPTIONS,
             f"--user-data-dir={self.profile.name}", "about:blank"],
            pass_fds=(command, answer), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command)
        os.close(answer)

    def __enter__(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        self.profile.cleanup()

    def call(self, method, **parameters):
        """Sends one command and gives its result; events that come in between are kept."""
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        while (answer := self.next_message()).get("id") != self.last_id:
            pass
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def next_message(self):
        deadline = time.monotonic() + self.timeout_s
        while b"\0" not in self.buffer:
            if not select.select([self.from_browser], [], [], max(0, deadline - time.monotonic()))[0]:
                raise RuntimeError(f"the browser gave no answer within {self.timeout_s} s")
            part = os.read(self.from_browser, 1 << 20)
            if not part:
                raise RuntimeError("the browser ended")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        message = json.loads(text)
        if "method" in message:
            self.events.append((message["method"], message["params"]))
        return message

    def open(self, path, script=True):
        """Loads a file and waits until it is whole, with its own script or without."""
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(path).resolve().as_uri())
        while not any(method == "Page.loadEventFired" for method, _ in self.events):
            self.next_message()

    def view(self, width, scheme="light"):
        """Window of `width` CSS pixels and the reader's colour scheme, light or dark."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def evaluate(self, expression):
        """Value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def press(self, key):
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key])

    def point_at(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def save_picture(self, path):
        """PNG of what the window shows."""
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))
