"""What a manifest may say, and the one sentence that answers what it may not."""

import json

import pytest

from qualityscore.errors import ManifestError
from qualityscore.execution.manifest import Shard, parse_shard, read_manifest

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def rows(path, **defaults):
    return [row for _, row in read_manifest(path, defaults)]


def test_json_lines_and_csv_say_the_same(tmp_path):
    documents = [
        {"label": "a", "sample": 1, "repository": "x", "task": "cachetools", "options": {"only": ["functional"]}},
        {"git": "https://example.org/r.git", "commit": COMMIT, "task": "xmltodict"},
    ]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, documents)) + "\n\n")
    (tmp_path / "m.csv").write_text(
        "label,sample,repository,git,commit,task,only\n"
        "a,1,x,,,cachetools,functional\n"
        f",,,https://example.org/r.git,{COMMIT},xmltodict,\n"
    )
    assert rows(tmp_path / "m.jsonl") == rows(tmp_path / "m.csv")
    first, second = rows(tmp_path / "m.csv")
    assert (first.label, first.sample, first.options.only) == ("a", 1, ("functional",))
    assert (second.source, second.options.only) == (f"https://example.org/r.git@{COMMIT}", None)


def test_what_a_row_leaves_open_is_taken_from_the_defaults(tmp_path):
    (tmp_path / "m.jsonl").write_text('{"repository": "x"}\n{"repository": "y", "task": "xmltodict"}\n')
    first, second = rows(tmp_path / "m.jsonl", task="cachetools", only=["security"])
    assert (first.task, second.task) == ("cachetools", "xmltodict")
    assert first.options.only == second.options.only == ("security",)


def test_a_task_of_ones_own_is_found_beside_the_manifest(tmp_path):
    (tmp_path / "my-task").mkdir()
    (tmp_path / "m.jsonl").write_text('{"repository": "x", "task": "my-task"}\n')
    assert rows(tmp_path / "m.jsonl")[0].task == str(tmp_path / "my-task")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ('{"task": "t"}', "either 'repository' or 'git'"),
        (f'{{"task": "t", "repository": "x", "git": "https://a/b", "commit": "{COMMIT}"}}', "either 'repository'"),
        ('{"task": "t", "git": "https://a/b"}', "go together"),
        ('{"task": "t", "git": "https://a/b", "commit": "main"}', "full commit id"),
        (f'{{"task": "t", "git": "ext::sh -c id", "commit": "{COMMIT}"}}', "git URL"),
        (f'{{"task": "t", "git": "--upload-pack=id", "commit": "{COMMIT}"}}', "git URL"),
        (f'{{"task": "t", "git": "https://x/\\u0000y", "commit": "{COMMIT}"}}', "git URL"),
        (f'{{"task": "t", "repository": "x", "sample": {1 << 31}}}', "'sample'"),
        (f'{{"task": "t", "repository": "x", "sample": 1{"0" * 260}}}', "'sample'"),
        ('{"repository": "x"}', "key 'task' is missing; add it, or give --task."),
        ('{"task": "t", "repository": "x", "labl": "a"}', "'labl' is unknown"),
        ('{"task": "t", "repository": "x", "sample": -1}', "'sample'"),
        ('{"task": "t", "repository": "x", "sample": true}', "'sample'"),
        ('{"task": "t", "repository": "x", "options": {"only": ["speed"]}}', "'options.only.0'"),
        (
            '{"task": "t", "repository": "x", "options": {"only": "security"}}',
            "'options.only': input should be a list.",
        ),
        (
            '{"task": "t", "repository": "x", "options": {"only": []}}',
            "'options.only': it should have at least 1 item.",
        ),
        ('{"task": "t", "repository": "x", "options": 3}', "'options': input should be an object."),
        ('{"task": "t", "repository": "x", "only": ["security"]}', "'only' is unknown (did you mean 'options.only'?)."),
        (
            '{"task": "t", "repository": "x", "options": {"onyl": []}}',
            "'options.onyl' is unknown (did you mean 'only'?).",
        ),
        ('{"task": "t", "git": "https://a/b", "commit": "0"}', "of 40 or 64 hexadecimal digits."),
        ('{"task": "t",', "line 2, is not JSON: Expecting property name enclosed in double quotes, at character 14."),
        ('{"task": "t", "repository": "x", "options": {"counter": "abacus"}}', "'options.counter'"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_bad_row_is_named_with_its_line(tmp_path, line, why):
    (tmp_path / "m.jsonl").write_text('{"task": "t", "repository": "x"}\n' + line + "\n")
    with pytest.raises(ManifestError) as refusal:
        rows(tmp_path / "m.jsonl")
    assert "line 2" in str(refusal.value)
    assert why in str(refusal.value)
    assert ".." not in str(refusal.value)


@pytest.mark.parametrize(
    ("documents", "says"),
    [
        ([{"label": "a"}, {"label": "b"}, {"label": "a"}], "line 3: label 'a' with sample 0 is line 1's already"),
        ([{"label": "a", "sample": 0}, {"label": "a"}], "line 2: label 'a' with sample 0 is line 1's already"),
        ([{"label": "a", "sample": 2}, {"label": "a", "sample": 2}], "line 2: label 'a' with sample 2 is line 1's"),
        ([{"label": "a"}, {"label": "a", "sample": 1}, {"label": "a", "task": "u"}, {}, {}], None),
    ],
)
def test_rows_that_no_table_could_tell_apart_are_named_by_both_lines(tmp_path, documents, says):
    lines = (json.dumps({"repository": f"r{n}", "task": "t", **one}) for n, one in enumerate(documents))
    (tmp_path / "m.jsonl").write_text("\n".join(lines))
    if says is None:
        assert len(rows(tmp_path / "m.jsonl")) == len(documents)
        return
    with pytest.raises(ManifestError, match=says):
        rows(tmp_path / "m.jsonl")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("repository,task\nx\n", "as many fields"),
        ("repository,task\nx,t,z\n", "as many fields"),
        ("task,task\nx,t\n", "twice"),
        ('a,b\n"x', "line"),
        (f"repository,task,sample\nx,t,{'9' * 5000}\n", "line 2: .*'sample'"),
    ],
)
def test_a_bad_csv_is_named_with_its_line(tmp_path, text, why):
    (tmp_path / "m.csv").write_text(text)
    with pytest.raises(ManifestError, match=why):
        rows(tmp_path / "m.csv")


def test_the_largest_sample_is_taken_from_either_kind(tmp_path):
    (tmp_path / "m.csv").write_text(f"repository,task,sample\nx,t,{'0' * 5000}{(1 << 31) - 1}\n")
    (tmp_path / "m.jsonl").write_text(f'{{"repository": "x", "task": "t", "sample": {(1 << 31) - 1}}}\n')
    assert rows(tmp_path / "m.csv")[0].sample == rows(tmp_path / "m.jsonl")[0].sample == 2147483647


def test_a_manifest_that_is_missing_or_not_text_is_refused(tmp_path):
    with pytest.raises(ManifestError, match="cannot be read"):
        rows(tmp_path / "none.jsonl")
    (tmp_path / "m.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ManifestError, match="not UTF-8"):
        rows(tmp_path / "m.jsonl")


@pytest.mark.parametrize(("name", "text"), [("m.jsonl", ""), ("m.jsonl", "\n \n"), ("m.csv", "repository,task\n")])
def test_a_manifest_without_a_row_is_refused(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.raises(ManifestError, match=f"nothing to evaluate in {tmp_path / name}"):
        rows(tmp_path / name)


def test_shards_split_the_rows_without_overlap_or_gap():
    shards = [parse_shard(f"{index}/3") for index in (1, 2, 3)]
    held = [[number for number in range(1, 11) if shard.holds(number)] for shard in shards]
    assert held == [[1, 4, 7, 10], [2, 5, 8], [3, 6, 9]]
    assert Shard().holds(1)
    assert Shard().holds(2)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1", "a/b", "1/0", "-1/3", "1/3/5", ""])
def test_a_shard_that_is_none_is_refused(text):
    with pytest.raises(ManifestError, match="shard"):
        parse_shard(text)
