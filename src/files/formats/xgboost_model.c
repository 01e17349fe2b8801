/* XGBoost's models in JSON and UBJSON, from version 1.0 on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/formats/json_model.h"
#include "files/formats/record_import.h"
#include "files/formats/xgboost_objective.h"
#include "files/formats/xgboost_tree.h"

struct reading {
    const struct shw_record_import *import;
    struct shw_json_part root, learner, model;
    const json_t *weight_drop; /* of dart, otherwise NULL */
    const struct shw_xgboost_objective *objective;
    uint32_t attribute_count, output_count, values_per_leaf;
    const json_t *trees, *outputs; /* the trees, and the output that each adds to */
    double *base;
    const char *const *names;
};

/* The trees of gbtree; those of dart are within it, with weights beside them. */
static enum shw_result find_model(struct reading *reading)
{
    struct shw_json_part booster, inner;
    const char *name;

    SHW_PROPAGATE(shw_json_get_object(&reading->learner, "gradient_booster", &booster));
    name = json_string_value(json_object_get(booster.object, "name"));
    if (name == NULL)
        return shw_json_refuse(&reading->root, "the \"gradient_booster\" has no name");
    if (strcmp(name, "dart") == 0) {
        SHW_PROPAGATE(shw_json_get_array(&booster, "weight_drop", &reading->weight_drop));
        SHW_PROPAGATE(shw_json_get_object(&booster, "gbtree", &inner));
        return shw_json_get_object(&inner, "model", &reading->model);
    }
    if (strcmp(name, "gbtree") == 0)
        return shw_json_get_object(&booster, "model", &reading->model);
    return shw_json_refuse(&reading->root, "the booster \"%s\" is not supported; gbtree and dart are", name);
}

static enum shw_result find_objective(struct reading *reading)
{
    struct shw_json_part objective;
    const char *name;

    SHW_PROPAGATE(shw_json_get_object(&reading->learner, "objective", &objective));
    name = json_string_value(json_object_get(objective.object, "name"));
    reading->objective = name != NULL ? shw_xgboost_objective_find(name) : NULL;
    return reading->objective != NULL
               ? SHW_OK
               : shw_json_refuse(&reading->root, "the objective \"%s\" is not supported", name != NULL ? name : "");
}

/* A number for all outputs or, from version 3.1 on, one for each, both as text. */
static enum shw_result read_base(struct reading *reading, const struct shw_json_part *param)
{
    const char *text = json_string_value(json_object_get(param->object, "base_score"));
    json_t *value = json_loads(text != NULL ? text : "", JSON_DECODE_ANY, NULL);
    bool several = json_is_array(value);
    enum shw_result result = SHW_OK;

    if (several && json_array_size(value) != 1 && json_array_size(value) != reading->output_count)
        result = shw_json_refuse(&reading->root, "there are %zu numbers in \"base_score\" instead of %u",
                                 json_array_size(value), reading->output_count);
    for (uint32_t o = 0; o < reading->output_count && result == SHW_OK; o++) {
        const json_t *one = several ? json_array_get(value, json_array_size(value) > 1 ? o : 0) : value;
        reading->base[o] = reading->objective->to_margin(shw_json_float(one));
        if (!isfinite(reading->base[o]))
            result = shw_json_refuse(&reading->root, "\"base_score\" is %.40s, which is no score for %s",
                                     text != NULL ? text : "missing", reading->objective->name);
    }
    json_decref(value);
    return result;
}

/* Classes and targets are outputs, and there are either several classes or several targets. */
static enum shw_result read_sizes(struct reading *reading)
{
    int64_t attributes = 0, classes = 0, targets = 1;
    struct shw_json_part param;

    SHW_PROPAGATE(shw_json_get_object(&reading->learner, "learner_model_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_feature", 1, SHW_RECORD_ATTRIBUTES_MAX, &attributes));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_class", 0, SHW_RECORD_OUTPUTS_MAX, &classes));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_target", 0, SHW_RECORD_OUTPUTS_MAX, &targets));
    if (attributes == 0)
        return shw_json_refuse(&reading->root, "there is no \"num_feature\"");
    if (classes > 1 && targets > 1)
        return shw_json_refuse(&reading->root, "%lld classes of %lld targets are not supported", (long long)classes,
                               (long long)targets);
    if (reading->objective->per_class && classes < 2)
        return shw_json_refuse(&reading->root, "%s with %lld classes", reading->objective->name, (long long)classes);
    reading->attribute_count = (uint32_t)attributes;
    reading->output_count = (uint32_t)(classes > 1 ? classes : targets > 1 ? targets : 1);
    reading->base = calloc(reading->output_count, sizeof *reading->base);
    if (reading->base == NULL)
        return shw_fail_memory(reading->import->log, reading->import->name);
    return read_base(reading, &param);
}

static enum shw_result find_trees(struct reading *reading)
{
    struct shw_json_part first = reading->model, param;
    int64_t size = 1;
    size_t count;

    SHW_PROPAGATE(shw_json_get_array(&reading->model, "trees", &reading->trees));
    count = json_array_size(reading->trees);
    if (count < 1 || count > SHW_RECORD_TREES_MAX)
        return shw_json_refuse(&reading->root, "it has %zu trees; 1 to %u are supported", count, SHW_RECORD_TREES_MAX);
    SHW_PROPAGATE(shw_json_get_array_of(&reading->model, "tree_info", count, &reading->outputs));
    if (reading->weight_drop != NULL && json_array_size(reading->weight_drop) != count)
        return shw_json_refuse(&reading->root, "\"weight_drop\" has %zu elements for %zu trees",
                               json_array_size(reading->weight_drop), count);
    first.object = json_array_get(reading->trees, 0);
    first.what = "tree 0";
    SHW_PROPAGATE(shw_json_get_object(&first, "tree_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "size_leaf_vector", 0, SHW_RECORD_OUTPUTS_MAX, &size));
    reading->values_per_leaf = size > 1 ? (uint32_t)size : 1;
    if (size > 1 && size != reading->output_count)
        return shw_json_refuse(&reading->root, "leaves have %lld values for %u outputs", (long long)size,
                               reading->output_count);
    return SHW_OK;
}

static enum shw_result add_tree(const struct reading *reading, size_t t, struct shw_record_builder *builder)
{
    struct shw_xgboost_tree tree = {.attribute_count = reading->attribute_count,
                                    .values_per_leaf = reading->values_per_leaf,
                                    .number = (uint32_t)t,
                                    .weight = 1};
    struct shw_json_part part = reading->root;
    char what[32];
    int64_t output = 0;

    snprintf(what, sizeof what, "tree %zu", t);
    part.what = what;
    part.object = json_array_get(reading->trees, t);
    if (!json_is_object(part.object))
        return shw_json_refuse(&part, "it is not an object");
    if (reading->values_per_leaf == 1)
        SHW_PROPAGATE(shw_json_get_element(&reading->root, "tree_info", reading->outputs, t, 0,
                                           (int64_t)reading->output_count - 1, &output));
    tree.output = (uint32_t)output;
    if (reading->weight_drop != NULL)
        tree.weight = shw_json_float(json_array_get(reading->weight_drop, t));
    return shw_xgboost_tree_add(&part, &tree, builder);
}

/* All trees are read. XGBoost's own predictions stop at the best iteration where the user asks for it. */
static enum shw_result tell_best(const struct reading *reading)
{
    const json_t *attributes = json_object_get(reading->learner.object, "attributes");
    const char *best = json_string_value(json_object_get(attributes, "best_iteration"));
    size_t groups = reading->values_per_leaf > 1 ? 1 : reading->output_count, rounds;
    struct shw_json_part param;
    int64_t parallel = 1;

    SHW_PROPAGATE(shw_json_get_object(&reading->model, "gbtree_model_param", &param));
    SHW_PROPAGATE(shw_json_get_whole(&param, "num_parallel_tree", 0, SHW_RECORD_TREES_MAX, &parallel));
    rounds = json_array_size(reading->trees) / (groups * (parallel > 1 ? (size_t)parallel : 1));
    if (best != NULL && strtoull(best, NULL, 10) + 1 < rounds)
        shw_log_message(
            reading->import->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
            "%s: the trees of all %zu iterations are read, also those after the best one (best_iteration is %.20s)",
            reading->import->name, rounds, best);
    return SHW_OK;
}

/* Version, objective and attributes, as far as the file has them. */
static void keep(const struct reading *reading)
{
    json_t *training = reading->import->training;

    json_object_set(training, "version", json_object_get(reading->root.object, "version"));
    json_object_set_new(training, "objective", json_string(reading->objective->name));
    if (json_object_size(json_object_get(reading->learner.object, "attributes")) > 0)
        json_object_set(training, "attributes", json_object_get(reading->learner.object, "attributes"));
}

static enum shw_result finish(const struct reading *reading, const struct shw_record_builder *builder,
                              struct shw_record_forest **forest)
{
    const struct shw_xgboost_objective *objective = reading->objective;
    bool classes = objective->task == SHW_RECORD_CLASSES && (objective->per_class || reading->output_count == 1);
    struct shw_record_builder_params params = {.info = {.task = classes ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES,
                                                        .link = objective->link,
                                                        .attribute_count = reading->attribute_count,
                                                        .output_count = reading->output_count,
                                                        .class_count = !classes               ? 0
                                                                       : objective->per_class ? reading->output_count
                                                                                              : 2,
                                                        .attribute_names = reading->names},
                                               .base = reading->base};
    char *training;
    enum shw_result result;

    keep(reading);
    training = json_dumps(reading->import->training, JSON_COMPACT);
    if (training == NULL)
        return shw_fail_memory(reading->import->log, reading->import->name);
    params.info.training = training;
    result = shw_record_builder_finish(builder, &params, forest);
    free(training);
    return result;
}

static enum shw_result build(struct reading *reading, struct shw_record_forest **forest)
{
    const struct shw_record_import *import = reading->import;
    struct shw_record_builder *builder = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_record_builder_create(import->name, reading->values_per_leaf, import->log, &builder));
    result = SHW_OK;
    for (size_t t = 0; t < json_array_size(reading->trees) && result == SHW_OK; t++)
        result = add_tree(reading, t, builder);
    if (result == SHW_OK)
        result = finish(reading, builder, forest);
    shw_record_builder_destroy(&builder);
    return result;
}

static enum shw_result read_root(struct reading *reading, struct shw_record_forest **forest)
{
    SHW_PROPAGATE(shw_json_get_object(&reading->root, "learner", &reading->learner));
    SHW_PROPAGATE(find_model(reading));
    SHW_PROPAGATE(find_objective(reading));
    SHW_PROPAGATE(read_sizes(reading));
    SHW_PROPAGATE(find_trees(reading));
    if (json_array_size(json_object_get(reading->learner.object, "feature_names")) > 0)
        SHW_PROPAGATE(
            shw_json_get_names(&reading->learner, "feature_names", reading->attribute_count, &reading->names));
    SHW_PROPAGATE(tell_best(reading));
    return build(reading, forest);
}

enum shw_result shw_xgboost_read(const struct shw_record_import *import, struct shw_record_forest **forest)
{
    struct reading reading = {.import = import};
    json_t *root = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_json_check_packing(import->bytes, import->size, import->packed, import->name, import->log));
    SHW_PROPAGATE(shw_json_model_parse(import->bytes, import->size, import->name, import->log, &root));
    reading.root = (struct shw_json_part){.file = import->name, .object = root, .log = import->log};
    result = read_root(&reading, forest);
    free(reading.base);
    free((void *)(uintptr_t)reading.names);
    json_decref(root);
    return result;
}
