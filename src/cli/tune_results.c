#include <stdlib.h>
#include <string.h>

#include "cli/tune.h"
#include "files/tune/tune_report.h"

/* What another process has written of the same search may be replaced. */
static void accept_others(struct cli_tuning *command, const char *path, const struct shw_file_kind *kind)
{
    if (kind->is_ours(path, kind->name))
        shw_output_files_written(&command->files, path);
}

static int write_preset(struct cli_tuning *command, const struct shw_tune_report *report)
{
    json_t *document = shw_tune_report_preset(report, command->name);
    char *text = document != NULL ? json_dumps(document, JSON_INDENT(2)) : NULL;
    size_t length = text != NULL ? strlen(text) : 0;
    int code;

    json_decref(document);
    if (text == NULL)
        return cli_fail(&command->report, "not enough memory for the preset");
    text[length] = '\n'; /* instead of the end of the text */
    accept_others(command, command->output, &shw_file_preset);
    code =
        shw_exit_code(shw_output_files_save(&command->files, command->output, command->journal_path, text, length + 1));
    free(text);
    return code;
}

static int write_page(struct cli_tuning *command, const struct shw_tune_report *report)
{
    const struct shw_log log = cli_log(&command->report);
    enum shw_result result;

    accept_others(command, command->page, &shw_file_tuning_report);
    result = shw_output_files_look_again(&command->files, command->page);

    if (result == SHW_OK)
        result = shw_tune_report_write(report, command->page, &log);
    return shw_exit_code(result);
}

/* One process after the other, if several end at the same time. */
static int write_results(struct cli_tuning *command, const struct shw_tune_report *report)
{
    int code = shw_exit_code(shw_journal_hold(&command->journal));

    if (code != SHW_EXIT_SUCCESS)
        return code;
    code = write_preset(command, report);
    if (code == SHW_EXIT_SUCCESS && command->page != NULL)
        code = write_page(command, report);
    shw_journal_let_go(&command->journal);
    return code;
}

static int print(struct cli_tuning *command, const struct shw_tune_report *report)
{
    if (command->report.json)
        return cli_print_json(&command->report, shw_tune_report_pack(report));
    return shw_tune_report_print(report) ? SHW_EXIT_SUCCESS
                                         : cli_fail(&command->report, "not enough memory for the report");
}

int cli_tuning_finish(struct cli_tuning *command)
{
    const struct shw_tune_report report = {.journal = &command->journal,
                                           .space = &command->space,
                                           .objective = (enum shw_tune_objective)command->objective,
                                           .folds = command->folds,
                                           .data = command->report.data,
                                           .classes = command->classes,
                                           .class_count = command->class_count};
    const bool interrupted = cli_interrupted();
    int code;

    cli_progress_end();
    if (shw_trials_best(&command->journal, report.objective) == UINT32_MAX) {
        code = cli_fail(&command->report, "no trial has finished yet; the same command continues from %s",
                        command->journal_path);
        return interrupted ? SHW_EXIT_INTERRUPTED : code;
    }
    code = write_results(command, &report);
    if (code == SHW_EXIT_SUCCESS)
        code = print(command, &report);
    if (code != SHW_EXIT_SUCCESS || !interrupted)
        return code;
    cli_say(&command->report, "interrupted; %s is the best so far, and the same command continues from %s",
            command->output, command->journal_path);
    return SHW_EXIT_INTERRUPTED;
}
