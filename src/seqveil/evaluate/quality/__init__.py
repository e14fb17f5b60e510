"""Records, counts and rankings of a release of sequences against the truth, for `seqveil bench quality`. INTERNAL."""
