"""Inputs that a fuzzer starts from: a little of every format, and everything that once was, or could be, trouble."""

from __future__ import annotations

import gzip
import json
from functools import cache

PIECES = [
    b"a",
    b"b",
    b"1",
    b"x y",
    b",",
    b"\t",
    b" ",
    b'"',
    b'""',
    b"\r",
    b"\n",
    b"\r\n",
    b"\x00",
    b"\xff",
    b"\xc3",
    b"-1",
    b"-2",
    b"#",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b'"i"',
    b'"a"',
    b"null",
    b"true",
    b"1e400",
    b"NaN",
    b"-inf",
    b"0x1",
    b"2020-01-01",
    b"2020-02-30T25:61:61Z",
    b"99999999999999999999",
    b"\xef\xbb\xbf",
    b"\xf0\x9f\x98\x80",
    b"\xed\xa0\x80",
    b"other",
    b"<",
    b">",
    b"/>",
    b"<!ENTITY x 'y'>",
    b"<!DOCTYPE",
    b"&#0;",
    b"&x;",
    b"<![CDATA[",
    b"..",
    b"1..5",
    b"5..1",
    b"--json",
    b"--epsilon ",
    b"--domain ",
    b"--method ",
    b"R",
    b"F",
    b"O",
    b"&",
    b"|",
    b"=",
    b">= ",
    b"in ",
    b"%Y",
    b"../",
    b"PAR1",
    b"\x1f\x8b",
]
"""Words that the formats are made of."""

APART = (
    "lines", "lines.gz", "dat", "spmf", "csv", "jsonl", "csv (origin=o, destination=d)",
    "names txt", "relational csv", "graph edges", "graph csv",
    "graph graphml", "stream txt", "stream csv", "stream jsonl", "labels of lines", "labels of csv",
)  # fmt: skip
"""Formats whose lines stand for themselves: two people's are read apart and together."""

_XES = b'<?xml version="1.0"?><log><trace><string key="u" value="p"/><event><string key="concept:name" value="a"/>'
_XES += b'<date key="time:timestamp" value="2020-01-01T00:00:00Z"/></event></trace></log>'
_GRAPHML = b'<graphml><graph edgedefault="undirected"><node id="a"/><edge source="a" target="b"/></graph></graphml>'
_DEEP = b"[" * 5000
_VALUES = [
    b"2147483646",
    b"1099511627775",
    b"-1",
    b"9" * 30,
    b"1.5",
    b"NaN",
    b"null",
    b"true",
    b'""',
    b'"a"',
    b"[]",
    b"[1]",
    b"{}",
]
"""What may stand where a number, a text or a list should."""

_FORGED = [
    b'"-1"',
    b'"nan"',
    b'"' + b"9" * 5000 + b'"',
    b'"1e999999999"',
    b'"\\u001b]52;c;AAAA\\u0007"',
    b'"\\u202e"',
    b"1e300",
    b"[[[[[[[[[[[[]]]]]]]]]]]]",
    b'{"a":{"a":1,"a":2}}',
]
"""What a stranger may write into a manifest."""

SEEDS: dict[str, list[bytes]] = {
    "read lines": [b"a b 1\nb\n\n a  x y\n", b"a" * 70_000 + b" b\n", b"a b", b"\x00\n\xff a\n"],
    "read dat": [b"1 2 1\n2\n", b"+1 01 1.0 9" + b"9" * 40 + b"\n"],
    "read spmf": [b"a -1 b -1 -2\n1 -1 -2\n", b"-1 -2 -2 -1\n", b"@CONVERTED\n@ITEM=1=a\n1 -1 -2\n"],
    "read csv": [b"u,t,i\np,1,a\np,0,b\n", b'u,t,i\n"p\n",1,"a"\n', b"u,t,i,i\n,,\n", b'u,t,i\n"""', b"i,u,t\na\n" + b"," * 5000],
    "read tsv": [b"u\tt\ti\np\t2020-01-01\ta\np\t1e400\tb\n", b"u\tt\ti\n\t\t\n"],
    "read journeys": [b"u,o,d\np,a,b\nq,a,\np,,b\n,a,a\n", b'd,u,o\n"b,p,a\nb,p\n', b"u,o\np,a\n", b"u,o,d,o\np,a,b,1\n"],
    "read events": [b"p a 1\np b 0\n", b"p a\n", b"  p   a   2020  \n"],
    "read jsonl": [b'["a","b"]\n{"u":"p","items":["a"]}\n', _DEEP, b'{"u":{"u":1},"items":[1,1.0,null,true,"a"]}\n', b'"a"\n1\n'],
    "read jsonl-events": [b'{"u":"p","t":1,"i":"a"}\n{"u":"p","t":"x","i":["a"]}\n', b'{"t":1e999,"i":1e999}\n', _DEEP],
    "read xes": [
        _XES,
        b"<log>" + b"<trace>" * 500,
        b"<log><trace></log>",
        _XES.replace(b"<log>", b"<!DOCTYPE l [<!ENTITY e 'f'>]><log>"),
    ],
    "read parquet": [b"PAR1" + b"\x00" * 12 + b"PAR1", b"PAR1"],
    "read gzip": [gzip.compress(b"a b\n", mtime=0), gzip.compress(b"a b\n", mtime=0)[:-4], b"a b\n", gzip.compress(b"", mtime=0)],
    "read graph edges": [b"# c\na b\nb 1\na a\n", b"a\n\n"],
    "read graph csv": [b"from,to\na,b\n1,2\n", b"x\na\n"],
    "read graph tsv": [b"from\tto\na\tb\n"],
    "read graph graphml": [_GRAPHML, _GRAPHML.replace(b"undirected", b"directed"), b"<graphml>" * 300],
    **{
        f"read apart {name}": [
            b"\x01a b 1\nb\n\xef\xbb\xbfa",
            b"\x01\x1f\x8b\x08\na",
            b"\x02PK\x03\x04\nPAR1\n\xff\xfea",
            b'\x02a,"b\n"a\nb',
            b"\x01# a\n-1 -2 -2\n@ b\n",
            b'\x01["a"]\n{"i":"a"}\n{"i":\n',
            b"\x02\x00\n\r\na\rb\n",
        ]
        for name in APART
    },
    "read relational": [b"sex,age\nf,1\nm,2\nx,\n", b"age,sex,age\n1,f,2\n"],
    "read names csv": [
        b"n,u\nAnna,1\nBob,2\n",
        b'n,u\n"An\nna",1\n"Bob',
        b"n,u\r\nA\rb,1\r\n\r\n,\r\n",
        b"n,u\n\xff\xc3,1\nx\n",
        b"\xef\xbb\xbfn,u\n",
        b"n,n,u\na,b,c\n",
        b"n",
        b"n,u\n" + b"x" * 140_000,
    ],
    "read names tsv": [b"n\tu\nAnna\t1\n", b'n\tu\n"\t"\n', b"n\tu"],
    "read names txt": ["Anna\nЁлкин\n\nİ王\n".encode(), b"a\r\nb\x00\n\xff", b"\n\n", b""],
    "read names parquet": [b"PAR1" + b"\x00" * 12 + b"PAR1", b"PAR1"],
    "read domain": [b"a\nb\n", b"a\na\n", b"\n", b"", b"a\r\nb", b"\xff\n", b" a\n", b"q" * 100_000],
    "parse domain": [b"1..17", b"a,b,c", b"1..99999999999", b"9..1", b"-3..3", b"", b",", b"a,a", b"1.." + b"9" * 300],
    "parse alphabet": [
        b"latin",
        "а..я,ё".encode(),
        b"U+4E00..U+9FFF",
        b"U+0000..U+10FFFF",
        b"z..a",
        b"a..,..b,..",
        "\u200d\u0301İẞ\ufb01".encode(),
        b",",
        b"U+110000..U+FFFFFF",
        b"labels.txt",
        b"/",
        b".",
    ],
    "read manifest": [b"{}", b'{"schema":1}', b'{"schema":2}', b"[" * 100_000, b'{"a":' * 50_000, b"null", b"\xff"],
    "load release": [
        b"\x00\x00\x00",
        b"\x00schema\x00\x00" + b"9" * 8,
        b"\x10\x00\x05../etc",
        b"\x80\x01\x10" + b'"files": {"../x": ""}',
    ],
    "forge release": [
        *(b"\x00" + bytes([key]) + value for key in range(16) for value in (*_VALUES, *_FORGED)),
        *(b"\x01" + bytes([part, key]) + value for part in range(5) for key in range(4) for value in _FORGED),
        *(bytes([kind]) + b"\x40\x00\x03\xff\xff" for kind in (2, 3, 4)),
        b"\x03z" + b"a b 1\n" * 9,
        b"\x03z" + b"a " * 99,
        b"\x03z\n\n\n",
        b"\x04za\nb\n1\n2\nx\xe2\x80\xaey\n",
        b"\x04z\x1b]52;c;AAAA\x07\nb\n1\n2\nx y\n",
    ],
    "read calendar": [
        b"60m",
        b"7m@23:59",
        b"peak\t07:00\t09:30\nlate\t22:00\t01:00\n",
        b"timezone\tEurope/Paris\nMon\tMon 00:00\tTue 00:00\nrest\tTue 00:00\tMon 00:00\n",
        b"a\t2026-03-01\t2026-03-02T12:00\nb\t0001-01-01\t9999-12-31\n",
        b"a\t23:00\t24:00\nb\t24:00\t01:00\n",
        b"a@b\t00:00\t00:00\n\t1\t2\n",
        b"a\t25:00\t26:00\tx\n\xff",
    ],
    "load base": [
        b"{}",
        b"\x00\x00\x00",
        b'{"format":"seqveil linkage base","version":1,"normalisation":1}',
        b'{"format":"seqveil linkage base","version":1e400,"normalisation":true}',
        b'{"a":' * 50_000,
        b'\x20\x00\x03"alphabet": "\\ud800"',
    ],
    "load key": [b"PAR1", b"PAR1" + b"\x00" * 12 + b"PAR1", b"\x00\x00\x00", b"\x00\x02\x05\xff\xff\xff", b"\x80\x01\x02\x7f"],
    "load vectors": [
        b"\x00\x00\x00\x00",
        b"\x02\x40\x00\x03\xff\xff",
        b"\x02\x04\x01\x01\x80",
        *(b"\x01" + bytes([key]) + value for key in range(16) for value in _VALUES),
    ],
    "load pairs": [
        b"\x00\x00\x00\x00",
        b"\x02\x40\x00\x03\xff\xff",
        b"\x02\x04\x01\x01\x80",
        *(b"\x01" + bytes([key]) + value for key in range(12) for value in _VALUES),
    ],
    "ask query": [b"a b", b"a b &", b",a,x y", b"", b"& a", b"a " * 300, b"\xff", b"z"],
    "parse words": [
        b"1.0",
        b"0.1e3",
        b"-1",
        b"nan",
        b"1e400",
        b"1" * 400,
        b">= 5",
        b"in a,b",
        b"--l-max 4",
        b"--n-max=" + b"9" * 30,
    ],
    "run command": [
        b"\x00F --domain a,b --epsilon 1 --dry-run",
        b"\x01F --domain 1..3 --epsilon x",
        b"\x02R 'a b' --total",
        b"\x03R --records 3",
        b"\x04R --json",
        b"\x05F --domain a,b",
        b"\x07show --json",
        b"\x08--json",
        b"\x06F R --json",
        b"\x0acount --length 4 --epsilon 1",
        b"\x0bbase F --epsilon 1 --alphabet z..a --dry-run",
        b"\x0bmerge R R --top 5",
        b"\x0bembed F --base R --edits 1",
        b"\x0bmatch R F",
        b"\x0bopen F R",
    ],
}


@cache
def corpus(name: str) -> tuple[bytes, ...]:
    """The seeds of a door, and short joins of the words of its formats."""
    joined = [b"".join(PIECES[(i * 7 + j * 11) % len(PIECES)] for j in range(i % 9)) for i in range(40)]
    wrapped = [json.dumps({"schema": 1, "files": {name: "0" * 64}}).encode()]
    return (*SEEDS[name], *joined, *wrapped)
