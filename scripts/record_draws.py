"""What record-peers.py and record-generated.py have in common: the packages that they compare with, and records that
they draw."""
import os
import sys

PACKAGES = "Python with NumPy, scikit-learn and XGBoost, Debian's packages python3-sklearn and python3-xgboost"


class Failure(Exception):
    """Ends the program with one line."""


def import_packages():
    """With the Python that runs this, or else with Debian's."""
    try:
        import numpy
        import sklearn.ensemble
        import xgboost
    except ImportError as error:
        debian = "/usr/bin/python3"
        if os.access(debian, os.X_OK) and os.path.realpath(sys.executable) != os.path.realpath(debian):
            os.execv(debian, [debian, *sys.argv])
        raise Failure(f"needs {PACKAGES}: {error}") from error
    return numpy, sklearn, xgboost


def generate(numpy, attributes, classes, count, seed):
    """Normal records, and classes that are a noisy function of them."""
    random = numpy.random.default_rng(seed)
    records = random.standard_normal((count, attributes)).astype(numpy.float32)
    weights = numpy.random.default_rng(0).standard_normal((attributes, classes))
    waves = numpy.sin(3 * records[:, numpy.arange(classes) % attributes])
    scores = records @ weights + 3 * waves + random.standard_normal((count, classes))
    return records, scores.argmax(1)
