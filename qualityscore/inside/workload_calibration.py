"""The workload that tells what a second is worth on a host: dictionaries, lists, text and numbers, no subject."""


class Calibration:
    """About 50 ms of plain interpreter work per 100 items on a machine of 2022."""

    id = "calibration"

    def body(self, size):
        table = {}
        total = 0
        for outer in range(size):
            words = [f"{outer}-{inner % 97}" for inner in range(600)]
            for word in words:
                table[word] = table.get(word, 0) + len(word)
            words.sort()
            total += sum(table[word] * 3 % 7 for word in words)
        return total, len(table)

    def digest(self, result):
        return result


WORKLOADS = [Calibration()]
