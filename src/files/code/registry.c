/* The feature types and channel kinds that were made. Their functions take no pointer to the text, so each has
 * functions of its own: slots. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "files/code/code.h"
#include "files/code/compile.h"
#include "files/io/file_bytes.h"

#define SLOTS(X)  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define SLOTS_MAX 16u

static struct slot {
    struct shw_code_text *text; /* NULL: free */
    enum shw_code_use use;
    struct shw_code_compiled compiled;
    struct shw_feature_code feature_code;
    struct shw_feature_type feature;
    struct shw_channel_code channel_code;
    struct shw_channel_kind kind;
} slots[SLOTS_MAX];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

#define FUNCTIONS(n)                                                                                                   \
    static bool check_##n(const struct shw_feature *feature, const struct shw_channel_list *channels,                  \
                          char why[SHW_WHY_SIZE])                                                                      \
    {                                                                                                                  \
        return shw_code_text_check(slots[n].text, feature, channels, why);                                             \
    }                                                                                                                  \
    static bool can_draw_##n(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])                          \
    {                                                                                                                  \
        return shw_code_text_can_draw(slots[n].text, channels, why);                                                   \
    }                                                                                                                  \
    static uint64_t get_bound_##n(const struct shw_feature *feature, const struct shw_channel_list *channels)          \
    {                                                                                                                  \
        return shw_code_text_bound(slots[n].text, feature, channels);                                                  \
    }                                                                                                                  \
    static struct shw_reach get_reach_##n(const struct shw_feature *feature)                                           \
    {                                                                                                                  \
        return shw_code_text_reach(slots[n].text, feature);                                                            \
    }                                                                                                                  \
    static uint32_t get_regions_##n(const struct shw_feature *feature,                                                 \
                                    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])                        \
    {                                                                                                                  \
        return shw_code_text_regions(slots[n].text, feature, regions);                                                 \
    }                                                                                                                  \
    static struct shw_channel_info get_info_##n(uint32_t parameter, uint32_t channel)                                  \
    {                                                                                                                  \
        return shw_code_text_info(slots[n].text, parameter, channel);                                                  \
    }
SLOTS(FUNCTIONS)

#define MEMBERS(n) {check_##n, can_draw_##n, get_bound_##n, get_reach_##n, get_regions_##n, get_info_##n},
static const struct {
    bool (*check)(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);
    bool (*can_draw)(const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);
    uint64_t (*get_bound)(const struct shw_feature *feature, const struct shw_channel_list *channels);
    struct shw_reach (*get_reach)(const struct shw_feature *feature);
    uint32_t (*get_regions)(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);
    struct shw_channel_info (*get_info)(uint32_t parameter, uint32_t channel);
} functions[] = {SLOTS(MEMBERS)};
_Static_assert(sizeof functions / sizeof *functions == SLOTS_MAX, "every slot has functions");

/* --- Of a text that is only looked at: complete, but never called --- */

static void evaluate_nothing(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y,
                             uint32_t count, uint32_t *leaves)
{
    (void)tile, (void)tree, (void)x, (void)y;
    memset(leaves, 0, count * sizeof *leaves);
}

static struct shw_response look_nowhere(const struct shw_feature *feature, const struct shw_feature_source *source,
                                        int32_t x, int32_t y, struct shw_rect image)
{
    (void)feature, (void)source, (void)x, (void)y, (void)image;
    return (struct shw_response){0, 0};
}

static void fill_nothing(const struct shw_channel_row *row, uint32_t parameter, int16_t *const *channels)
{
    (void)row, (void)parameter, (void)channels;
}

static const uint32_t no_words[1];
static const size_t no_size = 0;

static void set_codes_to_look(struct slot *slot)
{
    const struct shw_code_text *text = slot->text;

    slot->feature_code = (struct shw_feature_code){.reads = text->reads,
                                                   .may_be_undefined = text->may_be_undefined,
                                                   .evaluate_row = evaluate_nothing,
                                                   .look = look_nowhere};
    for (uint32_t role = 0; role < SHW_ROLE_COUNT; role++) {
        slot->feature_code.shaders[role].words = no_words;
        slot->feature_code.shaders[role].size = &no_size;
    }
    slot->channel_code = (struct shw_channel_code){.channel_count = text->output_count,
                                                   .radius = text->radius,
                                                   .reads_previous = strcmp(text->input, "previous") == 0,
                                                   .fill_row = fill_nothing};
    slot->channel_code.reads_plane = text->input[0] != '\0' && !slot->channel_code.reads_previous;
    for (uint32_t i = 0; i < SHW_CHANNEL_VIEWS; i++)
        slot->channel_code.fragment[i] = slot->channel_code.compute[i] =
            (struct shw_channel_shader){no_words, &no_size};
}

/* --- Of one that is run --- */

static void set_codes_to_run(struct slot *slot)
{
    const struct shw_code_compiled *compiled = &slot->compiled;

    if (slot->text->subject == SHW_CODE_FEATURE) {
        slot->feature_code = *(const struct shw_feature_code *)compiled->table;
        for (uint32_t role = 0; role < compiled->shader_count; role++) {
            slot->feature_code.shaders[role].words = compiled->shaders[role].words;
            slot->feature_code.shaders[role].size = &compiled->shaders[role].size;
        }
        return;
    }
    slot->channel_code = *(const struct shw_channel_code *)compiled->table;
    for (uint32_t i = 0; i < compiled->shader_count; i++) {
        struct shw_channel_shader *shaders =
            i < SHW_CHANNEL_VIEWS ? slot->channel_code.fragment : slot->channel_code.compute;
        shaders[i % SHW_CHANNEL_VIEWS] =
            (struct shw_channel_shader){compiled->shaders[i].words, &compiled->shaders[i].size};
    }
}

static void set_up(struct slot *slot)
{
    const struct shw_code_text *text = slot->text;
    const size_t n = (size_t)(slot - slots);

    slot->feature = (struct shw_feature_type){.version = SHW_FEATURE_TYPE_VERSION,
                                              .name = text->name,
                                              .label = text->label,
                                              .reads = text->reads,
                                              .may_be_undefined = text->may_be_undefined,
                                              .check = functions[n].check,
                                              .can_draw = functions[n].can_draw,
                                              .get_bound = functions[n].get_bound,
                                              .get_reach = functions[n].get_reach,
                                              .get_regions = functions[n].get_regions,
                                              .code = &slot->feature_code,
                                              .fast = slot->compiled.vectors,
                                              .text = text->text};
    slot->kind = (struct shw_channel_kind){.version = SHW_CHANNEL_KIND_VERSION,
                                           .name = text->name,
                                           .parameter_min = text->param_count > 0 ? (uint32_t)text->params[0].min : 0,
                                           .parameter_max = text->param_count > 0 ? (uint32_t)text->params[0].max : 0,
                                           .channel_count = text->output_count,
                                           .get_info = functions[n].get_info,
                                           .input = slot->channel_code.reads_plane ? text->input : NULL,
                                           .code = &slot->channel_code,
                                           .text = text->text};
}

/* Names of the library are refused here, because the message names the file. */
static enum shw_result check_name(const struct shw_code_text *text, const struct shw_log *log)
{
    const struct shw_channel_kind *kind;

    if (text->subject == SHW_CODE_FEATURE && shw_feature_type_by_name(text->name) != NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "%s: there is already a feature type %s",
                        text->file, text->name);
    for (uint32_t i = 0; text->subject == SHW_CODE_CHANNEL && (kind = shw_channel_kind_get(NULL, i)) != NULL; i++)
        if (strcmp(kind->name, text->name) == 0)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CHANNELS, "%s: there is already a channel kind %s",
                            text->file, text->name);
    return SHW_OK;
}

/* The slot of the text, or a free one, or NULL. */
static struct slot *find(const char *bytes, size_t size, enum shw_code_use use)
{
    for (uint32_t i = 0; i < SLOTS_MAX; i++)
        if (slots[i].text == NULL ||
            (slots[i].use == use && slots[i].text->size == size && memcmp(slots[i].text->text, bytes, size) == 0))
            return &slots[i];
    return NULL;
}

static enum shw_result make(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                            const struct shw_log *log, struct shw_code_made *made)
{
    struct slot *slot = find(bytes, size, use);
    struct shw_code_text *text = NULL;
    enum shw_result result = SHW_OK;

    if (slot == NULL)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FEATURE_TYPE, "%s: more than %u texts in one program", file,
                        SLOTS_MAX);
    if (slot->text == NULL) {
        SHW_PROPAGATE(shw_code_text_read(file, bytes, size, log, &text));
        result = check_name(text, log);
        if (result == SHW_OK && use == SHW_CODE_RUN)
            result = shw_code_compile(text, log, &slot->compiled);
        if (result != SHW_OK) {
            shw_code_text_free(&text);
            return result;
        }
        text->file = text->name; /* the caller's does not last */
        slot->text = text;
        slot->use = use;
        if (use == SHW_CODE_RUN)
            set_codes_to_run(slot);
        else
            set_codes_to_look(slot);
        set_up(slot);
    }
    *made = slot->text->subject == SHW_CODE_FEATURE ? (struct shw_code_made){.feature = &slot->feature}
                                                    : (struct shw_code_made){.kind = &slot->kind};
    return SHW_OK;
}

enum shw_result shw_code_make(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                              const struct shw_log *log, struct shw_code_made *made)
{
    enum shw_result result;

    pthread_mutex_lock(&mutex);
    result = make(file, bytes, size, use, log, made);
    pthread_mutex_unlock(&mutex);
    return result;
}

enum shw_result shw_code_make_file(const char *path, const struct shw_log *log, struct shw_code_made *made)
{
    struct shw_file_bytes file = {0};
    enum shw_result result;

    SHW_PROPAGATE(shw_file_bytes_read(path, SHW_CODE_SIZE_MAX, log, &file));
    result = shw_code_make(path, (const char *)file.bytes, file.size, SHW_CODE_RUN, log, made);
    shw_file_bytes_free(&file);
    return result;
}
