#include "shell/script.h"

#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/log.h"

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
    free(script->waiting);
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

static enum shw_result fail(const struct view_script *script, const struct view_app *app, enum shw_result result,
                            const char *line)
{
    shw_log_message(&app->log, SHW_LOG_ERROR, SHW_LOG_ARGUMENT, "%s:%u: the script ends here: %s", script->path,
                    script->number, line);
    return result;
}

/* The result of the export or import that a line has waited for. */
static enum shw_result end_wait(struct view_script *script, const struct view_app *app)
{
    enum shw_result result = SHW_OK;

    if (script->waiting != NULL)
        result = script->imports ? app->importing.outcome : app->exporting.outcome;
    if (result != SHW_OK)
        fail(script, app, result, script->waiting);
    free(script->waiting);
    script->waiting = NULL;
    return result;
}

static enum shw_result run_line(struct view_script *script, struct view_app *app, const char *line)
{
    enum shw_result result = view_app_run(app, line);

    if (result != SHW_OK)
        return fail(script, app, result, line);
    if (!view_app_awaits_files(app))
        return SHW_OK;
    script->imports = app->importing.awaited;
    script->waiting = strdup(line);
    return script->waiting != NULL ? SHW_OK : shw_fail_memory(&app->log, script->path);
}

enum shw_result view_script_step(struct view_script *script, struct view_app *app)
{
    enum shw_result result = SHW_OK;

    if (!view_app_awaits_files(app))
        SHW_PROPAGATE(end_wait(script, app));
    while (script->next != NULL && !view_app_script_waits(app) && result == SHW_OK) {
        char *line = take_line(script);
        const char *first;
        if (line == NULL)
            return shw_fail_memory(&app->log, script->path);
        first = line + strspn(line, " \t\r");
        if (*first != '\0' && *first != '#')
            result = run_line(script, app, first);
        free(line);
    }
    return result;
}
