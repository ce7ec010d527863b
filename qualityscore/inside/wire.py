"""JSON and the way out of a process, by functions of C that were bound before anything of the subject was imported.

Nothing here looks up json, os or a method of a socket when it is called, so that replacing those rewrites nothing.
Standard library only; runs inside the sandbox.
"""

import _json
import json

import channel

_pieces = _json.make_encoder(None, None, _json.encode_basestring_ascii, None, ": ", ", ", False, False, True).__call__
_scan = _json.make_scanner(json.JSONDecoder()).__call__


def dumps(data):
    """What `json.dumps` gives by default for data without cycles."""
    return "".join(_pieces(data, 0))


def loads(raw):
    """The document in a message of the supervisor's."""
    return _scan(raw.decode(), 0)[0]


def sender(end):
    """A function that gives one message to the supervisor."""
    write, kind = channel.write, channel.MESSAGE

    def send(body):
        write(end, kind, bytes(body))

    return send
