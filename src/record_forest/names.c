#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_forest/record_forest.h"

static const char *const link_names[SHW_RECORD_LINK_COUNT] = {
    [SHW_RECORD_IDENTITY] = "identity",
    [SHW_RECORD_LOGISTIC] = "logistic",
    [SHW_RECORD_SOFTMAX] = "softmax",
    [SHW_RECORD_SOFTMAX_ZERO] = "softmax-zero",
    [SHW_RECORD_EXP] = "exp",
    [SHW_RECORD_PROBIT] = "probit",
    [SHW_RECORD_LOG1P_EXP] = "log1p-exp",
    [SHW_RECORD_SIGNED_SQUARE] = "signed-square",
};

static const char *const task_names[SHW_RECORD_TASK_COUNT] = {
    [SHW_RECORD_CLASSES] = "classes",
    [SHW_RECORD_VALUES] = "values",
};

const char *shw_record_link_name(enum shw_record_link link)
{
    return (uint32_t)link < SHW_RECORD_LINK_COUNT ? link_names[link] : NULL;
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
