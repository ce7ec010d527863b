"""Workloads of the watchdog task: seeded inputs, a body that uses the surface, a digest of the result."""

import random
import stat
from types import SimpleNamespace

NAMES = "app.py readme.md notes.txt data.json Makefile image.PNG module.c lib.so .hidden config.yml".split()


class Forest:
    """Files and folders in memory, made from numbers: folders of a width, each with files."""

    def __init__(self, numbers, width):
        self.children = {"/r": {}}
        self.stats = {"/r": self.entry(1, True, 0, 0)}
        for position, number in enumerate(numbers):
            folder = f"/r/d{number % width}"
            if folder not in self.children:
                self.children[folder] = {}
                self.children["/r"][folder[3:]] = SimpleNamespace(name=folder[3:])
                self.stats[folder] = self.entry(10**7 + number % width, True, 5, 0)
            name = f"f{position}"
            self.children[folder][name] = SimpleNamespace(name=name)
            self.stats[f"{folder}/{name}"] = self.entry(position + 2, False, number % 1000, number % 777)

    @staticmethod
    def entry(inode, folder, time, size):
        kind = stat.S_IFDIR | 0o755 if folder else stat.S_IFREG | 0o644
        return SimpleNamespace(st_ino=inode, st_dev=3, st_mode=kind, st_mtime=time, st_size=size, st_uid=0, st_gid=0)

    def stat(self, path):
        return self.stats[path]

    def listdir(self, path):
        return iter(list(self.children[path].values()))


class Compare:
    """Snapshots of folders before and after many changes."""

    id = "compare"
    n = 900

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10**6) for _ in range(size)]

    def body(self, inputs):
        from watchdog.utils.dirsnapshot import DirectorySnapshot

        forest = Forest(inputs, 40)
        before = DirectorySnapshot("/r", stat=forest.stat, listdir=forest.listdir)
        for position, number in enumerate(inputs):
            folder, name = f"/r/d{number % 40}", f"f{position}"
            if number % 5 == 0:
                entry = forest.stats.pop(f"{folder}/{name}")
                del forest.children[folder][name]
                if number % 2:
                    forest.children["/r"][f"m{position}"] = SimpleNamespace(name=f"m{position}")
                    forest.stats[f"/r/m{position}"] = entry
            elif number % 7 == 0:
                old = forest.stats[f"{folder}/{name}"]
                forest.stats[f"{folder}/{name}"] = forest.entry(old.st_ino, False, old.st_mtime + 1, old.st_size)
        after = DirectorySnapshot("/r", stat=forest.stat, listdir=forest.listdir)
        there, back = after - before, before - after
        return [
            sorted(there.files_deleted),
            sorted(there.files_modified),
            sorted(there.files_moved),
            sorted(back.files_created),
            [len(there), len(back), len(after.paths)],
        ]

    def digest(self, result):
        return [len(part) for part in result] + result[-1] + [sum(len(str(item)) * i for i, item in enumerate(part, 1)) for part in result]


class Patterns:
    """Paths chosen by patterns with and without case."""

    id = "patterns"
    n = 450

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return ["/".join([f"p{rng.randrange(5)}" for _ in range(rng.randrange(4))] + [rng.choice(NAMES)]) for _ in range(size)]

    def body(self, inputs):
        from watchdog.utils.patterns import filter_paths, match_any_paths

        one = list(filter_paths(inputs, included_patterns=["**/*.py", "p1/**", "*.md"], excluded_patterns=["**/p3/*"]))
        two = list(filter_paths(inputs, included_patterns=["**/*.[pj]*", "**/MAKEFILE"], case_sensitive=False))
        three = [match_any_paths([path], included_patterns=["p[0-2]/*/?*.txt"]) for path in inputs]
        return one, two, three

    def digest(self, result):
        one, two, three = result
        return [len(one), sum(map(len, one)), len(two), sum(map(len, two)), sum(three), len(three)]


class Handlers:
    """Events sent through handlers that choose."""

    id = "handlers"
    n = 700

    def setup(self, size):
        rng = random.Random(f"{self.id}/{size}")
        return [rng.randrange(10**6) for _ in range(size)]

    def body(self, inputs):
        from watchdog import events

        counts = {}

        def make(base, label, **options):
            class Counting(base):
                def on_any_event(self, event):
                    counts[label, "any"] = counts.get((label, "any"), 0) + len(event.src_path)

                def on_created(self, event):
                    counts[label, "created"] = counts.get((label, "created"), 0) + 1

                def on_moved(self, event):
                    counts[label, "moved"] = counts.get((label, "moved"), 0) + len(event.dest_path)

            return Counting(**options)

        handlers = [
            make(events.FileSystemEventHandler, "all"),
            make(events.PatternMatchingEventHandler, "pattern", patterns=["**/*.py", "**/*.txt"], ignore_patterns=["/a/**"]),
            make(events.RegexMatchingEventHandler, "regex", regexes=[r".*\.(py|c|so)$"], ignore_regexes=[r"/b"], ignore_directories=True),
        ]
        kinds = [events.FileCreatedEvent, events.FileModifiedEvent, events.FileDeletedEvent, events.DirCreatedEvent]
        for number in inputs:
            name = f"/{'abcd'[number % 4]}/x{number % 13}/{NAMES[number % 10]}"
            if number % 3 == 0:
                event = events.FileMovedEvent(name, f"/d/{NAMES[number % 7]}")
            else:
                event = kinds[number % 4](name)
            for handler in handlers:
                handler.dispatch(event)
        return counts

    def digest(self, result):
        return [value for _, value in sorted(result.items())]


class LargeSnapshot:
    """A snapshot of very many files, asked about them."""

    id = "large-snapshot"
    n = 17500
    holds_mib = 20

    def setup(self, size):
        return {"size": size, "step": random.Random(f"{self.id}/{size}").randrange(10**3, 10**5) * 2 + 1}

    def body(self, inputs):
        from watchdog.utils.dirsnapshot import DirectorySnapshot

        size, step = inputs["size"], inputs["step"]

        def listdir(path):
            for number in range(size):
                yield SimpleNamespace(name=f"f{number}")

        root = Forest.entry(1, True, 0, 0)

        def look(path):
            if path == "/r":
                return root
            return SmallStat(int(path[4:]) * step % 999999937 + 2)

        snapshot = DirectorySnapshot("/r", stat=look, listdir=listdir)
        sample = range(0, size, 97)
        total = sum(snapshot.inode(f"/r/f{number}")[0] + snapshot.size(f"/r/f{number}") for number in sample)
        found = sum(len(snapshot.path((number * step % 999999937 + 2, 3)) or "") for number in sample)
        return [len(snapshot.paths), total, found, snapshot.isdir("/r"), snapshot.isdir("/r/f0")]

    def digest(self, result):
        return result


class SmallStat:
    """As little as a snapshot needs of a file."""

    __slots__ = ("st_ino",)
    st_dev, st_mode, st_mtime, st_size, st_uid, st_gid = 3, stat.S_IFREG | 0o644, 3, 5, 0, 0

    def __init__(self, inode):
        self.st_ino = inode


WORKLOADS = [Compare(), Patterns(), Handlers(), LargeSnapshot()]
