#!/usr/bin/python3
"""How fast a page opens and moves: frames.py PAGE...

Prints for each page the seconds until it is ready, and for pans at several zooms the median and the
longest frame and the median time of drawing, in milliseconds. Chromium renders in software.
"""
import pathlib
import sys
import time

from page_test import start_browser

PAN = """const [part, done] = [arguments[0], arguments[1]];
const { view } = htmt;
view.span = view.most() * part;
view.place(view.end / 10n, 0);
const times = [];
let last = 0;
htmt.frames.length = 0;
const middle = list => list.sort((a, b) => a - b)[list.length >> 1];
const step = now => {
    last && times.push(now - last);
    last = now;
    if (times.length === 120) { done([middle(times), times[119], middle([...htmt.frames])]); return; }
    htmt.pan(0.02);
    requestAnimationFrame(step);
};
requestAnimationFrame(step);"""


def report(browser, path):
    begin = time.monotonic()
    browser.get(pathlib.Path(path).resolve().as_uri())
    while browser.execute_script("return document.getElementById('live').textContent") != "Ready.":
        time.sleep(0.01)
    print(f"{path}: ready after {time.monotonic() - begin:.2f} s")
    for part in (1, 0.1, 0.05, 0.02, 0.01, 0.001, 0.0001):
        median, longest, drawn = browser.execute_async_script(PAN, part)
        print(f"  {part:g} of the run: median frame {median:.1f} ms, longest {longest:.1f} ms, drawn in {drawn:.1f} ms")


def main():
    browser = start_browser()
    try:
        for path in sys.argv[1:]:
            report(browser, path)
    finally:
        browser.quit()


main()
