// Labels pictures in shards:
//
//     nextflow run main.nf --forest scenes.ktx2 --pictures photos --output labelled --shards 16 --options '--objects'
//
// The shards write into one folder that all machines see, not into their work folders, so that they continue where they
// were. The same command again labels what is missing, new or changed: do not add -resume, by which Nextflow would pass
// over shards that were labelled before pictures were added.
nextflow.enable.dsl = 2

params.output = 'labelled'
params.shards = 16
params.options = ''

process label {
    cpus 1
    memory '1 GB'
    errorStrategy 'retry'
    maxRetries 2

    input:
    val shard
    val forest
    val pictures
    val output

    output:
    val shard

    script:
    """
    shadewood label '${forest}' '${pictures}' --output '${output}' --shard ${shard}/${params.shards} \
        --threads ${task.cpus} --quiet ${params.options}
    """
}

process merge {
    input:
    val shards
    val output

    script:
    """
    shadewood merge-shards '${output}' --shards ${params.shards} --quiet
    """
}

workflow {
    output = file(params.output).toAbsolutePath().toString()
    done = label(Channel.of(1..(params.shards as int)), file(params.forest).toAbsolutePath().toString(),
                 file(params.pictures).toAbsolutePath().toString(), output)
    merge(done.collect(), output)
}
