"""How Sphinx makes the site: ``make docs``. Warnings are errors, and the pages load nothing from outside."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(Path(__file__).resolve().parent))

import example_files  # noqa: E402
from mathjax import fetch  # noqa: E402
from references import setup  # noqa: E402, F401
from result_pictures import SHOWN_AS_IMAGES  # noqa: E402

fetch(ROOT / "site" / "mathjax" / "mathjax")
example_files.write(ROOT / "site" / "download" / "tcloseness-examples.zip")  # which the first page offers

# ------------------------------------------------------------------ the project

_pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
project = _pyproject["name"]
author = "The tcloseness authors"
copyright = author
version = release = _pyproject["version"]

# ------------------------------------------------------------------ what is read

extensions = [
    "myst_nb",  # Markdown, and notebooks
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
root_doc = "index"
exclude_patterns = ["_templates", "jobs_source", "jobs/*.ipynb"]
templates_path = ["_templates"]
nitpicky = True

myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
suppress_warnings = ["config.cache"]  # the gallery's settings hold an object

autosummary_generate = True
autosummary_generate_overwrite = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_class_signature = "mixed"
default_role = "autolink"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
numpydoc_validation_checks = {"GL03", "GL06", "GL07", "PR02", "SS01"}
numpydoc_validation_exclude = {r"^tcloseness\.audit\.check$"}  # it names thresholds one by one, its text all at once
add_module_names = False

# ------------------------------------------------------------------ the examples and notebooks that run

sphinx_gallery_conf = {
    "examples_dirs": ["jobs_source"],
    "gallery_dirs": ["jobs"],
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "min_reported_time": 60,
    "within_subsection_order": "FileNameSortKey",
    "write_computation_times": False,
    "image_scrapers": ("matplotlib", "result_pictures.scraper"),
    "ignore_repr_types": SHOWN_AS_IMAGES,
}

nb_execution_mode = "force"  # the notebooks are kept without outputs
nb_execution_raise_on_error = True
nb_execution_timeout = 600
nb_merge_streams = True
nb_ipywidgets_js: dict[str, dict[str, str]] = {}  # which would be loaded from outside

# ------------------------------------------------------------------ what is written

html_theme = "pydata_sphinx_theme"
html_title = "tcloseness"
html_static_path = ["_static", "../site/mathjax"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_sidebars = {"*": []}  # pages with none beside them
html_context = {"default_mode": "auto"}
html_domain_indices = False
mathjax_path = "mathjax/tex-svg.js"
mathjax3_config = {
    "options": {"enableMenu": False},  # its menu would load what is not here
    "svg": {"fontCache": "local"},
    "tex": {"macros": {"abs": [r"\lvert #1 \rvert", 1]}},
}
html_theme_options = {
    "show_prev_next": True,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "back_to_top_button": False,
}
