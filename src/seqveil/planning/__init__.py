"""What to expect of a release before it is made: the real mechanism, run on simulated data of the stated size.

Nothing here sees raw data, charges a ledger or spends ε. Everything is a function of public parameters (method, ε, domain, unit,
a rough size and mean length) or of a sample that the caller states is public.
"""
