"""CSV and JSON files."""

import gzip
import json

import petl

MIXED = [["a", "b"], [1, "x,y"], [None, 'say "hé"\nnow'], [2.5, True]]


def rows(table):
    return [tuple(row) for row in table]


def test_csv_files_are_written(tmp_path):
    path = tmp_path / "t.csv"
    petl.tocsv(MIXED, str(path), encoding="utf-8")
    assert path.read_bytes().decode() == 'a,b\r\n1,"x,y"\r\n,"say ""hé""\nnow"\r\n2.5,True\r\n'


def test_csv_files_are_read(tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes('a,b\r\n1,"x,y"\r\n,"say ""hé""\nnow"\r\n2.5,True\r\n'.encode())
    table = petl.fromcsv(str(path), encoding="utf-8")
    assert rows(table) == [("a", "b"), ("1", "x,y"), ("", 'say "hé"\nnow'), ("2.5", "True")]
    assert [petl.nrows(table), rows(petl.convert(table, "a", float))[1:]] == [
        3,
        [(1.0, "x,y"), (None, 'say "hé"\nnow'), (2.5, "True")],
    ]


def test_csv_in_other_dialects(tmp_path):
    path = tmp_path / "t.csv"
    petl.tocsv(
        [["a", "b"], ["x;y", "z"], ["ü", 1]],
        str(path),
        encoding="latin-1",
        delimiter=";",
        quotechar="'",
        lineterminator="\n",
    )
    assert path.read_bytes() == b"a;b\n'x;y';z\n\xfc;1\n"
    assert rows(petl.fromcsv(str(path), encoding="latin-1", delimiter=";", quotechar="'"))[1:] == [
        ("x;y", "z"),
        ("ü", "1"),
    ]


def test_csv_headers_can_be_left_out_and_given(tmp_path):
    path = tmp_path / "t.csv"
    petl.tocsv([["a", "b"], [1, 2]], str(path), encoding="utf-8", write_header=False, lineterminator="\n")
    assert path.read_text() == "1,2\n"
    assert rows(petl.fromcsv(str(path), encoding="utf-8", header=["p", "q"])) == [("p", "q"), ("1", "2")]


def test_rows_are_appended(tmp_path):
    path = tmp_path / "t.csv"
    petl.tocsv([["a", "b"], [1, 2]], str(path), encoding="utf-8", lineterminator="\n")
    petl.appendcsv([["c", "d"], [3, 4]], str(path), encoding="utf-8", lineterminator="\n")
    petl.appendcsv([["c", "d"], [5, 6]], str(path), encoding="utf-8", lineterminator="\n", write_header=True)
    assert path.read_text() == "a,b\n1,2\n3,4\nc,d\n5,6\n"


def test_files_are_read_when_the_table_is(tmp_path):
    path = tmp_path / "late.csv"
    table = petl.sort(petl.fromcsv(str(path), encoding="utf-8"), "n")
    path.write_text("n\nb\na\n")
    assert rows(table) == [("n",), ("a",), ("b",)]


def test_compressed_files(tmp_path):
    path = tmp_path / "t.csv.gz"
    petl.tocsv([["a"], ["ö"]], str(path), encoding="utf-8", lineterminator="\n")
    assert gzip.decompress(path.read_bytes()).decode() == "a\nö\n"
    path.write_bytes(gzip.compress(b"k,v\n7,8\n"))
    assert rows(petl.fromcsv(str(path), encoding="utf-8")) == [("k", "v"), ("7", "8")]


def test_an_empty_file_has_no_rows(tmp_path):
    path = tmp_path / "empty.csv"
    path.write_bytes(b"")
    counts = [petl.nrows(petl.fromcsv(str(path), encoding="utf-8"))]
    path.write_bytes(b"only,header\n")
    counts += [
        petl.nrows(petl.fromcsv(str(path), encoding="utf-8")),
        tuple(petl.header(petl.fromcsv(str(path), encoding="utf-8"))),
    ]
    assert counts == [0, 0, ("only", "header")]


def test_json_files(tmp_path):
    path = tmp_path / "t.json"
    petl.tojson([["a", "b"], [1, "ü"], [None, [2, {"c": 3.5}]]], str(path))
    assert json.loads(path.read_text()) == [{"a": 1, "b": "ü"}, {"a": None, "b": [2, {"c": 3.5}]}]
    assert rows(petl.fromjson(str(path))) == [("a", "b"), (1, "ü"), (None, [2, {"c": 3.5}])]
    assert rows(petl.fromjson(str(path), header=["b"])) == [("b",), ("ü",), ([2, {"c": 3.5}],)]


def test_json_is_written_to_taste(tmp_path):
    path = tmp_path / "t.json"
    petl.tojson([["b", "a"], [1, 2]], str(path), sort_keys=True, indent=1)
    assert path.read_text().strip() == '[\n {\n  "a": 2,\n  "b": 1\n }\n]'


def test_json_lines(tmp_path):
    path = tmp_path / "t.jsonl"
    petl.wrap([["k", "v"], ["x", 10], ["y", False]]).tojson(str(path), lines=True)
    assert [json.loads(line) for line in path.read_text().splitlines()] == [{"k": "x", "v": 10}, {"k": "y", "v": False}]
    path.write_text('{"k": 5}\n{"k": 6}\n')
    assert rows(petl.fromjson(str(path), lines=True)) == [("k",), (5,), (6,)]


def test_from_one_file_to_another(tmp_path):
    source, target = tmp_path / "in.csv", tmp_path / "out.json"
    source.write_text("city,temp\nOslo,-3\nRome,12\nOslo,1\n")
    table = petl.fromcsv(str(source), encoding="utf-8").convert("temp", int)
    table.aggregate("city", max, "temp", field="max").addfield("warm", lambda row: row["max"] > 5).tojson(str(target))
    assert json.loads(target.read_text()) == [
        {"city": "Oslo", "max": 1, "warm": False},
        {"city": "Rome", "max": 12, "warm": True},
    ]
