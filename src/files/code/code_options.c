#define _GNU_SOURCE /* memmem() */
#include "files/code/code_options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

bool shw_code_is_file(const char *name)
{
    const size_t length = name != NULL ? strlen(name) : 0, ending = strlen(SHW_CODE_ENDING);

    return length > ending && strcmp(name + length - ending, SHW_CODE_ENDING) == 0;
}

static enum shw_result add_kind(const char *path, const struct shw_log *log, struct shw_code_channels *channels,
                                const char **name)
{
    struct shw_code_made made;
    uint32_t i = 0;

    SHW_PROPAGATE(shw_code_make_file(path, log, &made));
    if (made.kind == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_CHANNELS, "%s defines a feature type, not a channel kind",
                        path);
    while (i < SHW_CHANNEL_KINDS_MAX && channels->kinds.kinds[i] != NULL && channels->kinds.kinds[i] != made.kind)
        i++;
    if (i == SHW_CHANNEL_KINDS_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_CHANNELS, "more than %u channel kinds", SHW_CHANNEL_KINDS_MAX);
    channels->kinds.kinds[i] = made.kind;
    *name = made.kind->name;
    return SHW_OK;
}

/* A file with a comma in its name is taken apart: whether the list, from `begin` on, has one that ends with the entry,
 * of which there is no file. */
static enum shw_result refuse_comma(const char *begin, const char *entry, size_t length, const struct shw_log *log)
{
    const char *from = entry;
    char path[PATH_MAX];

    while (from > begin) {
        do
            from--;
        while (from > begin && from[-1] != ',');
        snprintf(path, sizeof path, "%.*s", (int)(entry - from + (ptrdiff_t)length), from);
        if (access(path, F_OK) == 0)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_CHANNELS,
                            "%.400s: the name of a text in a list of channels has no comma; rename the file", path);
    }
    return SHW_OK;
}

enum shw_result shw_code_channels_take(const char *list, const struct shw_log *log, struct shw_code_channels *channels)
{
    const char *const begin = list;
    char *text = channels->own;
    size_t length = 0;

    channels->text = list;
    if (list == NULL || strstr(list, SHW_CODE_ENDING) == NULL)
        return SHW_OK;
    for (;; list++) {
        const size_t entry = strcspn(list, ",");
        const char *colon = memchr(list, ':', entry), *name = NULL;
        const size_t file = colon != NULL ? (size_t)(colon - list) : entry;
        char path[PATH_MAX];

        snprintf(path, sizeof path, "%.*s", (int)file, list);
        if (colon != NULL && memmem(colon, entry - file, SHW_CODE_ENDING, sizeof SHW_CODE_ENDING - 1) != NULL)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_CHANNELS,
                            "%.*s: the name of a text in a list of channels has no colon; rename the file",
                            (int)(entry < 400 ? entry : 400), list);
        if (shw_code_is_file(path) && access(path, F_OK) != 0)
            SHW_PROPAGATE(refuse_comma(begin, list, file, log));
        if (shw_code_is_file(path))
            SHW_PROPAGATE(add_kind(path, log, channels, &name));
        length += (size_t)snprintf(text + length, sizeof channels->own - length, "%s%s%.*s", length > 0 ? "," : "",
                                   name != NULL ? name : "", (int)(name != NULL ? entry - file : entry),
                                   name != NULL ? list + file : list);
        if (length >= sizeof channels->own)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_CHANNELS, "the list of channels is too long");
        list += entry;
        if (*list == '\0')
            break;
    }
    channels->text = text;
    return SHW_OK;
}
