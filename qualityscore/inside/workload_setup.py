"""Make every workload's inputs in a process that the subject is never in.

Run with the folder that holds workloads.py. Standard output is one line of JSON, a list of the workloads with their
inputs' sizes and lengths in bytes, then the inputs one after another, each marshalled.
"""

import json
import marshal
import os
import sys


def main():
    """Exits with 1 and one line on standard error when the workloads do not follow their contract."""
    folder = sys.argv[1]
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.path.insert(0, folder)
    import workloads  # noqa: PLC0415

    described = []
    payloads = []
    for workload in workloads.WORKLOADS:
        sizes = []
        for size in (1, workload.n, 2 * workload.n, 4 * workload.n):
            try:
                payload = marshal.dumps(workload.setup(size))
            except ValueError as error:
                sys.exit(f"workload {workload.id}: the inputs of size {size} are not plain data: {error}")
            sizes.append([size, len(payload)])
            payloads.append(payload)
        described.append(
            {
                "id": workload.id,
                "n": workload.n,
                "holds_mib": getattr(workload, "holds_mib", 0),
                "inputs": sizes,
            }
        )
    out.write(json.dumps(described).encode() + b"\n")
    for payload in payloads:
        out.write(payload)
    out.close()


main()
