#include "files/formats/kinect_focal.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "shared/forest_texture.h"
#include "shared/types.h"

#define FOCAL_KEY "focal_length" /* of training records */

int32_t shw_focal_offset(int32_t offset, uint32_t focal, uint32_t from)
{
    uint64_t length = (uint64_t)(offset < 0 ? -(int64_t)offset : offset);
    uint64_t scaled = (2 * length * focal + from) / (2 * (uint64_t)from);
    int32_t magnitude = scaled < INT16_MAX ? (int32_t)scaled : INT16_MAX;

    return offset < 0 ? -magnitude : magnitude;
}

/* What the record states; 0: nothing. */
static uint32_t stated_focal(const json_t *record)
{
    json_int_t focal = json_integer_value(json_object_get(record, FOCAL_KEY));

    return focal > 0 && focal <= (json_int_t)SHW_FOCAL_MAX ? (uint32_t)focal : 0;
}

static uint32_t find_focal(const struct shw_forest_info *info, bool *is_assumed)
{
    json_t *record = info->feature == &shw_feature_kinect_difference ? json_loads(info->training, 0, NULL) : NULL;
    const char *from = json_string_value(json_object_get(record, "imported_from"));
    uint32_t focal = stated_focal(record);

    *is_assumed = focal == 0 && from != NULL && strcmp(from, "kinect") == 0;
    json_decref(record);
    return *is_assumed ? SHW_KINECT_FOCAL : focal;
}

uint32_t shw_forest_focal(const struct shw_forest_info *info)
{
    bool is_assumed;

    return find_focal(info, &is_assumed);
}

bool shw_forest_focal_is_assumed(const struct shw_forest_info *info)
{
    bool is_assumed;

    find_focal(info, &is_assumed);
    return is_assumed;
}

bool shw_focal_warn(const char *image, uint32_t width, const char *way_out, const struct shw_log *log)
{
    if (width == SHW_KINECT_WIDTH)
        return false;
    shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s is %u pixels wide, but the forest's tests are for images of Kinect, %u pixels wide with a "
                    "focal length of %u pixels: %s, or labels are wrong",
                    image, width, SHW_KINECT_WIDTH, SHW_KINECT_FOCAL, way_out);
    return true;
}

static uint32_t scale_word(uint32_t offsets, uint32_t focal, uint32_t from)
{
    int32_t x = shw_focal_offset(shw_low16(offsets), focal, from);
    int32_t y = shw_focal_offset(shw_high16(offsets), focal, from);

    return (uint32_t)(uint16_t)x | (uint32_t)(uint16_t)y << 16;
}

static enum shw_result make_tree(const struct shw_forest *forest, uint32_t number, uint32_t focal, uint32_t from,
                                 struct shw_tree *made)
{
    const struct shw_tree_info tree = shw_forest_get_tree(forest, number);
    const uint32_t classes = shw_forest_get_info(forest)->class_count;
    struct shw_node *nodes = malloc(tree.node_count * sizeof *nodes);
    uint16_t *distributions = malloc((size_t)tree.leaf_count * classes * sizeof *distributions);

    *made = (struct shw_tree){nodes, tree.node_count, distributions, tree.leaf_count};
    if (nodes == NULL || distributions == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t n = 0; n < tree.node_count; n++) {
        nodes[n] = shw_forest_get_node(forest, number, n);
        for (uint32_t word = 1; nodes[n].is_split && word <= 3; word += 2)
            nodes[n].feature.words[word] = scale_word(nodes[n].feature.words[word], focal, from);
    }
    for (uint32_t leaf = 0; leaf < tree.leaf_count; leaf++)
        memcpy(distributions + (size_t)leaf * classes, shw_forest_get_distribution(forest, number, leaf),
               classes * sizeof *distributions);
    return SHW_OK;
}

/* To be freed with free(); NULL: no memory. */
static char *make_record(const char *training, uint32_t focal)
{
    json_t *record = json_loads(training, 0, NULL);
    char *text = NULL;

    if (json_object_set_new(record, FOCAL_KEY, json_integer(focal)) == 0)
        text = json_dumps(record, JSON_COMPACT);
    json_decref(record);
    return text;
}

enum shw_result shw_forest_focus(const struct shw_forest *forest, uint32_t focal, const char *name,
                                 const struct shw_log *log, struct shw_forest **focused)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const uint32_t from = shw_forest_focal(info);
    struct shw_forest_params params = {.info = *info};
    struct shw_tree *trees;
    char *record;
    enum shw_result result = SHW_OK;

    if (from == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: it is not known for which focal length its tests are: only forests that were imported "
                        "from Kinect's trees can be used with another one",
                        name);
    trees = calloc(info->tree_count, sizeof *trees);
    record = make_record(info->training, focal);
    if (trees == NULL || record == NULL)
        result = SHW_ERROR_MEMORY;
    for (uint32_t t = 0; t < info->tree_count && result == SHW_OK; t++)
        result = make_tree(forest, t, focal, from, &trees[t]);
    if (result == SHW_OK) {
        params.info.training = record;
        params.trees = trees;
        if (log != NULL)
            params.log = *log;
        result = shw_forest_create(&params, focused);
    } else {
        shw_fail_memory(log, name);
    }
    for (uint32_t t = 0; trees != NULL && t < info->tree_count; t++) {
        free((void *)(uintptr_t)trees[t].nodes);
        free((void *)(uintptr_t)trees[t].distributions);
    }
    free(trees);
    free(record);
    return result;
}
