#!/bin/sh
# Times the training of record forests by every technique on the same records, and says whether the forests are the same.
# usage: record-training.sh PROGRAM [RECORDS [ATTRIBUTES [TRAIN-OPTION...]]]
# The defaults are 1000000 records of 32 attributes and 2 classes, and four trees. A technique that the machine cannot run fails
# with a message, and the others go on. Needs NumPy. On an accelerator the whole takes less than a minute.
set -eu
program=$(realpath "$1")
records=${2:-1000000}
attributes=${3:-32}
shift
test $# -gt 0 && shift
test $# -gt 0 && shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 - "$folder" "$records" "$attributes" << 'END'
import sys

import numpy as np

folder, records, attributes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
random = np.random.default_rng(1)
values = random.normal(size=(records, attributes)).astype(np.float32)
scores = values[:, 0] * values[:, 1] + np.abs(values[:, 2]) - values[:, 3] + random.normal(size=records) / 2
np.save(f"{folder}/values.npy", values)
np.save(f"{folder}/classes.npy", (scores > 0.5).astype(np.int32))
END
for technique in cpu compute blend; do
    "$program" train-records "$folder/values.npy" --labels "$folder/classes.npy" -q --json -t "$technique" --trees 4 "$@" \
        --output "$folder/$technique.ktx2" | grep -E '"(hash|nodes|seconds)"' | tr -d '\n' | sed "s/^ */$technique: /; s/  */ /g" || true
    echo
done
