"""How messages of the library name a parameter on a page: as the field that people see."""

from __future__ import annotations


def field_name(name: str) -> str:
    """A parameter as a label of a form.

    >>> field_name("max_sequences"), field_name("l_max")
    ('Max sequences', 'L max')
    >>> field_name("epsilon")
    'ε'
    """
    if name == "epsilon":
        return "ε"
    words = name.replace("_", " ")
    return words[:1].upper() + words[1:]


def without_command(warning: str) -> str:
    """A warning without the command that would set a cap: a page has a link for that.

    >>> without_command("Account 'a' has no cap. Set one, for example: seqveil ledger cap a 3.0")
    "Account 'a' has no cap."
    """
    return warning.partition(" Set one, for example: seqveil ledger cap ")[0]


def on_page(name: str, value: str | None = None) -> str:
    """A parameter as a page writes it; a surface of `seqveil.surface`.

    >>> on_page("item", "COLUMN"), on_page("header", "False"), on_page("public_because")
    ('“Item” = COLUMN', '“Header” = no', '“Public because”')
    """
    spelled = {"True": "yes", "False": "no"}.get(str(value), value)
    return f"“{field_name(name)}”" if value is None else f"“{field_name(name)}” = {spelled}"
