/* The head of a text, and what follows from it about features and channels. */
#include "files/code/text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/text.h"
#include "dense/channels/channel_maker.h"
#include "files/code/reader.h"
#include "shared/candidate.h"

#define MARK        (1u << 31) /* of the head, where no rectangle tells a feature from a leaf's zeros */
#define SINGLE      (1u << SHW_NODE_SECOND_SHIFT) /* of the head: not set in the features that are */
#define CHANNEL_MAX 4095u

#define BYTE_ORDER_MARK "\xef\xbb\xbf" /* with which some editors begin texts in UTF-8 */

/* --- The head --- */

struct heading {
    struct shw_code_reader *reader;
    struct shw_code_text *text;
    struct shw_code_param *param;   /* the last one, or NULL */
    struct shw_code_output *output; /* the same */
    struct shw_code_pass *pass;     /* the same; at most one of the three is not NULL */
    bool has_subject, has_reads;
};

#define REFUSE(heading, ...) shw_code_refuse((heading)->reader, (heading)->reader->line, __VA_ARGS__)

static void need_feature(const struct heading *heading, bool feature, const char *directive)
{
    if (!heading->has_subject || (heading->text->subject == SHW_CODE_FEATURE) != feature)
        REFUSE(heading, "//!%s comes after //!%s", directive, feature ? "FEATURE" : "CHANNEL");
}

static int32_t read_integer(struct heading *heading, int64_t least, int64_t greatest)
{
    struct shw_code_reader *reader = heading->reader;
    int64_t number;
    bool is_negative;

    shw_code_next(reader);
    is_negative = shw_code_take(reader, "-");
    number = is_negative ? -reader->token.number : reader->token.number;
    if (reader->token.kind != SHW_TOKEN_NUMBER || number < least || number > greatest)
        REFUSE(heading, "a number from %lld to %lld is expected", (long long)least, (long long)greatest);
    shw_code_next(reader);
    return (int32_t)number;
}

/* A name of files and lists, in which '-' may be: the rest of the line. */
static void read_file_name(struct heading *heading, char *name, size_t size)
{
    struct shw_code_reader *reader = heading->reader;
    size_t length;

    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t'))
        reader->at++;
    for (length = 0; reader->at < reader->end && *reader->at != ' ' && *reader->at != '\r'; reader->at++, length++)
        if (length < size - 1)
            name[length] = *reader->at;
    name[length < size ? length : size - 1] = '\0';
    if (length >= size || !shw_name_is_valid(name, size - 1))
        REFUSE(heading, "a name of 1 to %zu lower-case letters, digits and '-' is expected", size - 1);
    shw_code_next(reader);
}

static void take_subject(struct heading *heading, enum shw_code_subject subject)
{
    if (heading->has_subject)
        REFUSE(heading, "a text is one feature type or one channel kind");
    heading->has_subject = true;
    heading->text->subject = subject;
    read_file_name(heading, heading->text->name,
                   subject == SHW_CODE_FEATURE ? sizeof heading->text->name : 16); /* names of kinds are shorter */
}

static void take_feature(struct heading *heading)
{
    take_subject(heading, SHW_CODE_FEATURE);
}

static void take_channel(struct heading *heading)
{
    take_subject(heading, SHW_CODE_CHANNEL);
}

static void take_label(struct heading *heading)
{
    struct shw_code_reader *reader = heading->reader;
    struct shw_code_text *text = heading->text;
    size_t length;

    need_feature(heading, true, "LABEL");
    while (reader->at < reader->end && *reader->at == ' ')
        reader->at++;
    length = (size_t)(reader->end - reader->at);
    while (length > 0 && (reader->at[length - 1] == ' ' || reader->at[length - 1] == '\r'))
        length--;
    if (length < 1 || length >= sizeof text->label)
        REFUSE(heading, "a label has 1 to %zu bytes", sizeof text->label - 1);
    memcpy(text->label, reader->at, length);
    text->label[length] = '\0';
    for (const char *at = text->label; *at != '\0'; at++)
        if (shw_control_character(at) != 0)
            REFUSE(heading, "a label has no control characters");
    reader->at = reader->end;
    shw_code_next(reader);
}

static void take_reads(struct heading *heading)
{
    need_feature(heading, true, "READS");
    shw_code_next(heading->reader);
    if (shw_code_take(heading->reader, "channels"))
        heading->text->reads = SHW_FEATURE_READS_CHANNELS;
    else if (!shw_code_take(heading->reader, "integrals"))
        REFUSE(heading, "//!READS is integrals or channels");
}

static void take_param(struct heading *heading)
{
    struct shw_code_text *text = heading->text;
    struct shw_code_param param = {.line = heading->reader->line, .channel = -1};
    const uint32_t most = text->subject == SHW_CODE_FEATURE ? SHW_CODE_PARAMS_MAX : 1;

    if (!heading->has_subject)
        REFUSE(heading, "//!FEATURE or //!CHANNEL and a name come first");
    if (text->param_count == most)
        REFUSE(heading, "a %s has at most %u parameter%s",
               text->subject == SHW_CODE_FEATURE ? "feature type" : "channel kind", most, most == 1 ? "" : "s");
    shw_code_next(heading->reader);
    shw_code_take_name(heading->reader, "the name of a parameter", param.name);
    if (strstr(param.name, "__") != NULL)
        REFUSE(heading, "'%s' has two underscores in a row, which GLSL keeps for itself", param.name);
    if (shw_code_find_param(text, param.name, strlen(param.name)) >= 0)
        REFUSE(heading, "there is already a parameter '%s'", param.name);
    heading->param = &text->params[text->param_count++];
    heading->output = NULL;
    heading->pass = NULL;
    *heading->param = param;
}

static void take_type(struct heading *heading)
{
    static const struct {
        const char *name;
        enum shw_code_type type;
    } types[] = {{"int", SHW_CODE_INT},
                 {"size", SHW_CODE_SIZE},
                 {"channel", SHW_CODE_CHANNEL_OF},
                 {"rectangle", SHW_CODE_RECTANGLE},
                 {"offset", SHW_CODE_OFFSET},
                 {"single", SHW_CODE_SINGLE}};

    if (heading->param == NULL)
        REFUSE(heading, "//!TYPE comes after //!PARAM");
    shw_code_next(heading->reader);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (shw_code_take(heading->reader, types[i].name)) {
            if (i > 0 && heading->text->subject == SHW_CODE_CHANNEL)
                REFUSE(heading, "the parameter of a channel kind is an int");
            heading->param->type = types[i].type;
            return;
        }
    REFUSE(heading, "//!TYPE is int, size, channel, rectangle, offset or single");
}

static void take_minimum(struct heading *heading)
{
    if (heading->param == NULL)
        REFUSE(heading, "//!MINIMUM comes after //!PARAM");
    heading->param->min = read_integer(heading, -SHW_CODE_MAXIMUM_MAX, SHW_CODE_MAXIMUM_MAX);
    heading->param->has_min = true;
}

static void take_maximum(struct heading *heading)
{
    if (heading->output != NULL) {
        heading->output->max_abs = (uint32_t)read_integer(heading, 1, INT16_MAX);
        return;
    }
    if (heading->pass != NULL) {
        heading->pass->max_abs = (uint32_t)read_integer(heading, 1, INT16_MAX);
        return;
    }
    if (heading->param == NULL)
        REFUSE(heading, "//!MAXIMUM comes after //!PARAM, //!PASS or //!OUTPUT");
    heading->param->max = read_integer(heading, -SHW_CODE_MAXIMUM_MAX, SHW_CODE_MAXIMUM_MAX);
    heading->param->has_max = true;
}

static void take_of(struct heading *heading)
{
    if (heading->param == NULL || heading->param->type != SHW_CODE_RECTANGLE)
        REFUSE(heading, "//!OF comes after //!TYPE rectangle");
    shw_code_next(heading->reader);
    shw_code_take_name(heading->reader, "the name of a parameter", heading->param->of);
}

static void refuse_greatest(const struct heading *heading, const struct shw_code_expression *reach)
{
    for (uint32_t n = 0; n < reach->count; n++)
        if (reach->nodes[n].operation == 'g')
            REFUSE(heading, "greatest() is for //!BOUND");
}

static void take_reach_of_pass(struct heading *heading)
{
    struct shw_code_pass *pass = heading->pass;

    if (pass->reach.count > 0)
        REFUSE(heading, "the pass %s has a //!REACH already", pass->name);
    pass->reach_line = heading->reader->line;
    shw_code_next(heading->reader);
    shw_code_expression_read(heading->reader, heading->text, &pass->reach);
    refuse_greatest(heading, &pass->reach);
}

static void take_reach(struct heading *heading)
{
    struct shw_code_text *text = heading->text;
    struct shw_code_reader *reader = heading->reader;

    if (heading->pass != NULL) {
        take_reach_of_pass(heading);
        return;
    }
    if (!heading->has_subject || text->reach_count > 0 || text->reaches_all)
        REFUSE(heading, "//!REACH comes once, after what it names");
    text->reach_line = reader->line;
    shw_code_next(reader);
    if (text->subject == SHW_CODE_FEATURE && shw_code_take(reader, "all")) {
        text->reaches_all = true;
        return;
    }
    do
        shw_code_expression_read(reader, text, &text->reach[text->reach_count++]);
    while (text->reach_count < 4 && shw_code_take(reader, ","));
    if (text->reach_count != 1 && text->reach_count != 4)
        REFUSE(heading, "//!REACH is all, one expression, or four: x0, y0, x1, y1");
    for (uint32_t i = 0; i < text->reach_count; i++)
        refuse_greatest(heading, &text->reach[i]);
}

static void take_bound(struct heading *heading)
{
    need_feature(heading, true, "BOUND");
    heading->text->bound_line = heading->reader->line;
    shw_code_next(heading->reader);
    shw_code_expression_read(heading->reader, heading->text, &heading->text->bound);
}

/* The name of the function of a pass or an output. */
static void name_function(const char *name, char function[SHW_CODE_NAME_MAX + 1])
{
    snprintf(function, SHW_CODE_NAME_MAX + 1, "%s", name);
    for (char *at = function; *at != '\0'; at++)
        *at = *at == '-' ? '_' : *at;
}

/* Passes and outputs have different functions. */
static void check_new_function(const struct heading *heading, const char *function)
{
    const struct shw_code_text *text = heading->text;

    for (uint32_t i = 0; i < text->output_count; i++)
        if (strcmp(text->outputs[i].function, function) == 0)
            REFUSE(heading, "there is already an output '%s'", text->outputs[i].name);
    for (uint32_t i = 0; i < text->pass_count; i++)
        if (strcmp(text->passes[i].function, function) == 0)
            REFUSE(heading, "there is already a pass '%s'", text->passes[i].name);
}

static void take_pass(struct heading *heading)
{
    struct shw_code_text *text = heading->text;
    struct shw_code_pass pass = {.line = heading->reader->line};

    need_feature(heading, false, "PASS");
    if (text->pass_count == SHW_CHANNEL_PASSES_MAX)
        REFUSE(heading, "a channel kind has at most %u passes", SHW_CHANNEL_PASSES_MAX);
    read_file_name(heading, pass.name, 17);
    name_function(pass.name, pass.function);
    check_new_function(heading, pass.function);
    heading->param = NULL;
    heading->output = NULL;
    heading->pass = &text->passes[text->pass_count++];
    *heading->pass = pass;
}

static void take_output(struct heading *heading)
{
    struct shw_code_text *text = heading->text;
    struct shw_code_output output = {.line = heading->reader->line};

    need_feature(heading, false, "OUTPUT");
    if (text->output_count == SHW_CHANNEL_COUNT_MAX)
        REFUSE(heading, "a channel kind makes at most %u channels", SHW_CHANNEL_COUNT_MAX);
    read_file_name(heading, output.name, 17); /* with a parameter, 24 bytes */
    name_function(output.name, output.function);
    check_new_function(heading, output.function);
    heading->param = NULL;
    heading->pass = NULL;
    heading->output = &text->outputs[text->output_count++];
    *heading->output = output;
}

static void take_fraction(struct heading *heading)
{
    if (heading->output == NULL)
        REFUSE(heading, "//!FRACTION comes after //!OUTPUT");
    heading->output->fraction_bits = (uint32_t)read_integer(heading, 0, 14);
}

static void take_mirror(struct heading *heading)
{
    static const char *const names[] = {"same", "negated", "fixed"};

    if (heading->output == NULL)
        REFUSE(heading, "//!MIRROR comes after //!OUTPUT");
    shw_code_next(heading->reader);
    for (int i = 0; i < 3; i++)
        if (shw_code_take(heading->reader, names[i])) {
            heading->output->mirrored = (enum shw_channel_mirror)(SHW_MIRRORED_SAME + i);
            return;
        }
    REFUSE(heading, "//!MIRROR is same, negated or fixed");
}

static void take_input(struct heading *heading)
{
    need_feature(heading, false, "INPUT");
    read_file_name(heading, heading->text->input, sizeof heading->text->input);
    if (strcmp(heading->text->input, "colour") == 0)
        REFUSE(heading, "the colour image is always read");
}

static const struct {
    const char *name;
    void (*take)(struct heading *heading);
} directives[] = {{"FEATURE", take_feature},   {"CHANNEL", take_channel}, {"LABEL", take_label},
                  {"READS", take_reads},       {"PARAM", take_param},     {"TYPE", take_type},
                  {"MINIMUM", take_minimum},   {"MAXIMUM", take_maximum}, {"OF", take_of},
                  {"REACH", take_reach},       {"BOUND", take_bound},     {"OUTPUT", take_output},
                  {"FRACTION", take_fraction}, {"MIRROR", take_mirror},   {"INPUT", take_input},
                  {"PASS", take_pass}};

/* "//!NAME ...", of which `line` ends before the newline. */
static void read_directive(struct heading *heading, const char *line, const char *end)
{
    struct shw_code_reader *reader = heading->reader;
    size_t length = 0;

    line += 3;
    while (line + length < end && line[length] >= 'A' && line[length] <= 'Z')
        length++;
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++)
        if (length == strlen(directives[i].name) && memcmp(line, directives[i].name, length) == 0) {
            const uint32_t number = reader->line;

            reader->at = line + length;
            reader->end = end;
            directives[i].take(heading);
            if (reader->token.kind != SHW_TOKEN_END || reader->line != number)
                shw_code_refuse(reader, number, "nothing more is expected after //!%s", directives[i].name);
            return;
        }
    REFUSE(heading, "there is no //!%.*s", (int)(length < 20 ? length : 20), line);
}

/* Directives stand at the beginning of lines, anywhere in the text. */
static void read_head(struct heading *heading)
{
    struct shw_code_reader *reader = heading->reader;
    const char *line = reader->at, *end = reader->end;

    for (uint32_t number = 1; line < end; number++) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));

        stop = stop != NULL ? stop : end;
        reader->line = number;
        if (stop - line >= 3 && memcmp(line, "//!", 3) == 0)
            read_directive(heading, line, stop);
        line = stop + 1;
    }
    reader->line = 1;
    if (!heading->has_subject)
        REFUSE(heading, "the text has no //!FEATURE or //!CHANNEL with a name");
}

/* --- What follows from the head --- */

static uint32_t bits_of(const struct shw_code_param *param)
{
    const uint32_t range = (uint32_t)(param->max - param->min);

    return range > 0 ? shw_highest_bit(range) + 1 : 0;
}

/* Where parameters are in the five words of a feature, in their order. */
static void place_params(struct shw_code_reader *reader, struct shw_code_text *text)
{
    uint32_t word = 1, shift = 0, channels = 0;
    bool is_single = false;

    for (uint32_t i = 0; i < text->param_count; i++) {
        struct shw_code_param *param = &text->params[i];
        const uint32_t words = param->type == SHW_CODE_RECTANGLE ? 2 : param->type == SHW_CODE_OFFSET ? 1 : 0;

        if (param->type == SHW_CODE_CHANNEL_OF) {
            if (channels == 2)
                shw_code_refuse(reader, param->line, "a feature has at most two channels");
            param->word = 0;
            param->shift = 12 * channels++;
            continue;
        }
        if (param->type == SHW_CODE_SINGLE) {
            if (is_single)
                shw_code_refuse(reader, param->line, "a feature is single once");
            is_single = true;
            continue;
        }
        param->bits = words == 0 ? bits_of(param) : 32;
        if (shift > 0 && shift + param->bits > 32) {
            word++;
            shift = 0;
        }
        param->word = word;
        param->shift = shift;
        word += words;
        shift += words == 0 ? param->bits : 0;
        if (word + (shift > 0) > 5)
            shw_code_refuse(reader, param->line, "the parameters take more than four words of a feature");
        text->has_rectangle = text->has_rectangle || param->type == SHW_CODE_RECTANGLE;
    }
    if (channels == 0)
        shw_code_refuse(reader, 1, "a feature type needs a parameter of the type channel");
}

static void check_param(struct shw_code_reader *reader, struct shw_code_text *text, struct shw_code_param *param)
{
    if (param->type == SHW_CODE_SIZE) {
        param->min = param->has_min ? param->min : 1;
        param->has_min = true;
        if (param->min != 1)
            shw_code_refuse(reader, param->line, "the MINIMUM of a size is 1");
    }
    if ((param->type == SHW_CODE_INT || param->type == SHW_CODE_SIZE) && (!param->has_max || !param->has_min))
        shw_code_refuse(reader, param->line, "%s needs //!MINIMUM and //!MAXIMUM", param->name);
    if (param->type == SHW_CODE_RECTANGLE && param->has_max && param->max < 1)
        shw_code_refuse(reader, param->line, "the MAXIMUM of a rectangle, its greatest side, is at least 1");
    if (param->type == SHW_CODE_RECTANGLE && param->has_min)
        shw_code_refuse(reader, param->line, "%s has no MINIMUM", param->name);
    if (param->type != SHW_CODE_INT && param->type != SHW_CODE_SIZE && param->type != SHW_CODE_RECTANGLE &&
        (param->has_min || param->has_max))
        shw_code_refuse(reader, param->line, "%s has neither MINIMUM nor MAXIMUM", param->name);
    if (param->has_min && param->has_max && param->min > param->max)
        shw_code_refuse(reader, param->line, "the MINIMUM of %s is greater than its MAXIMUM", param->name);
    if (param->of[0] == '\0')
        return;
    param->channel = shw_code_find_param(text, param->of, strlen(param->of));
    if (param->channel < 0 || text->params[param->channel].type != SHW_CODE_CHANNEL_OF)
        shw_code_refuse(reader, param->line, "//!OF %s: there is no parameter of that name and of the type channel",
                        param->of);
    if (&text->params[param->channel] > param)
        shw_code_refuse(reader, param->line, "//!OF %s: that parameter must come before %s", param->of, param->name);
}

static void check_reach(struct shw_code_reader *reader, struct shw_code_text *text)
{
    const uint32_t most = text->pass_count > 0 ? SHW_CHANNEL_REACH_MAX : SHW_CODE_RADIUS_MAX;

    for (uint32_t i = 0; i < text->reach_count; i++) {
        struct shw_code_interval interval;

        if (!shw_code_expression_interval(text, &text->reach[i], NULL, &interval))
            shw_code_refuse(reader, text->reach_line, "the reach could leave the range of -2^30 to 2^30");
        if (text->subject == SHW_CODE_CHANNEL && (interval.low < 0 || interval.high > most))
            shw_code_refuse(reader, text->reach_line, "the reach of a channel kind is 0 to %u", most);
        text->radius = shw_max_u32(text->radius, text->subject == SHW_CODE_CHANNEL ? (uint32_t)interval.high : 0);
    }
    if (text->subject == SHW_CODE_CHANNEL && text->reach_count > 1)
        shw_code_refuse(reader, text->reach_line, "the reach of a channel kind is one expression");
}

static void check_passes(struct shw_code_reader *reader, struct shw_code_text *text)
{
    for (uint32_t p = 0; p < text->pass_count; p++) {
        struct shw_code_pass *pass = &text->passes[p];
        struct shw_code_interval interval = {0, 0};

        if (pass->max_abs == 0)
            shw_code_refuse(reader, pass->line, "the pass %s needs //!MAXIMUM", pass->name);
        if (pass->reach.count > 0 && !shw_code_expression_interval(text, &pass->reach, NULL, &interval))
            shw_code_refuse(reader, pass->reach_line, "the reach could leave the range of -2^30 to 2^30");
        if (interval.low < 0 || interval.high > SHW_CHANNEL_REACH_MAX)
            shw_code_refuse(reader, pass->reach_line, "the reach of a pass is 0 to %u", SHW_CHANNEL_REACH_MAX);
        pass->reading.reach = (uint32_t)interval.high;
    }
}

/* What follows from the functions: how far inputs are read by any pass, and by all, one after the other. */
static void check_reading(struct shw_code_reader *reader, struct shw_code_text *text)
{
    uint32_t totals[SHW_CHANNEL_PASSES_MAX + 1];

    text->reading.reach = text->radius; /* as //!REACH says */
    text->radius = text->pass_count == 0 || text->reading.inputs ? text->radius : 0;
    for (uint32_t p = 0; p <= text->pass_count; p++) {
        const bool is_last = p == text->pass_count;
        const struct shw_channel_reading *reading = is_last ? &text->reading : &text->passes[p].reading;
        const uint32_t line = is_last ? text->reach_line : text->passes[p].reach_line;

        if (reading->inputs && reading->reach > SHW_CODE_RADIUS_MAX)
            shw_code_refuse(reader, line, "the reach of what reads images is 0 to %u, and that of other passes to %u",
                            SHW_CODE_RADIUS_MAX, SHW_CHANNEL_REACH_MAX);
        if (reading->inputs)
            text->radius = shw_max_u32(text->radius, reading->reach);
        totals[p] = shw_channel_reading_total(reading, totals);
        if (totals[p] > SHW_CHANNEL_TOTAL_RADIUS_MAX)
            shw_code_refuse(reader, line, "with the passes before, the reach is %u, but at most %u", totals[p],
                            SHW_CHANNEL_TOTAL_RADIUS_MAX);
    }
}

static void check_head(struct shw_code_reader *reader, struct shw_code_text *text)
{
    for (uint32_t i = 0; i < text->param_count; i++)
        check_param(reader, text, &text->params[i]);
    if (text->subject == SHW_CODE_FEATURE)
        place_params(reader, text);
    check_reach(reader, text);
    if (text->subject == SHW_CODE_FEATURE)
        return;
    if (text->param_count == 1 && (text->params[0].min < 0 || text->params[0].max < 1 || text->params[0].max > 9999))
        shw_code_refuse(reader, text->params[0].line, "the parameter of a channel kind is from 0, at most 9999");
    check_passes(reader, text);
    if (text->output_count == 0)
        shw_code_refuse(reader, 1, "a channel kind needs //!OUTPUT and a name");
    for (uint32_t i = 0; i < text->output_count; i++)
        if (text->outputs[i].max_abs == 0)
            shw_code_refuse(reader, text->outputs[i].line, "the output %s needs //!MAXIMUM", text->outputs[i].name);
}

void shw_code_text_free(struct shw_code_text **text)
{
    if (*text == NULL)
        return;
    free((void *)(uintptr_t)(*text)->file);
    free((void *)(uintptr_t)(*text)->text);
    free((*text)->tables);
    free((*text)->body);
    free(*text);
    *text = NULL;
}

/* Comments may have letters of any language; files of forests have text in UTF-8. */
static void check_letters(struct shw_code_reader *reader, const char *bytes, size_t size)
{
    json_t *string = json_stringn(bytes, size);
    const bool fine = string != NULL && memchr(bytes, '\0', size) == NULL;

    json_decref(string);
    if (!fine)
        shw_code_refuse(reader, 1, "it is no text in UTF-8");
}

enum shw_result shw_code_text_read(const char *file, const char *bytes, size_t size, const struct shw_log *log,
                                   struct shw_code_text **out)
{
    struct shw_code_text *text = calloc(1, sizeof *text);
    char *copy = malloc(size + 1), *name = strdup(file);
    const char *begin;
    struct shw_code_reader reader = {.file = file, .line = 1};
    struct heading heading = {.reader = &reader, .text = text};

    if (text == NULL || copy == NULL || name == NULL) {
        free(text);
        free(copy);
        free(name);
        return shw_fail_memory(log, file);
    }
    memcpy(copy, bytes, size);
    copy[size] = '\0';
    *text = (struct shw_code_text){.file = name, .text = copy, .size = size, .reads = SHW_FEATURE_READS_INTEGRALS};
    if (setjmp(reader.failed) != 0) {
        shw_code_text_free(&text);
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "%s", reader.why);
    }
    if (size > SHW_CODE_SIZE_MAX)
        shw_code_refuse(&reader, 1, "the text has more than %u bytes", SHW_CODE_SIZE_MAX);
    check_letters(&reader, copy, size);
    begin = copy + (size >= 3 && memcmp(copy, BYTE_ORDER_MARK, 3) == 0 ? 3 : 0);
    reader.at = begin;
    reader.end = copy + size;
    read_head(&heading);
    check_head(&reader, text);
    reader.at = begin;
    reader.end = copy + size;
    reader.line = 1;
    shw_code_functions_read(&reader, text);
    if (text->subject == SHW_CODE_CHANNEL)
        check_reading(&reader, text);
    if (text->label[0] == '\0')
        snprintf(text->label, sizeof text->label, "%s", text->name);
    *out = text;
    return SHW_OK;
}

/* --- Features --- */

static void decode(const struct shw_code_text *text, const struct shw_feature *feature,
                   int32_t values[SHW_CODE_PARAMS_MAX][4])
{
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];
        const uint32_t word = feature->words[param->word], next = param->word < 4 ? feature->words[param->word + 1] : 0;
        const uint32_t mask = param->bits < 32 ? (1u << param->bits) - 1 : UINT32_MAX;

        if (param->type == SHW_CODE_CHANNEL_OF) {
            values[i][0] = (int32_t)(word >> param->shift & CHANNEL_MAX);
        } else if (param->type == SHW_CODE_RECTANGLE || param->type == SHW_CODE_OFFSET) {
            const bool is_rectangle = param->type == SHW_CODE_RECTANGLE;
            values[i][0] = shw_low16(word);
            values[i][1] = shw_high16(word);
            values[i][2] = is_rectangle ? shw_low16(next) : values[i][0] + 1;
            values[i][3] = is_rectangle ? shw_high16(next) : values[i][1] + 1;
        } else if (param->type != SHW_CODE_SINGLE) {
            values[i][0] = param->min + (int32_t)(param->bits > 0 ? word >> param->shift & mask : 0);
        }
    }
}

/* The bits that parameters take. */
static void used_bits(const struct shw_code_text *text, uint32_t used[5])
{
    memset(used, 0, 5 * sizeof *used);
    used[0] = text->has_rectangle ? 0 : MARK;
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];

        if (param->type == SHW_CODE_CHANNEL_OF)
            used[0] |= CHANNEL_MAX << param->shift;
        else if (param->type == SHW_CODE_SINGLE)
            used[0] |= SINGLE;
        else if (param->bits > 0)
            used[param->word] |= param->bits < 32 ? ((1u << param->bits) - 1) << param->shift : UINT32_MAX;
        if (param->type == SHW_CODE_RECTANGLE)
            used[param->word + 1] = UINT32_MAX;
    }
}

bool shw_code_text_check(const struct shw_code_text *text, const struct shw_feature *feature,
                         const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    int32_t values[SHW_CODE_PARAMS_MAX][4] = {{0}};
    uint32_t used[5];
    struct shw_reach reach;

    used_bits(text, used);
    for (uint32_t w = 0; w < 5; w++)
        if ((feature->words[w] & ~used[w]) != 0 || (w == 0 && ((feature->words[0] ^ used[0]) & MARK) != 0)) {
            snprintf(why, SHW_WHY_SIZE, "word %u, 0x%08x, has bits that no parameter of %s has", w, feature->words[w],
                     text->name);
            return false;
        }
    decode(text, feature, values);
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];

        if (param->type == SHW_CODE_CHANNEL_OF && (uint32_t)values[i][0] >= channels->channel_count) {
            snprintf(why, SHW_WHY_SIZE, "channel %d, but there are only %u", values[i][0], channels->channel_count);
            return false;
        }
        if ((param->type == SHW_CODE_INT || param->type == SHW_CODE_SIZE) && values[i][0] > param->max) {
            snprintf(why, SHW_WHY_SIZE, "%s is %d, but at most %d", param->name, values[i][0], param->max);
            return false;
        }
        if (param->type == SHW_CODE_OFFSET && (values[i][0] == INT16_MAX || values[i][1] == INT16_MAX)) {
            snprintf(why, SHW_WHY_SIZE, "%s is more than %d", param->name, INT16_MAX - 1);
            return false;
        }
        if (param->type == SHW_CODE_RECTANGLE && (values[i][0] >= values[i][2] || values[i][1] >= values[i][3])) {
            snprintf(why, SHW_WHY_SIZE, "%s is no rectangle", param->name);
            return false;
        }
        if (param->type == SHW_CODE_RECTANGLE && param->has_max &&
            (values[i][2] - values[i][0] > param->max || values[i][3] - values[i][1] > param->max)) {
            snprintf(why, SHW_WHY_SIZE, "%s is %d x %d, but its sides are at most %d", param->name,
                     values[i][2] - values[i][0], values[i][3] - values[i][1], param->max);
            return false;
        }
    }
    reach = shw_code_text_reach(text, feature);
    if (reach.x0 >= -SHW_REACH_ALL && reach.y0 >= -SHW_REACH_ALL && reach.x1 <= SHW_REACH_ALL &&
        reach.y1 <= SHW_REACH_ALL)
        return true;
    snprintf(why, SHW_WHY_SIZE, "it reaches farther than %d pixels", SHW_REACH_ALL);
    return false;
}

static int32_t limited(int64_t value, int64_t low, int64_t high)
{
    return (int32_t)(value < low ? low : value > high ? high : value);
}

struct shw_reach shw_code_text_reach(const struct shw_code_text *text, const struct shw_feature *feature)
{
    struct shw_reach reach = {0, 0, 1, 1};
    int32_t values[SHW_CODE_PARAMS_MAX][4] = {{0}};

    if (text->reaches_all)
        return (struct shw_reach){-SHW_REACH_ALL, -SHW_REACH_ALL, SHW_REACH_ALL, SHW_REACH_ALL};
    decode(text, feature, values);
    if (text->reach_count > 0) {
        int64_t ends[4];

        for (uint32_t i = 0; i < 4; i++)
            ends[i] = shw_code_expression_value(&text->reach[text->reach_count == 4 ? i : 0], values, NULL);
        if (text->reach_count == 1) {
            ends[0] = ends[1] = -ends[0];
            ends[2] = ends[3] = ends[2] + 1;
        }
        return (struct shw_reach){limited(ends[0], INT32_MIN, 0), limited(ends[1], INT32_MIN, 0),
                                  limited(ends[2], 1, INT32_MAX), limited(ends[3], 1, INT32_MAX)};
    }
    for (uint32_t i = 0; i < text->param_count; i++) {
        if (text->params[i].type != SHW_CODE_RECTANGLE && text->params[i].type != SHW_CODE_OFFSET)
            continue;
        reach.x0 = shw_min(reach.x0, values[i][0]);
        reach.y0 = shw_min(reach.y0, values[i][1]);
        reach.x1 = shw_max(reach.x1, values[i][2]);
        reach.y1 = shw_max(reach.y1, values[i][3]);
    }
    return reach;
}

uint32_t shw_code_greatest_of(const struct shw_channel_list *channels)
{
    uint32_t greatest = 1;

    for (uint32_t c = 0; c < channels->channel_count; c++)
        greatest = shw_max_u32(greatest, channels->channels[c].max_abs);
    return greatest;
}

uint64_t shw_code_text_bound(const struct shw_code_text *text, const struct shw_feature *feature,
                             const struct shw_channel_list *channels)
{
    const struct shw_reach reach = shw_code_text_reach(text, feature);
    int32_t values[SHW_CODE_PARAMS_MAX][4] = {{0}};
    uint64_t bound = 1;

    decode(text, feature, values);
    if (text->bound.count > 0) {
        const int64_t value = shw_code_expression_value(&text->bound, values, channels);
        return value < 0 ? 0 : (uint64_t)value;
    }
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];
        const uint64_t area = (uint64_t)(values[i][2] - values[i][0]) * (uint64_t)(values[i][3] - values[i][1]);
        const uint64_t value = param->channel >= 0 ? channels->channels[values[param->channel][0]].max_abs
                                                   : shw_code_greatest_of(channels);

        if (param->type == SHW_CODE_RECTANGLE && area * value > bound)
            bound = area * value;
    }
    if (text->summing_line > 0) {
        const uint64_t window = (uint64_t)(reach.x1 - reach.x0) * (uint64_t)(reach.y1 - reach.y0);
        bound = window * shw_code_greatest_of(channels) > bound ? window * shw_code_greatest_of(channels) : bound;
    }
    return bound;
}

uint32_t shw_code_text_regions(const struct shw_code_text *text, const struct shw_feature *feature,
                               struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    const struct shw_reach reach = shw_code_text_reach(text, feature);
    int32_t values[SHW_CODE_PARAMS_MAX][4] = {{0}};
    int32_t channel = -1;
    uint32_t count = 0;

    decode(text, feature, values);
    for (uint32_t i = 0; i < text->param_count; i++) {
        const struct shw_code_param *param = &text->params[i];

        channel = param->type == SHW_CODE_CHANNEL_OF && channel < 0 ? values[i][0] : channel;
        if ((param->type != SHW_CODE_RECTANGLE && param->type != SHW_CODE_OFFSET) || count == SHW_FEATURE_REGIONS_MAX)
            continue;
        regions[count++] = (struct shw_feature_region){
            .channel = (uint32_t)(param->channel >= 0 ? values[param->channel][0] : shw_max(channel, 0)),
            .rectangle = {(int16_t)values[i][0], (int16_t)values[i][1], (int16_t)values[i][2], (int16_t)values[i][3]},
            .alone = *feature};
    }
    if (count == 0)
        regions[count++] = (struct shw_feature_region){.channel = (uint32_t)shw_max(channel, 0),
                                                       .rectangle = {(int16_t)limited(reach.x0, INT16_MIN, INT16_MAX),
                                                                     (int16_t)limited(reach.y0, INT16_MIN, INT16_MAX),
                                                                     (int16_t)limited(reach.x1, INT16_MIN, INT16_MAX),
                                                                     (int16_t)limited(reach.y1, INT16_MIN, INT16_MAX)},
                                                       .alone = *feature};
    return count;
}

/* --- Channels --- */

struct shw_channel_info shw_code_text_info(const struct shw_code_text *text, uint32_t parameter, uint32_t channel)
{
    const struct shw_code_output *output = &text->outputs[channel];
    struct shw_channel_info info = {
        .max_abs = output->max_abs, .fraction_bits = output->fraction_bits, .mirrored = output->mirrored};

    if (text->param_count > 0)
        snprintf(info.name, sizeof info.name, "%s-%u", output->name, parameter);
    else
        snprintf(info.name, sizeof info.name, "%s", output->name);
    return info;
}
