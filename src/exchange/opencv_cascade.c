#include "exchange/opencv_cascade.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "exchange/opencv_build.h"

#define FRACTION_BITS_MAX 24u
#define SCORE_MAX         (1 << 30)
#define THRESHOLD_SLACK   1e-5f /* OpenCV lowers thresholds of stages by it */
#define SCALE_FACTOR      1.1

/* The largest magnitude of a stage's score or threshold. */
static double bound_scores(const struct shw_opencv_build *build)
{
    double bound = 0;

    for (uint32_t s = 0; s < build->stage_count; s++) {
        const struct shw_cascade_stage *stage = &build->stages[s];
        double sum = 0;
        for (uint32_t t = stage->first_tree; t < stage->first_tree + stage->tree_count; t++) {
            const struct shw_cascade_tree *tree = &build->trees[t];
            double largest = 0;
            for (uint32_t n = tree->first_node; n < tree->first_node + tree->node_count; n++)
                if (!build->nodes[n].is_split)
                    largest = fmax(largest, fabs(build->values[n]));
            sum += largest;
        }
        bound = fmax(bound, fmax(sum, fabs(build->stage_thresholds[s]) + 1));
    }
    return bound;
}

/* Scores as finely as 31 bits allow. */
static enum shw_result set_scores(struct shw_opencv_build *build, uint32_t *fraction_bits)
{
    double bound = bound_scores(build);
    uint32_t bits = FRACTION_BITS_MAX;

    while (bits > 0 && bound * (double)(1u << bits) > SCORE_MAX)
        bits--;
    if (!(bound <= SCORE_MAX))
        return shw_fail(build->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: scores of up to %g; at most %d",
                        build->name, bound, SCORE_MAX);
    for (uint32_t n = 0; n < build->node_count; n++)
        if (!build->nodes[n].is_split)
            build->nodes[n].value = (int32_t)nearbyint(build->values[n] * (double)(1u << bits));
    for (uint32_t s = 0; s < build->stage_count; s++) {
        float threshold = (float)build->stage_thresholds[s] - THRESHOLD_SLACK;
        build->stages[s].threshold = (int32_t)nearbyint((double)threshold * (double)(1u << bits));
    }
    *fraction_bits = bits;
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
