"""Sphinx: Markdown by MyST, pages by Furo. Nothing is loaded from a network, neither by the build nor by a browser."""

from importlib.metadata import version as installed

project = "Seqveil"
copyright = "the authors of Seqveil, Apache-2.0"
release = version = installed("seqveil")
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
# `<!-- -->` and pictures with HTML are used as on any Markdown host.
html_theme = "furo"
html_title = f"Seqveil {version}"
html_copy_source = False
html_show_sphinx = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"footer_icons": [], "top_of_page_buttons": []}
smartquotes = False  # `--user` is not a dash
pygments_style = "tango"
pygments_dark_style = "monokai"
suppress_warnings = ["myst.header"]  # a page may go from its title to a small heading
highlight_language = "none"  # a fence without a language is text
