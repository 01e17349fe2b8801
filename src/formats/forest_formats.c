#include "formats/forest_formats.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/log.h"
#include "formats/curfil.h"
#include "formats/import.h"
#include "formats/kinect.h"
#include "formats/source.h"

static enum shw_result read_kinect_trees(const struct shw_import_params *params, struct shw_kinect_tree *trees)
{
    for (uint32_t t = 0; t < params->source_count; t++) {
        SHW_PROPAGATE(shw_kinect_tree_read(&params->sources[t], &params->log, &trees[t]));
        trees[t].keeps_all = params->keeps_all;
        if (params->cuts)
            shw_kinect_tree_cut(&trees[t], params->depth);
    }
    return SHW_OK;
}

static enum shw_result read_kinect(const struct shw_import_params *params, struct shw_forest **forest)
{
    struct shw_kinect_tree *trees = calloc(params->source_count, sizeof *trees);
    struct shw_forest *made = NULL;
    char *record = NULL;
    enum shw_result result;

    if (trees == NULL)
        return shw_fail_memory(&params->log, "the trees");
    SHW_TRY(read_kinect_trees(params, trees));
    SHW_TRY(shw_import_record(params, "depth", params->cuts ? json_integer(params->depth) : NULL, &record));
    SHW_TRY(shw_kinect_forest_make(trees, params->source_count, record, &params->log, &made));
    SHW_TRY(shw_forest_refocus(&made, params->focal_length, shw_source_name(&params->sources[0]), &params->log));
    *forest = made;
    made = NULL;

fail:
    shw_forest_destroy(&made);
    free(record);
    for (uint32_t t = 0; t < params->source_count; t++)
        shw_kinect_tree_free(&trees[t]);
    free(trees);
    return result;
}

static enum shw_result make_curfil_forest(const struct shw_import_params *params, const struct shw_curfil_tree *trees,
                                          struct shw_forest **forest)
{
    const struct shw_curfil_settings settings = {
        .prediction = params->prediction, .has_bias = params->has_bias, .bias = params->bias_percent / 100.0};
    const char **names = calloc(params->source_count, sizeof *names);
    char *record = NULL;
    enum shw_result result = names != NULL ? SHW_OK : shw_fail_memory(&params->log, "the trees");

    for (uint32_t t = 0; names != NULL && t < params->source_count; t++)
        names[t] = shw_source_name(&params->sources[t]);
    if (result == SHW_OK)
        result = shw_import_record(params, SHW_CURFIL_MEMBER, json_incref(trees[0].configuration), &record);
    if (result == SHW_OK)
        result = shw_curfil_forest_make(trees, names, params->source_count, &settings, record, &params->log, forest);
    free(record);
    free(names);
    return result;
}

static enum shw_result read_curfil(const struct shw_import_params *params, struct shw_forest **forest)
{
    struct shw_curfil_tree *trees = calloc(params->source_count, sizeof *trees);
    enum shw_result result = trees != NULL ? SHW_OK : shw_fail_memory(&params->log, "the trees");

    for (uint32_t t = 0; t < params->source_count && result == SHW_OK; t++)
        result = shw_curfil_tree_read(&params->sources[t], &params->log, &trees[t]);
    if (result == SHW_OK)
        result = make_curfil_forest(params, trees, forest);
    for (uint32_t t = 0; trees != NULL && t < params->source_count; t++)
        shw_curfil_tree_free(&trees[t]);
    free(trees);
    return result;
}

static const struct {
    struct shw_import_format format;
    enum shw_result (*read)(const struct shw_import_params *params, struct shw_forest **forest);
} formats[] = {
    {{"kinect", "text trees of the Point Cloud Library's module people", SHW_MODEL_FOREST}, read_kinect},
    {{"curfil", "CURFIL's JSON trees; both also compressed with bzip2 or gzip", SHW_MODEL_FOREST}, read_curfil},
};

#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const struct shw_import_format *shw_forest_format(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index].format : NULL;
}

enum shw_result shw_forest_model_read(const struct shw_import_params *params, struct shw_forest **forest)
{
    size_t f = 0;

    while (strcmp(formats[f].format.name, params->format) != 0)
        f++;
    return formats[f].read(params, forest);
}
