/* The technique cpu against the usual pixel classifier in Python: the same images and threads, in turns, in one run. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/label.h>
#include <shadewood/train.h>

#include "base/log.h"
#include "bench/peer_process.h"
#include "bench/report.h"
#include "bench/statistics.h"
#include "dataset/dataset.h"
#include "measure/accuracy.h"

#define THREADS     2u
#define PEER_PIXELS 500 /* of an image, to learn from */

extern const char shw_bench_peer_script[];

/* One of the two. */
struct side {
    struct shw_bench_times times; /* wall[i]: image i */
    struct shw_accuracy accuracy;
};

struct suite {
    struct shw_bench *bench;
    struct shw_dataset training, test;
    struct shw_forest *forest;
    struct shw_labeller *labeller;
    struct shw_peer_process peer;
    json_t *versions, *learned; /* what the peer answered */
    struct side ours, theirs;
    uint16_t *labels;
    size_t label_count;
    double ratios[SHW_BENCH_RUNS_MAX];
};

static enum shw_result fail_peer(const struct suite *suite)
{
    return shw_fail(&suite->bench->log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "the Python program of the peer ended");
}

/* Packed, as the peer takes it. */
static bool send_rgb(const struct suite *suite, const struct shw_image *image)
{
    size_t row = (size_t)image->width * 3, stride = image->stride > 0 ? image->stride : row;

    for (uint32_t y = 0; y < image->height; y++)
        if (!shw_peer_send(&suite->peer, (const char *)image->pixels + y * stride, row))
            return false;
    return true;
}

static json_t *request_of(const char *what, const struct shw_image *image)
{
    return json_pack("{s:s, s:i, s:i, s:i}", "do", what, "width", (int)image->width, "height", (int)image->height,
                     "pixels", PEER_PIXELS);
}

static bool ask(const struct suite *suite, const char *what, const struct shw_image *image)
{
    json_t *request = request_of(what, image);
    bool done = shw_peer_ask(&suite->peer, request) && send_rgb(suite, image);

    json_decref(request);
    return done;
}

static enum shw_result check_example(const struct suite *suite, const struct shw_labelled_image *example)
{
    if (example->image.format == SHW_PIXEL_RGB8 && example->labels != NULL)
        return SHW_OK;
    return shw_fail(&suite->bench->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s: the peer takes labelled images of 8-bit RGB only", example->name);
}

static enum shw_result teach_peer(struct suite *suite)
{
    struct shw_dataset *training = &suite->training;
    json_t *fit = json_pack("{s:s}", "do", "fit");
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < training->count; i++) {
        struct shw_labelled_image example;
        if (i % 50 == 0)
            shw_bench_say(suite->bench, "peers: the peer learns from image %u of %u", i + 1, training->count);
        SHW_TRY(training->read(training->user, i, &example));
        result = check_example(suite, &example);
        if (result == SHW_OK &&
            !(ask(suite, "learn", &example.image) &&
              shw_peer_send(&suite->peer, example.labels, (size_t)2 * example.image.width * example.image.height)))
            result = fail_peer(suite);
        training->release(training->user, &example);
        if (result != SHW_OK)
            goto fail;
    }
    shw_bench_say(suite->bench, "peers: the peer grows its trees");
    if (shw_peer_ask(&suite->peer, fit))
        suite->learned = shw_peer_answer(&suite->peer);
    if (suite->learned == NULL)
        result = fail_peer(suite);

fail:
    json_decref(fit);
    return result;
}

/* Few trees, and not deep: enough for the accuracy that the suite is about. */
static enum shw_result train_forest(struct suite *suite)
{
    struct shw_trainer_params params = {.channels = SHW_CHANNELS_WIDE,
                                        .tree_count = 5,
                                        .depth = 16,
                                        .candidates = 300,
                                        .score = SHW_SCORE_GINI,
                                        .offset_max = 95,
                                        .size_max = 60,
                                        .single_percent = 30,
                                        .pixels_per_image = 300,
                                        .samples_min = 6,
                                        .weighting = SHW_WEIGHTING_INVERSE_ROOT,
                                        .mirror = true,
                                        .device = suite->bench->device,
                                        .log = suite->bench->log};
    struct shw_trainer *trainer = NULL;
    bool finished = false;
    enum shw_result result;

    shw_bench_say(suite->bench, "peers: training a forest");
    SHW_TRY(shw_trainer_create(&params, &suite->training, &trainer));
    while (!finished)
        SHW_TRY(shw_trainer_step(trainer, &finished));
    SHW_TRY(shw_trainer_get_forest(trainer, &suite->forest));

fail:
    shw_trainer_destroy(&trainer);
    return result;
}

static enum shw_result make_labeller(struct suite *suite)
{
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .threads = THREADS,
                                         .log = suite->bench->log};
    const char *path = suite->bench->options.forest;

    if (path != NULL)
        SHW_PROPAGATE(shw_forest_load(path, &suite->bench->log, &suite->forest));
    else
        SHW_PROPAGATE(train_forest(suite));
    if (shw_forest_get_info(suite->forest)->class_count != suite->test.class_count)
        return shw_fail(&suite->bench->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s has %u classes, and the data %u",
                        path, shw_forest_get_info(suite->forest)->class_count, suite->test.class_count);
    params.forest = suite->forest;
    SHW_PROPAGATE(shw_labeller_create(&params, &suite->labeller));
    SHW_PROPAGATE(shw_accuracy_create(&suite->ours.accuracy, suite->test.class_count, &suite->bench->log));
    return shw_accuracy_create(&suite->theirs.accuracy, suite->test.class_count, &suite->bench->log);
}

/* Labels by one side; milliseconds. */
static enum shw_result label_ours(struct suite *suite, const struct shw_image *image, double *ms)
{
    struct shw_labelling out = {.argmax = suite->labels};
    double start = shw_bench_now();
    enum shw_result result = shw_labeller_run(suite->labeller, image, &out);

    *ms = shw_bench_now() - start;
    return result;
}

static enum shw_result label_theirs(struct suite *suite, const struct shw_image *image, double *ms)
{
    size_t pixels = (size_t)image->width * image->height;
    json_t *answer = ask(suite, "label", image) ? shw_peer_answer(&suite->peer) : NULL;
    bool is_good = answer != NULL && shw_peer_read(&suite->peer, suite->labels, pixels * sizeof *suite->labels);

    *ms = json_number_value(json_object_get(answer, "ms"));
    json_decref(answer);
    for (size_t i = 0; is_good && i < pixels; i++)
        is_good = suite->labels[i] < suite->test.class_count;
    return is_good ? SHW_OK : fail_peer(suite);
}

static enum shw_result need_labels(struct suite *suite, size_t count)
{
    uint16_t *grown;

    if (suite->label_count >= count)
        return SHW_OK;
    grown = realloc(suite->labels, count * sizeof *grown);
    if (grown == NULL)
        return shw_fail_memory(&suite->bench->log, "labels");
    suite->labels = grown;
    suite->label_count = count;
    return SHW_OK;
}

/* Both sides in turns; `number` < 0: without keeping anything. */
static enum shw_result label_both(struct suite *suite, const struct shw_labelled_image *example, int number)
{
    size_t pixels = (size_t)example->image.width * example->image.height;
    double ms[2];

    SHW_PROPAGATE(need_labels(suite, pixels));
    for (int turn = 0; turn < 2; turn++) {
        bool is_ours = (turn + number) % 2 == 0;
        struct side *side = is_ours ? &suite->ours : &suite->theirs;
        SHW_PROPAGATE(is_ours ? label_ours(suite, &example->image, &ms[0])
                              : label_theirs(suite, &example->image, &ms[1]));
        if (number < 0)
            continue;
        side->times.wall[number] = ms[!is_ours];
        shw_accuracy_add(&side->accuracy, example->labels, suite->labels, pixels);
    }
    if (number >= 0)
        suite->ratios[number] = ms[1] / ms[0];
    return SHW_OK;
}

/* As many images as a row may have runs, from all over the set. */
static enum shw_result label_images(struct suite *suite)
{
    struct shw_dataset *test = &suite->test;
    uint32_t count = suite->bench->options.runs < test->count ? suite->bench->options.runs : test->count;
    enum shw_result result = SHW_OK;

    suite->ours.times.runs = suite->theirs.times.runs = count;
    for (uint32_t i = 0; i < count; i++) {
        struct shw_labelled_image example;
        if (i % 20 == 0)
            shw_bench_say(suite->bench, "peers: image %u of %u", i + 1, count);
        SHW_TRY(test->read(test->user, (uint32_t)((uint64_t)i * test->count / count), &example));
        result = check_example(suite, &example);
        if (result == SHW_OK && i == 0)
            result = label_both(suite, &example, -1);
        if (result == SHW_OK)
            result = label_both(suite, &example, (int)i);
        test->release(test->user, &example);
        if (result != SHW_OK)
            goto fail;
    }

fail:
    return result;
}

static enum shw_result add_row(struct suite *suite, const char *technique, const char *title, const struct side *side,
                               json_t *setting, const char *skipped)
{
    char id[64];
    struct shw_bench_row row = {.suite = "peers",
                                .stage = "whole",
                                .technique = technique,
                                .title = title,
                                .id = id,
                                .setting = setting,
                                .times = side != NULL ? &side->times : NULL,
                                .skipped = skipped,
                                .unit = "images",
                                .equals_cpu = -1,
                                .unchecked = strcmp(technique, "cpu") != 0 ? "another classifier" : NULL};

    snprintf(id, sizeof id, "peers/whole/msrc21/%s", technique);
    if (side != NULL) {
        struct shw_accuracy_summary summary = shw_accuracy_summarise(&side->accuracy);
        json_object_set_new(setting, "images", json_integer(side->times.runs));
        json_object_set_new(setting, "threads", json_integer(THREADS));
        json_object_set_new(setting, "pixel_accuracy_percent", json_real(100 * summary.pixel));
        json_object_set_new(setting, "class_accuracy_percent", json_real(100 * summary.mean_class));
    }
    return shw_bench_add(suite->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result add_rows(struct suite *suite)
{
    const struct shw_forest_info *info = shw_forest_get_info(suite->forest);
    struct shw_accuracy_summary ours = shw_accuracy_summarise(&suite->ours.accuracy);
    struct shw_accuracy_summary theirs = shw_accuracy_summarise(&suite->theirs.accuracy);
    uint32_t depth = 0, leaves = 0;
    double faster = shw_bench_summarise(suite->ratios, suite->ours.times.runs).median;
    json_t *setting;

    for (uint32_t t = 0; t < info->tree_count; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(suite->forest, t);
        depth = tree.depth > depth ? tree.depth : depth;
        leaves += tree.leaf_count;
    }
    setting = json_pack("{s:i, s:i, s:i, s:i, s:s, s:f}", "trees", (int)info->tree_count, "depth", (int)depth,
                        "all_leaves", (int)leaves, "classes", (int)info->class_count, "channel_set", info->channels,
                        "times_faster", faster);
    SHW_PROPAGATE(add_row(suite, "cpu", "a forest of ours", &suite->ours, setting, NULL));
    setting = json_pack(
        "{s:i, s:O, s:O, s:O, s:i, s:O, s:O}", "trees", 50, "depth", json_object_get(suite->learned, "depth"),
        "all_leaves", json_object_get(suite->learned, "leaves"), "features",
        json_object_get(suite->learned, "features"), "classes", (int)info->class_count, "scikit_image",
        json_object_get(suite->versions, "skimage"), "scikit_learn", json_object_get(suite->versions, "sklearn"));
    if (setting == NULL)
        return fail_peer(suite);
    SHW_PROPAGATE(add_row(suite, "sklearn", "multiscale_basic_features and RandomForestClassifier", &suite->theirs,
                          setting, NULL));
    shw_bench_say(
        suite->bench,
        "peers: cpu is %.1f times faster (median over images); pixels %.1f %% right and %.1f %%, classes %.1f %% and "
        "%.1f %%",
        faster, 100 * ours.pixel, 100 * theirs.pixel, 100 * ours.mean_class, 100 * theirs.mean_class);
    return SHW_OK;
}

/* Python as the path finds it, or else Debian's, whichever has the packages. */
static bool start_peer(struct suite *suite)
{
    static const char *const pythons[] = {"python3", "/usr/bin/python3"};

    for (int i = 0; i < 2; i++) {
        const char *const arguments[] = {pythons[i], "-c", shw_bench_peer_script, "2", "0", NULL};
        if (!shw_peer_start(arguments, &suite->peer))
            continue;
        suite->versions = shw_peer_answer(&suite->peer);
        if (json_object_get(suite->versions, "sklearn") != NULL)
            return true;
        json_decref(suite->versions);
        suite->versions = NULL;
        shw_peer_stop(&suite->peer);
    }
    return false;
}

/* The folder of the data: given, or below that of SHADEWOOD_DATA. */
static const char *find_data(const struct suite *suite, char *path, size_t size)
{
    const char *root = getenv("SHADEWOOD_DATA");

    if (suite->bench->options.data != NULL)
        return suite->bench->options.data;
    if (root == NULL)
        return NULL;
    snprintf(path, size, "%s/msrc21", root);
    return access(path, R_OK) == 0 ? path : NULL;
}

static enum shw_result open_data(struct suite *suite, const char *data)
{
    char train[1024], validation[1024], test[1024];
    const char *training_splits[] = {train, validation}, *test_splits[] = {test};
    struct shw_dataset_params params = {.root = data,
                                        .images = "images/{}.png",
                                        .labels = "labels/{}.png",
                                        .splits = training_splits,
                                        .split_count = 2,
                                        .log = suite->bench->log};

    snprintf(train, sizeof train, "%s/splits/Train.txt", data);
    snprintf(validation, sizeof validation, "%s/splits/Val.txt", data);
    snprintf(test, sizeof test, "%s/splits/Test.txt", data);
    SHW_PROPAGATE(shw_dataset_open(&params, &suite->training));
    params.splits = test_splits;
    params.split_count = 1;
    return shw_dataset_open(&params, &suite->test);
}

static enum shw_result measure(struct suite *suite)
{
    char path[512];
    const char *data = find_data(suite, path, sizeof path);

    if (data == NULL)
        return add_row(suite, "sklearn", NULL, NULL, json_object(),
                       "needs --data DIR, the MSRC-21 images as docs/accuracy.md describes them");
    if (!start_peer(suite))
        return add_row(suite, "sklearn", NULL, NULL, json_object(),
                       "needs Python with the Debian packages python3-skimage and python3-sklearn");
    SHW_PROPAGATE(open_data(suite, data));
    SHW_PROPAGATE(make_labeller(suite));
    SHW_PROPAGATE(teach_peer(suite));
    SHW_PROPAGATE(label_images(suite));
    return add_rows(suite);
}

enum shw_result shw_bench_peers(struct shw_bench *bench)
{
    struct suite *suite = calloc(1, sizeof *suite);
    enum shw_result result;

    if (suite == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    suite->bench = bench;
    suite->peer.requests = -1;
    result = measure(suite);
    shw_peer_stop(&suite->peer);
    json_decref(suite->versions);
    json_decref(suite->learned);
    shw_accuracy_destroy(&suite->ours.accuracy);
    shw_accuracy_destroy(&suite->theirs.accuracy);
    shw_labeller_destroy(&suite->labeller);
    shw_forest_destroy(&suite->forest);
    shw_dataset_close(&suite->test);
    shw_dataset_close(&suite->training);
    free(suite->labels);
    free(suite);
    return result;
}
