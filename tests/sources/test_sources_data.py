"""Real data files ($SEQVEIL_DATA), against the figures that were counted on them."""

import time

import pytest

from seqveil.sources import read_sequences
from seqveil.tables.domain import Domain


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "domain", "sequences", "items", "longest"),
    [
        ("msnbc.seq.gz", "1..17", 989_818, 4_698_794, 14_795),
        ("bible.seq.gz", "1..20000", 36_369, 787_066, 100),
        ("bms1.seq.gz", "1..100000", 59_601, 149_638, 267),
    ],
)
def test_line_files_have_their_published_size(real_data, name, domain, sequences, items, longest):
    """Sequences, occurrences and the longest record."""
    flat = read_sequences(real_data(name), domain=Domain.parse(domain)).flat

    assert (sequences, items, longest) == (len(flat), len(flat.items), flat.lengths.max())


@pytest.mark.data
def test_checkins_are_an_event_log_with_users(real_data):
    """'user place minute' without a header: 1,083 users, and days cut at midnight."""
    columns = {"user": "1", "item": "2", "time": "3", "header": False, "time_unit": "m"}
    path = real_data("foursquare_nyc_checkins.txt.gz")
    whole = read_sequences(path, domain=Domain.range(1, 5135), **columns)
    days = read_sequences(path, domain=Domain.range(1, 5135), session="day", **columns)

    assert (1083, 147_938) == (len(whole.flat), len(whole.flat.items))
    assert (1083, 147_938) == (days.users.max() + 1, len(days.flat.items))
    assert len(days.flat) > len(whole.flat)


@pytest.mark.data
def test_a_million_lines_take_well_under_two_seconds(real_data):
    """Part of the bar of the whole command; of processor time, with compiled kernels, so that neighbours do not decide."""
    path = real_data("msnbc.seq.gz")
    read_sequences(path, domain=Domain.range(1, 17))
    begun = time.process_time()
    read_sequences(path, domain=Domain.range(1, 17))

    assert time.process_time() - begun < 2
