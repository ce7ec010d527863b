"""The commands, as processes of their own."""

from PIL import Image


def test_lsb_hides_and_reveals(command, picture, tmp_path):
    (tmp_path / "in.png").write_bytes(picture().read())
    assert command("lsb", "hide", "-i", "in.png", "-m", "Füße: 🍕", "-o", "out.png") == (0, "", "")
    assert command("lsb", "reveal", "--input", "out.png") == (0, "Füße: 🍕\n", "")


def test_lsb_with_generator_shift_and_encoding(command, picture, tmp_path):
    (tmp_path / "in.png").write_bytes(picture(size=(60, 40)).read())
    options = ["--generator", "ackermann", "1", "--shift", "7", "--encoding", "UTF-32LE"]
    assert command("lsb", "hide", "--input", "in.png", "-m", "far é", "--output", "out.png", *options) == (0, "", "")
    assert command("lsb", "reveal", "-i", "out.png", "-g", "identity", "-s", "9", "-e", "UTF-32LE") == (
        0,
        "far é\n",
        "",
    )


def test_lsb_hides_files(command, picture, tmp_path):
    (tmp_path / "in.png").write_bytes(picture().read())
    (tmp_path / "secret.bin").write_bytes(bytes(range(0, 250, 5)))
    assert command("lsb", "hide", "-i", "in.png", "-f", "secret.bin", "-o", "out.png")[0] == 0
    assert command("lsb", "reveal", "-i", "out.png", "-o", "found.bin") == (0, "", "")
    assert list((tmp_path / "found.bin").read_bytes()) == [*range(0, 250, 5)]


def test_lsb_finds_nothing(command, tmp_path):
    Image.new("RGB", (30, 30), (255, 255, 255)).save(tmp_path / "white.png")
    assert command("lsb", "reveal", "-i", "white.png") == (0, "Impossible to detect message.\n", "")


def test_lsb_asks_before_it_converts(command, picture, tmp_path):
    (tmp_path / "grey.png").write_bytes(picture("L").read())
    assert command("lsb", "hide", "-i", "grey.png", "-m", "was grey", "-o", "out.png", stdin="\n")[0] == 0
    assert command("lsb", "reveal", "-i", "out.png")[:2] == (0, "was grey\n")
    status, _, errors = command("lsb", "hide", "-i", "grey.png", "-m", "no", "-o", "none.png", stdin="n\n")
    assert [status != 0, errors != "", (tmp_path / "none.png").exists()] == [True, True, False]


def test_red_hides_and_reveals(command, picture, tmp_path):
    (tmp_path / "in.png").write_bytes(picture().read())
    assert command("red", "hide", "-i", "in.png", "-m", "in red", "-o", "out.png") == (0, "", "")
    assert command("red", "reveal", "--input", "out.png") == (0, "in red\n", "")


def test_rdh_hides_reveals_and_recovers(command, tmp_path):
    Image.new("L", (40, 30), 120).save(tmp_path / "in.png")
    assert command("rdh", "hide", "-i", "in.png", "-m", "reversible", "-o", "out.png") == (0, "", "")
    assert command("rdh", "reveal", "-i", "out.png") == (0, "reversible\n", "")
    assert command("rdh", "recover", "-i", "out.png", "-o", "back.png") == (0, "", "")
    with Image.open(tmp_path / "back.png") as back:
        assert [back.mode, back.size, set(back.tobytes())] == ["L", (40, 30), {120}]


def test_parity_shows_what_is_odd(command, tmp_path):
    Image.frombytes("RGB", (2, 2), bytes([0, 1, 2, 3, 254, 255, 100, 101, 102, 7, 7, 8])).save(tmp_path / "in.png")
    assert command("parity", "-i", "in.png", "--output", "out.png") == (0, "", "")
    with Image.open(tmp_path / "out.png") as image:
        assert list(image.tobytes()) == [0, 255, 0, 255, 0, 255, 0, 255, 0, 255, 255, 0]


def test_mistakes_on_the_command_line(command, picture, tmp_path):
    (tmp_path / "in.png").write_bytes(picture().read())
    answers = [
        command("lsb", "hide", "-i", "in.png", "-o", "out.png"),
        command("lsb", "hide", "-i", "in.png", "-m", "a", "-f", "in.png", "-o", "out.png"),
        command("rdh", "reveal", "-i", "in.png", "-e", "latin-1"),
    ]
    assert [(status, output, bool(errors)) for status, output, errors in answers] == [(2, "", True)] * 3
    status, output, errors = command("lsb", "reveal", "-i", "in.png", "-g", "nonsense")
    assert [status != 0, output.count("message"), errors + output != ""] == [True, 0, True]
    assert (tmp_path / "out.png").exists() is False
