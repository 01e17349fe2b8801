#!/bin/sh
# Times the tunings of the techniques that evaluate record forests by groups of lanes, on a device, beside compute: device
# time per record, without transfers, the best of five runs of a million records of 19 attributes.
# usage: record-tuning.sh PROGRAM [DEVICE [RECORDS]]
# Three forests: a tree of 31 nodes as in Spencer's experiment, a tree of thousands of nodes, and 100 trees of depth 6.
# What is best there belongs into src/records/evaluate/lanes.c. Needs python3 with numpy.
set -eu
program=$(realpath "$1")
device=${2:-0}
records=${3:-1000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 - "$records" << 'END'
import sys, numpy as np
random = np.random.default_rng(1)
records = random.normal(size=(int(sys.argv[1]), 19)).astype(np.float32)
classes = (np.abs(records[:, :6]).sum(1) + records[:, 6] * records[:, 7] + random.normal(size=len(records)) * 0.3)
np.save('records.npy', records)
np.save('some.npy', records[:40000])
np.savetxt('classes.csv', np.clip(classes[:40000] * 1.2 - 2, 0, 6).astype(int), fmt='%d')
END
train() { # name, options
    name=$1
    shift
    "$program" train-records -q some.npy --labels classes.csv --attributes 19 --records 100 -t cpu -o "$name.ktx2" "$@" \
        > /dev/null
}
train small --trees 1 --leaves 16
train large --trees 1
train forest --trees 100 --depth 6
time_of() { # forest, technique, options
    forest=$1
    shift
    best=$(for run in 1 2 3 4 5; do
        "$program" records -q "$forest.ktx2" records.npy --device "$device" --timing --json --technique "$@" |
            python3 -c 'import json, sys; print(json.load(sys.stdin)["inner_seconds"])'
    done | sort -g | head -n 1)
    awk -v time="$best" -v records="$records" -v what="$forest: $*" \
        'BEGIN { printf "%-80s %10.4f ns a record\n", what, time / records * 1e9 }'
}
for forest in small large forest; do
    time_of $forest compute
done
for lanes in 0 8 16 32; do # 0: as chosen
    for count in 0 4 8 16 32; do
        options=
        test $lanes -gt 0 && options="--group-lanes $lanes"
        test $count -gt 0 && options="$options --records-per-group $count"
        time_of small speculative-mapped $options
    done
done
for lanes in 16 64; do # by shuffles, in shared memory
    for reductions in 1 2 3; do
        time_of small speculative-mapped --group-lanes $lanes --reductions $reductions
    done
done
time_of small speculative
for levels in 2 3 4 5 6 8; do
    for reductions in 1 2; do
        time_of large windowed --window-levels $levels --reductions $reductions
    done
done
for technique in speculative speculative-mapped windowed; do
    time_of forest $technique
done
time_of forest speculative-mapped --group-lanes 32
time_of large fragment
