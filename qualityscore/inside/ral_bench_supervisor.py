"""Runs one of RAL-Bench's suites as a process of its own, watches its memory and time, and reports one JSON document.

Standard library only; runs inside the sandbox as process 1 and is out of the subject's reach. The suite gets a private
writable copy of the benchmark's root, with the subject at `generation/<Project>`.
"""

import base64
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import channel
import offspring

_PR_SET_DUMPABLE, _PR_SET_CHILD_SUBREAPER = 4, 36
_SAMPLE_S = 0.02
_LARGE = 1 << 62


def prepare(plan):
    """Make the root; returns the subject's folder in it."""
    shutil.copytree(plan["suites"], plan["root"])
    subject = os.path.join(plan["root"], "generation", plan["project"])
    shutil.copytree(plan["subject"], subject)
    for folder in ("results", "tmp_perf"):
        os.makedirs(os.path.join(plan["root"], folder), exist_ok=True)
    return subject


def watch(child, inbox, plan):
    """Wait for the end or the limit: (timed out, samples of the tree's resident bytes)."""
    until = time.monotonic() + plan["wall_s"]
    samples = []
    while not offspring.collect_dead(child):
        inbox.drain()
        samples.append(offspring.memory_bytes(offspring.others(set()), above=_LARGE))
        if time.monotonic() > until:
            return True, samples
        time.sleep(_SAMPLE_S)
    return False, samples


def run(plan):
    """One suite, from the private root to the document that is reported."""
    subject = prepare(plan)
    ours, theirs = channel.pair()
    output = os.path.join(os.environ["HOME"], "output")
    environment = {**os.environ, **{k: v.replace("{subject}", subject) for k, v in plan["env"].items()}}
    argv = [sys.executable, "-sP", plan["child"], str(theirs.fileno()), plan["suite"], subject]
    started = time.monotonic()
    with open(output, "wb") as file:
        child = subprocess.Popen(
            argv,
            cwd=plan["root"],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            pass_fds=[theirs.fileno()],
            start_new_session=True,
        )
    theirs.close()
    inbox = channel.Inbox(ours, child.pid, plan["message_bytes"])
    timed_out, samples = watch(child.pid, inbox, plan)
    elapsed = time.monotonic() - started
    if timed_out:
        os.kill(child.pid, signal.SIGKILL)
    while inbox.drain():
        pass
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    offspring.kill_all(set())
    with open(output, "rb") as file:
        file.seek(0, os.SEEK_END)
        file.seek(max(0, file.tell() - plan["output_bytes"]))
        text = file.read(plan["output_bytes"])
    return {
        "returncode": child.returncode,
        "timed_out": timed_out,
        "elapsed_s": elapsed,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "memory_bytes": sum(samples) / len(samples) if samples else None,
        "overflow": inbox.overflow,
        "messages": [base64.b64encode(body).decode() for kind, body in inbox.frames if kind == channel.MESSAGE],
        "output": text.decode("utf-8", "replace"),
    }


def main():
    plan = json.load(sys.stdin)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if not offspring.is_alone():
        libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    report = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    json.dump(run(plan), report)
    report.flush()


if __name__ == "__main__":
    main()
