#include "dense/forest/code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/channel_kind.h>

#include "base/hash.h"

static const char *const kinds[] = {"channel", "feature"};

static void set_hash(const char *text, char hash[33])
{
    const XXH128_hash_t value = XXH3_128bits(text, strlen(text));

    snprintf(hash, 33, "%016llx%016llx", (unsigned long long)value.high64, (unsigned long long)value.low64);
}

static json_t *format_one(bool is_feature, const char *name, const char *text)
{
    char hash[33];

    set_hash(text, hash);
    return json_pack("{s:s, s:s, s:s, s:s}", "kind", kinds[is_feature], "name", name, "hash", hash, "text", text);
}

bool shw_forest_has_code(const struct shw_forest_info *info)
{
    bool has_any = info->feature->text != NULL;

    for (uint32_t i = 0; i < info->channel_list->entry_count; i++)
        has_any = has_any || info->channel_list->entries[i].kind->text != NULL;
    return has_any;
}

json_t *shw_forest_code_format(const struct shw_forest_info *info)
{
    const struct shw_channel_list *list = info->channel_list;
    json_t *array;

    if (!shw_forest_has_code(info))
        return NULL;
    array = json_array();
    if (info->feature->text != NULL)
        json_array_append_new(array, format_one(true, info->feature->name, info->feature->text));
    for (uint32_t i = 0; i < list->entry_count; i++) {
        const struct shw_channel_kind *kind = list->entries[i].kind;

        if (kind->text != NULL && !shw_forest_code_names(array, false, kind->name))
            json_array_append_new(array, format_one(false, kind->name, kind->text));
    }
    return array;
}

bool shw_forest_code_names(json_t *code, bool is_feature, const char *name)
{
    json_t *value;
    size_t i;

    json_array_foreach(code, i, value)
    {
        const char *kind = json_string_value(json_object_get(value, "kind"));
        const char *named = json_string_value(json_object_get(value, "name"));
        if (kind != NULL && named != NULL && strcmp(kind, kinds[is_feature]) == 0 && strcmp(named, name) == 0)
            return true;
    }
    return false;
}

/* The kind with that name in the list, or NULL. */
static const struct shw_channel_kind *find_kind(const struct shw_channel_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->entry_count; i++)
        if (strcmp(list->entries[i].kind->name, name) == 0)
            return list->entries[i].kind;
    return NULL;
}

static enum shw_result check_one(json_t *value, const struct shw_forest_info *info,
                                 const struct shw_model_source *source)
{
    const char *name = json_string_value(json_object_get(value, "name"));
    const char *text = json_string_value(json_object_get(value, "text")), *own = NULL;
    const bool is_feature = strcmp(json_string_value(json_object_get(value, "kind")), kinds[true]) == 0;
    char expected[33];
    bool is_used;

    set_hash(text, expected);
    if (strcmp(json_string_value(json_object_get(value, "hash")), expected) != 0)
        return SHW_BAD_MODEL(source, "the text of %.31s does not have the hash that the file says", name);
    if (is_feature) {
        is_used = strcmp(info->feature->name, name) == 0;
        own = info->feature->text;
    } else {
        const struct shw_channel_kind *found = find_kind(info->channel_list, name);
        is_used = found != NULL;
        own = found != NULL ? found->text : NULL;
    }
    if (!is_used)
        return SHW_BAD_MODEL(source, "the text of the %s %.31s, which the forest does not use",
                             is_feature ? "feature type" : "channel kind", name);
    if (own != NULL && strcmp(own, text) != 0)
        return SHW_BAD_MODEL(source, "the text of %.31s is another one than the program was given", name);
    return SHW_OK;
}

static enum shw_result check_entry(json_t *value, size_t number, const struct shw_model_source *source)
{
    static const char *const members[] = {"kind", "name", "hash", "text"};
    const char *kind;

    for (size_t m = 0; m < sizeof members / sizeof *members; m++)
        if (!json_is_string(json_object_get(value, members[m])))
            return SHW_BAD_MODEL(source, "code in the metadata: entry %zu has no %s", number + 1, members[m]);
    if (json_object_size(value) != sizeof members / sizeof *members)
        return SHW_BAD_MODEL(source, "code in the metadata: entry %zu has more than kind, name, hash and text",
                             number + 1);
    kind = json_string_value(json_object_get(value, "kind"));
    if (strcmp(kind, kinds[true]) != 0 && strcmp(kind, kinds[false]) != 0)
        return SHW_BAD_MODEL(source, "code in the metadata: the kind '%.31s' instead of feature or channel", kind);
    return SHW_OK;
}

enum shw_result shw_forest_code_check_list(json_t *code, const struct shw_model_source *source)
{
    json_t *value;
    size_t i;

    if (code != NULL && (!json_is_array(code) || json_array_size(code) == 0))
        return SHW_BAD_MODEL(source, "%s", "code in the metadata is not a list");
    json_array_foreach(code, i, value) SHW_PROPAGATE(check_entry(value, i, source));
    return SHW_OK;
}

enum shw_result shw_forest_code_check(json_t *code, const struct shw_forest_info *info,
                                      const struct shw_model_source *source)
{
    json_t *value;
    size_t i;

    json_array_foreach(code, i, value) SHW_PROPAGATE(check_one(value, info, source));
    return SHW_OK;
}

void shw_forest_code_free(struct shw_forest_code **list, uint32_t count)
{
    for (uint32_t i = 0; *list != NULL && i < count; i++) {
        free((*list)[i].name);
        free((*list)[i].text);
    }
    free(*list);
    *list = NULL;
}

static bool is_listed(const struct shw_forest_code *list, uint32_t count, const char *kind, const char *text)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(kinds[list[i].is_feature], kind) == 0 && strcmp(list[i].text, text) == 0)
            return true;
    return false;
}

/* Whether a list of channels has an entry of that kind. */
static bool has_entry(const char *channels, const char *kind)
{
    const size_t length = strlen(kind);

    for (const char *at = channels; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, kind, length) == 0 && strcspn(at, ",:@") == length)
            return true;
    }
    return false;
}

static bool list_level(json_t *root, struct shw_forest_code **list, uint32_t *count)
{
    const char *feature = json_string_value(json_object_get(root, "feature"));
    const char *channels = json_string_value(json_object_get(root, "channels"));
    json_t *value;
    size_t i;

    json_array_foreach(json_object_get(root, "code"), i, value)
    {
        const char *kind, *name, *text;
        struct shw_forest_code *grown, *added;

        if (*count > SHW_FOREST_CODE_MAX)
            return true;
        if (json_unpack(value, "{s:s, s:s, s:s}", "kind", &kind, "name", &name, "text", &text) != 0 ||
            is_listed(*list, *count, kind, text))
            continue;
        grown = realloc(*list, (*count + 1) * sizeof **list);
        if (grown == NULL)
            return false;
        *list = grown;
        added = &grown[(*count)++];
        *added = (struct shw_forest_code){
            .name = strdup(name), .text = strdup(text), .is_feature = strcmp(kind, kinds[true]) == 0};
        added->is_used = added->is_feature ? feature != NULL && strcmp(feature, name) == 0 : has_entry(channels, name);
        if (added->name == NULL || added->text == NULL)
            return false;
        set_hash(text, added->hash);
    }
    return true;
}

bool shw_forest_code_list(const void *bytes, size_t size, struct shw_forest_code **list, uint32_t *count)
{
    const struct shw_ktx2_source source = {.name = "forest", .content = SHW_KTX2_FOREST};
    struct shw_ktx2 image;
    bool fine = true;

    *list = NULL;
    *count = 0;
    for (uint32_t level = 0; fine && level < SHW_LEVELS_MAX && bytes != NULL; level++) {
        json_t *root;

        image = (struct shw_ktx2){0};
        if (shw_ktx2_read_metadata(bytes, size, &source, &image) != SHW_OK ||
            shw_ktx2_read(bytes, size, &source, &image) != SHW_OK)
            break;
        root = json_loadb(image.metadata, image.metadata_length, 0, NULL);
        fine = list_level(root, list, count);
        json_decref(root);
        bytes = image.below;
        size = image.below_size;
    }
    if (!fine)
        shw_forest_code_free(list, *count);
    return fine;
}
