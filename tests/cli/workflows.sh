#!/usr/bin/env bash
# The workflows in examples/workflows: an array of jobs under SLURM's daemons, and the Snakefile, each once with nothing
# there and again after pictures were added; tables and labels are those of one call. TAP on the output.
# usage: workflows.sh SOURCE BUILD
set -uo pipefail
workflows=$1/examples/workflows build=$2
folder=$(mktemp -d)
daemons=()
stop() {
    ((${#daemons[@]} == 0)) || kill "${daemons[@]}" 2>/dev/null
    wait
    rm -rf "$folder"
}
trap stop EXIT
cases=0 status=0 shards=4
export PATH=$build:$PATH VK_DRIVER_FILES=/nonexistent VK_ICD_FILENAMES=/nonexistent
cd "$folder" || exit 1

result() { # CODE NAME LOG
    ((cases += 1))
    if (($1 == 0)); then
        printf 'ok %d - %s\n' "$cases" "$2"
    else
        printf 'not ok %d - %s\n' "$cases" "$2"
        sed 's/^/# /' "$3" | tail -40
        status=1
    fi
}

skip() { # NAME WHY
    ((cases += 1))
    printf '# skipped: %s\nok %d - %s # SKIP %s\n' "$2" "$cases" "$1" "$2"
}

one_call() {
    shadewood label forest.ktx2 photos --output one --resume --objects --quiet >/dev/null
}

same() { # FOLDER
    diff -r -x 'shadewood-label*.jsonl' one "$1"
}

start_slurm() {
    local port=$((20000 + RANDOM % 20000))

    mkdir -p slurm/state slurm/spool
    cat >slurm/slurm.conf <<END
ClusterName=test
SlurmctldHost=localhost
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/slurm/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/slurm/state
SlurmdSpoolDir=$folder/slurm/spool
SlurmctldPidFile=$folder/slurm/slurmctld.pid
SlurmdPidFile=$folder/slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=localhost NodeAddr=127.0.0.1 CPUs=2 RealMemory=4000 State=UNKNOWN
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
    export SLURM_CONF=$folder/slurm/slurm.conf
    head -c 1024 /dev/urandom >slurm/munge.key && chmod 400 slurm/munge.key && chmod 755 "$folder" slurm
    munged --foreground --force --socket="$folder/slurm/munge.socket" --key-file="$folder/slurm/munge.key" \
        --pid-file="$folder/slurm/munge.pid" --log-file="$folder/slurm/munge.log" --seed-file="$folder/slurm/munge.seed" &
    daemons+=($!)
    for _ in {1..100}; do [[ -S slurm/munge.socket ]] && break; sleep 0.2; done
    slurmctld -D >slurm/slurmctld.log 2>&1 &
    daemons+=($!)
    slurmd -D -N localhost >slurm/slurmd.log 2>&1 &
    daemons+=($!)
    for _ in {1..300}; do
        sinfo -h -o %T 2>/dev/null | grep -q '^\(idle\|mixed\)' && return 0
        sleep 0.5
    done
    cat slurm/*.log
    return 1
}

# Waits for the array and merges, as the comment in the script says.
run_array() {
    local job
    job=$(SHARDS=$shards sbatch --parsable --array=1-$shards --output="$folder/slurm/%A-%a.out" \
        "$workflows/slurm-array.sh" forest.ktx2 photos slurm-labelled --objects) &&
        sbatch --wait --dependency="afterok:$job" --kill-on-invalid-dep=yes --output="$folder/slurm/merge.out" \
            --wrap "shadewood merge-shards --shards $shards slurm-labelled" && same slurm-labelled
}

run_snakemake() {
    snakemake --cores 2 --quiet --nolock --snakefile "$workflows/Snakefile" "$@" \
        --config forest=forest.ktx2 pictures=photos output=snake-labelled shards=$shards options=--objects &&
        same snake-labelled
}

# The script alone, as SLURM runs it.
run_script() {
    for i in $(seq $shards); do
        SHARDS=$shards SLURM_ARRAY_TASK_ID=$i SLURM_CPUS_PER_TASK=1 "$workflows/slurm-array.sh" forest.ktx2 photos \
            by-hand --objects || return 1
    done
    shadewood merge-shards --shards $shards by-hand && same by-hand
}

{
    shadewood synth --quiet --output rooms --count 12 --size 48x40 &&
        shadewood train --quiet --data rooms --technique cpu --trees 2 --depth 5 --pixels 100 --output forest.ktx2 &&
        mkdir photos && cp rooms/0000[0-7]_colors.png photos
} >log 2>&1
result $? 'data and a forest' log

# Whether SLURM is there and its daemons run; a machine may not allow that. 0, or 1 and why not.
slurm_runs() {
    why='SLURM is missing (slurmctld, slurmd, slurm-client)'
    command -v slurmctld >/dev/null && command -v munged >/dev/null || return 1
    why='the daemons of SLURM do not start here'
    start_slurm >log 2>&1
}

slurm=0
slurm_runs || slurm=1
if ((slurm == 1)) && [[ $why == the* && ${SHW_NO_SKIP:-} == 1 ]]; then
    result 1 'the daemons of SLURM' log
fi
for turn in once added; do
    [[ $turn == once ]] || cp rooms/*_colors.png photos
    one_call
    run_script >log 2>&1
    result $? "the script of the array, $turn" log
    if ((slurm == 1)); then
        skip "an array of SLURM, $turn" "$why"
    else
        run_array >log 2>&1
        result $? "an array of SLURM, $turn" log
    fi
    if ! command -v snakemake >/dev/null; then
        skip "Snakemake, $turn" "snakemake is missing"
    else
        if [[ $turn == once ]]; then run_snakemake; else run_snakemake --forcerun label; fi >log 2>&1
        result $? "Snakemake, $turn" log
    fi
done
SHARDS='' "$workflows/slurm-array.sh" forest.ktx2 photos never >log 2>&1
(($? == 2)) && grep -q usage log
result $? 'without the number of shards' log
printf '1..%d\n' "$cases"
exit "$status"
