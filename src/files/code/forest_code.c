#include "files/code/forest_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ktx2.h"
#include "base/log.h"
#include "base/text.h"
#include "files/code/plugin.h"

#define TYPES_MAX (SHW_PLUGIN_FEATURES_MAX + 8u)
#define NAMED_MAX 6u /* texts in a message */

static uint32_t count_lines(const char *text)
{
    uint32_t lines = 0;

    for (; *text != '\0'; text++)
        lines += *text == '\n' || text[1] == '\0';
    return lines;
}

/* "the feature type sparse-sum (20 lines), the channel kind edge (15 lines)" */
enum shw_result shw_code_refuse_texts(const char *name, const struct shw_forest_code *list, uint32_t count,
                                      const char *where, const struct shw_log *log)
{
    const uint32_t named = count <= NAMED_MAX ? count : NAMED_MAX - 1;
    char what[512] = "";
    size_t length = 0;

    for (uint32_t i = 0; i < named; i++)
        length += (size_t)snprintf(what + length, sizeof what - length, "%sthe %s %.31s (%s)", i > 0 ? ", " : "",
                                   list[i].is_feature ? "feature type" : "channel kind", list[i].name,
                                   shw_counted(count_lines(list[i].text), "line", "lines").text);
    if (named < count)
        snprintf(what + length, sizeof what - length, ", and %u more", count - named);
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_FEATURE_TYPE,
                    "%s brings code of its own as text: %s. It does not run unless you allow it: --trust-code; %s",
                    name, what, where);
}

struct held {
    struct shw_code_made made[SHW_LEVELS_MAX * (SHW_CHANNEL_ENTRIES_MAX + 1)];
    uint32_t count;
};

/* The types and kinds of the forest and of the levels below. */
static void list_made(const struct shw_forest *forest, struct held *held)
{
    held->count = 0;
    for (uint32_t level = 0; forest != NULL && level < SHW_LEVELS_MAX; level++) {
        const struct shw_forest_info *info = shw_forest_get_info(forest);

        held->made[held->count++] = (struct shw_code_made){.feature = info->feature};
        for (uint32_t i = 0; i < info->channel_list->entry_count; i++)
            held->made[held->count++] = (struct shw_code_made){.kind = info->channel_list->entries[i].kind};
        forest = info->below;
    }
}

void shw_code_list_kinds(const struct shw_channel_list *list, struct shw_channel_kinds *kinds)
{
    uint32_t count = 0, known;

    *kinds = (struct shw_channel_kinds){{NULL}};
    for (uint32_t i = 0; i < list->entry_count; i++) {
        const struct shw_channel_kind *kind = list->entries[i].kind;

        for (known = 0; known < count && kinds->kinds[known] != kind; known++)
            continue;
        if (kind->text != NULL && known == count && count < SHW_CHANNEL_KINDS_MAX)
            kinds->kinds[count++] = kind;
    }
}

void shw_code_hold_list(const struct shw_channel_list *list)
{
    for (uint32_t i = 0; i < list->entry_count; i++)
        shw_code_hold(&(struct shw_code_made){.kind = list->entries[i].kind});
}

void shw_code_let_go_list(const struct shw_channel_list *list)
{
    for (uint32_t i = 0; i < list->entry_count; i++)
        shw_code_let_go(&(struct shw_code_made){.kind = list->entries[i].kind});
}

void shw_code_hold_forest(const struct shw_forest *forest)
{
    struct held held;

    list_made(forest, &held);
    for (uint32_t i = 0; i < held.count; i++)
        shw_code_hold(&held.made[i]);
}

void shw_code_destroy_forest(struct shw_forest **forest)
{
    struct held held;

    if (forest == NULL || *forest == NULL)
        return;
    list_made(*forest, &held);
    shw_forest_destroy(forest);
    for (uint32_t i = 0; i < held.count; i++)
        shw_code_let_go(&held.made[i]);
}

/* Refuses texts that the forest does not use, and two of one name, before anything is made of them. */
static enum shw_result check_all(const char *name, const struct shw_forest_code *list, uint32_t count,
                                 const struct shw_forest_load_params *params)
{
    uint32_t features = params->feature_count, kinds = 0;

    while (kinds < SHW_CHANNEL_KINDS_MAX && params->kinds.kinds[kinds] != NULL)
        kinds++;
    for (uint32_t i = 0; i < count; i++) {
        const char *what = list[i].is_feature ? "feature type" : "channel kind";

        if (!list[i].is_used)
            return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE,
                            "%s: the text of the %s %.31s, which the forest does not use", name, what, list[i].name);
        for (uint32_t other = 0; other < i; other++)
            if (list[i].is_feature == list[other].is_feature && strcmp(list[i].name, list[other].name) == 0)
                return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "%s: two texts of the %s %.31s",
                                name, what, list[i].name);
        features += list[i].is_feature;
        kinds += !list[i].is_feature;
    }
    if (features > TYPES_MAX || kinds > SHW_CHANNEL_KINDS_MAX)
        return shw_fail(&params->log, SHW_ERROR_LIMIT, SHW_LOG_FEATURE_TYPE, "%s: too many texts", name);
    return SHW_OK;
}

/* The texts become types and kinds; their messages name the forest and what is in it. */
static enum shw_result make_all(const char *name, const struct shw_forest_code *list, uint32_t count,
                                enum shw_code_trust trust, struct shw_forest_load_params *params,
                                const struct shw_feature_type *features[TYPES_MAX], struct held *held)
{
    uint32_t kinds = 0;

    while (kinds < SHW_CHANNEL_KINDS_MAX && params->kinds.kinds[kinds] != NULL)
        kinds++;
    for (uint32_t i = 0; i < count; i++) {
        struct shw_code_made made = {NULL, NULL};
        char file[512];

        snprintf(file, sizeof file, "%.400s: %.31s", name, list[i].name);
        SHW_PROPAGATE(shw_code_make(file, list[i].text, strlen(list[i].text),
                                    trust == SHW_CODE_TRUSTED ? SHW_CODE_RUN : SHW_CODE_LOOK, &params->log, &made));
        held->made[held->count++] = made;
        if ((made.feature != NULL) != list[i].is_feature ||
            strcmp(made.feature != NULL ? made.feature->name : made.kind->name, list[i].name) != 0)
            return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE,
                            "%s: the text of %.31s defines another", name, list[i].name);
        if (made.feature != NULL)
            features[params->feature_count++] = made.feature;
        else
            params->kinds.kinds[kinds++] = made.kind;
    }
    params->features = features;
    return SHW_OK;
}

enum shw_result shw_code_forest_load_memory(const void *bytes, size_t size, const char *name, enum shw_code_trust trust,
                                            const struct shw_forest_load_params *given, struct shw_forest **forest)
{
    const struct shw_feature_type *features[TYPES_MAX] = {NULL};
    struct shw_forest_load_params params = *given;
    struct held held = {.count = 0};
    struct shw_forest_code *list;
    enum shw_result result = SHW_OK;
    uint32_t count;

    if (!shw_forest_code_list(bytes, size, &list, &count))
        return shw_fail_memory(&params.log, name);
    for (uint32_t i = 0; i < params.feature_count && i < TYPES_MAX; i++)
        features[i] = params.features[i];
    result = check_all(name, list, count, &params);
    if (result == SHW_OK && count > 0 && trust == SHW_CODE_REFUSED)
        result =
            shw_code_refuse_texts(name, list, count, "'shadewood inspect' shows it without running it", &params.log);
    else if (result == SHW_OK && count > 0)
        result = make_all(name, list, count, trust, &params, features, &held);
    shw_forest_code_free(&list, count);
    if (result == SHW_OK)
        result = shw_forest_load_memory(bytes, size, name, &params, forest);
    if (result == SHW_OK)
        shw_code_hold_forest(*forest);
    for (uint32_t i = 0; i < held.count; i++)
        shw_code_let_go(&held.made[i]);
    return result;
}

enum shw_result shw_code_forest_load(const char *path, enum shw_code_trust trust,
                                     const struct shw_forest_load_params *params, struct shw_forest **forest)
{
    void *bytes = NULL;
    size_t size;
    enum shw_result result;

    SHW_PROPAGATE(shw_ktx2_read_file(path, &params->log, &bytes, &size));
    result = shw_code_forest_load_memory(bytes, size, path, trust, params, forest);
    free(bytes);
    return result;
}
