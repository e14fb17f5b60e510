"""`seqveil bench quality`: one method on many sets of sequences, with the bars it should reach and those it does. INTERNAL."""
