"""The code of docs/python.md runs and prints what the page says."""
import contextlib
import importlib.util
import io
import re
import tempfile
import unittest
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
BLOCK = re.compile(
    r"^```python( needs [\w ]+)?\n(.*?)^```\n(?:\n<!-- prints -->\n```\n(.*?)^```\n)?", re.M | re.S
)


def blocks():
    """Packages that a block needs, its code, what it prints, its line."""
    text = PAGE.read_text(encoding="utf-8")
    for found in BLOCK.finditer(text):
        needs = (found[1] or "").split()[1:]
        yield needs, found[2], found[3] or "", text[: found.start(2)].count("\n")


class Page(unittest.TestCase):
    def test_each_block_prints_what_the_page_says(self):
        names, count = {}, 0
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            for needs, code, expected, line in blocks():
                if not all(importlib.util.find_spec(n) for n in needs):
                    continue
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile("\n" * line + code, PAGE, "exec"), names)
                with self.subTest(line=line):
                    self.assertEqual(printed.getvalue(), expected)
                count += 1
        self.assertGreater(count, 8)

    def test_the_first_program_is_short(self):
        code = next(blocks())[1].splitlines()
        self.assertLessEqual(len(code), 60)
        self.assertLessEqual(max(map(len, code)), 100)


if __name__ == "__main__":
    unittest.main()
