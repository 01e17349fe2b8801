#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/log.h"
#include "records/model/record_forest.h"

static const struct shw_record_link_traits links[] = {
    [SHW_RECORD_IDENTITY] = {.name = "identity"},
    [SHW_RECORD_LOGISTIC] = {.name = "logistic", .is_probability = true, .has_scale = true},
    [SHW_RECORD_SOFTMAX] = {.name = "softmax", .is_probability = true, .sums_to_one = true},
    [SHW_RECORD_SOFTMAX_ZERO] = {.name = "softmax-zero", .is_probability = true, .sums_to_one = true},
    [SHW_RECORD_EXP] = {.name = "exp"},
    [SHW_RECORD_PROBIT] = {.name = "probit"},
    [SHW_RECORD_SOFTPLUS] = {.name = "softplus"},
    [SHW_RECORD_SIGNED_SQUARE] = {.name = "signed-square"},
};
_Static_assert(sizeof links / sizeof *links == SHW_RECORD_LINK_COUNT, "a line for each link");

static const char *const task_names[SHW_RECORD_TASK_COUNT] = {
    [SHW_RECORD_CLASSES] = "classes",
    [SHW_RECORD_VALUES] = "values",
};

const char *shw_record_link_name(enum shw_record_link link)
{
    return (uint32_t)link < SHW_RECORD_LINK_COUNT ? links[link].name : NULL;
}

const struct shw_record_link_traits *shw_record_link_get_traits(enum shw_record_link link)
{
    return &links[link];
}

const char *shw_record_task_name(enum shw_record_task task)
{
    return (uint32_t)task < SHW_RECORD_TASK_COUNT ? task_names[task] : NULL;
}

/* The name, or the number in `digits`. */
static const char *name_at(const char *const *names, uint32_t index, char digits[static 11])
{
    if (names != NULL)
        return names[index];
    snprintf(digits, 11, "%" PRIu32, index);
    return digits;
}

const char **shw_record_names_copy(const char *const *names, uint32_t count)
{
    size_t size = 0;
    char digits[11];
    const char **copies;
    char *text;

    for (uint32_t i = 0; i < count; i++)
        size += strlen(name_at(names, i, digits)) + 1;
    copies = malloc(count * sizeof *copies + size);
    if (copies == NULL)
        return NULL;
    text = (char *)(copies + count);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = name_at(names, i, digits);
        size_t length = strlen(name) + 1;
        copies[i] = memcpy(text, name, length);
        text += length;
    }
    return copies;
}

/* The first of `count` names that is the same; `count` if there is none. */
static uint32_t find_name(const char *const *names, uint32_t count, const char *name)
{
    uint32_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* Appends the number of the class until no other has that name. */
static enum shw_result number_name(const char *const *names, uint32_t count, uint32_t class,
                                   const struct shw_record_forest_source *source, char numbered[SHW_CLASS_NAME_MAX + 1])
{
    char number[24];
    const int length = snprintf(number, sizeof number, " (class %" PRIu32 ")", class);
    size_t used = strlen(names[class]);

    if (used <= SHW_CLASS_NAME_MAX)
        strcpy(numbered, names[class]);
    do {
        if (used + (size_t)length > SHW_CLASS_NAME_MAX)
            return SHW_BAD_RECORD_FOREST(source, "classes %" PRIu32 " and %" PRIu32 " have the same name, '%.60s...'",
                                         find_name(names, count, names[class]), class, names[class]);
        strcpy(numbered + used, number);
        used += (size_t)length;
    } while (find_name(names, count, numbered) < count);
    return SHW_OK;
}

enum shw_result shw_record_names_make_distinct(const char *const *names, uint32_t count,
                                               const struct shw_record_forest_source *source, const char ***distinct)
{
    uint32_t repeated = 0, first = 0;
    char *room;

    *distinct = NULL;
    for (uint32_t i = count; i > 0; i--)
        if (find_name(names, i - 1, names[i - 1]) < i - 1) {
            first = i - 1;
            repeated++;
        }
    if (repeated == 0)
        return SHW_OK;
    *distinct = malloc(count * sizeof **distinct + (size_t)repeated * (SHW_CLASS_NAME_MAX + 1));
    if (*distinct == NULL)
        return shw_fail_memory(source->log, source->name);
    room = (char *)(*distinct + count);
    for (uint32_t i = 0; i < count; i++) {
        (*distinct)[i] = names[i];
        if (find_name(names, i, names[i]) == i)
            continue;
        SHW_PROPAGATE(number_name(names, count, i, source, room));
        (*distinct)[i] = room;
        room += SHW_CLASS_NAME_MAX + 1;
    }
    shw_log_message(source->log, SHW_LOG_WARNING, SHW_LOG_RECORD_FOREST,
                    "%s: classes %" PRIu32 " and %" PRIu32 " are both called '%s': here, the latter is '%s'%s",
                    source->name, find_name(names, first, names[first]), first, names[first], (*distinct)[first],
                    repeated > 1 ? ", and further ones are numbered likewise" : "");
    return SHW_OK;
}
