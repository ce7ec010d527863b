"""`python -m markdown` as a process of its own."""

import os
import subprocess
import sys

import markdown


def run(*arguments, stdin=b""):
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join(path for path in sys.path if path), PYTHONIOENCODING="utf-8"
    )
    done = subprocess.run(
        [sys.executable, "-m", markdown.__name__, *arguments],
        input=stdin,
        capture_output=True,
        env=environment,
        timeout=8,
        check=False,
    )
    return done.returncode, done.stdout, bool(done.stderr.strip())


def test_standard_input_is_converted():
    assert run(stdin="# Zoë\n\n*a*  \nb\n".encode()) == (0, "<h1>Zoë</h1>\n<p><em>a</em><br />\nb</p>".encode(), False)
    assert run(stdin=b"\n") == (0, b"", False)


def test_files_are_converted_by_the_command(tmp_path):
    source, target = tmp_path / "a.md", tmp_path / "a.html"
    source.write_bytes("one é\n\n- two".encode("latin-1"))
    assert run("-f", str(target), "-e", "latin-1", str(source)) == (0, b"", False)
    assert target.read_bytes() == "<p>one é</p>\n<ul>\n<li>two</li>\n</ul>".encode("latin-1")


def test_formats_of_the_command():
    assert run("-o", "html", stdin=b"a  \nb") == (0, b"<p>a<br>\nb</p>", False)
    assert run("-o", "xhtml", stdin=b"***") == (0, b"<hr />", False)


def test_extensions_of_the_command(tmp_path):
    config = tmp_path / "c.json"
    config.write_text('{"markdown.extensions.toc": {"baselevel": 2, "separator": "+"}}')
    words = ("-x", "markdown.extensions.toc", "-x", "markdown.extensions.nl2br")
    assert run(*words, "-c", str(config), stdin=b"# A b\n\nc\nd") == (
        0,
        b'<h2 id="a+b">A b</h2>\n<p>c<br />\nd</p>',
        False,
    )
    assert run("-x", "tables", stdin=b"a|b\n-|-")[:2] == (
        0,
        b"<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td></td>\n<td></td>\n</tr>\n</tbody>\n</table>",
    )


def test_mistakes_on_the_command_line():
    assert run("--unheard-of", stdin=b"x") == (2, b"", True)
    codes = [run("-x", "no.such.module", stdin=b"x"), run("no-such-file.md"), run("-o", "pdf", stdin=b"x")]
    assert [(code != 0, out, err) for code, out, err in codes] == [(True, b"", True)] * 3
    assert run("-o", "html", stdin=b"`x`") == (0, b"<p><code>x</code></p>", False)
