"""Builds the documentation site: `python -m sitebuilder` from the folder docs/ (`make site`, `make docs`).

The pages under docs/ are plain Markdown and stay where they are. A build copies them to build/pages, adds what is generated
(reference, outputs of tutorials, pictures, the order of pages), and lets Sphinx write HTML to build/site.
"""
