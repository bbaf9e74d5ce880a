"""Sphinx: `make docs` builds the site from the pages of the repository, at the paths they have.

So a link between pages works on the site, in an editor and where the repository is shown.
"""

import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

project = PROJECT["name"]
release = version = PROJECT["version"]
author = copyright = PROJECT["authors"][0]["name"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "benchmarks/README.md",
    "docs/**.md",
    "*_env/*.md",
    "stargate_env/data/README.md",
    "tests/scenarios/README.md",
]
myst_heading_anchors = 4

html_theme = "furo"
html_title = f"{project} {version}"

autodoc_default_options = {"members": True, "undoc-members": True, "member-order": "bysource"}
autodoc_typehints = "description"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
default_role = "code"  # docstrings put names between single backticks
suppress_warnings = ["ref.python"]  # attributes of several classes have the same name
