#!/usr/bin/env bash
# Tables of accuracy with depth, in the shape of those of Waldvogel's thesis (2013): docs/accuracy.md has them.
# usage: depth-tables.sh [-t TECHNIQUE] [-j JOBS] PROGRAM FOLDER [REPLICA [SEEDS [SCENES]]]
# Renders SCENES rooms (200) for training and half as many for testing, prepares the depth of these and of REPLICA, all below
# FOLDER, then trains and measures forests with the settings in scripts/depth-tables, SEEDS (5) for each, JOBS (1) at a time,
# and prints the tables. REPLICA is the folder of replica_office0, with train, test and palette.json; without it, or if it is
# "-", there are the tables of rooms alone. The same command continues after an interruption; another number of scenes needs
# another FOLDER.
set -euo pipefail
technique=auto jobs=1
while getopts t:j: option; do
    case $option in
        t) technique=$OPTARG ;;
        j) jobs=$OPTARG ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
program=$1 folder=$2 replica=${3:--} seeds=${4:-5} scenes=${5:-200}
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# render PART COUNT FIRST: rooms whose depth has holes
render() {
    if [[ ! -e $folder/rooms/$1/.complete ]]; then
        "$program" synth --quiet --overwrite --holes --noise 20 --size 320x240 --count "$2" --seed "$3" --output "$folder/rooms/$1" >&2
        touch "$folder/rooms/$1/.complete"
    fi
}

# prepare DATA PART FOCAL SOURCE FILLING...: SOURCE's depth, filled, and heights, in FOLDER/DATA/FILLING/PART
prepare() {
    local fill
    for fill in "${@:5}"; do
        "$program" depth --quiet --fill "$fill" --height --focal "$3" --output "$folder/$1/$fill/$2" "$4" >&2
    done
}

render train "$scenes" 0
render test "$((scenes / 2))" 100000
export ROOMS=$folder/rooms TECHNIQUE=$technique
settings=("$scripts/depth-tables/rooms.ini")
for part in train test; do
    prepare rooms "$part" 246 "$folder/rooms/$part" none simple colorization
done
if [[ $replica != - ]]; then
    export REPLICA=$replica PREPARED=$folder/replica
    for part in train test; do
        prepare replica "$part" 300 "$replica/$part" none
    done
    settings=("$scripts/depth-tables/replica.ini" "${settings[@]}")
fi
for file in "${settings[@]}"; do
    "$scripts/accuracy-table.py" --shadewood "$program" --seeds "$seeds" --jobs "$jobs" "$file" "$folder/forests-$(basename "$file" .ini)"
    printf '\n'
done
