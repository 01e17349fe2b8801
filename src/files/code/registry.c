/* The feature types and channel kinds that were made. Their functions take no pointer to the text, so each has
 * functions of its own: slots, which texts take that nobody holds any more. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "files/code/code.h"
#include "files/code/compile.h"

/* Numbers in octal digits. */
#define EIGHT(X, n) X(0##n##0) X(0##n##1) X(0##n##2) X(0##n##3) X(0##n##4) X(0##n##5) X(0##n##6) X(0##n##7)
#define SLOTS(X)    EIGHT(X, 0) EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6) EIGHT(X, 7)
#define SLOTS_MAX   64u

static struct slot {
    struct shw_code_text *text; /* NULL: free */
    enum shw_code_use use;
    uint32_t holds;  /* 0: another text may take the slot */
    uint64_t let_go; /* when the last hold ended, as a count of such ends */
    struct shw_code_compiled compiled;
    struct shw_feature_code feature_code;
    struct shw_feature_type feature;
    struct shw_channel_code channel_code;
    struct shw_channel_kind kind;
} slots[SLOTS_MAX];
static uint64_t let_go;                                   /* so far */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all these; of what is held, only of its shaders */

#define FUNCTIONS(n)                                                                                                   \
    static bool check_##n(const struct shw_feature *feature, const struct shw_channel_list *channels,                  \
                          char why[SHW_WHY_SIZE])                                                                      \
    {                                                                                                                  \
        return shw_code_text_check(slots[n].text, feature, channels, why);                                             \
    }                                                                                                                  \
    static bool can_draw_##n(const struct shw_channel_list *channels, const struct shw_draw_limits *limits,            \
                             char why[SHW_WHY_SIZE])                                                                   \
    {                                                                                                                  \
        return shw_code_text_can_draw(slots[n].text, channels, limits, why);                                           \
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
    bool (*can_draw)(const struct shw_channel_list *channels, const struct shw_draw_limits *limits,
                     char why[SHW_WHY_SIZE]);
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

/* What its passes read; in codes that are run, the object says it. */
static void set_passes_to_look(const struct shw_code_text *text, struct shw_channel_code *code)
{
    code->pass_count = text->pass_count;
    code->reading = text->reading;
    for (uint32_t p = 0; p < text->pass_count; p++) {
        code->passes[p] = (struct shw_channel_pass){.reading = text->passes[p].reading, .fill_row = fill_nothing};
        for (uint32_t i = 0; i < SHW_CHANNEL_VIEWS; i++)
            code->passes[p].fragment[i] = code->passes[p].compute[i] = (struct shw_channel_shader){no_words, &no_size};
    }
}

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
    set_passes_to_look(text, &slot->channel_code);
}

/* --- Of one that is run --- */

/* Makes the shaders of a set that are not there yet; of a slot that is held. */
static enum shw_result need_shaders(struct slot *slot, uint64_t set, const struct shw_code_patience *patience,
                                    const struct shw_log *log)
{
    struct shw_shader more[SHW_CODE_SHADERS_MAX];
    struct shw_code_compiled now;

    pthread_mutex_lock(&mutex);
    set = shw_code_find_missing(&slot->compiled, set);
    pthread_mutex_unlock(&mutex);
    if (set == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_code_compile_shaders(slot->text, slot->compiled.header, set, patience, log, more));
    pthread_mutex_lock(&mutex);
    shw_code_add_shaders(more, &slot->compiled);
    now = slot->compiled;
    pthread_mutex_unlock(&mutex);
    shw_code_remember_shaders(&now);
    return SHW_OK;
}

static enum shw_result get_feature_shaders(const struct shw_feature_code *code, uint32_t count,
                                           const enum shw_feature_role *roles, const struct shw_log *log,
                                           struct shw_shader *shaders)
{
    struct slot *slot = (struct slot *)(uintptr_t)((const char *)code - offsetof(struct slot, feature_code));
    uint64_t set = 0;

    for (uint32_t i = 0; i < count; i++)
        set |= UINT64_C(1) << roles[i];
    SHW_PROPAGATE(need_shaders(slot, set, NULL, log));
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < count; i++)
        shaders[i] = slot->compiled.shaders[roles[i]];
    pthread_mutex_unlock(&mutex);
    return SHW_OK;
}

static enum shw_result get_kind_shaders(const struct shw_channel_code *code, uint32_t pass, bool is_fragment,
                                        uint32_t views, const struct shw_log *log, struct shw_channel_shader *shaders)
{
    struct slot *slot = (struct slot *)(uintptr_t)((const char *)code - offsetof(struct slot, channel_code));
    const uint32_t first = shw_code_first_shader(slot->text, pass, is_fragment);

    SHW_PROPAGATE(need_shaders(slot, ((UINT64_C(1) << views) - 1) << first, NULL, log));
    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < views; i++) {
        const struct shw_shader *shader = &slot->compiled.shaders[first + i];

        shaders[i] = (struct shw_channel_shader){shader->words, &shader->size};
    }
    pthread_mutex_unlock(&mutex);
    return SHW_OK;
}

static void set_codes_to_run(struct slot *slot)
{
    if (slot->text->subject == SHW_CODE_FEATURE) {
        slot->feature_code = *(const struct shw_feature_code *)slot->compiled.table;
        slot->feature_code.get_shaders = get_feature_shaders;
    } else {
        slot->channel_code = *(const struct shw_channel_code *)slot->compiled.table;
        slot->channel_code.get_shaders = get_kind_shaders;
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

/* The slot of the text, or NULL. */
static struct slot *find(const char *bytes, size_t size, enum shw_code_use use)
{
    for (uint32_t i = 0; i < SLOTS_MAX; i++)
        if (slots[i].text != NULL && slots[i].use == use && slots[i].text->size == size &&
            memcmp(slots[i].text->text, bytes, size) == 0)
            return &slots[i];
    return NULL;
}

/* A free slot, or else the one that has not been held for longest, emptied, or NULL. */
static struct slot *find_room(void)
{
    struct slot *oldest = NULL;

    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        if (slots[i].text == NULL)
            return &slots[i];
        if (slots[i].holds == 0 && (oldest == NULL || slots[i].let_go < oldest->let_go))
            oldest = &slots[i];
    }
    if (oldest == NULL)
        return NULL;
    shw_code_text_free(&oldest->text);
    shw_code_compiled_free(&oldest->compiled);
    return oldest;
}

static struct shw_code_made hold(struct slot *slot)
{
    slot->holds++;
    return slot->text->subject == SHW_CODE_FEATURE ? (struct shw_code_made){.feature = &slot->feature}
                                                   : (struct shw_code_made){.kind = &slot->kind};
}

/* Takes text and what was compiled, unless another thread has made the same meanwhile. */
static bool take(struct shw_code_text *text, enum shw_code_use use, struct shw_code_compiled *compiled,
                 struct shw_code_made *made)
{
    struct slot *slot;

    pthread_mutex_lock(&mutex);
    slot = find(text->text, text->size, use);
    if (slot != NULL) {
        shw_code_text_free(&text);
        shw_code_compiled_free(compiled);
    } else if ((slot = find_room()) != NULL) {
        *slot = (struct slot){.text = text, .use = use, .compiled = *compiled};
        if (use == SHW_CODE_RUN)
            set_codes_to_run(slot);
        else
            set_codes_to_look(slot);
        set_up(slot);
    }
    if (slot != NULL)
        *made = hold(slot);
    pthread_mutex_unlock(&mutex);
    return slot != NULL;
}

static bool recall(const char *bytes, size_t size, enum shw_code_use use, struct shw_code_made *made)
{
    struct slot *slot;

    pthread_mutex_lock(&mutex);
    slot = find(bytes, size, use);
    if (slot != NULL)
        *made = hold(slot);
    pthread_mutex_unlock(&mutex);
    return slot != NULL;
}

/* Of a text that is new. */
static enum shw_result make(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                            const struct shw_code_needs *needs, const struct shw_code_patience *patience,
                            const struct shw_log *log, struct shw_code_made *made)
{
    struct shw_code_compiled compiled = {0};
    struct shw_code_text *text = NULL;
    enum shw_result result;

    SHW_TRY(shw_code_text_read(file, bytes, size, log, &text));
    SHW_TRY(check_name(text, log));
    if (use == SHW_CODE_RUN)
        SHW_TRY(shw_code_compile(text, shw_code_shaders_for(text, needs), patience, log, &compiled));
    if (take(text, use, &compiled, made))
        return SHW_OK;
    result =
        shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FEATURE_TYPE, "%s: more than %u texts in one program", file, SLOTS_MAX);
    shw_code_compiled_free(&compiled);

fail:
    shw_code_text_free(&text);
    return result;
}

/* The slot of a type or kind; NULL: it is not of a text. */
static struct slot *slot_of(const struct shw_code_made *made)
{
    for (uint32_t i = 0; i < SLOTS_MAX; i++)
        if (made->feature == &slots[i].feature || made->kind == &slots[i].kind)
            return &slots[i];
    return NULL;
}

enum shw_result shw_code_make_while(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                                    const struct shw_code_needs *needs, const struct shw_code_patience *patience,
                                    const struct shw_log *log, struct shw_code_made *made)
{
    enum shw_result result;
    struct slot *slot;

    *made = (struct shw_code_made){NULL, NULL};
    if (!recall(bytes, size, use, made))
        return make(file, bytes, size, use, needs, patience, log, made);
    if (use != SHW_CODE_RUN)
        return SHW_OK;
    slot = slot_of(made);
    result = need_shaders(slot, shw_code_shaders_for(slot->text, needs), patience, log);
    if (result != SHW_OK) {
        shw_code_let_go(made);
        *made = (struct shw_code_made){NULL, NULL};
    }
    return result;
}

enum shw_result shw_code_make(const char *file, const char *bytes, size_t size, enum shw_code_use use,
                              const struct shw_log *log, struct shw_code_made *made)
{
    return shw_code_make_while(file, bytes, size, use, NULL, NULL, log, made);
}

void shw_code_hold(const struct shw_code_made *made)
{
    struct slot *slot = slot_of(made);

    if (slot == NULL)
        return;
    pthread_mutex_lock(&mutex);
    slot->holds++;
    pthread_mutex_unlock(&mutex);
}

void shw_code_let_go(const struct shw_code_made *made)
{
    struct slot *slot = slot_of(made);

    if (slot == NULL)
        return;
    pthread_mutex_lock(&mutex);
    if (--slot->holds == 0)
        slot->let_go = ++let_go;
    pthread_mutex_unlock(&mutex);
}

bool shw_code_may_run(const struct shw_code_made *made)
{
    const struct slot *slot = slot_of(made);

    return slot != NULL && slot->use == SHW_CODE_RUN;
}

uint32_t shw_code_shader_count(const struct shw_code_made *made)
{
    const struct slot *slot = slot_of(made);
    uint32_t count = 0;

    pthread_mutex_lock(&mutex);
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX && slot != NULL; i++)
        count += slot->compiled.shaders[i].words != NULL;
    pthread_mutex_unlock(&mutex);
    return count;
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
