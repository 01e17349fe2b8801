#include "files/formats/lightgbm_objective.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

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
                                       struct shw_lightgbm_objective *objective)
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

enum shw_result shw_lightgbm_objective_read(const struct shw_lightgbm_text *text,
                                            const struct shw_lightgbm_value *value, uint32_t class_count,
                                            struct shw_lightgbm_objective *objective)
{
    const struct kind *kind;
    struct word word;

    *objective = (struct shw_lightgbm_objective){class_count > 1 ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES,
                                                 SHW_RECORD_IDENTITY, 1};
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
