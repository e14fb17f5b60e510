"""The record model: whole records, fitted to noisy answers about them and drawn from start to end."""
