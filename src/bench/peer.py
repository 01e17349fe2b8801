"""The usual pixel classifier, as scikit-image's guide to trainable segmentation builds it: multiscale features of each colour channel, and a
random forest of scikit-learn over them. `shadewood bench peers` runs it beside the technique cpu and talks to it through standard input
and output: a line of JSON each, and what it announces behind it, as bytes.

  {"do": "learn", "width": W, "height": H, "pixels": N}   W*H*3 bytes RGB, W*H 16-bit labels (65535: none); N pixels of it are kept
  {"do": "fit"}                                           -> {"seconds": ..., "samples": ..., "leaves": ..., "depth": ...}
  {"do": "label", "width": W, "height": H}                W*H*3 bytes RGB -> {"ms": ...}, W*H 16-bit labels

Threads and seed are arguments. Decoding and talking are not timed."""

import json
import sys
import time

try:
    import numpy
    import skimage
    import sklearn
    from skimage.feature import multiscale_basic_features
    from sklearn.ensemble import RandomForestClassifier
except ImportError as error:
    print(json.dumps({"missing": str(error)}), flush=True)
    sys.exit(1)

VOID = 65535


def features(image, threads):
    """Intensity, edges and texture (two eigenvalues of the Hessian) at sigma 1, 2, 4, 8 and 16: 20 of each colour."""
    return multiscale_basic_features(image, intensity=True, edges=True, texture=True, sigma_min=1, sigma_max=16,
                                     num_workers=threads, channel_axis=-1)


def main():
    threads, seed = int(sys.argv[1]), int(sys.argv[2])
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    random = numpy.random.default_rng(seed)
    forest = RandomForestClassifier(n_estimators=50, n_jobs=threads, random_state=seed, max_depth=20)
    samples, classes = [], []

    def answer(message, data=b""):
        answers.write(json.dumps(message).encode() + b"\n" + data)
        answers.flush()

    def pixels(request):
        size = request["height"] * request["width"] * 3
        return numpy.frombuffer(requests.read(size), numpy.uint8).reshape(request["height"], request["width"], 3)

    answer({"skimage": skimage.__version__, "sklearn": sklearn.__version__})
    for line in requests:
        request = json.loads(line)
        if request["do"] == "learn":
            image = pixels(request)
            labels = numpy.frombuffer(requests.read(2 * image.shape[0] * image.shape[1]), numpy.uint16)
            places = numpy.flatnonzero(labels != VOID)
            places = random.choice(places, min(request["pixels"], len(places)), replace=False)
            samples.append(features(image, threads).reshape(len(labels), -1)[places])
            classes.append(labels[places])
        elif request["do"] == "fit":
            start = time.perf_counter()
            forest.fit(numpy.concatenate(samples), numpy.concatenate(classes))
            answer({"seconds": time.perf_counter() - start, "samples": sum(map(len, classes)), "features": forest.n_features_in_,
                    "depth": max(tree.get_depth() for tree in forest.estimators_),
                    "leaves": sum(int(tree.get_n_leaves()) for tree in forest.estimators_)})
        elif request["do"] == "label":
            image = pixels(request)
            start = time.perf_counter()
            values = features(image, threads)
            found = forest.predict(values.reshape(-1, values.shape[-1]))
            ms = 1000 * (time.perf_counter() - start)
            answer({"ms": ms}, found.astype(numpy.uint16).tobytes())


main()
