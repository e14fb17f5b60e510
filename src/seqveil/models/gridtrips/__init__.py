"""Trips over a grid of cells: where they begin and end, how long they are, and which way they go."""
