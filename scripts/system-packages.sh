#!/bin/sh
# Makes sure of what pip cannot install: Python 3.11 with venv, bubblewrap (the sandbox), valgrind (the counter);
# with the argument "browser" also of Chromium, in which the tests open the HTML pages.
set -u
PYTHON=${PYTHON:-python3}

if ! command -v "$PYTHON" >/dev/null 2>&1; then
    echo "error: $PYTHON was not found; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2
    exit 1
fi
if ! "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "error: $("$PYTHON" --version 2>&1) is too old; qualityscore needs 3.11 or newer: make PYTHON=/path/to/python" >&2
    exit 1
fi

missing=""
sparing=""
command -v bwrap >/dev/null 2>&1 || missing="$missing bubblewrap"
command -v valgrind >/dev/null 2>&1 || missing="$missing valgrind"
command -v setpriv >/dev/null 2>&1 || missing="$missing util-linux"
"$PYTHON" -c 'import venv, ensurepip' >/dev/null 2>&1 || missing="$missing python3-venv"
if [ "${1:-}" = browser ]; then
    command -v chromium >/dev/null 2>&1 || missing="$missing chromium"
    sparing="--no-install-recommends"
fi
[ -z "$missing" ] && exit 0

if command -v apt-get >/dev/null 2>&1; then
    as_root=""
    if [ "$(id -u)" != 0 ]; then
        if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo"; else as_root="no"; fi
    fi
    if [ "$as_root" != no ]; then
        echo "installing from Debian:$missing"
        $as_root apt-get update -qq && DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq $sparing $missing >/dev/null && exit 0
    fi
fi
echo "note: missing:$missing - install them as root, for example: apt-get install$missing" >&2
echo "      without bubblewrap there may be no sandbox, without valgrind costs are measured in CPU seconds" >&2
echo "      without chromium the tests of the HTML pages are skipped" >&2
exit 0
