/* The list of back ends, the choice of one, and the checks that all share. */
#include "detection/boost/backend.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "vulkan/device.h"

/* AUTO takes the first that needs a device on devices, and the first that does not on hosts. */
static const struct shw_boost_backend *const backends[] = {
    &shw_boost_backend_cpu,
    &shw_boost_backend_compute,
    &shw_boost_backend_blend,
};

#define BACKEND_COUNT (sizeof backends / sizeof *backends)

static const struct shw_boost_backend *find(enum shw_technique technique, bool device)
{
    for (size_t i = 0; i < BACKEND_COUNT; i++)
        if (technique == SHW_TECHNIQUE_AUTO ? backends[i]->needs_device == device : backends[i]->technique == technique)
            return backends[i];
    return NULL;
}

static enum shw_result choose(struct shw_boost *boost)
{
    const struct shw_boost_params *params = &boost->params;
    struct shw_device_description description = {.is_cpu = true};
    const char *missing;

    if (params->device != NULL)
        shw_device_describe(params->device, &description);
    boost->backend = find(params->technique, !description.is_cpu);
    if (boost->backend == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "cascades are trained with the technique cpu, compute or blend");
    boost->params.technique = boost->backend->technique;
    if (!boost->backend->needs_device)
        return SHW_OK;
    if (params->device == NULL || params->device->own == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "the technique %s needs a device of shw_device_create()",
                        shw_technique_name(params->technique));
    missing = boost->backend->find_missing != NULL ? boost->backend->find_missing(&description) : NULL;
    if (missing != NULL)
        return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the technique %s needs %s, which %s does not have: use the technique compute",
                        shw_technique_name(params->technique), missing, description.name);
    return SHW_OK;
}

enum shw_result shw_boost_create(const struct shw_boost_params *params, struct shw_boost **result_boost)
{
    struct shw_boost *boost;
    enum shw_result result;

    if (params->width < 2 || params->width > 128 || params->height < 2 || params->height > 128)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "windows of %u x %u; training takes 2 x 2 to 128 x 128", params->width, params->height);
    boost = calloc(1, sizeof *boost);
    if (boost == NULL)
        return shw_fail_memory(&params->log, "samples of boosting");
    boost->params = *params;
    boost->point_count = params->width * params->height;
    SHW_TRY(choose(boost));
    boost->index = malloc(SHW_BOOST_NODES_MAX * sizeof *boost->index);
    if (boost->index == NULL) {
        result = shw_fail_memory(&params->log, "nodes of boosting");
        goto fail;
    }
    SHW_TRY(boost->backend->create(boost, &boost->state));
    *result_boost = boost;
    return SHW_OK;

fail:
    shw_boost_destroy(&boost);
    return result;
}

void shw_boost_destroy(struct shw_boost **pointer)
{
    struct shw_boost *boost = pointer != NULL ? *pointer : NULL;

    if (boost == NULL)
        return;
    if (boost->state != NULL)
        boost->backend->destroy(&boost->state);
    free(boost->index);
    free(boost);
    *pointer = NULL;
}

enum shw_technique shw_boost_get_technique(const struct shw_boost *boost)
{
    return boost->params.technique;
}

enum shw_result shw_boost_put(struct shw_boost *boost, const uint32_t *places, uint32_t count, const uint16_t *patches)
{
    uint32_t before = boost->sample_count, end = before;
    enum shw_result result;

    for (uint32_t i = 0; i < count; i++) {
        if (places[i] >= SHW_BOOST_SAMPLES_MAX)
            return shw_fail(&boost->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                            "more than %u samples of boosting", SHW_BOOST_SAMPLES_MAX);
        end = places[i] >= end ? places[i] + 1 : end;
    }
    if (count == 0)
        return SHW_OK;
    boost->sample_count = end;
    result = boost->backend->put(boost->state, places, count, patches);
    if (result != SHW_OK)
        boost->sample_count = before;
    return result;
}

enum shw_result shw_boost_begin(struct shw_boost *boost, const uint32_t *weights, const uint8_t *classes,
                                uint32_t count)
{
    uint64_t sum = 0;

    if (count > boost->sample_count)
        return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "a tree of %u samples, but there are %u", count, boost->sample_count);
    for (uint32_t i = 0; i < count; i++) {
        sum += weights[i];
        if (classes[i] >= SHW_BOOST_CLASSES)
            return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                            "sample %u has class %u, but there are %u classes", i, classes[i], SHW_BOOST_CLASSES);
    }
    if (sum > SHW_BOOST_WEIGHT_MAX)
        return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "the sum of weights is %llu; at most %u is supported", (unsigned long long)sum,
                        SHW_BOOST_WEIGHT_MAX);
    boost->tree_samples = count;
    boost->node_limit = 1;
    return boost->backend->begin(boost->state, weights, classes);
}

static bool is_inside(const struct shw_boost *boost, struct shw_boost_pair pair)
{
    return pair.x1 < boost->params.width && pair.x2 < boost->params.width && pair.y1 < boost->params.height &&
           pair.y2 < boost->params.height;
}

static enum shw_result refuse_pair(const struct shw_boost *boost, const char *what, uint32_t number)
{
    return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                    "%s %u has a point outside the window", what, number);
}

static enum shw_result check_candidates(const struct shw_boost *boost, const struct shw_boost_candidates *candidates)
{
    uint32_t count = candidates->threshold_count;

    if (count == 0 || count > SHW_BOOST_THRESHOLDS_MAX)
        return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "%u thresholds of a candidate: 1 to %u are possible", count, SHW_BOOST_THRESHOLDS_MAX);
    for (uint32_t c = 0; c < candidates->count; c++) {
        const int32_t *thresholds = candidates->thresholds + (size_t)c * count;
        if (!is_inside(boost, candidates->pairs[c]))
            return refuse_pair(boost, "candidate", c);
        for (uint32_t t = 1; t < count; t++)
            if (thresholds[t] < thresholds[t - 1])
                return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                                "the thresholds of candidate %u are not in order", c);
    }
    return SHW_OK;
}

static void clear_index(struct shw_boost *boost)
{
    memset(boost->index, 0xff, boost->node_limit * sizeof *boost->index);
}

/* Nodes at which no sample can be are allowed. */
static enum shw_result add_to_index(struct shw_boost *boost, uint32_t node, uint32_t number)
{
    if (node >= boost->node_limit)
        return SHW_OK;
    if (boost->index[node] != SHW_BOOST_NONE)
        return shw_fail(&boost->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "node %u is given twice",
                        node);
    boost->index[node] = number;
    return SHW_OK;
}

enum shw_result shw_boost_count(struct shw_boost *boost, const struct shw_boost_candidates *candidates,
                                const uint32_t *nodes, uint32_t node_count, uint32_t *histograms)
{
    size_t words = shw_boost_histogram_words(candidates) * node_count;

    SHW_PROPAGATE(check_candidates(boost, candidates));
    clear_index(boost);
    for (uint32_t n = 0; n < node_count; n++)
        SHW_PROPAGATE(add_to_index(boost, nodes[n], n));
    if (words > UINT32_MAX)
        return shw_fail(&boost->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "histograms of %u nodes and %u candidates are too large", node_count, candidates->count);
    memset(histograms, 0, words * sizeof *histograms);
    return words > 0 && boost->tree_samples > 0
               ? boost->backend->count(boost->state, candidates, node_count, histograms)
               : SHW_OK;
}

enum shw_result shw_boost_move(struct shw_boost *boost, const struct shw_boost_split *splits, uint32_t count)
{
    uint32_t limit = boost->node_limit;
    enum shw_result result = SHW_OK;

    clear_index(boost);
    for (uint32_t i = 0; i < count; i++) {
        if (!is_inside(boost, splits[i].pair))
            return refuse_pair(boost, "split", i);
        if (splits[i].left >= SHW_BOOST_NODES_MAX - 1)
            return shw_fail(&boost->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                            "more than %u nodes of a tree", SHW_BOOST_NODES_MAX);
        SHW_PROPAGATE(add_to_index(boost, splits[i].node, i));
        limit = splits[i].left + 2 > limit ? splits[i].left + 2 : limit;
    }
    if (count > 0 && boost->tree_samples > 0)
        result = boost->backend->move(boost->state, splits, count);
    boost->node_limit = limit;
    return result;
}

enum shw_result shw_boost_get_nodes(struct shw_boost *boost, uint16_t *nodes)
{
    return boost->tree_samples > 0 ? boost->backend->get_nodes(boost->state, nodes) : SHW_OK;
}
