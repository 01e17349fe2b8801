#include "files/code/code_options.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

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

enum shw_result shw_code_channels_take(const char *list, const struct shw_log *log, struct shw_code_channels *channels)
{
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
