"""The measured process: imports the subject, then runs one workload at one size.

It is one script for every kind of run, so that no command line tells which it is: the setup comes over a pipe, before
the subject is imported. It imports only modules that are built into the interpreter, so that a subject's own imports
are charged in full; where the setup names a record, memray as well, before the subject is on the path.

It talks to its supervisor over two pipes, `CONTROL` (in) and `REPORT` (out), in frames: one byte of kind, four bytes of
length, payload. Kinds out: M memray ready, R surface imported, W workloads loaded, P pid of a forked unit, L inputs
loaded, D digest, E error. After R, W, L and D the supervisor reads the kernel's clocks and answers; which unit is run
is not known before the import is over. A forked unit (`zygote` in the setup) reports and never waits.

The result leaves as marshal version 2 of its digest: no references and no interning, so equal plain data gives equal
bytes.
"""

import _signal
import gc
import marshal
import posix
import sys

CONTROL = 3
REPORT = 4
_TEXT = 2000
_FRAMES = 40


def receive(read=posix.read):
    """The payload of the next frame from the supervisor; b"" when it is gone."""
    head = _exactly(4, read)
    return _exactly(int.from_bytes(head, "big"), read) if head else b""


def _exactly(size, read):
    parts = []
    while size:
        part = read(CONTROL, size)
        if not part:
            return b""
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def send(kind, payload=b"", write=posix.write):
    """One frame to the supervisor."""
    data = kind + len(payload).to_bytes(4, "big") + payload
    while data:
        data = data[write(REPORT, data) :]


def load_inputs(path, open_=posix.open, read=posix.read, close=posix.close, loads=marshal.loads):
    """The inputs that setup made in a process without the subject, by functions that it has had no hold of."""
    descriptor = open_(path, posix.O_RDONLY)
    parts = []
    while part := read(descriptor, 1 << 24):
        parts.append(part)
    close(descriptor)
    return loads(parts[0] if len(parts) == 1 else b"".join(parts))


def load_workloads(folder):
    """The task's workloads by id. Only the standard library is on the path meanwhile.

    The import system is as it was before the subject came; a module of the subject's of the same name stays its own.
    """
    own = sys.modules.pop("workloads", None)
    theirs = sys.path[:], sys.meta_path[:], sys.path_hooks[:]
    sys.path[:], sys.meta_path[:], sys.path_hooks[:] = [folder, *STDLIB], FINDERS, HOOKS
    try:
        module = __import__("workloads")
    finally:
        sys.path[:], sys.meta_path[:], sys.path_hooks[:] = theirs
        sys.modules.pop("workloads", None)
        if own is not None:
            sys.modules["workloads"] = own
    return {workload.id: workload for workload in module.WORKLOADS}


def plain(value, depth=0):
    """Subclasses of built-in types reduced to them, so that marshal takes them; ValueError for anything else."""
    if depth > 200:
        raise ValueError("the digest is nested too deeply")
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return value
    for base, reduce in (
        (int, int.__int__),
        (float, float.__float__),
        (str, str.__str__),
        (bytes, lambda v: b"".join((v, b""))),
    ):
        if issubclass(kind, base):
            return reduce(value)
    if issubclass(kind, dict):
        return {plain(k, depth + 1): plain(v, depth + 1) for k, v in value.items()}
    for base in (list, tuple, frozenset, set):
        if issubclass(kind, base):
            return base(plain(item, depth + 1) for item in value)
    raise ValueError(f"the digest holds a {kind.__name__}, which is not plain data")


def encode(digest):
    """Canonical bytes of a digest."""
    try:
        return marshal.dumps(digest, 2)
    except ValueError:
        return marshal.dumps(plain(digest), 2)


def describe(error):
    """Type, message, and (file, line, function) of each frame, innermost last, separated by NUL."""
    fields = [type(error).__name__]
    try:
        fields.append(str(error)[:_TEXT])
    except BaseException:
        fields.append("(no text)")
    trace = error.__traceback__
    frames = []
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append((code.co_filename, str(trace.tb_lineno), code.co_name))
        trace = trace.tb_next
    for frame in frames[-_FRAMES:]:
        fields.extend(frame)
    return "\0".join(fields).encode("utf-8", "backslashreplace")


def import_surface(setup):
    """Put the subject and the environment on the path and import the surface's modules; gc off where times count."""
    if not setup["gc"]:
        gc.disable()
    sys.path[:] = [*setup["roots"], *STDLIB, *setup["site"]]
    for name in setup["modules"]:
        __import__(name)


def run_body(workload, inputs):
    """The digest of one run of the body."""
    return encode(workload.digest(workload.body(inputs)))


def run_without_digest(workload, inputs):
    """One run of the body whose result is dropped."""
    workload.body(inputs)
    return b""


def make_tracker(site, record):
    """memray's tracker; afterwards no module of the environment but memray's own is in `sys.modules`.

    A tracker is entered and left first: what goes wrong here is not the subject's doing. memray and what it needs are
    imported before the subject is on the path, and what it needs is then forgotten, so that a subject that carries a
    module of the same name is measured with its own and memray works with memray's.
    """
    sys.path[:] = [*STDLIB, *site]
    known = set(sys.modules)
    import memray  # noqa: PLC0415

    wanted = {"native_traces": False, "trace_python_allocators": True, "follow_fork": True}
    with memray.Tracker(f"{record}-tried", **wanted):
        pass
    posix.unlink(f"{record}-tried")
    tracker = memray.Tracker(record, **wanted)
    for name in set(sys.modules) - known:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if origin.startswith(tuple(site)) and name.partition(".")[0] != "memray":
            del sys.modules[name]
    sys.path[:] = STDLIB
    return tracker


def tracked(tracker):
    """`run_body` with the body alone under memray."""

    def run(workload, inputs):
        with tracker:
            result = workload.body(inputs)
        return encode(workload.digest(result))

    return run


def single(setup, body=run_body):
    """One unit in this process, in step with the supervisor's clock readings."""
    import_surface(setup)
    send(b"R")
    receive()
    workloads = load_workloads(setup["suite"]) if setup["suite"] else {}
    send(b"W")
    unit = marshal.loads(receive())
    if unit["workload"]:
        workload = workloads[unit["workload"]]
        inputs = load_inputs(unit["input"])
        send(b"L")
        receive()
        send(b"D", (body if unit["digest"] else run_without_digest)(workload, inputs))
    else:
        send(b"L")
        receive()
        send(b"D")
    receive()


def hide_tool(names, environ=posix.environ):
    """Leave only the variables of the launch: a tool's own (valgrind's LD_PRELOAD) would tell the subject of it."""
    for name in [name for name in environ if name.decode() not in names]:
        posix.unsetenv(name)
        del environ[name]


def zygote(setup):
    """Import once; fork a grandchild for every unit that the supervisor names.

    The process between is killed by the supervisor, which so becomes the unit's parent and reads its real exit."""
    hide_tool(setup["variables"])
    import_surface(setup)
    send(b"R")
    workloads = {}
    while command := receive():
        unit = marshal.loads(command)
        if unit["id"] == "":
            workloads = load_workloads(setup["suite"])
            send(b"W")
            continue
        between = posix.fork()
        if between:
            posix.waitpid(between, 0)
            continue
        if posix.fork():
            while True:
                _signal.pause()  # until the supervisor kills it: an end of its own would be counted
        forked(unit, workloads)


def forked(unit, workloads):
    """The forked child's whole life."""
    try:
        send(b"P", str(posix.getpid()).encode())
        payload = b""
        if unit["input"]:
            inputs = load_inputs(unit["input"])
            if unit["workload"]:
                body = run_body if unit["digest"] else run_without_digest
                payload = body(workloads[unit["workload"]], inputs)
        send(b"D", payload)
    except BaseException as error:
        send(b"E", describe(error))
        posix._exit(1)
    posix._exit(0)


def main(leave=posix._exit):
    """Follow the supervisor's setup to the end; leaves without running exit handlers."""
    setup = marshal.loads(receive())
    body = run_body
    if setup["record"]:
        body = tracked(make_tracker(setup["site"], setup["record"]))
        send(b"M")
    try:
        (zygote(setup) if setup["zygote"] else single(setup, body))
    except BaseException as error:
        send(b"E", describe(error))
        leave(1)
    leave(0)


STDLIB = tuple(sys.path)
FINDERS = tuple(sys.meta_path)
HOOKS = tuple(sys.path_hooks)

if __name__ == "__main__":
    main()
