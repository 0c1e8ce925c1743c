# Settings of `make site`: all pages as HTML, with a search box. The source folder is the root of the
# tree, so that links of pages to examples and headers are links of the site, too.
import re

project = "HTMT emulator"
extensions = ["myst_parser"]
html_theme = "sphinx_rtd_theme"
root_doc = "docs/README"
include_patterns = ["README.md", "docs/*.md", "tests/histories/README.md"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
html_show_sourcelink = False
html_show_copyright = False
# Blocks of C, YAML or shell without a language stay as they are.
highlight_language = "none"


def contents(app, page, source):
    """The map of the pages, docs/README.md, is their table of contents, too: section by section."""
    if page != root_doc:
        return
    seen = {"README"}
    for section in source[0].split("\n## ")[1:]:
        pages = []
        for name in re.findall(r"\]\(([a-z-]+)\.md\)", section):
            if name not in seen:
                seen.add(name)
                pages.append(name)
        tree = ["", "```{toctree}", ":hidden:", ":caption: " + section.split("\n")[0], "", *pages, "```", ""]
        source[0] += "\n".join(tree)
    source[0] += "\n```{toctree}\n:hidden:\n\n../README\n../tests/histories/README\n```\n"


def setup(app):
    app.connect("source-read", contents)
