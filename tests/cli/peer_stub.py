#!/usr/bin/env python3
"""A classifier with the protocol of scripts/pixel_classifier.py whose answers are known: 3 of 4 pixels of each class are
right. Writes the requests to the file that is its first argument; ends after as many requests as the second says."""
import json
import os
import sys

CLASSES = 20

log = open(sys.argv[1], "w", encoding="utf-8")
last = int(sys.argv[2]) if len(sys.argv) > 2 else -1
times = iter(range(1000, 100000, 1000))


def confusion(right, wrong):
    return [[right if column == row else wrong if column == (row + 1) % CLASSES else 0 for column in range(CLASSES)]
            for row in range(CLASSES)]


print(json.dumps({"skimage": "0", "sklearn": "1"}), flush=True)
for number, line in enumerate(sys.stdin):
    if number == last:
        break
    log.write(line)
    log.flush()
    request = json.loads(line)
    assert all(os.path.isfile(request[key]) for key in ("file", "image", "labels", "found") if key in request)
    answer = {"palette": {"classes": CLASSES}, "learn": {},
              "fit": {"trees": 2, "samples": 3, "features": 4, "depth": 5, "leaves": 6},
              "label": {"confusion": confusion(3, 1)}, "count": {"confusion": confusion(1, 1)}}[request["do"]]
    if request["do"] == "label":
        answer["ms"] = next(times)
    print(json.dumps(answer), flush=True)
