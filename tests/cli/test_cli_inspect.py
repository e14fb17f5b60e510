"""`seqveil inspect` says what was promised."""

import json

import record_models
from sealing import sealed
from seqveil.facts import Stage
from seqveil.release.grams import GramRelease, GramTable
from seqveil.tables.domain import Domain
from seqveil.tables.flat import Flat


def test_the_promise_the_bill_and_the_tree(seqveil, small_release):
    """Promise in words, spends per stage, top grams with bars, a picture."""
    ran = seqveil("inspect", small_release())
    text = " ".join(ran.out.split())

    assert (0, "") == (ran.code, ran.err)
    for part in (
        "add or remove one user with all their sequences",
        "e^1.0 = 2.72",
        "a published map",
        "every user (max_sequences=2)",
        "0.75 tree (tree)",
        "0.25 more (count)",
        "700 650 to 770 home work",
        "300 (an estimate) work home",
        "5 n-grams, up to 2 labels",
    ):
        assert part in text
    assert ["├── home  900", "│   └── work  700", "└── work  800"] == ran.out.splitlines()[-7:-4]


def test_the_shape_of_records(seqveil, tmp_path):
    """How many, how long, where they begin and end: measured with intervals, the rest as estimates."""
    folder = record_models.model().save(tmp_path / "model")
    lines = seqveil("inspect", folder).out.splitlines()
    at = lines.index("Shape (records cut to their first 4 items; 95 % intervals, ~ is an estimate):")

    assert [
        "  records  8 (0 to 21)",
        "  Mostly noise: there are 8 records, but anything from 0 to 21 fits the noisy counts. Do not draw",
        "  conclusions from single numbers of this release; more records or a larger ε are needed.",
        "  length",
        f"       1   {'█' * 18} 2 (0 to 8)",
        f"       2   {'█' * 30} 2 (0 to 9)",
        f"       3   {'█' * 30} 2 (0 to 9)",
        f"       4   {'█' * 18} 2 (0 to 8)",
        '  first    home  4 (0 to 7); work  1 (0 to 6); "city hall"  ~1',
    ] == lines[at + 1 : at + 10]


def test_the_shape_as_json_is_what_query_answers(seqveil, tmp_path):
    folder = record_models.model().save(tmp_path / "model")
    shape = json.loads(seqveil("inspect", folder, "--json").out)["shape"]
    asked = json.loads(seqveil("query", folder, "--lengths", "--od", "all", "--json").out)["answers"]

    assert [a["value"] for a in asked if a["question"] == "length"] == [row["value"] for row in shape["lengths"]]
    assert [(a["query"], a["low"]) for a in asked if a["question"] == "od"] == [(r["pattern"], r["low"]) for r in shape["od"]]
    assert asked[-1]["high"] == shape["size"]["high"]


def test_an_older_method_shows_the_shape_of_its_records(seqveil, small_release):
    text = seqveil("inspect", small_release()).out

    assert "  records  ~2" in text
    assert "  first    home  ~1; work  ~1" in text


def test_long_records_share_a_line(seqveil, tmp_path):
    release = record_models.model_of([(0,) * 30, (0,) * 25, (1,)], l_max=30)
    text = seqveil("inspect", sealed(release).save(tmp_path / "long")).out

    assert "21+" in text
    assert text.split("21+")[1].splitlines()[0].endswith(" ~7")  # 2 records, and ten times the half that the model adds


def test_the_list_says_what_it_leaves_out(seqveil, small_release):
    """That there are no more than those listed, and that single labels are not; what is printed can be pasted."""
    folder = small_release()
    whole, cut = seqveil("inspect", folder).out, seqveil("inspect", folder, "--top", 2).out

    assert "The release has no others of two labels or more." in whole
    assert "The release has no others" not in cut
    assert f"Single labels are not listed. For one: seqveil query {folder} home" in cut


def test_a_list_of_single_labels_says_that_there_are_no_more(seqveil, tmp_path):
    """Also where no longer pattern was released."""
    grams = GramTable.of([[0], [1]], count=[900.0, 800.0], scale=20.0, threshold=50)
    release = GramRelease(Domain.of(["home", "shop"]), grams=grams, synthetic=Flat.of([[0]]), l_max=5, n_max=2)
    folder = sealed(release).save(tmp_path / "r")

    assert "The release has no others." in seqveil("inspect", folder).out
    assert "There are no more" not in seqveil("inspect", folder, "--top", 2).out


def test_top_limits_the_list(seqveil, small_release):
    """--top 1 lists one gram, --top 0 none."""
    folder = small_release()

    assert "work home" not in seqveil("inspect", folder, "--top", 1).out
    assert "home work" not in seqveil("inspect", folder, "--top", 0).out


def test_json_holds_the_manifest_and_the_top(seqveil, small_release):
    """One object with everything that the text says."""
    folder = small_release()
    result = json.loads(seqveil("inspect", folder, "--json").out)
    manifest = json.loads((folder / "manifest.json").read_text())

    assert manifest == {key: result[key] for key in manifest}
    assert ["home", "work"] == result["top"][0]["gram"]
    assert 64 == len(result["digest"])


def test_an_experiment_promises_nothing(seqveil, small_release):
    """The banner, and no promise in words."""
    ran = seqveil("inspect", small_release(private=False))

    assert "EXPERIMENT - NOT PRIVATE" in ran.err
    assert "Guarantee  Nothing" in ran.out
    assert "e^1.0" not in ran.out


def test_labels_cannot_give_orders(seqveil, small_release):
    """Labels that look like markup are printed as they are."""
    ran = seqveil("inspect", small_release(labels=("[red]", ":smile:")))

    assert "[red]  900" in ran.out
    assert ":smile:  800" in ran.out


def test_an_empty_release_says_so(seqveil, tmp_path):
    """Two empty headings would leave a reader wondering."""
    file = tmp_path / "baskets.dat"
    file.write_text("1 2\n")
    call = ("publish", file, "--method", "diffpart", "--domain", "1..999", "--epsilon", "0.1", "--seed", "1")
    assert 0 == seqveil(*call, "--out", tmp_path / "r").code

    assert "No count exceeded the noise" in seqveil("inspect", tmp_path / "r").out


def test_no_epsilon_is_kept_for_levels_that_hold_nothing(seqveil, tmp_path):
    """A record of 3 labels and its end has no gram of 5 symbols: asking for those changes nothing."""
    file = tmp_path / "clicks.seq"
    file.write_text("1 -1 2 -1 -2\n" * 300)
    call = ("publish", file, "--domain", "1..9", "--epsilon", "1", "--l-max", "3", "--seed", "1", "--out")
    for name, n_max in (("a", 5), ("b", 4)):
        assert 0 == seqveil(*call, tmp_path / name, "--n-max", n_max).code

    grams = [(tmp_path / name / "grams.EXPERIMENT.parquet").read_bytes() for name in ("a", "b")]
    assert grams[0] == grams[1]


def test_questions_of_one_stage_are_one_line_of_the_bill(seqveil, tmp_path):
    """The number of records is asked twice, in one stage: one line, with the sum."""
    stages = [
        Stage("number", "first labels", "0.005", "0.005", "question"),
        Stage("number", "first labels", "0.025", "0.025", "question"),
        Stage("rest", "tree", "0.97", "0.97", "question"),
    ]
    folder = sealed(record_models.model_of(record_models.RECORDS), stages=stages, unused="0.0").save(tmp_path / "model")
    lines = [" ".join(line.split()) for line in seqveil("inspect", folder).out.splitlines()]

    assert "0.03 number (first labels, 2 questions)" in lines
    assert "0.97 rest (tree)" in lines


def test_a_release_that_is_mostly_noise_says_so(seqveil, tmp_path):
    """In words, and as one field of the JSON object."""
    folder = record_models.model().save(tmp_path / "model")
    doubt = json.loads(seqveil("inspect", folder, "--json").out)["shape"]["doubt"]

    assert doubt.startswith("Mostly noise: there are 8 records, but anything from 0 to 21 fits the noisy counts.")
    assert doubt in " ".join(seqveil("inspect", folder).out.split())
