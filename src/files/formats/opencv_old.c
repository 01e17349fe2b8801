/* The syntax of opencv_haartraining. */
#include "base/log.h"
#include "files/formats/opencv_build.h"

/* A child of a test: another test, or a leaf, which is appended. */
static enum shw_result read_child(struct shw_opencv_build *build, const struct shw_xml_element *element,
                                  const char *node_name, const char *value_name, int32_t *child)
{
    double value = 0;

    if (shw_xml_child(&build->xml, element, node_name) != NULL)
        return shw_opencv_integer(build, element, node_name, 1, INT32_MAX, child);
    SHW_PROPAGATE(shw_opencv_real(build, element, value_name, &value));
    *child = -(int32_t)build->leaf_count;
    return shw_opencv_add_leaf(build, value);
}

static enum shw_result read_split(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    struct shw_opencv_split split = {.feature = build->feature_count};
    const struct shw_xml_element *feature;

    SHW_PROPAGATE(shw_opencv_child(build, element, "feature", &feature));
    SHW_PROPAGATE(shw_opencv_add_haar(build, feature));
    SHW_PROPAGATE(shw_opencv_real(build, element, "threshold", &split.threshold));
    SHW_PROPAGATE(read_child(build, element, "left_node", "left_val", &split.left));
    SHW_PROPAGATE(read_child(build, element, "right_node", "right_val", &split.right));
    return shw_opencv_add_split(build, &split);
}

static enum shw_result read_tree(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *split;

    for (split = shw_xml_child(&build->xml, element, NULL); split != NULL; split = shw_xml_next(&build->xml, split))
        SHW_PROPAGATE(read_split(build, split));
    return shw_opencv_add_tree(build, element);
}

/* Each stage must follow the one before it. */
static enum shw_result check_chain(const struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    int32_t parent = (int32_t)build->stage_count - 1, next = -1;

    if (shw_xml_child(&build->xml, element, "parent") != NULL)
        SHW_PROPAGATE(shw_opencv_integer(build, element, "parent", INT32_MIN, INT32_MAX, &parent));
    if (shw_xml_child(&build->xml, element, "next") != NULL)
        SHW_PROPAGATE(shw_opencv_integer(build, element, "next", INT32_MIN, INT32_MAX, &next));
    if (parent != (int32_t)build->stage_count - 1 || next != -1)
        return SHW_BAD_XML(build, element,
                           "stage %u has the parent %d and the next one %d: stages that form a tree are not supported, "
                           "only a chain",
                           build->stage_count, parent, next);
    return SHW_OK;
}

static enum shw_result read_stage(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *trees, *tree;
    double threshold = 0;

    SHW_PROPAGATE(check_chain(build, element));
    SHW_PROPAGATE(shw_opencv_real(build, element, "stage_threshold", &threshold));
    SHW_PROPAGATE(shw_opencv_child(build, element, "trees", &trees));
    for (tree = shw_xml_child(&build->xml, trees, NULL); tree != NULL; tree = shw_xml_next(&build->xml, tree))
        SHW_PROPAGATE(read_tree(build, tree));
    return shw_opencv_add_stage(build, element, threshold);
}

enum shw_result shw_opencv_read_old(struct shw_opencv_build *build, const struct shw_xml_element *element)
{
    const struct shw_xml_element *size, *stages, *stage;
    struct shw_opencv_numbers numbers;
    int32_t width = 0, height = 0;

    build->kind = SHW_CASCADE_HAAR;
    SHW_PROPAGATE(shw_opencv_child(build, element, "size", &size));
    numbers = shw_opencv_numbers(build, size);
    SHW_PROPAGATE(shw_opencv_next_integer(&numbers, 2, UINT8_MAX, &width));
    SHW_PROPAGATE(shw_opencv_next_integer(&numbers, 2, UINT8_MAX, &height));
    SHW_PROPAGATE(shw_opencv_no_more(&numbers));
    build->window_width = (uint32_t)width;
    build->window_height = (uint32_t)height;
    SHW_PROPAGATE(shw_opencv_child(build, element, "stages", &stages));
    for (stage = shw_xml_child(&build->xml, stages, NULL); stage != NULL; stage = shw_xml_next(&build->xml, stage))
        SHW_PROPAGATE(read_stage(build, stage));
    return build->stage_count > 0 ? SHW_OK : SHW_BAD_XML(build, stages, "%s", "there are no stages");
}
