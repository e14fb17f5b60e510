"""Signatures of releases: who vouches for a manifest. One Ed25519 key per installation; keys of others are trusted by name."""
