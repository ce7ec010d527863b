"""Functions whose memory is known by hand: `mib` MiB at most at once, or none of it for 0."""

MIB = 1 << 20


def hold(mib):
    """All at once."""
    kept = bytearray(mib * MIB)
    kept[::4096] = b"x" * len(kept[::4096])
    return len(kept)


def in_pieces(mib):
    """`mib` MiB in all, 8 MiB at a time."""
    done = 0
    while done < mib:
        done += hold(8) // MIB
    return done


def in_a_child(mib):
    """All at once in a forked process, which keeps it for a third of a second."""
    import os
    import time

    child = os.fork()
    if not child:
        kept = bytearray(b"x") * (mib * MIB)
        time.sleep(0.3)
        os._exit(len(kept) & 1)
    return os.waitpid(child, 0)[1]


def in_c(mib):
    """scrypt's table, which OpenSSL allocates: 128 bytes for each of r * N blocks (RFC 7914, section 5)."""
    import hashlib

    if not mib:
        return b""
    blocks = mib * MIB // (128 * 8)
    return hashlib.scrypt(b"password", salt=b"salt", n=blocks, r=8, p=1, maxmem=2 * mib * MIB)


def set_back(mib):
    """All at once for a third of a second, and then the kernel's record of the peak is set back (proc(5))."""
    import time
    from pathlib import Path

    kept = bytearray(b"x") * (mib * MIB)
    time.sleep(0.3)
    del kept
    Path("/proc/self/clear_refs").write_text("5")
    return mib
