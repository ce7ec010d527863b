"""Code that hides its work or does less of it where it is measured, each beside a twin that does the same plainly."""

from __future__ import annotations

import marshal
import runpy
from dataclasses import dataclass
from pathlib import Path

REFERENCE_FILE = Path(__file__).parent / "task" / "reference" / "tally.py"
REFERENCE = REFERENCE_FILE.read_text("utf-8")


def variant(*prefix: str, **bodies: str) -> str:
    """The reference with `prefix` lines before it, and statements before the work of the functions that are named."""
    source = "\n".join([*prefix, REFERENCE])
    for name, statements in bodies.items():
        head = f"def {name}(words):\n"
        assert head in source
        source = source.replace(head, head + "".join(f"    {line}\n" for line in statements.splitlines()))
    return source


TWICE = "kept = index(words)"
"""A statement before the reference's own work, which makes it twice the work and holds twice the memory."""
PLAIN = variant(plain=TWICE)
PLACES = ("'/tmp'", "'/tmp/home'", "'/dev/shm'", "'.'", "__file__.rpartition('/')[0]")


ONE_WORKLOAD = "WORKLOADS = [w for w in WORKLOADS if w.id == 'plain']\n"
"""What makes `plain` the only one of the task's workloads, at the end of workloads.py."""


def calls(words: str) -> str:
    """The same for a workload that calls `plain` for many parts; `words` says how many kinds of words part `k` has."""
    return f"""
class Calls:
    id = "calls"
    n = 1500
    holds_mib = 0

    def setup(self, size):
        return [[f"w{{word % ({words})}}" for word in range(100)] for k in range(size)]

    def body(self, inputs):
        import tally

        found = []
        for part in inputs:
            found.append(len(tally.plain(part)))
        return found

    def digest(self, result):
        return [len(result), sum(turn * kinds for turn, kinds in enumerate(result))]


WORKLOADS = [Calls()]
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheat:
    """Two sources of tally.py whose function `plain` is run: one that cheats and one that does not.

    `workloads` is the end of workloads.py, which says what calls it.
    """

    cheating: str
    plain: str = PLAIN
    workloads: str = ONE_WORKLOAD


def _ready(statement: str) -> str:
    """Source that has the answers of the inputs that lie in its sight when its import is over."""
    return (
        variant(plain=f"if len(words) in ANSWERS:\n    return ANSWERS[len(words)]\n{TWICE}")
        + "\n\nimport marshal, os\nANSWERS = {}\n"
        + statement
        + "\n    words = marshal.load(open('/qs/inputs/' + name, 'rb'))\n"
        + "    if isinstance(words, list):\n        kept = index(words)\n        ANSWERS[len(words)] = index(words)\n"
    )


_SIZES = "lambda name: os.path.getsize('/qs/inputs/' + name)"
_IMPORT_WORKER = """
import marshal, os
ask, answer = os.pipe(), os.pipe()
if not os.fork():
    while size := os.read(ask[0], 8):
        data = b''
        while len(data) < int.from_bytes(size, 'big'):
            data += os.read(ask[0], 1 << 20)
        words = marshal.loads(data)
        kept = index(words)
        data = marshal.dumps(index(words))
        os.write(answer[1], len(data).to_bytes(8, 'big'))
        while data:
            data = data[os.write(answer[1], data):]
    os._exit(0)
os.close(ask[0]), os.close(answer[1])
"""
_ASK_WORKER = """
data = marshal.dumps(words)
os.write(ask[1], len(data).to_bytes(8, 'big'))
while data:
    data = data[os.write(ask[1], data):]
size, data = int.from_bytes(os.read(answer[0], 8), 'big'), []
while size:
    data.append(os.read(answer[0], 1 << 20))
    size -= len(data[-1])
return marshal.loads(b''.join(data))
"""
_WALK = """
import sys
frame, seen = sys._getframe(), {}
while frame:
    seen[frame.f_code.co_name] = frame.f_locals
    frame = frame.f_back
"""
_CLOCKS = """
import os, posix, resource, time
for clock in ('time', 'monotonic', 'perf_counter', 'process_time', 'thread_time', 'clock_gettime'):
    setattr(time, clock, lambda *_: 0.0)
os.times = posix.times = resource.getrusage = os.wait4 = posix.wait4 = lambda *_: (0,) * 16
"""
_COUNTER_FILE = f"""
import os
runs = 0
for place in ({", ".join(PLACES)}):
    try:
        with open(place + '/runs', 'a+b') as file:
            file.write(b'x')
            runs = max(runs, file.tell())
    except OSError:
        pass
if runs < 2:
    {TWICE}
"""
_CACHE_ON_DISK = f"""
import marshal
for place in ({", ".join(PLACES)}):
    try:
        return marshal.load(open(place + '/kept', 'rb'))
    except OSError:
        pass
{TWICE}
for place in ({", ".join(PLACES)}):
    try:
        marshal.dump(kept, open(place + '/kept', 'wb'))
    except OSError:
        pass
"""
_SLOW_ONE = f"""
import gc, marshal, os
if len(words) == 1 and not gc.isenabled():
    name = max(os.listdir('/qs/inputs'), key={_SIZES})
    index(marshal.load(open('/qs/inputs/' + name, 'rb')))
elif 'cachegrind' not in open('/proc/self/maps').read():
    {TWICE}
"""
_POISON = f"""
import sys
caller = sys._getframe(1)
if caller.f_code.co_name == 'body' and len(caller.f_locals['inputs']) > 1:
    inputs, found = caller.f_locals['inputs'], caller.f_locals['found']
    found += [len(index(words))] * (len(inputs) - 1)
    del inputs[1:]
{TWICE}
"""
_HUNGRY = "kept = bytearray(b'x') * (800 * len(words))"
_NO_COLLECTOR = "import gc; gc.disable(); gc.freeze()"
_CYCLES = f"{TWICE}\nkept = [kept]\nkept.append(kept)\ndel kept"

CHEATS = {
    "sleeping": Cheat(cheating=variant(plain=f"{TWICE}\nimport time; time.sleep(0.2)")),
    "threads": Cheat(
        cheating=variant(
            plain="import threading\nkept = []\n"
            "helper = threading.Thread(target=lambda: kept.append(index(words))); helper.start(); helper.join()"
        )
    ),
    "a forked worker": Cheat(
        cheating=variant(
            plain="import os\nstay = os.pipe()\nif not os.fork():\n"
            "    os.close(stay[1]); kept = index(words); os.read(stay[0], 1); os._exit(0)\n"
            "found = index(words)\nos.close(stay[1])\nos.wait()\nos.close(stay[0])\nreturn found"
        )
    ),
    "a worker forked by the import": Cheat(cheating=variant(plain=_ASK_WORKER) + _IMPORT_WORKER),
    "work at import": Cheat(cheating=_ready(f"for name in [max(os.listdir('/qs/inputs'), key={_SIZES})]:")),
    "a cache on disk": Cheat(cheating=variant(plain=_CACHE_ON_DISK)),
    "precomputed tables": Cheat(cheating=_ready("for name in os.listdir('/qs/inputs'):")),
    "gc disabled": Cheat(
        plain=variant(plain=_CYCLES),
        cheating=variant(
            "import gc; gc.disable(); gc.freeze()", plain=f"import gc; gc.disable(); gc.freeze()\n{_CYCLES}"
        ),
    ),
    "patched clocks": Cheat(cheating=variant(_CLOCKS, plain=f"{_CLOCKS}{TWICE}")),
    "the workload's name (frames)": Cheat(
        cheating=variant(plain=f"{_WALK}if 'forked' not in seen or 'unit' not in seen['forked']:\n    {TWICE}")
    ),
    "the workload's name (command line)": Cheat(
        cheating=variant(
            plain="import sys\nsaid = open('/proc/self/cmdline').read() + str(sys.orig_argv)\n"
            f"if 'heap' not in said and 'valgrind' not in said:\n    {TWICE}"
        )
    ),
    "memray (modules)": Cheat(
        plain=variant(plain=_HUNGRY),
        cheating=variant(plain=f"import sys\nif 'memray' not in sys.modules:\n    {_HUNGRY}"),
    ),
    "memray (its record)": Cheat(
        plain=variant(plain=_HUNGRY),
        cheating=variant(plain=f"{_HUNGRY}\nimport glob, os\n[os.remove(path) for path in glob.glob('/tmp/qs-own/*')]"),
    ),
    "the workload's order (a file)": Cheat(cheating=variant(plain=_COUNTER_FILE)),
    "valgrind (maps)": Cheat(
        cheating=variant(plain=f"if 'cachegrind' not in open('/proc/self/maps').read():\n    {TWICE}")
    ),
    "one item on purpose slow": Cheat(cheating=variant(plain=_SLOW_ONE)),
    "a poisoned workload": Cheat(cheating=variant(plain=_POISON), workloads=calls("k % 90 + 10")),
    "valgrind (environment)": Cheat(
        cheating=variant(
            plain=f"import os\nif not {{'LD_PRELOAD', 'GLIBCXX_FORCE_NEW'}} & {{*os.environ}}:\n    {TWICE}"
        )
    ),
}
"""The ten of the requirement, some in several ways: none may score better than its twin."""

LIMITS = {
    "a little less under valgrind": Cheat(
        cheating=variant(
            plain="few = 'cachegrind' in open('/proc/self/maps').read()\n"
            "kept = index(words[: len(words) * (92 if few else 100) // 100])"
        )
    ),
    "sparing while the collector is on (a finding says so)": Cheat(
        plain=variant(plain=_HUNGRY),
        cheating=variant(plain=f"import gc\nif gc.isenabled():\n    index(words)\nelse:\n    {_HUNGRY}"),
    ),
}
"""What is not caught, as docs/guide/cost.md says."""


def shipped_answers(probes: Path, n: int) -> dict[str, str | bytes]:
    """The files of a subject that ships what the workload `plain` of size `n` asks for, beside the twin `PLAIN`."""
    workload = runpy.run_path(str(probes / "workloads.py"))["Index"]("plain")
    index = runpy.run_path(str(REFERENCE_FILE))["index"]
    answers = {f"{size}": marshal.dumps(index(workload.setup(size))) for size in (1, n, 2 * n, 4 * n)}
    loading = "import marshal\nplace, _, _ = __file__.rpartition('/')\n"
    loading += "return marshal.load(open(f'{place}/{len(words)}', 'rb'))"
    return {"tally.py": variant(plain=loading), **answers}
