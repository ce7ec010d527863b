"""Read the high-water marks of memray records, in a process that the subject was never in.

Run with the environment's packages folder, the record, and `all` or `peak`; records of forked children lie beside it
with their pid as suffix. Prints JSON: peak bytes and allocations of the process itself, with `all` its allocated bytes
and the heap over time too (which reads the record again), and for the children their number and the sum of their peaks.
"""

import glob
import json
import os
import sys

LARGEST_READ_BYTES = 256 << 20
POINTS = 40


def allocated_bytes(record):
    """All that was ever asked for; None where the record is too long to be read once more."""
    from memray._memray import compute_statistics  # noqa: PLC0415

    if os.path.getsize(record) > LARGEST_READ_BYTES:
        return None
    return compute_statistics(record, num_largest=1).total_memory_allocated


def timeline(record, reader):
    """The heap over time as at most POINTS pairs of seconds since the start and bytes, the highest of each stretch.

    Empty where the record is too long to be read once more.
    """
    if os.path.getsize(record) > LARGEST_READ_BYTES:
        return []
    start_ms = reader.metadata.start_time.timestamp() * 1000
    points = [(max(0.0, (s.time - start_ms) / 1000), s.heap) for s in reader.get_memory_snapshots()]
    stretch = -(-len(points) // POINTS) or 1
    highest = [max(points[i : i + stretch], key=lambda point: point[1]) for i in range(0, len(points), stretch)]
    return [(round(seconds, 4), heap) for seconds, heap in highest]


def main():
    """One line of JSON on standard output; exits with 1 and one line on standard error when it cannot be read."""
    site, record, wanted = sys.argv[1:]
    sys.path.append(site)
    from memray import FileReader  # noqa: PLC0415

    try:
        reader = FileReader(record)
        own = reader.metadata
        children = [FileReader(path).metadata.peak_memory for path in sorted(glob.glob(record + ".*"))]
    except (OSError, ValueError) as error:
        sys.exit(f"the record cannot be read: {error}")
    print(
        json.dumps(
            {
                "peak_bytes": own.peak_memory,
                "allocations": own.total_allocations,
                "allocated_bytes": allocated_bytes(record) if wanted == "all" else None,
                "timeline": timeline(record, reader) if wanted == "all" else [],
                "children": len(children),
                "children_peak_bytes": sum(children),
            }
        )
    )


main()
