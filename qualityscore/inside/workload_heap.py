"""The measured process under memray: the tracker starts after the import and ends with the body.

That memray is ready is the first thing it says, after a tracker was entered and left: what goes wrong before is not the
subject's doing.

memray and what it needs are imported before the subject is on the path, and what it needs is then forgotten, so that
a subject that carries a module of the same name is measured with its own and memray works with memray's.
Run with the folder of the environment's packages and the record to write as arguments.
"""

import posix
import sys

STDLIB = tuple(sys.path)
HERE, _, _ = __file__.rpartition("/")


def make_tracker(site, record):
    """A tracker; afterwards no module of the environment but memray's own is in `sys.modules`."""
    sys.path[:] = [*STDLIB, site]
    known = set(sys.modules)
    import memray  # noqa: PLC0415

    wanted = {"native_traces": False, "trace_python_allocators": True, "follow_fork": True}
    with memray.Tracker(f"{record}-tried", **wanted):
        pass
    posix.unlink(f"{record}-tried")
    tracker = memray.Tracker(record, **wanted)
    for name in set(sys.modules) - known:
        origin = getattr(sys.modules[name], "__file__", None) or ""
        if origin.startswith(site) and name.partition(".")[0] != "memray":
            del sys.modules[name]
    sys.path[:] = STDLIB
    return tracker


def main():
    """Follow the protocol of workload_child with the body tracked."""
    site, record = sys.argv[1:]
    tracker = make_tracker(site, record)
    sys.path[:] = [HERE, *STDLIB]
    import workload_child  # noqa: PLC0415

    sys.path[:] = STDLIB
    workload_child.STDLIB = STDLIB

    workload_child.send(b"M")

    def tracked(workload, inputs):
        with tracker:
            result = workload.body(inputs)
        return workload_child.encode(workload.digest(result))

    workload_child.main(tracked)


main()
