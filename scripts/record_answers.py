"""What the scripts have in common that work out what models of other programs must say of records, where those programs
are not at hand: records at the edges of tests, and the file beside a model (record_fixtures.py has its layout)."""
import pathlib

import numpy

MODELS = pathlib.Path(__file__).resolve().parent.parent / "tests" / "exchange" / "models"
TINY = numpy.float32(1e-35)  # up to which in magnitude LightGBM takes a number for zero
ALWAYS = numpy.array([0.0, -0.0, numpy.nan, numpy.inf, -numpy.inf, TINY, -TINY, numpy.nextafter(TINY, TINY * 2),
                      -numpy.nextafter(TINY, TINY * 2), 1e-45, -1e-45, 3.4e38, -3.4e38, 0.5, -0.5, 1.0, -1.0, 2.5],
                     numpy.float32)


def edge_records(edges, count, seed):
    """`count` records; edges[a]: numbers with which attribute a is compared, in double precision. Each attribute takes
    each of them and its neighbours in float32, by chance together with those of other attributes."""
    random = numpy.random.RandomState(seed)
    columns = []
    for numbers in edges:
        with numpy.errstate(over="ignore"):
            near = numpy.array(numbers, numpy.float64).astype(numpy.float32)
        above, below = (numpy.nextafter(near, numpy.float32(end)) for end in (numpy.inf, -numpy.inf))
        values = numpy.concatenate([ALWAYS, near, above, below])
        column = numpy.resize(values, max(count, len(values)))
        random.shuffle(column)
        columns.append(column)
    longest = max(map(len, columns))
    return numpy.stack([numpy.resize(column, longest) for column in columns], axis=1)


def write(name, records, leaves, predictions, classes=None):
    leaves, predictions = numpy.array(leaves), numpy.array(predictions, float)
    head = [*records.shape, leaves.shape[1], predictions.shape[1], int(classes is not None)]
    parts = [numpy.array(head, "<i4"), records.astype("<f4"), leaves.astype("<i4"), predictions.astype("<f8")]
    if classes is not None:
        parts.append(numpy.array(classes, "<i4"))
    (MODELS / f"{name}.bin").write_bytes(b"".join(part.tobytes() for part in parts))
