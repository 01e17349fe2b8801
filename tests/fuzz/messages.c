#include "fuzz/messages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned fuzz_accepted;

static void count(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct fuzz_messages *messages = user;

    (void)item;
    if (text[0] == '\0' || strchr(text, '\n') != NULL) {
        printf("# a message of no or several lines: %s\n", text);
        abort();
    }
    messages->errors += level == SHW_LOG_ERROR;
    if (level > SHW_LOG_WARNING || strstr(text, FUZZ_NAME) != NULL)
        return;
    messages->nameless++;
    if (level == SHW_LOG_ERROR)
        printf("# without a name: %s\n", text);
}

struct shw_log fuzz_log(struct fuzz_messages *messages)
{
    *messages = (struct fuzz_messages){0};
    return (struct shw_log){.function = count, .user = messages, .level = SHW_LOG_DEBUG};
}

void fuzz_check(enum shw_result result, const struct fuzz_messages *messages)
{
    fuzz_accepted += result == SHW_OK;
    if (messages->errors != (result != SHW_OK ? 1u : 0u)) {
        printf("# %s, but %u errors reported\n", shw_result_string(result), messages->errors);
        abort();
    }
    if (result != SHW_OK && result != SHW_ERROR_MEMORY && messages->nameless > 0)
        abort();
}
