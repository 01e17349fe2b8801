"""What dump.c and detect_dump.c write."""
import numpy as np


def read_records(path):
    """Arrays by name."""
    with open(path, "rb") as file:
        data = file.read()
    records, at = {}, 0
    while at < len(data):
        end = data.index(b"\n", at)
        name, kind, *sizes = data[at:end].decode().split()
        count = int(np.prod([int(size) for size in sizes], dtype=np.int64))
        records[name] = np.frombuffer(data, kind, count, end + 1).reshape([int(size) for size in sizes])
        at = end + 1 + records[name].nbytes
    return records
