#include "files/formats/onnx_ensemble.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define LABEL_SIZE 24 /* of a whole number with its zero byte */

/* By name and, of TreeEnsemble, by number. */
static const struct {
    const char *name;
    enum shw_record_link link;
} transforms[] = {{"NONE", SHW_RECORD_IDENTITY},
                  {"SOFTMAX", SHW_RECORD_SOFTMAX},
                  {"LOGISTIC", SHW_RECORD_LOGISTIC},
                  {"SOFTMAX_ZERO", SHW_RECORD_SOFTMAX_ZERO},
                  {"PROBIT", SHW_RECORD_PROBIT}};
#define TRANSFORM_COUNT (sizeof transforms / sizeof *transforms)

static const char *const aggregates[] = {"AVERAGE", "SUM", "MIN", "MAX"};
#define AGGREGATE_COUNT (sizeof aggregates / sizeof *aggregates)
#define AVERAGE         0
#define SUM             1

bool shw_onnx_ensemble_is(const struct shw_onnx_node *node)
{
    return shw_protobuf_is(&node->type, "TreeEnsemble") || shw_protobuf_is(&node->type, "TreeEnsembleClassifier") ||
           shw_protobuf_is(&node->type, "TreeEnsembleRegressor");
}

static enum shw_result refuse_unsupported(const struct shw_onnx_node *node, const char *what)
{
    return shw_fail(node->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: %s", node->file, what);
}

static enum shw_result set_aggregate(const struct shw_onnx_node *node, size_t aggregate,
                                     struct shw_onnx_outputs *outputs)
{
    outputs->mean = aggregate == AVERAGE;
    return aggregate <= SUM ? SHW_OK
                            : refuse_unsupported(node, "the aggregate_function is neither SUM nor AVERAGE, which are "
                                                       "supported");
}

/* Those of the older operators are texts. */
static enum shw_result read_names(const struct shw_onnx_node *node, struct shw_onnx_outputs *outputs)
{
    struct shw_protobuf transform = {0}, aggregate = {0};
    size_t t = 0, a = 0;

    SHW_PROPAGATE(shw_onnx_get_text(node, "post_transform", &transform));
    SHW_PROPAGATE(shw_onnx_get_text(node, "aggregate_function", &aggregate));
    while (transform.at != NULL && t < TRANSFORM_COUNT && !shw_protobuf_is(&transform, transforms[t].name))
        t++;
    if (t == TRANSFORM_COUNT)
        return refuse_unsupported(node, "the post_transform is none of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO and "
                                        "PROBIT");
    outputs->link = transforms[t].link;
    while (a < AGGREGATE_COUNT && !shw_protobuf_is(&aggregate, aggregates[a]))
        a++;
    return set_aggregate(node, aggregate.at != NULL ? a : SUM, outputs);
}

static enum shw_result read_numbers(const struct shw_onnx_node *node, struct shw_onnx_outputs *outputs)
{
    int64_t transform = 0, aggregate = SUM;

    SHW_PROPAGATE(shw_onnx_get_integer(node, "post_transform", &transform));
    SHW_PROPAGATE(shw_onnx_get_integer(node, "aggregate_function", &aggregate));
    if (transform < 0 || transform >= (int64_t)TRANSFORM_COUNT)
        return refuse_unsupported(node, "the post_transform is not in 0..4");
    outputs->link = transforms[transform].link;
    return set_aggregate(node, aggregate < 0 ? AGGREGATE_COUNT : (size_t)aggregate, outputs);
}

static enum shw_result copy_labels(const struct shw_onnx_node *node, const struct shw_onnx_integers *numbers,
                                   const struct shw_onnx_texts *texts, struct shw_onnx_outputs *outputs)
{
    const uint32_t count = texts->count > 0 ? texts->count : numbers->count;
    size_t size = (size_t)numbers->count * LABEL_SIZE + 1;
    char *at;

    for (uint32_t c = 0; c < texts->count; c++)
        size += (size_t)(texts->items[c].end - texts->items[c].at) + 1;
    outputs->class_names = calloc((size_t)count + 1, sizeof *outputs->class_names);
    outputs->names_text = at = calloc(size, 1);
    if (at == NULL || outputs->class_names == NULL)
        return shw_fail_memory(node->log, node->file);
    for (uint32_t c = 0; c < count; c++) {
        outputs->class_names[c] = at;
        if (texts->count > 0)
            memcpy(at, texts->items[c].at, (size_t)(texts->items[c].end - texts->items[c].at));
        else
            snprintf(at, LABEL_SIZE, "%" PRId64, numbers->items[c]);
        at += texts->count > 0 ? (size_t)(texts->items[c].end - texts->items[c].at) + 1 : LABEL_SIZE;
    }
    outputs->class_count = count;
    return SHW_OK;
}

static enum shw_result read_labels(const struct shw_onnx_node *node, struct shw_onnx_outputs *outputs)
{
    struct shw_onnx_integers numbers = {0};
    struct shw_onnx_texts texts = {0};
    enum shw_result result = shw_onnx_get_integers(node, "classlabels_int64s", &numbers);

    if (result == SHW_OK)
        result = shw_onnx_get_texts(node, "classlabels_strings", &texts);
    if (result == SHW_OK && (numbers.count == 0) == (texts.count == 0))
        result = shw_onnx_refuse(node, "there must be either classlabels_int64s or classlabels_strings");
    if (result == SHW_OK)
        result = copy_labels(node, &numbers, &texts, outputs);
    free(numbers.items);
    free(texts.items);
    return result;
}

/* What the votes at leaves have in common. */
struct summary {
    bool has_votes, is_positive;        /* no weight is below 0 */
    bool one_output, one_output_a_tree; /* the latter but for weights of 0 */
    uint32_t first_output, last_output;
};

static void add_vote(struct summary *summary, const struct shw_onnx_vote *vote, int64_t *tree_output)
{
    summary->one_output &= !summary->has_votes || vote->output == summary->first_output;
    summary->first_output = summary->has_votes ? summary->first_output : vote->output;
    summary->last_output = vote->output > summary->last_output ? vote->output : summary->last_output;
    summary->has_votes = true;
    summary->is_positive &= !(vote->weight < 0);
    if (vote->weight != 0) {
        summary->one_output_a_tree &= *tree_output < 0 || *tree_output == vote->output;
        *tree_output = vote->output;
    }
}

static struct summary summarise(const struct shw_onnx_trees *trees)
{
    struct summary summary = {.is_positive = true, .one_output = true, .one_output_a_tree = true};

    for (uint32_t t = 0; t < trees->tree_count; t++) {
        int64_t output = -1;
        for (uint32_t i = trees->starts[t]; i < trees->starts[t + 1]; i++)
            for (uint32_t v = 0; trees->items[i].mode == SHW_ONNX_LEAF && v < trees->items[i].vote_count; v++)
                add_vote(&summary, &trees->votes[trees->items[i].first_vote + v], &output);
    }
    return summary;
}

/* Two classes of which one has votes. LOGISTIC makes the second class's probability of the sum; otherwise, as
 * onnxruntime has it, the sum is that probability if no weight is below 0, and else a score that is positive for the
 * class. */
static enum shw_result set_binary(const struct shw_onnx_node *node, const struct summary *summary,
                                  struct shw_onnx_outputs *outputs)
{
    const bool is_mirrored =
        outputs->link == SHW_RECORD_IDENTITY || (summary->is_positive && outputs->link != SHW_RECORD_LOGISTIC);

    if (outputs->link == SHW_RECORD_PROBIT) {
        outputs->cut = summary->is_positive ? 0.5 : 0;
        return SHW_OK;
    }
    if (outputs->link == SHW_RECORD_LOGISTIC && summary->is_positive)
        shw_log_message(node->log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s: no weight is below 0. Records are of the second class if its probability is above 0.5; "
                        "onnxruntime wants the sum above 0.5, a probability of 0.62",
                        node->file);
    if (!is_mirrored && outputs->link != SHW_RECORD_LOGISTIC)
        return refuse_unsupported(node, "the post_transform of a sum for one of two classes is not LOGISTIC or NONE, "
                                        "which are supported");
    if (is_mirrored) {
        outputs->is_mirrored = true;
        outputs->link = SHW_RECORD_IDENTITY;
        outputs->output_count = 2;
    }
    return SHW_OK;
}

static enum shw_result set_counts(const struct shw_onnx_node *node, const struct summary *summary,
                                  struct shw_onnx_outputs *outputs)
{
    const bool is_binary = outputs->class_count == 2 && summary->one_output;
    int64_t targets = (int64_t)summary->last_output + 1;

    if (outputs->task == SHW_RECORD_CLASSES) {
        if (outputs->class_count < 2)
            return refuse_unsupported(node, "a classifier of one class is not supported");
        targets = outputs->class_count;
    } else {
        SHW_PROPAGATE(shw_onnx_get_integer(node, "n_targets", &targets));
    }
    if (targets < 1 || targets > SHW_RECORD_OUTPUTS_MAX || targets <= summary->last_output)
        return shw_onnx_refuse(node, "%" PRId64 " outputs, and weights for output %u; 1 to %u outputs are supported",
                               targets, summary->last_output, SHW_RECORD_OUTPUTS_MAX);
    outputs->output_count = is_binary ? 1 : (uint32_t)targets;
    if (is_binary)
        SHW_PROPAGATE(set_binary(node, summary, outputs));
    outputs->values_per_leaf = outputs->is_mirrored ? 2 : summary->one_output_a_tree ? 1 : outputs->output_count;
    return SHW_OK;
}

/* They are added after the mean is made. */
static enum shw_result set_base(const struct shw_onnx_node *node, const struct shw_onnx_reals *base,
                                const struct summary *summary, uint32_t tree_count, struct shw_onnx_outputs *outputs)
{
    const uint32_t expected = outputs->is_mirrored ? 1 : outputs->output_count;
    const double share = outputs->mean ? tree_count : 1;

    outputs->base = calloc(outputs->output_count, sizeof *outputs->base);
    if (outputs->base == NULL)
        return shw_fail_memory(node->log, node->file);
    if (base->count > 0)
        SHW_PROPAGATE(shw_onnx_check_length(node, "base_values", base->count, expected));
    for (uint32_t b = 0; b < base->count; b++) {
        if (!isfinite(base->items[b]))
            return shw_onnx_refuse(node, "element %u of base_values is not a finite number", b);
        outputs->base[outputs->is_mirrored ? 1 : b] = base->items[b] * share;
    }
    if (outputs->is_mirrored)
        outputs->base[0] = (summary->is_positive ? 1 : 0) - outputs->base[1];
    return SHW_OK;
}

static enum shw_result read_outputs(const struct shw_onnx_node *node, const struct shw_onnx_trees *trees,
                                    struct shw_onnx_outputs *outputs)
{
    const struct summary summary = summarise(trees);
    struct shw_onnx_reals base = {0};
    enum shw_result result;

    SHW_PROPAGATE(set_counts(node, &summary, outputs));
    result = shw_onnx_get_reals(node, "base_values", &base);
    if (result == SHW_OK)
        result = set_base(node, &base, &summary, trees->tree_count, outputs);
    free(base.items);
    return result;
}

enum shw_result shw_onnx_ensemble_read(const struct shw_onnx_node *node, struct shw_onnx_trees *trees,
                                       struct shw_onnx_outputs *outputs)
{
    const bool is_classifier = shw_protobuf_is(&node->type, "TreeEnsembleClassifier");

    outputs->task = is_classifier ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES;
    if (shw_protobuf_is(&node->type, "TreeEnsemble")) {
        SHW_PROPAGATE(read_numbers(node, outputs));
        SHW_PROPAGATE(shw_onnx_tree_ensemble_read(node, trees));
    } else {
        SHW_PROPAGATE(read_names(node, outputs));
        SHW_PROPAGATE(shw_onnx_lists_read(node, is_classifier ? "class" : "target", trees));
    }
    if (is_classifier)
        SHW_PROPAGATE(read_labels(node, outputs));
    return read_outputs(node, trees, outputs);
}

void shw_onnx_outputs_free(struct shw_onnx_outputs *outputs)
{
    free(outputs->base);
    free(outputs->names_text);
    free(outputs->class_names);
    *outputs = (struct shw_onnx_outputs){0};
}
