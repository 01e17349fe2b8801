#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"
#include "formats/lightgbm_tree.h"
#include "formats/record_formats.h"
#include "records/model/builder.h"

/* The objectives of LightGBM's models, as far as they say how predictions follow from sums. */

struct lightgbm_objective {
    enum shw_record_task task;
    enum shw_record_link link;
    double scale; /* of LOGISTIC */
};

struct kind {
    const char *name;
    enum shw_record_task task;
    enum shw_record_link link;
    bool per_class;    /* a sum for each class */
    bool may_be_roots; /* with "sqrt", sums are square roots of predictions, with their signs */
};

static const struct kind kinds[] = {
    {"regression", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, true},
    {"regression_l1", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, true},
    {"huber", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, true},
    {"fair", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, true},
    {"quantile", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, true},
    {"mape", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, true},
    {"poisson", SHW_RECORD_VALUES, SHW_RECORD_EXP, false, false},
    {"gamma", SHW_RECORD_VALUES, SHW_RECORD_EXP, false, false},
    {"tweedie", SHW_RECORD_VALUES, SHW_RECORD_EXP, false, false},
    {"cross_entropy", SHW_RECORD_VALUES, SHW_RECORD_LOGISTIC, false, false},
    {"xentropy", SHW_RECORD_VALUES, SHW_RECORD_LOGISTIC, false, false},
    {"cross_entropy_lambda", SHW_RECORD_VALUES, SHW_RECORD_SOFTPLUS, false, false},
    {"xentlambda", SHW_RECORD_VALUES, SHW_RECORD_SOFTPLUS, false, false},
    {"lambdarank", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, false},
    {"rank_xendcg", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, false, false},
    {"binary", SHW_RECORD_CLASSES, SHW_RECORD_LOGISTIC, false, false},
    {"multiclass", SHW_RECORD_CLASSES, SHW_RECORD_SOFTMAX, true, false},
    {"multiclassova", SHW_RECORD_CLASSES, SHW_RECORD_LOGISTIC, true, false},
};

struct word {
    const char *start;
    size_t length;
};

/* The next word of a value, or an empty one. */
static struct word next_word(const struct shw_lightgbm_value *value, const char *after)
{
    const char *end = value->text + value->length;
    struct word word = {.start = after};

    while (word.start < end && *word.start == ' ')
        word.start++;
    while (word.start + word.length < end && word.start[word.length] != ' ')
        word.length++;
    return word;
}

static bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->start, text, word->length) == 0;
}

/* A word NAME:NUMBER; NaN is what is no number. */
static bool read_parameter(const struct word *word, const char *name, double *number)
{
    size_t length = strlen(name);
    char *end;

    if (word->length <= length + 1 || memcmp(word->start, name, length) != 0 || word->start[length] != ':')
        return false;
    *number = shw_decimal_read(word->start + length + 1, &end);
    if (end != word->start + word->length)
        *number = NAN;
    return true;
}

static const struct kind *find_kind(const struct word *word)
{
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (word_is(word, kinds[k].name))
            return &kinds[k];
    return NULL;
}

/* Parameters that do not matter to predictions are passed over. */
static enum shw_result read_parameters(const struct shw_lightgbm_text *text, const struct shw_lightgbm_value *value,
                                       const struct kind *kind, uint32_t class_count, struct word word,
                                       struct lightgbm_objective *objective)
{
    double number;

    for (; word.length > 0; word = next_word(value, word.start + word.length)) {
        if (word_is(&word, "sqrt") && kind->may_be_roots)
            objective->link = SHW_RECORD_SIGNED_SQUARE;
        else if (kind->link == SHW_RECORD_LOGISTIC && read_parameter(&word, "sigmoid", &number))
            objective->scale = number;
        else if (read_parameter(&word, "num_class", &number) && number != class_count)
            return shw_lightgbm_refuse(text, value->line, "objective: %g classes, but num_class is %u", number,
                                       class_count);
    }
    if (!(objective->scale > 0) || !isfinite(objective->scale))
        return shw_lightgbm_refuse(text, value->line, "objective: sigmoid is not a number above 0");
    return SHW_OK;
}

/* Understands a value such as "binary sigmoid:1" for a model of `class_count` classes; without one (the objective was
 * the user's own) predictions are the sums. Errors: FORMAT, also for other objectives. */
static enum shw_result lightgbm_objective_read(const struct shw_lightgbm_text *text,
                                               const struct shw_lightgbm_value *value, uint32_t class_count,
                                               struct lightgbm_objective *objective)
{
    const struct kind *kind;
    struct word word;

    *objective =
        (struct lightgbm_objective){class_count > 1 ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, 1};
    if (value->text == NULL)
        return SHW_OK;
    word = next_word(value, value->text);
    kind = find_kind(&word);
    if (kind == NULL)
        return shw_fail(text->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                        "%s, line %u: the objective \"%.*s\" is not supported", text->name, value->line,
                        (int)(word.length < 40 ? word.length : 40), word.start);
    if (kind->per_class != (class_count > 1))
        return shw_lightgbm_refuse(text, value->line, "objective: %s with %u classes", kind->name, class_count);
    objective->task = kind->task;
    objective->link = kind->link;
    return read_parameters(text, value, kind, class_count, next_word(value, word.start + word.length), objective);
}

enum key {
    VERSION,
    NUM_CLASS,
    NUM_TREE_PER_ITERATION,
    MAX_FEATURE_IDX,
    OBJECTIVE,
    AVERAGE_OUTPUT,
    FEATURE_NAMES,
    TREE_SIZES,
    KEY_COUNT
};
static const char *const keys[KEY_COUNT] = {"version",   "num_class",      "num_tree_per_iteration", "max_feature_idx",
                                            "objective", "average_output", "feature_names",          "tree_sizes"};

struct model {
    struct shw_lightgbm_text text;
    struct shw_lightgbm_value values[KEY_COUNT];
    struct lightgbm_objective objective;
    uint32_t output_count, attribute_count, tree_count;
    bool mean;
    char *names_text; /* with a zero byte after each */
    const char **names;
};

static enum shw_result check_version(const struct model *model)
{
    const struct shw_lightgbm_value *version = &model->values[VERSION];

    if (version->text == NULL)
        return shw_lightgbm_refuse(&model->text, model->text.line,
                                   "version is missing; LightGBM's versions v2, v3 and v4 are supported");
    if (version->length == 2 && version->text[0] == 'v' && version->text[1] >= '2' && version->text[1] <= '4')
        return SHW_OK;
    return shw_fail(model->text.log, SHW_ERROR_VERSION, SHW_LOG_FILE_READ,
                    "%s, line %u: LightGBM's version \"%.*s\" is not supported; v2, v3 and v4 are", model->text.name,
                    version->line, (int)(version->length < 20 ? version->length : 20), version->text);
}

static enum shw_result get_integer(const struct model *model, enum key key, int64_t low, int64_t high, int64_t *number)
{
    return shw_lightgbm_integer(&model->text, keys[key], &model->values[key], low, high, number);
}

static enum shw_result read_sizes(struct model *model)
{
    int64_t classes, outputs, last;

    SHW_PROPAGATE(get_integer(model, NUM_CLASS, 1, SHW_RECORD_OUTPUTS_MAX, &classes));
    outputs = classes;
    if (model->values[NUM_TREE_PER_ITERATION].text != NULL)
        SHW_PROPAGATE(get_integer(model, NUM_TREE_PER_ITERATION, 1, SHW_RECORD_OUTPUTS_MAX, &outputs));
    if (outputs != classes)
        return shw_lightgbm_refuse(&model->text, model->values[NUM_TREE_PER_ITERATION].line,
                                   "num_tree_per_iteration is %u, but num_class is %u", (unsigned)outputs,
                                   (unsigned)classes);
    SHW_PROPAGATE(get_integer(model, MAX_FEATURE_IDX, 0, SHW_RECORD_ATTRIBUTES_MAX - 1, &last));
    model->output_count = (uint32_t)outputs;
    model->attribute_count = (uint32_t)last + 1;
    model->mean = model->values[AVERAGE_OUTPUT].text != NULL;
    return SHW_OK;
}

/* Divides the text at blanks; how many names there are. */
static uint32_t split_names(struct model *model)
{
    char *rest = model->names_text;
    uint32_t count = 0;

    for (char *name = strtok_r(rest, " ", &rest); name != NULL; name = strtok_r(NULL, " ", &rest)) {
        if (count < model->attribute_count)
            model->names[count] = name;
        count++;
    }
    return count;
}

static enum shw_result read_names(struct model *model)
{
    const struct shw_lightgbm_value *value = &model->values[FEATURE_NAMES];
    uint32_t count;

    if (value->text == NULL)
        return shw_lightgbm_refuse(&model->text, model->text.line, "feature_names is missing");
    model->names_text = strndup(value->text, value->length);
    model->names = calloc(model->attribute_count, sizeof *model->names);
    if (model->names_text == NULL || model->names == NULL)
        return shw_fail_memory(model->text.log, model->text.name);
    count = split_names(model);
    if (count != model->attribute_count)
        return shw_lightgbm_refuse(&model->text, value->line, "feature_names has %u names; there must be %u", count,
                                   model->attribute_count);
    return SHW_OK;
}

static enum shw_result read_header(struct model *model)
{
    struct shw_lightgbm_value rest;

    if (!shw_lightgbm_take(&model->text, "tree", &rest) || rest.length > 0)
        return shw_lightgbm_refuse(&model->text, 1, "a LightGBM model must begin with the line \"tree\"");
    SHW_PROPAGATE(shw_lightgbm_section(&model->text, keys, KEY_COUNT, model->values));
    SHW_PROPAGATE(check_version(model));
    SHW_PROPAGATE(read_sizes(model));
    SHW_PROPAGATE(
        lightgbm_objective_read(&model->text, &model->values[OBJECTIVE], model->output_count, &model->objective));
    return read_names(model);
}

/* Trees take turns: each is of the output that follows that of the tree before. With MEAN, outputs are divided by the
 * number of all trees, of which each output has its share. */
static enum shw_result add_tree(struct model *model, const struct shw_lightgbm_value *number,
                                struct shw_record_builder *builder)
{
    struct shw_branches branches = {0};
    const struct shw_branches_place place = {
        .file = model->text.name, .tree = model->tree_count, .log = model->text.log};
    enum shw_result result;
    int64_t t;

    SHW_PROPAGATE(shw_lightgbm_integer(&model->text, "Tree", number, model->tree_count, model->tree_count, &t));
    result = shw_lightgbm_tree_read(&model->text, model->attribute_count, &branches);
    for (uint32_t b = 0; result == SHW_OK && model->mean && b < branches.count; b++)
        if (!branches.items[b].is_split)
            branches.values[branches.items[b].first_value] *= model->output_count;
    if (result == SHW_OK)
        result = shw_branches_build(&branches, 0, &place, model->tree_count % model->output_count, builder);
    free(branches.values);
    shw_branches_free(&branches);
    return result;
}

/* What LightGBM writes below the trees, the later versions more of it than the earlier ones. */
static bool has_end(const struct shw_lightgbm_text *text)
{
    return shw_lightgbm_begins(text, "end of trees") || shw_lightgbm_begins(text, "feature importances") ||
           shw_lightgbm_begins(text, "feature_importances") || shw_lightgbm_begins(text, "parameters");
}

/* If the file says how many trees there are, there must be as many: it could be cut off between two. */
static enum shw_result check_count(const struct model *model)
{
    const struct shw_lightgbm_value *sizes = &model->values[TREE_SIZES];
    uint32_t expected = 0;

    for (size_t i = 0; i < sizes->length; i++)
        expected += sizes->text[i] != ' ' && (i == 0 || sizes->text[i - 1] == ' ');
    if (sizes->text != NULL && expected != model->tree_count)
        return shw_lightgbm_refuse(&model->text, sizes->line, "tree_sizes has %u trees, but there are %u", expected,
                                   model->tree_count);
    if (sizes->text == NULL && !has_end(&model->text))
        shw_log_message(model->text.log, SHW_LOG_WARNING, SHW_LOG_FILE_READ,
                        "%s, line %u: after its %s the file does not end as LightGBM's do: it may be truncated",
                        model->text.name, model->text.line, shw_counted(model->tree_count, "tree", "trees").text);
    if (model->tree_count == 0 || model->tree_count % model->output_count != 0)
        return shw_lightgbm_refuse(&model->text, model->text.line, "%u trees cannot serve %u outputs in turn",
                                   model->tree_count, model->output_count);
    return SHW_OK;
}

static enum shw_result add_trees(struct model *model, struct shw_record_builder *builder)
{
    struct shw_lightgbm_value number;

    for (;;) {
        shw_lightgbm_skip_empty(&model->text);
        if (!shw_lightgbm_take(&model->text, "Tree=", &number))
            break;
        model->text.tree = model->tree_count;
        SHW_PROPAGATE(add_tree(model, &number, builder));
        model->tree_count++;
    }
    model->text.tree = -1;
    return check_count(model);
}

/* Version and objective, as the file has them. */
static void keep(const struct model *model, json_t *training)
{
    const struct shw_lightgbm_value *version = &model->values[VERSION], *objective = &model->values[OBJECTIVE];

    json_object_set_new(training, "version", json_stringn(version->text, version->length));
    if (objective->text != NULL)
        json_object_set_new(training, "objective", json_stringn(objective->text, objective->length));
}

static enum shw_result finish(const struct model *model, const struct shw_record_import *import,
                              struct shw_record_builder *builder, struct shw_record_forest **forest)
{
    char *training = json_dumps(import->training, JSON_COMPACT);
    const struct shw_record_builder_params params = {
        .info = {.task = model->objective.task,
                 .link = model->objective.link,
                 .link_scale = model->objective.scale,
                 .mean = model->mean,
                 .attribute_count = model->attribute_count,
                 .output_count = model->output_count,
                 .class_count = model->objective.task != SHW_RECORD_CLASSES ? 0
                                : model->output_count > 1                   ? model->output_count
                                                                            : 2,
                 .attribute_names = model->names,
                 .training = training},
        .scale = SHW_RECORD_SCALE_VALUES,
        .compares_doubles = true,
    };
    enum shw_result result = training != NULL ? shw_record_builder_finish(builder, &params, forest)
                                              : shw_fail_memory(import->log, import->name);

    free(training);
    return result;
}

static enum shw_result read_model(struct model *model, const struct shw_record_import *import,
                                  struct shw_record_forest **forest)
{
    struct shw_record_builder *builder = NULL;
    enum shw_result result;

    SHW_PROPAGATE(read_header(model));
    keep(model, import->training);
    SHW_PROPAGATE(shw_record_builder_create(import->name, 1, import->log, &builder));
    result = add_trees(model, builder);
    if (result == SHW_OK)
        result = finish(model, import, builder, forest);
    shw_record_builder_destroy(&builder);
    return result;
}

enum shw_result shw_lightgbm_read(const struct shw_record_import *import, struct shw_record_forest **forest)
{
    size_t size = import->size;
    const char *text = shw_skip_byte_order_mark(import->bytes, &size);
    struct model model = {
        .text = {.at = text, .end = text + size, .line = 1, .name = import->name, .log = import->log, .tree = -1}};
    enum shw_result result = read_model(&model, import, forest);

    free(model.names);
    free(model.names_text);
    return result;
}
