"""KTX2 files with a texture of RGBA32_UINT: docs/forest-format.md and docs/cascade-format.md."""
import json
import struct

import numpy as np


def entries(data):
    """The key/value data of a file's bytes."""
    values = {}
    at, length = struct.unpack_from("<II", data, 56)
    end = at + length
    while at < end:
        size, = struct.unpack_from("<I", data, at)
        key, value = data[at + 4:at + 4 + size].split(b"\0", 1)
        values[key.decode()] = value
        at += 4 + (size + 3) // 4 * 4
    return values


def read(data):
    """The metadata and the texels, four words each, of a file's bytes."""
    values = entries(data)
    begin, size = struct.unpack_from("<QQ", data, 80)
    return json.loads(values["shadewood"].rstrip(b"\0")), np.frombuffer(data[begin:begin + size], "<u4").reshape(-1, 4)
