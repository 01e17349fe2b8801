/* The trainer of record forests: words of messages, out-of-bag accuracy, parameters and steps. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/class.h"
#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/evaluator.h"
#include "records/model/builder.h"
#include "records/train/ranks.h"
#include "records/train/record_tree.h"
#include "shared/attribute_ranks.h"

/* What messages of training say to those who train on records (dense/grow/progress.h). */

#define ATTRIBUTES "there were more or fewer attributes"

/* The table before the parameters, some of which follow from it. */
static const struct shw_train_word members[] = {
    {"offset_max", NULL, ATTRIBUTES},
    {"size_max", NULL, ATTRIBUTES},
    {"images", NULL, "there were more or fewer records"},
    {"values", NULL, "the records had other values, or there were more or fewer"},
    {"class_pixels", "the number of records of each class", NULL},
    {"candidates", "the number of tests that a node chooses from (1 or 3 per attribute)", NULL},
    {"pixels_per_image", "the number of records per tree (and per part of a long table)", NULL},
    {"leaf_max", "the maximum number of leaves", NULL},
    {"samples_min", "the minimum number of records in a child", NULL},
    {"weighting", "the weighting of classes", NULL},
    {"trees", "the number of trees", NULL},
    {0},
};

static const struct shw_train_words record_train_words = {
    .members = members,
    .other_feature = "this is a checkpoint of training on images, not on records",
    .other_data = "other records: their classes differ",
    .samples = "records of a tree",
    .fewer_samples = "train each tree on fewer records",
};

/* The out-of-bag accuracy of a forest (Breiman 2001, 3.1). */

#define BLOCK 256u /* examples, that one thread takes at a time */

/* Shared by the threads. */
struct measure {
    const struct shw_trainer *trainer;
    const struct shw_record_forest_info *info;
    const struct shw_ranks *ranks;
    const struct shw_records *records;
    const uint64_t *drawn;
    int64_t *sums;                       /* [thread][class] */
    struct shw_record_out_of_bag *found; /* [thread] */
};

/* The number of the leaf among those of all trees. */
static uint32_t find_leaf(const struct measure *measure, uint32_t tree, uint64_t record)
{
    const struct shw_record_tree *of = &measure->info->trees[tree];
    const struct shw_record_node *nodes = measure->info->nodes + of->first_node, *node = nodes;

    while (node->is_split) {
        int32_t code = shw_records_code(measure->records, record, node->attribute);
        node = nodes + node->left + shw_record_goes_right(code, node->threshold, node->missing_right);
    }
    return of->first_leaf + node->leaf;
}

/* Adds what the trees say that were not trained on the example; false if there are none. */
static bool add_trees(const struct measure *measure, uint32_t example, int64_t *sums)
{
    uint32_t classes = measure->info->class_count;
    bool found = false;

    memset(sums, 0, classes * sizeof *sums);
    for (uint32_t t = 0; t < measure->info->tree_count; t++) {
        const uint64_t *drawn = measure->drawn + t * shw_record_drawn_words(measure->ranks);
        const int32_t *values;
        if ((drawn[example / 64] >> example % 64 & 1) != 0)
            continue;
        found = true;
        values = measure->info->leaf_values + (size_t)find_leaf(measure, t, measure->ranks->records[example]) * classes;
        for (uint32_t c = 0; c < classes; c++)
            sums[c] += values[c];
    }
    return found;
}

static void measure_block(void *user, uint32_t index, uint32_t thread)
{
    const struct measure *measure = user;
    uint32_t classes = measure->info->class_count, begin = index * BLOCK;
    uint32_t end = begin + shw_min_u32(measure->ranks->count - begin, BLOCK);
    int64_t *sums = measure->sums + (size_t)thread * classes;

    for (uint32_t e = begin; e < end && !shw_trainer_is_interrupted(measure->trainer); e++) {
        if (!add_trees(measure, e, sums))
            continue;
        measure->found[thread].records++;
        measure->found[thread].right += shw_record_class(measure->info, sums) == measure->ranks->labels[e];
    }
}

/* `drawn` as in struct shw_record_trees. Errors: MEMORY, CANCELLED. */
static enum shw_result record_out_of_bag_measure(const struct shw_trainer *trainer,
                                                 const struct shw_record_forest *forest, const struct shw_ranks *ranks,
                                                 const struct shw_records *records, const uint64_t *drawn,
                                                 struct shw_record_out_of_bag *out_of_bag)
{
    size_t threads = shw_thread_pool_size(trainer->pool);
    struct measure measure = {.trainer = trainer,
                              .info = shw_record_forest_get_info(forest),
                              .ranks = ranks,
                              .records = records,
                              .drawn = drawn};
    bool good;

    measure.sums = malloc(threads * measure.info->class_count * sizeof *measure.sums);
    measure.found = calloc(threads, sizeof *measure.found);
    good = measure.sums != NULL && measure.found != NULL;
    if (good)
        shw_thread_pool_run(trainer->pool, (ranks->count + BLOCK - 1) / BLOCK, measure_block, &measure);
    *out_of_bag = (struct shw_record_out_of_bag){0};
    for (size_t t = 0; good && t < threads; t++) {
        out_of_bag->records += measure.found[t].records;
        out_of_bag->right += measure.found[t].right;
    }
    free(measure.sums);
    free(measure.found);
    return good ? shw_trainer_check_interruption(trainer)
                : shw_fail_memory(&trainer->params.log, "the out-of-bag accuracy");
}

/* The trainer of record forests: the trainer of forests on images that are made of ranks. */

#define TREES   100u /* the defaults */
#define PERCENT 63u
#define BINS    255u

struct shw_record_trainer {
    struct shw_record_trainer_params params;
    struct shw_record_examples examples;
    struct shw_ranks ranks;
    struct shw_rank_images images;
    struct shw_trainer *trainer;
    json_t *notes;                    /* the caller's */
    uint32_t attributes;              /* that each node chooses from */
    struct shw_record_forest *forest; /* NULL until it is finished, and when it has been taken */
    struct shw_record_out_of_bag out_of_bag;
    bool finished;
};

static uint32_t value_or(uint32_t value, uint32_t otherwise)
{
    return value > 0 ? value : otherwise;
}

/* The square root, rounded down. */
static uint32_t root_of(uint32_t count)
{
    uint32_t root = (uint32_t)sqrt((double)count);

    return root > 1 ? root : 1;
}

/* Fails now rather than after training. */
static enum shw_result check_names(const struct shw_log *log, const char *what, const char *const *names,
                                   uint32_t count)
{
    for (uint32_t i = 0; names != NULL && i < count; i++)
        if (!shw_class_name_is_valid(names[i]))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET,
                            "name %u of the %s is not 1 to %u bytes of UTF-8 without control characters", i + 1, what,
                            SHW_CLASS_NAME_MAX);
    return SHW_OK;
}

static enum shw_result check(const struct shw_record_trainer_params *params, const struct shw_record_examples *examples)
{
    const struct shw_records *records = &examples->records;
    const struct {
        const char *name;
        uint64_t value, low, high;
    } ranges[] = {
        {"the number of records", records->count, 1, INT32_MAX},
        {"the number of attributes", records->attribute_count, 1, SHW_RECORD_ATTRIBUTES_MAX},
        {"the number of classes", examples->class_count, 2, SHW_RECORD_OUTPUTS_MAX},
        {"records_percent", value_or(params->records_percent, PERCENT), 1, 100},
        {"bins", value_or(params->bins, BINS), 2, 255},
        {"attributes",
         params->attributes == SHW_RECORD_ATTRIBUTES_ALL ? records->attribute_count : value_or(params->attributes, 1),
         1, records->attribute_count},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (ranges[i].value < ranges[i].low || ranges[i].value > ranges[i].high)
            return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                            "%s is %" PRIu64 "; it must be from %" PRIu64 " to %" PRIu64, ranges[i].name,
                            ranges[i].value, ranges[i].low, ranges[i].high);
    if (params->exchange != NULL && params->exchange->divide != SHW_DIVIDE_CANDIDATES)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "workers divide the candidates of records, not images");
    if (params->out_of_bag && params->records_percent == 100)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "every tree is trained on all records, so none are out of bag: lower records_percent");
    SHW_PROPAGATE(check_names(&params->log, "attributes", examples->attribute_names, records->attribute_count));
    return check_names(&params->log, "classes", examples->class_names, examples->class_count);
}

/* What the trainer is to add to its record, by which it recognises its data in a checkpoint. */
static char *make_notes(const struct shw_record_trainer *trainer)
{
    json_t *notes = json_copy(trainer->notes);
    char hash[20], *text = NULL;

    snprintf(hash, sizeof hash, "%016" PRIx64, trainer->ranks.hash);
    if (json_object_set_new(notes, "values", json_string(hash)) == 0)
        text = json_dumps(notes, JSON_COMPACT);
    json_decref(notes);
    return text;
}

static enum shw_result create_trainer(struct shw_record_trainer *own)
{
    const struct shw_record_trainer_params *params = &own->params;
    const struct shw_ranks *ranks = &own->ranks;
    uint32_t all = own->examples.records.attribute_count, wanted = params->attributes;
    uint32_t asked = ranks->is_missing_known ? SHW_ATTRIBUTE_ASKED : 1;
    char *notes = make_notes(own);
    struct shw_trainer_params trainer = {
        .channels = SHW_ATTRIBUTE_CHANNEL,
        .kinds = shw_attribute_channels,
        .feature = &shw_feature_attribute,
        .tree_count = value_or(params->tree_count, TREES),
        .depth = value_or(params->depth, SHW_DEPTH_MAX),
        .leaf_max = params->leaf_max,
        .bins = value_or(params->bins, BINS),
        .score = params->score,
        .offset_max = own->images.rows,
        .size_max = (own->images.rows << own->images.blocks_shift) - all + 1,
        .pixels_per_image = shw_rank_images_share(&own->images, value_or(params->records_percent, PERCENT)),
        .samples_min = value_or(params->samples_min, 1),
        .weighting = params->weighting,
        .class_weights = params->class_weights,
        .seed = params->seed,
        .device = params->device,
        .technique = params->technique,
        .memory = params->memory,
        .work_max = params->work_max,
        .threads = params->threads,
        .exchange = params->exchange,
        .notes = notes,
        .progress = params->progress,
        .progress_user = params->progress_user,
        .log = params->log,
    };
    enum shw_result result;

    own->attributes = wanted == SHW_RECORD_ATTRIBUTES_ALL ? all : value_or(wanted, root_of(all));
    trainer.candidates = own->attributes * asked;
    trainer.single_percent = (uint32_t)(own->attributes == all) << SHW_ATTRIBUTE_ALL_SHIFT |
                             (uint32_t)ranks->is_missing_known << SHW_ATTRIBUTE_ABSENT_SHIFT |
                             own->images.blocks_shift << SHW_ATTRIBUTE_BLOCKS_SHIFT;
    result = notes != NULL ? shw_trainer_create(&trainer, &own->images.dataset, &own->trainer)
                           : shw_fail_memory(&params->log, "a trainer");
    free(notes);
    if (result == SHW_OK)
        own->trainer->words = &record_train_words;
    return result;
}

static enum shw_result rank_examples(struct shw_record_trainer *trainer)
{
    struct shw_thread_pool *pool = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_thread_pool_create(trainer->params.threads, &pool));
    result = shw_ranks_make(&trainer->examples, pool, &trainer->params.log, &trainer->ranks);
    shw_thread_pool_destroy(&pool);
    return result;
}

static enum shw_result set_up(struct shw_record_trainer *trainer)
{
    const struct shw_record_trainer_params *params = &trainer->params;

    SHW_PROPAGATE(check(params, &trainer->examples));
    trainer->notes = json_loads(params->notes != NULL ? params->notes : "{}", 0, NULL);
    if (!json_is_object(trainer->notes))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "the notes must be a JSON object");
    SHW_PROPAGATE(rank_examples(trainer));
    shw_rank_images_make(&trainer->ranks, trainer->examples.class_count, &trainer->params.log, &trainer->images);
    SHW_PROPAGATE(create_trainer(trainer));
    trainer->params.class_weights = NULL;
    trainer->params.notes = NULL;
    return SHW_OK;
}

void shw_record_trainer_destroy(struct shw_record_trainer **handle)
{
    struct shw_record_trainer *trainer = handle != NULL ? *handle : NULL;

    if (trainer == NULL)
        return;
    shw_trainer_destroy(&trainer->trainer);
    shw_record_forest_destroy(&trainer->forest);
    shw_ranks_free(&trainer->ranks);
    json_decref(trainer->notes);
    free(trainer);
    *handle = NULL;
}

enum shw_result shw_record_trainer_create_abi(uint32_t abi, const struct shw_record_trainer_params *params,
                                              const struct shw_record_examples *examples,
                                              struct shw_record_trainer **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, examples);
    SHW_REFUSE_NULL(&params->log, examples->records.values);
    SHW_REFUSE_NULL(&params->log, examples->classes);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_record_trainer *trainer = calloc(1, sizeof *trainer);
    enum shw_result result;

    if (trainer == NULL)
        return shw_fail_memory(&params->log, "a trainer");
    trainer->params = *params;
    trainer->examples = *examples;
    result = set_up(trainer);
    if (result == SHW_OK)
        *out = trainer;
    else
        shw_record_trainer_destroy(&trainer);
    return result;
}

enum shw_technique shw_record_trainer_get_technique(const struct shw_record_trainer *trainer)
{
    return trainer != NULL ? shw_trainer_get_technique(trainer->trainer) : SHW_TECHNIQUE_AUTO;
}

/* The provenance of the forest: the trainer's, as far as it concerns records. NULL if out of memory. */
static char *make_record(const struct shw_record_trainer *trainer)
{
    static const char *const kept[] = {"bins",  "depth", "generator", "leaf_max", "samples_min",
                                       "score", "seed",  "trees",     "weighting"};
    char *text = shw_trainer_get_record(trainer->trainer), *record = NULL;
    json_t *all = text != NULL ? json_loads(text, 0, NULL) : NULL, *own = json_copy(trainer->notes);
    uint32_t percent = value_or(trainer->params.records_percent, PERCENT);

    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        json_object_set(own, kept[i], json_object_get(all, kept[i]));
    json_object_set(own, "class_records", json_object_get(all, "class_pixels"));
    json_object_set_new(own, "attributes", json_integer(trainer->attributes));
    json_object_set_new(own, "records", json_integer(trainer->ranks.count));
    json_object_set_new(own, "records_percent", json_integer(percent));
    if (all != NULL && own != NULL)
        record = json_dumps(own, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(all);
    json_decref(own);
    free(text);
    return record;
}

static enum shw_result make_forest(struct shw_record_trainer *trainer, struct shw_record_trees *trees,
                                   const char *record)
{
    const struct shw_record_examples *examples = &trainer->examples;
    const struct shw_record_forest_info info = {.task = SHW_RECORD_CLASSES,
                                                .mean = true,
                                                .attribute_count = examples->records.attribute_count,
                                                .output_count = examples->class_count,
                                                .class_count = examples->class_count,
                                                .attribute_names = examples->attribute_names,
                                                .class_names = examples->class_names,
                                                .fraction_bits = SHW_RECORD_SHARE_BITS,
                                                .values_per_leaf = examples->class_count,
                                                .tree_count = trees->tree_count,
                                                .node_count = trees->node_count,
                                                .leaf_count = trees->leaf_count,
                                                .trees = trees->trees,
                                                .nodes = trees->nodes,
                                                .leaf_values = trees->leaf_values,
                                                .training = record};

    SHW_PROPAGATE(shw_record_forest_create(&info, &trainer->params.log, &trainer->forest));
    return trainer->params.out_of_bag
               ? record_out_of_bag_measure(trainer->trainer, trainer->forest, &trainer->ranks, &examples->records,
                                           trees->drawn, &trainer->out_of_bag)
               : SHW_OK;
}

/* Makes the record forest of the trainer's. */
static enum shw_result finish(struct shw_record_trainer *trainer)
{
    struct shw_record_trees trees = {0};
    uint32_t count = trainer->trainer->params.tree_count;
    char *record = make_record(trainer);
    enum shw_result result = record != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "the provenance");

    if (trainer->params.out_of_bag) {
        trees.drawn = calloc(count * shw_record_drawn_words(&trainer->ranks), sizeof *trees.drawn);
        if (trees.drawn == NULL)
            result = shw_fail_memory(&trainer->params.log, "the out-of-bag accuracy");
    }
    while (result == SHW_OK && trees.tree_count < count)
        result = shw_record_trees_add(trainer->trainer, &trainer->images, &trainer->examples.records, &trees);
    if (result == SHW_OK)
        result = make_forest(trainer, &trees, record);
    if (result != SHW_OK)
        shw_record_forest_destroy(&trainer->forest);
    trainer->finished = result == SHW_OK;
    shw_record_trees_free(&trees);
    free(record);
    return result;
}

enum shw_result shw_record_trainer_step(struct shw_record_trainer *trainer, bool *finished)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, finished);

    *finished = trainer->finished;
    if (trainer->finished)
        return SHW_OK;
    SHW_PROPAGATE(shw_trainer_step(trainer->trainer, finished));
    if (!*finished)
        return SHW_OK;
    *finished = false;
    SHW_PROPAGATE(finish(trainer));
    *finished = true;
    return SHW_OK;
}

void shw_record_trainer_interrupt(struct shw_record_trainer *trainer)
{
    if (trainer != NULL)
        shw_trainer_interrupt(trainer->trainer);
}

void shw_record_trainer_get_progress(const struct shw_record_trainer *trainer, struct shw_train_progress *progress)
{
    shw_trainer_get_progress(trainer != NULL ? trainer->trainer : NULL, progress);
}

enum shw_result shw_record_trainer_save(struct shw_record_trainer *trainer, const char *path)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, path);

    return shw_trainer_save(trainer->trainer, path);
}

enum shw_result shw_record_trainer_load(struct shw_record_trainer *trainer, const char *path)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, path);

    return shw_trainer_load(trainer->trainer, path);
}

enum shw_result shw_record_trainer_get_out_of_bag(const struct shw_record_trainer *trainer,
                                                  struct shw_record_out_of_bag *out_of_bag)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, out_of_bag);

    if (!trainer->finished || !trainer->params.out_of_bag)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s",
                        trainer->params.out_of_bag ? "the forest is not finished"
                                                   : "the out-of-bag accuracy was not requested");
    *out_of_bag = trainer->out_of_bag;
    return SHW_OK;
}

enum shw_result shw_record_trainer_get_forest(struct shw_record_trainer *trainer, struct shw_record_forest **forest)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, forest);

    if (trainer->forest == NULL)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the forest is not finished, or has been taken already");
    *forest = trainer->forest;
    trainer->forest = NULL;
    return SHW_OK;
}

enum shw_result shw_record_train_abi(uint32_t abi, const struct shw_record_trainer_params *params,
                                     const struct shw_record_examples *examples, struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, examples);
    SHW_REFUSE_NULL(&params->log, forest);

    struct shw_record_trainer *trainer = NULL;
    bool finished = false;
    enum shw_result result = shw_record_trainer_create(params, examples, &trainer);

    while (result == SHW_OK && !finished)
        result = shw_record_trainer_step(trainer, &finished);
    if (result == SHW_OK)
        result = shw_record_trainer_get_forest(trainer, forest);
    shw_record_trainer_destroy(&trainer);
    return result;
}
