"""Where the package finds the library and the command, and what it needs."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import htmt
from htmt._library import command, library

PACKAGE = Path(htmt.__file__).parent


def python(code, **environment):
    """Standard output and error of a Python that has only these variables."""
    environment.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    return ended.stdout.strip(), ended.stderr.strip()


class Places(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.prefix = Path(self.folder.name).resolve()
        self.modules = self.prefix / "lib" / "python3" / "dist-packages"
        shutil.copytree(PACKAGE, self.modules / "htmt")

    def tearDown(self):
        self.folder.cleanup()

    def install(self, folder):
        (self.prefix / folder).mkdir(parents=True, exist_ok=True)
        os.symlink(library().path, self.prefix / folder / "libhtmt.so.1")
        (self.prefix / "bin").mkdir()
        os.symlink(command(), self.prefix / "bin" / "htmt")

    def asked(self, **environment):
        code = "from htmt._library import *; print(library().path, command())"
        return python(code, PYTHONPATH=str(self.modules), **environment)[0].split()

    def test_an_installation_finds_its_own_library_and_command_wherever_it_lies(self):
        self.install("lib")
        expected = [f"{self.prefix}/lib/libhtmt.so.1", f"{self.prefix}/bin/htmt"]
        self.assertEqual(self.asked(), expected)

    def test_the_environment_comes_first(self):
        self.install("lib")
        found = self.asked(HTMT_LIBRARY=library().path, HTMT="/else/htmt")
        self.assertEqual(found, [library().path, "/else/htmt"])

    def test_without_a_library_one_line_says_what_was_tried(self):
        code = "import htmt; htmt.Emulator()"
        error = python(code, PYTHONPATH=str(self.modules), HTMT_LIBRARY="/no/such.so")[1]
        if "libhtmt.so.1: cannot open" in error:  # the host has none installed
            last = error.splitlines()[-1]
            self.assertIn("libhtmt was not found; set HTMT_LIBRARY", last)
            self.assertIn("/no/such.so: no such file", last)

    def test_the_command_needs_no_numpy(self):
        code = """
import sys
for absent in "numpy", "pandas", "matplotlib":
    sys.modules[absent] = None
import htmt
print(htmt.predict("cannon", size=64, slices=4).terms[0].depth)
try:
    htmt.Emulator()
except ImportError as error:
    print(error.name)
"""
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}
        self.assertEqual(python(code, **environment)[0].split(), ["0", "numpy"])

    def test_all_names_are_there(self):
        for name in htmt.__all__:
            self.assertIsNotNone(getattr(htmt, name))


if __name__ == "__main__":
    unittest.main()
