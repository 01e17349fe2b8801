/* The syntax of opencv_traincascade. */
#include <string.h>

#include "base/log.h"
#include "files/formats/opencv_build.h"

#define PATTERNS 256 /* of a local binary pattern */

static enum shw_result read_split(struct shw_opencv_build *build, struct shw_opencv_numbers *numbers)
{
    struct shw_opencv_split split = {0};
    int32_t number = 0;

    SHW_PROPAGATE(shw_opencv_next_integer(numbers, INT32_MIN, INT32_MAX, &split.left));
    SHW_PROPAGATE(shw_opencv_next_integer(numbers, INT32_MIN, INT32_MAX, &split.right));
    SHW_PROPAGATE(shw_opencv_next_integer(numbers, 0, INT32_MAX, &number));
    split.feature = (uint32_t)number;
    if (split.feature >= build->feature_count)
        return SHW_BAD_XML(build, numbers->element, "a test of feature %u; there are %u", split.feature,
                           build->feature_count);
    if (build->kind == SHW_CASCADE_HAAR) {
        SHW_PROPAGATE(shw_opencv_next_real(numbers, &split.threshold));
    } else {
        for (int i = 0; i < PATTERNS / 32; i++) {
            SHW_PROPAGATE(shw_opencv_next_integer(numbers, INT32_MIN, INT32_MAX, &number));
            split.subset[i] = (uint32_t)number;
        }
    }
    return shw_opencv_add_split(build, &split);
}

static enum shw_result read_tree(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *nodes, *leaves;
    struct shw_opencv_numbers numbers;
    double value = 0;

    SHW_PROPAGATE(shw_opencv_child(build, element, "internalNodes", &nodes));
    SHW_PROPAGATE(shw_opencv_child(build, element, "leafValues", &leaves));
    numbers = shw_opencv_numbers(build, nodes);
    while (!shw_opencv_numbers_end(&numbers))
        SHW_PROPAGATE(read_split(build, &numbers));
    numbers = shw_opencv_numbers(build, leaves);
    while (!shw_opencv_numbers_end(&numbers)) {
        SHW_PROPAGATE(shw_opencv_next_real(&numbers, &value));
        SHW_PROPAGATE(shw_opencv_add_leaf(build, value));
    }
    return shw_opencv_add_tree(build, element);
}

static enum shw_result read_stage(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *trees, *tree;
    double threshold = 0;

    SHW_PROPAGATE(shw_opencv_real(build, element, "stageThreshold", &threshold));
    SHW_PROPAGATE(shw_opencv_child(build, element, "weakClassifiers", &trees));
    for (tree = shw_xml_child(&build->xml, trees, NULL); tree != NULL; tree = shw_xml_next(&build->xml, tree))
        SHW_PROPAGATE(read_tree(build, tree));
    return shw_opencv_add_stage(build, element, threshold);
}

/* Reads what the stages are of. */
static enum shw_result read_kind(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *stage_type, *feature_type, *params;
    const char *texts = build->xml.texts;
    int32_t categories = 0;

    SHW_PROPAGATE(shw_opencv_child(build, element, "stageType", &stage_type));
    SHW_PROPAGATE(shw_opencv_child(build, element, "featureType", &feature_type));
    if (strcmp(texts + stage_type->text, "BOOST") != 0)
        return SHW_BAD_XML(build, stage_type, "stages of the type \"%.40s\"; only BOOST is supported",
                           texts + stage_type->text);
    if (strcmp(texts + feature_type->text, "HAAR") != 0 && strcmp(texts + feature_type->text, "LBP") != 0)
        return SHW_BAD_XML(build, feature_type, "features of the type \"%.40s\"; only HAAR and LBP are supported",
                           texts + feature_type->text);
    build->kind = strcmp(texts + feature_type->text, "LBP") == 0 ? SHW_CASCADE_LBP : SHW_CASCADE_HAAR;
    params = shw_xml_child(&build->xml, element, "featureParams");
    if (params != NULL && shw_xml_child(&build->xml, params, "maxCatCount") != NULL)
        SHW_PROPAGATE(shw_opencv_integer(build, params, "maxCatCount", 0, INT32_MAX, &categories));
    else
        categories = build->kind == SHW_CASCADE_LBP ? PATTERNS : 0;
    if (categories != (build->kind == SHW_CASCADE_LBP ? PATTERNS : 0))
        return SHW_BAD_XML(build, params, "%d categories, which %s features do not have", categories,
                           texts + feature_type->text);
    return SHW_OK;
}

static enum shw_result read_features(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *list, *item;

    SHW_PROPAGATE(shw_opencv_child(build, element, "features", &list));
    for (item = shw_xml_child(&build->xml, list, NULL); item != NULL; item = shw_xml_next(&build->xml, item))
        SHW_PROPAGATE(build->kind == SHW_CASCADE_HAAR ? shw_opencv_add_haar(build, item)
                                                      : shw_opencv_add_lbp(build, item));
    return SHW_OK;
}

enum shw_result shw_opencv_read_new(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *stages, *stage;
    int32_t width = 0, height = 0;

    SHW_PROPAGATE(read_kind(build, element));
    SHW_PROPAGATE(shw_opencv_integer(build, element, "width", 2, UINT8_MAX, &width));
    SHW_PROPAGATE(shw_opencv_integer(build, element, "height", 2, UINT8_MAX, &height));
    build->window_width = (uint32_t)width;
    build->window_height = (uint32_t)height;
    SHW_PROPAGATE(read_features(build, element));
    SHW_PROPAGATE(shw_opencv_child(build, element, "stages", &stages));
    for (stage = shw_xml_child(&build->xml, stages, NULL); stage != NULL; stage = shw_xml_next(&build->xml, stage))
        SHW_PROPAGATE(read_stage(build, stage));
    return build->stage_count > 0 ? SHW_OK : SHW_BAD_XML(build, stages, "%s", "there are no stages");
}
