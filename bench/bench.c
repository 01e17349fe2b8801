/* Times what users wait for, on synthetic scenes, and prints one JSON document: a training round on the CPU for one and for all threads and
 * the labelling of an image by every technique, by wall clock, and how near training by blending comes to what the device can blend.
 * Options: --device N, --images N, --size WxH. --training times training on the device instead, on synthetic scenes or on --data DIR, which
 * has images/, labels/ and splits/; --check trains on the CPU, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/thread_pool.h"
#include "bench.h"
#include "dataset/synth.h"

#define RUNS 9

static double seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void tell(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item;
    fprintf(stderr, "bench: %s\n", text);
}

static int ascending(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

/* One level of one tree: the second round of a tree that has grown one level; the first also reads the images. */
static json_t *time_round(struct bench *bench, uint32_t samples, uint32_t candidates, uint32_t bins, uint32_t threads)
{
    struct shw_trainer_params params = {.channels = SHW_CHANNELS_WINN16,
                                        .tree_count = 1,
                                        .depth = 2,
                                        .candidates = candidates,
                                        .bins = bins,
                                        .pixels_per_image = samples / bench->images,
                                        .threads = threads,
                                        .log = bench->log};
    struct shw_trainer *trainer = NULL;
    bool finished = false;
    double start = 0, taken;

    if (shw_trainer_create(&params, &bench->dataset, &trainer) != SHW_OK || shw_trainer_step(trainer, &finished) != SHW_OK)
        exit(1);
    start = seconds();
    if (finished || shw_trainer_step(trainer, &finished) != SHW_OK)
        exit(1);
    taken = seconds() - start;
    shw_trainer_destroy(&trainer);
    return json_pack("{s:i, s:i, s:i, s:i, s:f, s:f}", "samples", (int)(samples / bench->images * bench->images), "candidates",
                     (int)candidates, "bins", (int)bins, "threads", (int)threads, "seconds", taken, "responses_per_second",
                     (double)samples * candidates / taken);
}

static struct shw_forest *make_forest(struct bench *bench)
{
    struct shw_trainer_params params = {.tree_count = 8,
                                        .depth = 12,
                                        .leaf_max = 256,
                                        .candidates = 50,
                                        .pixels_per_image = 300,
                                        .images_percent = 20,
                                        .offset_max = 60,
                                        .log = bench->log};
    struct shw_forest *forest = NULL;

    if (shw_train(&params, &bench->dataset, &forest) != SHW_OK)
        exit(1);
    return forest;
}

/* The median, the fastest and the slowest of RUNS labellings after one that does not count. */
static json_t *time_labelling(const struct bench *bench, const struct shw_forest *forest, struct shw_device *device,
                              enum shw_technique technique, const struct shw_image *image, const uint16_t *expected)
{
    size_t pixels = (size_t)image->width * image->height;
    struct shw_labeller_params params = {.forest = forest,
                                         .device = device,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = technique,
                                         .integrate = technique,
                                         .evaluate = technique,
                                         .log = bench->log};
    struct shw_labelling out = {.argmax = malloc(pixels * sizeof(uint16_t))};
    struct shw_labeller *labeller = NULL;
    double times[RUNS];
    json_t *row;

    if (out.argmax == NULL || shw_labeller_create(&params, &labeller) != SHW_OK ||
        shw_labeller_run(labeller, image, &out) != SHW_OK)
        exit(1);
    for (int i = 0; i < RUNS; i++) {
        double start = seconds();
        if (shw_labeller_run(labeller, image, &out) != SHW_OK)
            exit(1);
        times[i] = seconds() - start;
    }
    qsort(times, RUNS, sizeof *times, ascending);
    row = json_pack("{s:s, s:i, s:i, s:f, s:f, s:f, s:b}", "technique", shw_technique_name(technique), "width", (int)image->width,
                    "height", (int)image->height, "median_ms", 1e3 * times[RUNS / 2], "min_ms", 1e3 * times[0], "max_ms",
                    1e3 * times[RUNS - 1], "equals_cpu",
                    expected == NULL || memcmp(expected, out.argmax, pixels * sizeof(uint16_t)) == 0);
    shw_labeller_destroy(&labeller);
    free(out.argmax);
    return row;
}

static json_t *time_techniques(struct bench *bench, struct shw_forest *forest, struct shw_device *device)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    size_t pixels = (size_t)bench->width * bench->height;
    uint16_t *expected = malloc(pixels * sizeof *expected);
    struct shw_labelling out = {.argmax = expected};
    struct shw_labeller_params params = {.forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .log = bench->log};
    struct shw_labeller *labeller = NULL;
    struct shw_labelled_image example;
    json_t *rows = json_array();

    if (expected == NULL || bench->dataset.read(bench->dataset.user, 0, &example) != SHW_OK ||
        shw_labeller_create(&params, &labeller) != SHW_OK || shw_labeller_run(labeller, &example.image, &out) != SHW_OK)
        exit(1);
    for (int t = 0; t < 3; t++)
        if (techniques[t] == SHW_TECHNIQUE_CPU || device != NULL)
            json_array_append_new(rows, time_labelling(bench, forest, device, techniques[t], &example.image, expected));
    bench->dataset.release(bench->dataset.user, &example);
    shw_labeller_destroy(&labeller);
    free(expected);
    return rows;
}

static void parse(int argc, char **argv, struct bench *bench)
{
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        bool good = false;
        if (strcmp(argv[i], "--device") == 0)
            good = sscanf(value, "%u", &bench->device) == 1;
        else if (strcmp(argv[i], "--images") == 0)
            good = sscanf(value, "%u", &bench->images) == 1 && bench->images > 0;
        else if (strcmp(argv[i], "--size") == 0)
            good = sscanf(value, "%ux%u", &bench->width, &bench->height) == 2;
        else if (strcmp(argv[i], "--data") == 0)
            good = (bench->data = argv[i + 1]) != NULL;
        else if (strcmp(argv[i], "--training") == 0 || strcmp(argv[i], "--check") == 0) {
            *(argv[i][2] == 't' ? &bench->training : &bench->check) = good = true;
            i--;
        }
        if (!good) {
            fprintf(stderr, "usage: bench [--device N] [--images N] [--size WxH] [--training [--data DIR] [--check]]\n");
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    struct bench bench = {.images = 100, .width = 320, .height = 213, .log = {.function = tell, .level = SHW_LOG_WARNING}};
    struct shw_device_description description = {.name = "none"};
    struct shw_device *device = NULL;
    struct shw_synth_params synth;
    struct shw_forest *forest;
    uint32_t processors, samples;
    struct shw_thread_pool *pool;
    json_t *rounds = json_array();

    parse(argc, argv, &bench);
    synth = (struct shw_synth_params){
        .width = bench.width, .height = bench.height, .count = bench.images, .noise = 15, .log = bench.log};
    if (shw_synth_open(&synth, &bench.dataset) != SHW_OK || shw_thread_pool_create(0, &pool) != SHW_OK)
        return 1;
    processors = shw_thread_pool_size(pool);
    shw_thread_pool_destroy(&pool);
    if (shw_device_create(&(struct shw_device_create_params){.index = bench.device, .log = bench.log}, &device) == SHW_OK)
        shw_device_describe(device, &description);

    if (bench.training) {
        if (device == NULL)
            return 1;
        json_dumpf(json_pack("{s:s, s:s, s:o}", "device", description.name, "driver", description.driver, "training",
                             bench_training(&bench, device)),
                   stdout, JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
        putchar('\n');
        shw_device_destroy(&device);
        shw_synth_close(&bench.dataset);
        return 0;
    }
    samples = bench.width * bench.height > 10000 ? 10000 * bench.images : bench.width * bench.height * bench.images;
    json_array_append_new(rounds, time_round(&bench, samples, 500, 32, 1));
    if (processors > 1)
        json_array_append_new(rounds, time_round(&bench, samples, 500, 32, processors));
    forest = make_forest(&bench);
    json_dumpf(json_pack("{s:s, s:s, s:i, s:o, s:o, s:o?}", "device", description.name, "driver", description.driver,
                         "processors", (int)processors, "training_round", rounds, "labelling",
                         time_techniques(&bench, forest, device), "point_blending",
                         device != NULL ? bench_blending(&bench, device) : NULL),
               stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
    putchar('\n');
    shw_forest_destroy(&forest);
    shw_device_destroy(&device);
    shw_synth_close(&bench.dataset);
    return 0;
}
