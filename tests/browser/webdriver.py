"""A small client of the WebDriver protocol: Chromium without a window, driven by chromedriver.

One browser for each instance; use it in a `with` statement. Not thread-safe.
"""

import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {
    "Enter": "\ue007", "Escape": "\ue00c", "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011",
    "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Tab": "\ue004",
}


class Browser:
    def __init__(self, width=1500, height=950, dark=False):
        self.folder = tempfile.mkdtemp(prefix="ricercar-browser-")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            start_new_session=True)
        self.root = f"http://127.0.0.1:{self._port()}"
        self.session = self._begin(width, height, dark)

    def _port(self):
        for line in self.driver.stdout:
            if "successfully on port" in line:
                return int(line.rstrip().rstrip(".").rsplit(" ", 1)[1])
        raise RuntimeError("chromedriver did not start")

    def _begin(self, width, height, dark):
        arguments = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
            "--disable-background-networking", f"--window-size={width},{height}", f"--user-data-dir={self.folder}"]
        if dark:
            arguments.append("--force-dark-mode")
        options = {"args": arguments, "binary": shutil.which("chromium")}
        answer = self._call("POST", "/session", {
            "capabilities": {"alwaysMatch": {
                "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        return "/session/" + answer["sessionId"]

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            self._call("DELETE", self.session)
        finally:
            os.killpg(self.driver.pid, signal.SIGTERM)
            self.driver.wait()
            shutil.rmtree(self.folder, ignore_errors=True)

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def call(self, method, path, body=None):
        return self._call(method, self.session + path, body)

    def open(self, url):
        self.call("POST", "/url", {"url": url})

    def run(self, script, *arguments):
        """Runs JavaScript; what it returns."""
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait_for(self, script, seconds=10):
        """Until an expression is true."""
        end = time.monotonic() + seconds
        while not self.run("return " + script):
            if time.monotonic() > end:
                raise AssertionError("it did not come true: " + script)
            time.sleep(0.02)

    def find(self, selector):
        return self.call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        for attempt in range(3):
            try:
                self.call("POST", f"/element/{self.find(selector)}/click", {})
                return
            except RuntimeError as error:  # it was drawn anew in between
                if "stale" not in str(error) or attempt == 2:
                    raise

    def type(self, selector, text):
        self.call("POST", f"/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Keys one after the other, to whatever has the focus."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def log(self):
        """What the page has complained about since the last call."""
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})
                if entry["level"] in ("SEVERE", "WARNING")]

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))
