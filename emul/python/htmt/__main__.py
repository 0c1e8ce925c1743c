"""``python3 -m htmt run app.py [options]``, what ``htmt run app.py`` becomes; else the command."""
import os
import sys


def main() -> int:
    """The exit status."""
    words = sys.argv[1:]
    if sys.version_info < (3, 11):
        print("htmt: the package needs Python 3.11 or later", file=sys.stderr)
        return 4
    if len(words) > 1 and words[1].endswith(".py"):
        from . import application

        return application.main(words)
    from ._library import command

    path = command()
    os.execv(path, [path, *words])


sys.exit(main())
