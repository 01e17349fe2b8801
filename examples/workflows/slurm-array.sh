#!/bin/sh
# Labels pictures in an array of SLURM jobs, one per shard:
#
#     job=$(SHARDS=16 sbatch --parsable --array=1-16 slurm-array.sh FOREST PICTURES OUTPUT [OPTION...])
#     sbatch --dependency=afterok:$job --wrap 'shadewood merge-shards --shards 16 OUTPUT'
#
# The same two commands again label what is missing, new or changed. Of an array with --array=3,7, too, SHARDS is the
# number of all shards.
#SBATCH --job-name=shadewood
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --requeue
set -eu
if [ $# -lt 3 ] || [ -z "${SHARDS:-}" ] || [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    echo "usage: SHARDS=N sbatch --array=1-N slurm-array.sh FOREST PICTURES OUTPUT [OPTION...]" >&2
    exit 2
fi
forest=$1 pictures=$2 output=$3
shift 3
exec shadewood label "$forest" "$pictures" --output "$output" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" \
    --threads "${SLURM_CPUS_PER_TASK:-1}" --quiet "$@"
