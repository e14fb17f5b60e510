"""Private set intersection of records: two data holders learn which rows match, and no third party takes part.

The starter blinds its tokens, the answerer evaluates them under its key without seeing them and adds its own list under the
same key, and the starter finds out which tokens both have. docs/mechanisms/private-linkage.md has the argument.
"""
