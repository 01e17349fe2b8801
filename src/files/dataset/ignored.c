#include "files/dataset/ignored.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/class_search.h"

/* The palette's entries as classes, void ones included; NULL if memory is exhausted. */
static struct shw_class *list_entries(const struct shw_palette *palette)
{
    struct shw_class *list = calloc(palette->entry_count, sizeof *list);

    for (uint32_t i = 0; list != NULL && i < palette->entry_count; i++) {
        list[i].name = palette->entries[i].name;
        memcpy(list[i].colour, palette->entries[i].colour, sizeof list[i].colour);
    }
    return list;
}

static bool has_class(const struct shw_forest_info *forest, const char *name)
{
    for (uint32_t c = 0; forest != NULL && c < forest->class_count; c++)
        if (strcmp(forest->classes[c].name, name) == 0)
            return true;
    return false;
}

static void ignore(const struct shw_ignored *ignored, struct shw_palette_entry *entry)
{
    if (entry->is_void) {
        entry->is_ignored =
            entry->is_ignored || ignored->forest != NULL; /* not one of its classes, whatever its colour */
        return;
    }
    entry->is_ignored = true;
    entry->is_void = !has_class(ignored->forest, entry->name);
}

static enum shw_result ignore_given(const struct shw_ignored *ignored, const struct shw_class *list, const char *name,
                                    const struct shw_log *log, const struct shw_palette *palette,
                                    struct shw_palette_entry *entries)
{
    char existing[768];

    for (uint32_t i = 0; i < ignored->count; i++) {
        uint32_t found = shw_class_find(list, palette->entry_count, ignored->given[i]);

        if (found == UINT32_MAX) {
            shw_class_list(palette->classes, palette->class_count, existing, sizeof existing);
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_PALETTE,
                            "%s: '%s', which is to be ignored, is neither the name nor the colour of a class: there "
                            "are %s",
                            name, ignored->given[i], existing);
        }
        ignore(ignored, &entries[found]);
    }
    return SHW_OK;
}

/* What a forest was trained without. Forests are not trusted: what is no list of names is skipped. */
static void ignore_recorded(const struct shw_ignored *ignored, const struct shw_class *list, uint32_t count,
                            const struct shw_log *log, struct shw_palette_entry *entries)
{
    json_t *record = ignored->forest != NULL ? json_loads(ignored->forest->training, 0, NULL) : NULL;
    const json_t *names = json_object_get(record, SHW_IGNORED_KEY);

    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        uint32_t found = name != NULL ? shw_class_find(list, count, name) : UINT32_MAX;

        if (found == UINT32_MAX || entries[found].is_void)
            continue;
        ignore(ignored, &entries[found]);
        shw_log_message(log, SHW_LOG_INFO, SHW_LOG_PALETTE, "pixels of %s are void, as when the forest was trained",
                        name);
    }
    json_decref(record);
}

static enum shw_result remake(const struct shw_palette_entry *entries, const char *name, const struct shw_log *log,
                              struct shw_palette *palette)
{
    struct shw_palette made;
    uint32_t left = 0;

    for (uint32_t i = 0; i < palette->entry_count; i++)
        left += !entries[i].is_void;
    if (left == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_PALETTE, "%s: all classes are to be ignored", name);
    SHW_PROPAGATE(shw_palette_make(entries, palette->entry_count, name, log, &made));
    shw_palette_free(palette);
    *palette = made;
    return SHW_OK;
}

enum shw_result shw_ignored_apply(const struct shw_ignored *ignored, const char *name, const struct shw_log *log,
                                  struct shw_palette *palette)
{
    struct shw_palette_entry *entries;
    struct shw_class *list;
    enum shw_result result = SHW_OK;

    if (ignored->count == 0 && ignored->forest == NULL)
        return SHW_OK;
    entries = malloc(palette->entry_count * sizeof *entries);
    list = list_entries(palette);
    if (entries == NULL || list == NULL)
        SHW_TRY(shw_fail_memory(log, name));
    memcpy(entries, palette->entries, palette->entry_count * sizeof *entries);
    SHW_TRY(ignore_given(ignored, list, name, log, palette, entries));
    ignore_recorded(ignored, list, palette->entry_count, log, entries);
    SHW_TRY(remake(entries, name, log, palette));

fail:
    free(entries);
    free(list);
    return result;
}

json_t *shw_ignored_pack(const struct shw_palette *palette)
{
    json_t *names = json_array();

    for (uint32_t i = 0; names != NULL && i < palette->entry_count; i++)
        if (palette->entries[i].is_ignored &&
            json_array_append_new(names, json_string(palette->entries[i].name)) != 0) {
            json_decref(names);
            return NULL;
        }
    return names;
}
