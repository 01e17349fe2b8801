#include "cli/train_away.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/train_run.h"
#include "files/project/teacher.h"
#include "files/project/training_set.h"
#include "files/serve/remote.h"

int cli_check_away(const struct shw_command *command, const struct cli_train_options *given)
{
    static const char *const others[] = {"trainer", "output", "overwrite", "trust-code", "json", "quiet", "verbose"};

    for (uint32_t i = 0; i < given->count; i++) {
        bool other = given->texts[i] != NULL;

        for (size_t o = 0; o < sizeof others / sizeof *others; o++)
            other = other && strcmp(given->options[i].name, others[o]) != 0;
        if (other)
            return shw_usage_error(command,
                                   "--%s and --trainer exclude each other: the project, and the options of the "
                                   "trainer, say how it is trained",
                                   given->options[i].name);
    }
    return SHW_CONTINUE;
}

#define END_SECONDS 3.0 /* for the command to end by itself */

/* The set that a project's strokes are. */
static int make_set(struct cli_report *report, const struct cli_code *code, const char *path,
                    struct shw_output_files *files, struct shw_training_set **set)
{
    struct shw_log log = cli_log(report);
    struct shw_project *project = NULL;
    enum shw_result result = shw_project_read(path, &log, &project);
    int exit_code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);

    if (exit_code == SHW_CONTINUE) {
        cli_project_list_files(path, project, files);
        exit_code = cli_check_outputs(report, files);
    }
    if (exit_code == SHW_CONTINUE)
        exit_code = cli_project_run_texts(report, code, path, project);
    if (exit_code == SHW_CONTINUE) {
        result = shw_project_check_pictures(project, &log);
        if (result == SHW_OK)
            result = shw_training_set_make(project, &log, set);
        exit_code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
    }
    shw_project_destroy(&project);
    return exit_code;
}

struct watched {
    struct cli_report *report;
    struct shw_remote *remote;
};

static bool go_on(void *user)
{
    (void)user;
    return !cli_interrupted();
}

static void show_progress(void *user, double fraction)
{
    const struct watched *watched = user;
    struct shw_remote_status status;
    char text[SHW_REMOTE_NAME_SIZE * 2 + 128];

    shw_remote_get_status(watched->remote, &status);
    snprintf(text, sizeof text, "on %s, %s; %s sent", status.host, status.trainer, shw_counted_bytes(status.sent).text);
    cli_progress(watched->report, fraction, text);
}

int cli_train_away(struct cli_report *report, const struct cli_code *code, const char *trainer, const char *project,
                   struct shw_output_files *files, struct shw_forest **forest, uint32_t *images)
{
    struct shw_log log = cli_log(report);
    struct watched watched = {.report = report};
    const struct shw_teacher_watch watch = {.go_on = go_on, .progress = show_progress, .user = &watched};
    struct shw_training_set *set = NULL;
    struct shw_teacher teacher;
    enum shw_result result;
    int exit_code = make_set(report, code, project, files, &set);

    if (exit_code != SHW_CONTINUE)
        return exit_code;
    cli_hold_signals(true);
    result = shw_remote_connect(trainer, &log, &watched.remote);
    if (result == SHW_OK) {
        teacher = shw_remote_teacher(watched.remote);
        result = shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, forest, NULL);
        cli_progress_end();
    }
    *images = set->picture_count;
    shw_remote_destroy(&watched.remote, END_SECONDS);
    shw_training_set_destroy(&set);
    return result == SHW_ERROR_CANCELLED ? SHW_EXIT_INTERRUPTED : shw_exit_code(result);
}
