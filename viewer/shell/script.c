#include "shell/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "image/file_bytes.h"

enum shw_result view_script_open(const char *path, const struct shw_log *log, struct view_script *script)
{
    struct shw_file_bytes file = {0};

    memset(script, 0, sizeof *script);
    SHW_PROPAGATE(shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &file));
    script->text = (char *)file.bytes;
    script->path = strdup(path);
    script->next = shw_skip_byte_order_mark(script->text, &file.size);
    if (script->path == NULL) {
        view_script_close(script);
        return shw_fail_memory(log, path);
    }
    return SHW_OK;
}

void view_script_close(struct view_script *script)
{
    free(script->path);
    free(script->text);
    memset(script, 0, sizeof *script);
}

/* Returns a copy of the next line. */
static char *take_line(struct view_script *script)
{
    size_t length = strcspn(script->next, "\n");
    char *line = strndup(script->next, length);

    script->next = script->next[length] == '\n' ? script->next + length + 1 : NULL;
    script->number++;
    return line;
}

enum shw_result view_script_step(struct view_script *script, struct view_app *app)
{
    enum shw_result result = SHW_OK;

    while (script->next != NULL && !view_app_script_waits(app) && result == SHW_OK) {
        char *line = take_line(script);
        const char *first;
        if (line == NULL)
            return shw_fail_memory(&app->log, script->path);
        first = line + strspn(line, " \t\r");
        if (*first != '\0' && *first != '#')
            result = view_app_run(app, first);
        if (result != SHW_OK)
            shw_log_message(&app->log, SHW_LOG_ERROR, SHW_LOG_ARGUMENT, "%s:%u: the script ends here: %s", script->path,
                            script->number, first);
        free(line);
    }
    return result;
}
