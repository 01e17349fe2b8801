/* Training on the device in published settings: wall clock and device time of rounds and trees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dataset/dataset.h"
#include "train/on_device.h"

/* What is noted while a forest is trained. */
struct notes {
    json_t *rounds;         /* of the last tree */
    json_t *trees;          /* milliseconds */
    double prepared, ended; /* seconds: when the first tree began, when the last one ended */
    double last;            /* when the round before ended */
    uint32_t tree;
};

static bool note(void *user, const struct shw_train_progress *progress)
{
    struct notes *notes = user;
    double device = 0;

    if (progress->tree != notes->tree) {
        json_array_append_new(notes->trees, json_real(1e3 * (notes->last - notes->ended)));
        json_array_clear(notes->rounds);
        notes->ended = notes->last;
        notes->tree = progress->tree;
    }
    for (uint32_t i = 0; i < progress->pass_count; i++)
        device += progress->pass_seconds[i];
    json_array_append_new(notes->rounds,
                          json_pack("{s:i, s:i, s:f, s:f}", "round", (int)progress->depth, "nodes", (int)progress->open_nodes,
                                    "wall_ms", 1e3 * progress->round_seconds, "device_ms", 1e3 * device));
    notes->last = progress->seconds;
    return true;
}

/* How much of the integral images is on the device at a time. */
static double resident_share(const struct shw_device_images *images)
{
    double all = 0, there = 0;

    for (uint32_t c = 0; c < images->chunk_count; c++)
        all += (double)images->chunks[c].words * sizeof(uint32_t);
    for (uint32_t p = 0; p < images->place_count; p++)
        there += (double)images->places[p].buffer.size;
    return there / all;
}

static json_t *train(const struct bench *bench, const char *name, struct shw_trainer_params params,
                     const struct shw_dataset *dataset, struct shw_device *device)
{
    struct notes notes = {.rounds = json_array(), .trees = json_array()};
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    bool finished = false;
    uint64_t hash, leaves = 0, made;
    double share;
    char text[20];
    json_t *row;

    params.device = device;
    params.technique = SHW_TECHNIQUE_COMPUTE;
    params.progress = note;
    params.progress_user = &notes;
    params.log = bench->log;
    if (shw_trainer_create(&params, dataset, &trainer) != SHW_OK || shw_trainer_prepare(trainer) != SHW_OK)
        return json_pack("{s:s, s:s}", "setting", name, "failed", "see the message");
    while (!finished)
        if (shw_trainer_step(trainer, &finished) != SHW_OK)
            exit(1);
    if (shw_trainer_get_forest(trainer, &forest) != SHW_OK)
        exit(1);
    share = resident_share(&trainer->device->integrals);
    made = trainer->device->integrals.units_made;
    json_array_append_new(notes.trees, json_real(1e3 * (notes.last - notes.ended)));
    hash = shw_forest_hash(forest);
    for (uint32_t t = 0; t < params.tree_count; t++)
        leaves += shw_forest_get_tree(forest, t).leaf_count;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    row = json_pack("{s:s, s:i, s:s, s:I, s:f, s:f, s:I, s:o, s:o}", "setting", name, "images", (int)dataset->count, "hash", text,
                    "leaves", (json_int_t)leaves, "seconds", notes.last, "resident_share", share, "images_made", (json_int_t)made,
                    "tree_ms", notes.trees, "last_tree", notes.rounds);
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    if (bench->check) {
        params.technique = SHW_TECHNIQUE_CPU;
        params.progress = NULL;
        if (shw_train(&params, dataset, &forest) != SHW_OK)
            exit(1);
        json_object_set_new(row, "equals_cpu", json_boolean(shw_forest_hash(forest) == hash));
        shw_forest_destroy(&forest);
    }
    return row;
}

/* Reading from disk is no part of what is measured. */
static void warm_up(const struct shw_dataset *dataset)
{
    struct shw_labelled_image example;

    for (uint32_t i = 0; i < dataset->count; i++) {
        if (dataset->read(dataset->user, i, &example) != SHW_OK)
            exit(1);
        dataset->release(dataset->user, &example);
    }
}

json_t *bench_training(struct bench *bench, struct shw_device *device)
{
    struct shw_trainer_params sharp = {.channels = SHW_CHANNELS_WINN16,
                                       .tree_count = 2, /* the second with images that are there */
                                       .depth = 8,
                                       .leaf_max = 256,
                                       .candidates = 100,
                                       .pool = SHW_POOL_ROUND,
                                       .thresholds = SHW_THRESHOLDS_RANDOM,
                                       .bins = 3,
                                       .pixels_per_image = SHW_PIXELS_ALL};
    struct shw_trainer_params curfil = {.channels = SHW_CHANNELS_WINN16,
                                        .tree_count = 10,
                                        .depth = 25,
                                        .candidates = 500,
                                        .bins = 21,
                                        .pixels_per_image = 453,
                                        .samples_min = 19};
    struct shw_dataset all = bench->dataset, hundred = bench->dataset;
    json_t *rows = json_array();
    char train_split[512], validation_split[512];
    const char *splits[] = {train_split, validation_split};

    if (bench->data != NULL) {
        struct shw_dataset_params params = {.root = bench->data,
                                            .images = "images/{}.png",
                                            .labels = "labels/{}.png",
                                            .splits = splits,
                                            .split_count = 2,
                                            .log = bench->log};
        snprintf(train_split, sizeof train_split, "%s/splits/Train.txt", bench->data);
        snprintf(validation_split, sizeof validation_split, "%s/splits/Val.txt", bench->data);
        if (shw_dataset_open(&params, &all) != SHW_OK)
            exit(1);
        hundred = all;
        hundred.count = all.count < 100 ? all.count : 100;
    }
    warm_up(&all);
    json_array_append_new(rows, train(bench, "Sharp, 3 bins", sharp, &hundred, device));
    sharp.thresholds = SHW_THRESHOLDS_BEST;
    sharp.bins = 32;
    json_array_append_new(rows, train(bench, "Sharp, 32 bins", sharp, &hundred, device));
    sharp.candidates = 500;
    json_array_append_new(rows, train(bench, "Sharp, 32 bins, 500 candidates", sharp, &hundred, device));
    for (int i = 0; i < 4; i++) {
        static const uint64_t memory[] = {1024, 768, 640, 544}; /* MiB */
        char name[64];
        sharp.memory = memory[i] << 20;
        snprintf(name, sizeof name, "the same, memory %llu MiB", (unsigned long long)memory[i]);
        json_array_append_new(rows, train(bench, name, sharp, &hundred, device));
    }
    json_array_append_new(rows, train(bench, "CURFIL", curfil, &all, device));
    if (bench->data != NULL)
        shw_dataset_close(&all);
    return rows;
}
