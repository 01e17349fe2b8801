/* Trees of several forests in one. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/forest/forest.h"
#include "dense/forest/gains.h"

#define FIRST_TREE "first_tree"
#define OUT_OF_BAG "out_of_bag"
#define TREES      "trees"

struct merge {
    struct shw_forest_part *parts; /* in the order of their trees in the result */
    json_t **trainings;            /* of each part */
    json_t *gains;                 /* of all trees together; NULL: unknown */
    uint32_t count, tree_count;
    const struct shw_log *log;
};

static enum shw_result refuse(const struct merge *merge, uint32_t p, const char *what, const char *this_one,
                              const char *first)
{
    return shw_fail(merge->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s cannot be merged with %s: %s %s, not %s",
                    merge->parts[p].name, merge->parts[0].name, what, this_one, first);
}

static enum shw_result refuse_number(const struct merge *merge, uint32_t p, const char *what, uint32_t this_one,
                                     uint32_t first)
{
    char texts[2][16];

    snprintf(texts[0], sizeof texts[0], "%u", this_one);
    snprintf(texts[1], sizeof texts[1], "%u", first);
    return refuse(merge, p, what, texts[0], texts[1]);
}

static enum shw_result check_classes(const struct merge *merge, uint32_t p, const struct shw_forest_info *info,
                                     const struct shw_forest_info *first)
{
    if (info->class_count != first->class_count)
        return refuse_number(merge, p, "its number of classes is", info->class_count, first->class_count);
    for (uint32_t c = 0; c < info->class_count; c++) {
        char what[64], texts[2][16];

        snprintf(what, sizeof what, "its class %u is", c);
        if (strcmp(info->classes[c].name, first->classes[c].name) != 0)
            return refuse(merge, p, what, info->classes[c].name, first->classes[c].name);
        for (int i = 0; i < 2; i++) {
            const uint8_t *colour = (i == 0 ? info : first)->classes[c].colour;

            snprintf(texts[i], sizeof texts[i], "#%02x%02x%02x", colour[0], colour[1], colour[2]);
        }
        snprintf(what, sizeof what, "the colour of its class %u is", c);
        if (strcmp(texts[0], texts[1]) != 0)
            return refuse(merge, p, what, texts[0], texts[1]);
    }
    return SHW_OK;
}

/* 0: there is no level below. */
static uint64_t hash_below(const struct shw_forest_info *info)
{
    return info->below != NULL ? info->below->hash : 0;
}

/* Trees are only averaged if they read the same and mean the same. */
static enum shw_result check_part(const struct merge *merge, uint32_t p)
{
    static const char *const combinations[] = {[SHW_COMBINE_MEAN] = "mean", [SHW_COMBINE_VOTE] = "vote"};
    static const char *const fills[] = {[SHW_FILL_NONE] = "none", [SHW_FILL_SIMPLE] = "simple"};
    const struct shw_forest_info *info = &merge->parts[p].forest->info, *first = &merge->parts[0].forest->info;

    if (shw_forest_is_checkpoint(merge->parts[p].forest))
        return shw_fail(merge->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is a checkpoint, whose last tree may be unfinished: finish its training first",
                        merge->parts[p].name);
    if (strcmp(info->channels, first->channels) != 0)
        return refuse(merge, p, "its channels are", info->channels, first->channels);
    if (info->feature != first->feature)
        return refuse(merge, p, "its feature type is", info->feature->name, first->feature->name);
    SHW_PROPAGATE(check_classes(merge, p, info, first));
    if (info->combine != first->combine)
        return refuse(merge, p, "its trees are combined by", combinations[info->combine], combinations[first->combine]);
    if (info->fill != first->fill)
        return refuse(merge, p, "missing depth is filled by", fills[info->fill], fills[first->fill]);
    if (info->smoothing.radius != first->smoothing.radius)
        return refuse_number(merge, p, "the radius of its smoothing is", info->smoothing.radius,
                             first->smoothing.radius);
    if (info->smoothing.epsilon != first->smoothing.epsilon)
        return refuse_number(merge, p, "the epsilon of its smoothing is", info->smoothing.epsilon,
                             first->smoothing.epsilon);
    if (hash_below(info) != hash_below(first))
        return shw_fail(merge->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s and %s have different levels below: train their trees above the same one",
                        merge->parts[p].name, merge->parts[0].name);
    for (uint32_t other = 0; other < p; other++)
        if (merge->parts[other].forest->hash == merge->parts[p].forest->hash)
            return shw_fail(merge->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s and %s are the same forest: its trees would count twice", merge->parts[other].name,
                            merge->parts[p].name);
    return SHW_OK;
}

/* Parts of one training. */

static uint32_t first_tree(const json_t *training)
{
    return (uint32_t)json_integer_value(json_object_get(training, FIRST_TREE));
}

/* What all parts of a training have in common. What was measured of a part is not of the whole. */
static json_t *common_of(const json_t *training)
{
    json_t *common = json_copy((json_t *)(uintptr_t)training);

    json_object_del(common, FIRST_TREE);
    json_object_del(common, SHW_GAINS_MEMBER);
    json_object_del(common, OUT_OF_BAG);
    json_object_del(common, SHW_CALIBRATION_MEMBER);
    json_object_del(common, TREES);
    return common;
}

/* A part whose trees are all those that its training was to have. */
static bool is_whole(const struct merge *merge, uint32_t p)
{
    const json_t *seed = json_object_get(merge->trainings[p], "seed");

    return seed != NULL && json_integer_value(json_object_get(merge->trainings[p], TREES)) ==
                               (json_int_t)merge->parts[p].forest->info.tree_count;
}

/* Whether all are parts of one training; then sorts them by the numbers of their trees. */
static bool are_of_one_training(struct merge *merge)
{
    json_t *common = common_of(merge->trainings[0]);
    bool same = true;

    for (uint32_t p = 0; p < merge->count && same; p++) {
        json_t *other = common_of(merge->trainings[p]);

        same = is_whole(merge, p) && json_equal(common, other) == 1;
        json_decref(other);
    }
    json_decref(common);
    for (uint32_t p = 1; p < merge->count && same; p++)
        for (uint32_t q = p; q > 0 && first_tree(merge->trainings[q]) < first_tree(merge->trainings[q - 1]); q--) {
            struct shw_forest_part part = merge->parts[q];
            json_t *training = merge->trainings[q];

            merge->parts[q] = merge->parts[q - 1];
            merge->parts[q - 1] = part;
            merge->trainings[q] = merge->trainings[q - 1];
            merge->trainings[q - 1] = training;
        }
    return same;
}

/* Parts with gaps between them are no training of their own. *gaps: whether there are some. */
static enum shw_result check_order(const struct merge *merge, bool *gaps)
{
    *gaps = false;
    for (uint32_t p = 1; p < merge->count; p++) {
        uint32_t end = first_tree(merge->trainings[p - 1]) + merge->parts[p - 1].forest->info.tree_count;

        if (first_tree(merge->trainings[p]) < end)
            return shw_fail(merge->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s and %s both have tree %u of the same training: train with another first tree or seed",
                            merge->parts[p - 1].name, merge->parts[p].name, first_tree(merge->trainings[p]));
        *gaps = *gaps || first_tree(merge->trainings[p]) > end;
    }
    return SHW_OK;
}

/* Adds up what the trees of all parts gained, if that is known of each; then the parts need not say it. */
static enum shw_result add_gains(struct merge *merge)
{
    struct shw_gains sum;
    bool known = true;

    if (!shw_gains_make(merge->parts[0].forest->channels.channel_count, &sum))
        return shw_fail_memory(merge->log, "the provenance of a forest");
    for (uint32_t p = 0; p < merge->count && known; p++)
        known = shw_gains_unpack(json_object_get(merge->trainings[p], SHW_GAINS_MEMBER), &sum);
    if (known)
        merge->gains = shw_gains_pack(&sum);
    for (uint32_t p = 0; p < merge->count && known; p++)
        json_object_del(merge->trainings[p], SHW_GAINS_MEMBER);
    shw_gains_free(&sum);
    return SHW_OK;
}

static json_t *describe_whole(const struct merge *merge)
{
    json_t *training = common_of(merge->trainings[0]);

    json_object_set_new(training, TREES, json_integer(merge->tree_count));
    if (first_tree(merge->trainings[0]) > 0)
        json_object_set_new(training, FIRST_TREE, json_integer(first_tree(merge->trainings[0])));
    if (merge->gains != NULL)
        json_object_set(training, SHW_GAINS_MEMBER, merge->gains);
    return training;
}

/* From what the forest was merged; `with_trainings`: with the provenance of each part. */
static char *describe_parts(const struct merge *merge, bool with_trainings)
{
    json_t *list = json_array(), *training;
    char *text;

    for (uint32_t p = 0; p < merge->count; p++) {
        const struct shw_forest *forest = merge->parts[p].forest;
        char hash[20];
        json_t *part;

        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)forest->hash);
        part = json_pack("{s:s, s:i}", "hash", hash, TREES, (int)forest->info.tree_count);
        if (with_trainings)
            json_object_set(part, "training", merge->trainings[p]);
        json_array_append_new(list, part);
    }
    training = json_pack("{s:o, s:O*}", "merged", list, SHW_GAINS_MEMBER, merge->gains);
    text = json_dumps(training, SHW_MODEL_JSON_FLAGS);
    json_decref(training);
    return text;
}

/* NULL if memory is exhausted. Trainings that are too long together are left out. */
static char *describe(const struct merge *merge, bool is_training)
{
    char *text;

    if (is_training) {
        json_t *training = describe_whole(merge);

        text = json_dumps(training, SHW_MODEL_JSON_FLAGS);
        json_decref(training);
        return text;
    }
    text = describe_parts(merge, true);
    if (text == NULL || strlen(text) <= SHW_PROVENANCE_MAX)
        return text;
    free(text);
    return describe_parts(merge, false);
}

/* The trees of all parts; false if memory is exhausted. */
static bool take_trees(const struct merge *merge, struct shw_tree *trees)
{
    for (uint32_t p = 0; p < merge->count; p++)
        for (uint32_t t = 0; t < merge->parts[p].forest->info.tree_count; t++)
            if (!shw_forest_copy_tree(merge->parts[p].forest, t, trees++))
                return false;
    return true;
}

static enum shw_result make(const struct merge *merge, const char *provenance, struct shw_forest **out)
{
    struct shw_forest_params params = {.info = merge->parts[0].forest->info};
    struct shw_tree *trees = calloc(merge->tree_count, sizeof *trees);
    enum shw_result result;

    params.info.tree_count = merge->tree_count;
    params.info.training = provenance;
    params.trees = trees;
    if (merge->log != NULL)
        params.log = *merge->log;
    result = trees != NULL && take_trees(merge, trees) ? shw_forest_create(&params, out)
                                                       : shw_fail_memory(merge->log, "the trees of a forest");
    shw_forest_free_trees(trees, merge->tree_count);
    return result;
}

static enum shw_result run(struct merge *merge, struct shw_forest **out)
{
    uint64_t trees = 0;
    bool is_training, gaps;
    enum shw_result result;
    char *provenance;

    for (uint32_t p = 0; p < merge->count; p++) {
        merge->trainings[p] = json_loads(merge->parts[p].forest->info.training, 0, NULL);
        if (merge->trainings[p] == NULL)
            return shw_fail_memory(merge->log, "the provenance of a forest");
        trees += merge->parts[p].forest->info.tree_count;
        SHW_PROPAGATE(check_part(merge, p));
    }
    if (trees > SHW_TREES_MAX)
        return shw_fail(merge->log, SHW_ERROR_LIMIT, SHW_LOG_FOREST_STRUCTURE,
                        "the forests have %llu trees together; at most %u are supported", (unsigned long long)trees,
                        SHW_TREES_MAX);
    merge->tree_count = (uint32_t)trees;
    SHW_PROPAGATE(add_gains(merge));
    is_training = are_of_one_training(merge);
    if (is_training) {
        SHW_PROPAGATE(check_order(merge, &gaps));
        is_training = !gaps;
    }
    provenance = describe(merge, is_training);
    result =
        provenance != NULL ? make(merge, provenance, out) : shw_fail_memory(merge->log, "the provenance of a forest");
    free(provenance);
    return result;
}

enum shw_result shw_forest_merge(const struct shw_forest_part *parts, uint32_t count, const struct shw_log *log,
                                 struct shw_forest **forest)
{
    SHW_REFUSE_NULL(log, parts);
    SHW_REFUSE_NULL(log, forest);

    struct merge merge = {.count = count, .log = log};
    enum shw_result result = SHW_ERROR_MEMORY;

    if (count < 1)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there are no forests to merge");
    for (uint32_t p = 0; p < count; p++)
        if (parts[p].forest == NULL || parts[p].name == NULL)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "forest %u or its name is NULL", p);
    merge.parts = malloc(count * sizeof *merge.parts);
    merge.trainings = calloc(count, sizeof(json_t *));
    if (merge.parts == NULL || merge.trainings == NULL) {
        shw_fail_memory(log, "the forests to merge");
        goto fail;
    }
    memcpy(merge.parts, parts, count * sizeof *merge.parts);
    result = run(&merge, forest);

fail:
    for (uint32_t p = 0; merge.trainings != NULL && p < count; p++)
        json_decref(merge.trainings[p]);
    json_decref(merge.gains);
    free((void *)merge.trainings);
    free(merge.parts);
    return result;
}
