"""Experiments declared in small files: run, resumed, written down beside the papers' printed numbers."""
