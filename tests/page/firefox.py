#!/usr/bin/python3
"""The page in Firefox: firefox.py PAGE PROFILE. Fails unless the page becomes ready and draws.

It speaks Firefox's own protocol, so no driver is needed. PROFILE is an empty folder.
"""
import base64
import json
import pathlib
import socket
import subprocess
import sys
import time


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Firefox:
    def __init__(self, profile):
        port = free_port()
        (pathlib.Path(profile) / "user.js").write_text(f'user_pref("marionette.port", {port});\n')
        command = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", profile, "--width", "1200", "--height", "900"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.stream = self.connect(port).makefile("rwb")
        self.read()
        self.count = 0

    def connect(self, port):
        for _ in range(300):
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=60)
            except OSError:
                time.sleep(0.1)
        raise TimeoutError("Firefox does not listen")

    def read(self):
        """A message: its length, a colon, and JSON."""
        length = b""
        while not length.endswith(b":"):
            length += self.stream.read(1)
        return json.loads(self.stream.read(int(length[:-1])))

    def call(self, name, **parameters):
        self.count += 1
        message = json.dumps([0, self.count, name, parameters]).encode()
        self.stream.write(b"%d:%s" % (len(message), message))
        self.stream.flush()
        _, _, error, result = self.read()
        if error:
            raise RuntimeError(f"{name}: {error['message']}")
        return result

    def js(self, script):
        return self.call("WebDriver:ExecuteScript", script=script, args=[])["value"]


def wait(firefox, condition, told):
    """Until the script returns true; else what `told` returns is the error."""
    for _ in range(300):
        if firefox.js(condition):
            return
        time.sleep(0.1)
    raise TimeoutError(firefox.js(told))


def check(firefox, page):
    firefox.call("WebDriver:NewSession")
    firefox.call("WebDriver:Navigate", url=pathlib.Path(page).resolve().as_uri())
    ready = "return document.getElementById('live').textContent === 'Ready.' && (window.wrappedJSObject || window).htmt.store.tiles.size > 0"
    wait(firefox, ready, "return document.getElementById('live').textContent")
    seen = """const canvas = document.getElementById('timeline');
        const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        const seen = new Set();
        for (let k = 0; k < data.length; k += 4) seen.add(data[k] << 16 | data[k + 1] << 8 | data[k + 2]);
        const states = [0x009E73, 0x0072B2, 0xE69F00].filter(colour => seen.has(colour)).length;"""
    # Tiles are drawn in the frame after they have come.
    wait(firefox, seen + "return states === 3;", seen + "return `${states} of 3 colours of states on the canvas`;")
    return base64.b64decode(firefox.call("WebDriver:TakeScreenshot", full=False)["value"])


def main():
    page, profile = sys.argv[1:]
    firefox = Firefox(profile)
    try:
        picture = check(firefox, page)
        (pathlib.Path(profile) / "firefox.png").write_bytes(picture)
    finally:
        firefox.process.terminate()
        firefox.process.wait()


main()
