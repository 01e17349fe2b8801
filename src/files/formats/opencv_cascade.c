#include "files/formats/opencv_cascade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/formats/fixed_score.h"
#include "files/formats/opencv_build.h"

#define THRESHOLD_SLACK 1e-5f /* OpenCV lowers thresholds of stages by it */
#define SCALE_FACTOR    1.1

/* The largest magnitude of a leaf of a tree. */
static double bound_leaves(const struct shw_opencv_build *build, const struct shw_cascade_tree *tree)
{
    double bound = 0;

    for (uint32_t n = tree->first_node; n < tree->first_node + tree->node_count; n++)
        if (!build->nodes[n].is_split)
            bound = fmax(bound, fabs(build->values[n]));
    return bound;
}

/* Scores as finely as 32 bits allow. */
static enum shw_result set_scores(struct shw_opencv_build *build, uint32_t *bits)
{
    double bound = 0;

    for (uint32_t s = 0; s < build->stage_count; s++) {
        const struct shw_cascade_stage *stage = &build->stages[s];
        double sum = 0;
        for (uint32_t t = 0; t < stage->tree_count; t++)
            sum += bound_leaves(build, &build->trees[stage->first_tree + t]);
        bound = fmax(bound, fmax(sum, fabs(build->stage_thresholds[s]) + THRESHOLD_SLACK));
    }
    if (!shw_score_bits(bound, build->tree_count, bits))
        return shw_fail(build->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                        "%s: scores of up to %g do not fit into 32 bits", build->name, bound);
    for (uint32_t n = 0; n < build->node_count; n++)
        if (!build->nodes[n].is_split)
            build->nodes[n].value = shw_score_round(build->values[n], *bits);
    for (uint32_t s = 0; s < build->stage_count; s++)
        build->stages[s].threshold =
            shw_score_round((double)((float)build->stage_thresholds[s] - THRESHOLD_SLACK), *bits);
    return SHW_OK;
}

/* Finds the cascade below the root and reads it. */
static enum shw_result read_root(struct shw_opencv_build *build)
{
    const struct shw_xml_element *root = &build->xml.elements[0], *element;

    if (strcmp(build->xml.texts + root->name, "opencv_storage") != 0)
        return SHW_BAD_XML(build, root, "<%.40s> instead of <opencv_storage>", build->xml.texts + root->name);
    element = shw_xml_child(&build->xml, root, NULL);
    if (element == NULL)
        return SHW_BAD_XML(build, root, "%s", "<opencv_storage> is empty");
    if (strcmp(build->xml.texts + element->type_id, "opencv-haar-classifier") == 0)
        return shw_opencv_read_old(build, element);
    if (shw_xml_child(&build->xml, element, "stageType") != NULL)
        return shw_opencv_read_new(build, element);
    return SHW_BAD_XML(build, element, "<%.40s> is not a cascade", build->xml.texts + element->name);
}

static enum shw_result read_build(struct shw_opencv_build *build, struct shw_cascade_info *info)
{
    uint32_t fraction_bits = 0;

    SHW_PROPAGATE(read_root(build));
    SHW_PROPAGATE(set_scores(build, &fraction_bits));
    *info = (struct shw_cascade_info){
        .kind = build->kind,
        .window_width = build->window_width,
        .window_height = build->window_height,
        .fraction_bits = fraction_bits,
        .restarts = true,
        .scale_factor = SCALE_FACTOR,
        .stage_count = build->stage_count,
        .tree_count = build->tree_count,
        .node_count = build->node_count,
        .feature_count = build->feature_count,
        .stages = build->stages,
        .trees = build->trees,
        .nodes = build->nodes,
        .features = build->features,
        /* what OpenCV finds is all that passes the last stage, in groups of enough windows */
        .min_score = build->stages[build->stage_count - 1].threshold,
        .has_min_score = true,
    };
    return SHW_OK;
}

enum shw_result shw_opencv_cascade_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct shw_opencv_cascade *cascade)
{
    struct shw_opencv_build build = {.name = name, .log = log};
    enum shw_result result;

    *cascade = (struct shw_opencv_cascade){0};
    SHW_PROPAGATE(shw_xml_parse(bytes, size, name, log, &build.xml));
    result = read_build(&build, &cascade->info);
    shw_xml_free(&build.xml);
    free(build.splits);
    free(build.leaves);
    free(build.values);
    free(build.stage_thresholds);
    if (result != SHW_OK) {
        free(build.stages);
        free(build.trees);
        free(build.nodes);
        free(build.features);
    }
    return result;
}

void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade)
{
    free((void *)cascade->info.stages);
    free((void *)cascade->info.trees);
    free((void *)cascade->info.nodes);
    free((void *)cascade->info.features);
    *cascade = (struct shw_opencv_cascade){0};
}
