/* Writing forests for CURFIL. All values are texts, as in its own files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/fill.h"
#include "formats/curfil.h"
#include "shared/curfil_region.h"
#include "shared/types.h"

#define COLOUR_CHANNEL 2u /* after depth and its count */

struct writing {
    const struct shw_forest *forest;
    const struct shw_forest_info *info;
    const char *name;
    uint32_t tree;
    const struct shw_log *log;
};

#define BAD_NODE(writing, n, format, ...)                                                                              \
    shw_fail((writing)->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE, "%s: tree %u, node %u: " format,                \
             (writing)->name, (writing)->tree, n, __VA_ARGS__)

static json_t *text_of(double number)
{
    char text[40];

    snprintf(text, sizeof text, "%.17g", number);
    return json_string(text);
}

/* "255,0,0 (4)". */
static void write_key(const struct writing *writing, uint32_t c, char key[40])
{
    const uint8_t *colour = writing->info->classes[c].colour;

    snprintf(key, 40, "%u,%u,%u (%u)", colour[0], colour[1], colour[2], c);
}

/* The values of a distribution as counts. */
static json_t *make_histogram(const struct writing *writing, const uint16_t *distribution)
{
    json_t *histogram = json_object();
    char key[40];

    for (uint32_t c = 0; c < writing->info->class_count; c++) {
        write_key(writing, c, key);
        json_object_set_new(histogram, key, text_of(distribution != NULL ? distribution[c] : 0));
    }
    return histogram;
}

static json_t *make_pair(int32_t x, int32_t y)
{
    return json_pack("[o, o]", text_of(x), text_of(y));
}

/* Whether a feature is one that CURFIL has. */
static enum shw_result check_feature(const struct writing *writing, uint32_t n, const struct shw_node *node)
{
    const uint32_t *words = node->feature.words;
    uint32_t is_depth = shw_node_is_counted(words[0], 0);

    if ((words[0] >> SHW_NODE_SECOND_SHIFT & 1) == 0 || node->t1 != INT32_MAX)
        return BAD_NODE(writing, n, "%s", "CURFIL has no tests of a single region or with an upper threshold");
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t channel = shw_node_channel(words[0], i);
        int32_t x = shw_low16(words[1 + 2 * i]), y = shw_high16(words[1 + 2 * i]);
        if (is_depth ? channel != 0 : channel < COLOUR_CHANNEL || channel >= COLOUR_CHANNEL + 3)
            return BAD_NODE(writing, n, "channel %u, %s, is not one of CURFIL's", channel,
                            writing->info->channel_list->channels[channel].name);
        if (x < -SHW_CURFIL_LENGTH_MAX - 1 || x > SHW_CURFIL_LENGTH_MAX || y < -SHW_CURFIL_LENGTH_MAX - 1 ||
            y > SHW_CURFIL_LENGTH_MAX)
            return BAD_NODE(writing, n, "CURFIL has no offsets as far as (%d, %d)", x, y);
    }
    return SHW_OK;
}

static json_t *make_feature(const struct shw_node *node)
{
    static const char *const offsets[] = {"offset1", "offset2"}, *const regions[] = {"region1", "region2"},
                             *const channels[] = {"channel1", "channel2"};
    const uint32_t *words = node->feature.words;
    bool is_depth = shw_node_is_counted(words[0], 0) != 0;
    json_t *feature = json_pack("{s:s}", "type", is_depth ? "depth" : "color");

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t offset = words[1 + 2 * i], half = words[2 + 2 * i];
        json_object_set_new(feature, channels[i],
                            text_of(is_depth ? 0 : shw_node_channel(words[0], i) - COLOUR_CHANNEL));
        json_object_set_new(feature, offsets[i], make_pair(shw_low16(offset), shw_high16(offset)));
        json_object_set_new(feature, regions[i], make_pair((int32_t)(half & 0xffff), (int32_t)(half >> 16)));
    }
    return feature;
}

/* Half a unit below the smallest response that goes right, so that rounding to `float` is harmless. */
static double threshold_of(const struct writing *writing, const struct shw_node *node)
{
    bool is_depth = shw_node_is_counted(node->feature.words[0], 0) != 0;
    uint32_t bits = writing->info->channel_list->channels[COLOUR_CHANNEL].fraction_bits;

    return (node->t0 - 0.5) / (is_depth ? SHW_CURFIL_DEPTH_SCALE : (double)(1u << bits));
}

/* The node without its children. */
static enum shw_result make_node(const struct writing *writing, uint32_t n, uint32_t level, json_t **made)
{
    struct shw_node node = shw_forest_get_node(writing->forest, writing->tree, n);
    const uint16_t *distribution = NULL;

    if (node.is_split)
        SHW_PROPAGATE(check_feature(writing, n, &node));
    else
        distribution = shw_forest_get_distribution(writing->forest, writing->tree, node.leaf);
    *made =
        json_pack("{s:o, s:o, s:s, s:s, s:o}", "id", text_of(writing->tree + n), "level", text_of(level), "samples",
                  "0", "leaf", node.is_split ? "false" : "true", "histogram", make_histogram(writing, distribution));
    if (node.is_split)
        json_object_set_new(*made, "split",
                            json_pack("{s:o, s:s, s:s, s:o}", "threshold", text_of(threshold_of(writing, &node)),
                                      "score", "0", "featureId", "0", "feature", make_feature(&node)));
    return *made != NULL ? SHW_OK : shw_fail_memory(writing->log, "a tree");
}

/* Children follow their parents, so attaching them in node order suffices. */
static enum shw_result make_nodes(const struct writing *writing, json_t **root)
{
    uint32_t count = shw_forest_get_tree(writing->forest, writing->tree).node_count;
    json_t **nodes = calloc(count, sizeof *nodes);
    uint32_t *levels = calloc(count, sizeof *levels);
    enum shw_result result = nodes != NULL && levels != NULL ? SHW_OK : shw_fail_memory(writing->log, "a tree");

    *root = NULL;
    for (uint32_t n = 0; n < count && result == SHW_OK; n++) {
        struct shw_node node = shw_forest_get_node(writing->forest, writing->tree, n);
        levels[n] += n == 0; /* CURFIL counts levels from 1 */
        if (node.is_split)
            levels[node.left] = levels[node.left + 1] = levels[n] + 1;
        result = make_node(writing, n, levels[n], &nodes[n]);
    }
    for (uint32_t n = count; n-- > 0 && result == SHW_OK;) { /* a parent takes what is complete */
        struct shw_node node = shw_forest_get_node(writing->forest, writing->tree, n);
        if (!node.is_split)
            continue;
        json_object_set_new(nodes[n], "left", nodes[node.left]);
        json_object_set_new(nodes[n], "right", nodes[node.left + 1]);
        nodes[node.left] = nodes[node.left + 1] = NULL;
    }
    if (result == SHW_OK) {
        *root = nodes[0];
        nodes[0] = NULL;
    }
    for (uint32_t n = 0; nodes != NULL && n < count; n++)
        json_decref(nodes[n]);
    free(nodes);
    free(levels);
    return result;
}

/* What CURFIL requires in a file but does not use in prediction. */
static json_t *make_configuration(const struct writing *writing)
{
    static const char *const zeros[] = {"randomSeed",     "samplesPerImage", "featureCount",       "minSampleCount",
                                        "maxDepth",       "boxRadius",       "regionSize",         "thresholds",
                                        "imageCacheSize", "numThreads",      "maxSamplesPerBatch", "maxImages"};
    json_t *record = json_loads(writing->info->training, 0, NULL);
    json_t *root = json_pack("{s:s, s:s, s:s, s:s}", "hostname", "", "date", "1970-Jan-01 00:00:00", "folderTraining",
                             "", "subsamplingType", "classUniform");

    for (size_t i = 0; i < sizeof zeros / sizeof *zeros; i++)
        json_object_set_new(root, zeros[i], json_string("0"));
    json_object_update(root, json_object_get(record, SHW_CURFIL_MEMBER));
    json_decref(record);
    return root;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Whether the channels are those of CURFIL, and which. */
static bool read_channels(const char *channels, bool *uses_depth, bool *uses_lab)
{
    const char *comma = strchr(channels, ',');

    *uses_depth = begins_with(channels, "depth,");
    *uses_lab = comma != NULL && strcmp(comma, ",lab-linear") == 0;
    return (*uses_depth || begins_with(channels, "constant-depth:1000,")) &&
           (*uses_lab || (comma != NULL && strcmp(comma, ",rgb") == 0));
}

/* Whether tests read the depth ahead; false if they do not agree. */
static bool find_prediction(const struct writing *writing, bool *ahead)
{
    uint32_t count[2] = {0};

    for (uint32_t t = 0; t < writing->info->tree_count; t++)
        for (uint32_t n = 0; n < shw_forest_get_tree(writing->forest, t).node_count; n++) {
            struct shw_node node = shw_forest_get_node(writing->forest, t, n);
            if (node.is_split)
                count[shw_curfil_is_ahead(node.feature.words[0])]++;
        }
    *ahead = count[0] == 0;
    return count[0] == 0 || count[1] == 0;
}

static json_t *make_names(const struct writing *writing)
{
    json_t *names = json_array();

    for (uint32_t c = 0; c < writing->info->class_count; c++)
        json_array_append_new(names, json_string(writing->info->classes[c].name));
    return names;
}

/* Distributions are already votes: all classes get the same prior. */
static json_t *make_priors(const struct writing *writing)
{
    json_t *priors = json_object();
    char label[16];

    for (uint32_t c = 0; c < writing->info->class_count; c++) {
        snprintf(label, sizeof label, "%u", c);
        json_object_set_new(priors, label, json_string("1"));
    }
    return priors;
}

enum shw_result shw_curfil_tree_format(const struct shw_forest *forest, const char *name, uint32_t tree,
                                       const struct shw_log *log, char **text)
{
    struct writing writing = {forest, shw_forest_get_info(forest), name, tree, log};
    const struct shw_filling *filling = shw_filling_of(writing.info->fill);
    bool uses_depth, uses_lab, ahead;
    json_t *root, *nodes;

    if (writing.info->feature != &shw_feature_curfil_difference)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
                        "%s: the feature type is %s; CURFIL has only curfil-difference", name,
                        writing.info->feature->name);
    if (writing.info->combine != SHW_COMBINE_MEAN)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
                        "%s: its trees vote; CURFIL averages them, as --combine mean does", name);
    if (filling->curfil == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CHANNELS, "%s: CURFIL cannot fill depth as it does: %s", name,
                        filling->name);
    if (writing.info->smoothing.radius > 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_CHANNELS, "%s: its smoothing is left out, since CURFIL has none",
                        name);
    if (!read_channels(writing.info->channels, &uses_depth, &uses_lab))
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CHANNELS,
                        "%s: the channels are %s; CURFIL has only depth or constant-depth:1000, and lab-linear or "
                        "rgb",
                        name, writing.info->channels);
    if (!find_prediction(&writing, &ahead))
        return shw_fail(
            log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_FEATURE,
            "%s: some tests read the depth at the pixel, and some to the right and below; CURFIL has one or the "
            "other",
            name);
    SHW_PROPAGATE(make_nodes(&writing, &nodes));
    root = make_configuration(&writing);
    json_object_set_new(root, "accelerationMode", json_string(ahead ? "gpu" : "cpu"));
    json_object_set_new(root, "useCIELab", json_string(uses_lab ? "true" : "false"));
    json_object_set_new(root, "useDepthImages", json_string(uses_depth ? "true" : "false"));
    json_object_set_new(root, "useDepthFilling", json_string(filling->curfil));
    json_object_del(root, "histogramBias"); /* the histograms are without it already */
    json_object_set_new(root, "classNames", make_names(&writing));
    json_object_set_new(root, "classLabelPriorDistribution", make_priors(&writing));
    json_object_set_new(root, "tree", nodes);
    *text = root != NULL ? json_dumps(root, JSON_INDENT(4)) : NULL;
    json_decref(root);
    return *text != NULL ? SHW_OK : shw_fail_memory(log, "a tree");
}
