"""The rectangles around heads in a folder of `shadewood synth`, as CSV for train-cascade and detect --evaluate."""
import json
import os
import sys

import numpy as np
from PIL import Image

LEAST = 12  # pixels of a head's sides: what is smaller or hidden is left out, and so is its image

folder = sys.argv[1]
classes = json.load(open(os.path.join(folder, "palette.json")))["classes"]
colour = next(c["colour"] for c in classes if c["name"] == "head")
print("image,x,y,width,height,label")
for name in sorted(os.listdir(folder)):
    if not name.endswith("_ground_truth.png"):
        continue
    labels = np.array(Image.open(os.path.join(folder, name)).convert("RGB"))
    rows, columns = np.nonzero((labels == colour).all(axis=2))
    image = name.replace("_ground_truth", "_colors")
    if len(rows) == 0:
        print(image)
        continue
    x, y = columns.min(), rows.min()
    width, height = columns.max() + 1 - x, rows.max() + 1 - y
    if min(width, height) >= LEAST and len(rows) > 0.6 * width * height:
        print(f"{image},{x},{y},{width},{height},head")
