"""The journal of a stream: what makes a restart safe. State file, witness and marks."""
