#include "code/compile_job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "files/code/text.h"
#include "job/times.h"

/* The first error is the one. On the thread. */
static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *message)
{
    struct view_code_error *error = user;

    (void)item;
    if (level == SHW_LOG_ERROR && error->message[0] == '\0')
        snprintf(error->message, sizeof error->message, "%s", message);
}

static bool go_on(void *user)
{
    const struct view_code_job *job = user;

    return !view_job_is_stopped(&job->job) && view_clock() - job->begun < VIEW_CODE_SECONDS;
}

/* Finds the line that the message of an item names, and its text. */
static void find_line(const struct view_code_item *item, struct view_code_error *error)
{
    const size_t length = strlen(item->name);
    const char *at = item->text;

    if (strncmp(error->message, item->name, length) != 0 || error->message[length] != ':')
        return;
    error->line = (uint32_t)strtoul(error->message + length + 1, NULL, 10);
    for (uint32_t line = 1; line < error->line && at != NULL; line++) {
        at = strchr(at, '\n');
        at = at != NULL ? at + 1 : NULL;
    }
    if (error->line > 0 && at != NULL)
        snprintf(error->text, sizeof error->text, "%.*s", (int)strcspn(at, "\n"), at);
}

static enum shw_result read_file(struct view_code_item *item, const struct shw_log *log)
{
    struct shw_file_bytes file = {0};

    SHW_PROPAGATE(shw_file_bytes_read(item->name, SHW_CODE_SIZE_MAX, log, &file));
    item->text = calloc(1, file.size + 1);
    if (item->text != NULL)
        memcpy(item->text, file.bytes, file.size);
    item->size = file.size;
    shw_file_bytes_free(&file);
    return item->text != NULL ? SHW_OK : shw_fail_memory(log, item->name);
}

static enum shw_result compile(void *user)
{
    struct view_code_job *job = user;
    const struct shw_log log = {receive, &job->error, SHW_LOG_ERROR};
    const struct shw_code_patience patience = {go_on, job};
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < job->count && result == SHW_OK; i++) {
        struct view_code_item *item = &job->items[i];

        if (item->text == NULL)
            result = read_file(item, &log);
        if (result == SHW_OK)
            result = shw_code_make_while(item->name, item->text, item->size, SHW_CODE_RUN, &job->needs, &patience, &log,
                                         &item->made);
        if (result == SHW_ERROR_CANCELLED && !view_job_is_stopped(&job->job))
            result =
                shw_fail(&log, SHW_ERROR_LIMIT, SHW_LOG_FEATURE_TYPE,
                         "%s: it takes more than %.0f s to compile, and was given up", item->name, VIEW_CODE_SECONDS);
        if (result != SHW_OK)
            find_line(item, &job->error);
    }
    return result;
}

void view_code_job_init(struct view_code_job *job)
{
    static const struct view_job_kind kind = {"compiling texts", (enum shw_priority)0, compile, NULL};

    *job = (struct view_code_job){.count = 0};
    view_job_init(&job->job, &kind, job);
}

void view_code_job_clear(struct view_code_job *job)
{
    for (uint32_t i = 0; i < job->count; i++) {
        shw_code_let_go(&job->items[i].made);
        free(job->items[i].name);
        free(job->items[i].text);
    }
    memset(job->items, 0, sizeof job->items);
    job->count = 0;
    job->error = (struct view_code_error){.line = 0};
}

void view_code_job_free(struct view_code_job *job)
{
    view_job_free(&job->job);
    view_code_job_clear(job);
}

bool view_code_job_add(struct view_code_job *job, const char *name, char **text)
{
    struct view_code_item *item = &job->items[job->count];
    char *copy = job->count < SHW_PROJECT_TEXTS_MAX ? strdup(name) : NULL;

    if (copy == NULL) {
        free(*text);
        *text = NULL;
        return false;
    }
    *item = (struct view_code_item){.name = copy, .text = *text, .size = *text != NULL ? strlen(*text) : 0};
    *text = NULL;
    job->count++;
    return true;
}

enum shw_result view_code_job_begin(struct view_code_job *job, enum view_code_want want, struct shw_code_needs needs,
                                    const struct shw_log *log)
{
    job->want = want;
    job->needs = needs;
    job->begun = view_clock();
    return view_job_begin(&job->job, log);
}

bool view_code_job_is_busy(const struct view_code_job *job)
{
    return job->count > 0;
}

enum shw_result view_code_job_take(struct view_code_job *job)
{
    return view_job_take(&job->job);
}
