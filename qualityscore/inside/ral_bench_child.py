"""One of RAL-Bench's suites under its own pytest: what was collected and how each test ended goes to the supervisor.

Standard library and pytest only; runs inside the sandbox, in one process with the subject. pytest is imported before
the subject's folder comes onto the path, so that nothing there takes the place of it or of the standard library.
"""

import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import channel
import fence
import pytest

_TEXT = 2000


class Reporter:
    """A pytest plugin that sends one JSON document for each thing that happens."""

    def __init__(self, send, subject):
        self._send = send
        self._subject = subject

    def pytest_collectreport(self, report):
        if report.failed or report.skipped:
            text = str(report.longrepr)
            document = {"uncollected": report.nodeid, "outcome": report.outcome, "text": text[-_TEXT:]}
            self._send({**document, "in_subject": self._subject in text})

    def pytest_collection_finish(self, session):
        self._send({"collected": [item.nodeid for item in session.items]})

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, call):
        report = yield
        report.raised = call.excinfo.typename if call.excinfo else None
        return report

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and report.passed:
            return
        self._send(
            {
                "test": report.nodeid,
                "outcome": report.outcome,
                "expected_to_fail": hasattr(report, "wasxfail"),
                "duration_s": report.duration,
                "raised": report.raised,
                "text": str(report.longrepr)[-_TEXT:] if report.failed else "",
            }
        )


def main():
    """Arguments: the descriptor to the supervisor, the suite, the subject's folder. Leaves with pytest's status."""
    descriptor, suite, subject = sys.argv[1:]
    end = channel.socket.socket(fileno=int(descriptor))
    os.set_inheritable(end.fileno(), False)

    def send(document):
        channel.write(end, channel.MESSAGE, json.dumps(document).encode())

    fence.install()
    sys.path[:] = [subject, *(entry for entry in sys.path if entry != os.path.dirname(os.path.abspath(__file__)))]
    os.environ["PYTHONPATH"] = subject
    sys.argv[:] = ["pytest", suite]
    code = pytest.main(["-q", "-p", "no:cacheprovider", "--rootdir", os.getcwd(), suite], [Reporter(send, subject)])
    send({"exit": int(code)})
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
