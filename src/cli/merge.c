#include <stdio.h>
#include <stdlib.h>

#include <shadewood/forest.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "files/code/forest_code.h"
#include "files/io/output_files.h"

struct command {
    struct cli_report report;
    struct cli_code code;
    struct shw_output_files files;
    const char *output;
    char **paths;
    uint32_t count;
    struct shw_forest **forests;
};

static int report_forest(struct command *command, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    char hash[20];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_forest_hash(forest));
    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:i, s:i, s:i}", "forest", shw_json_text(command->output), "hash",
                                        hash, "forests", (int)command->count, "trees", (int)info->tree_count, "classes",
                                        (int)info->class_count));
    if (!command->report.quiet)
        printf("%s: %s of %s, %s (hash %s)\n", shw_printable(command->output).text,
               shw_counted(info->tree_count, "tree", "trees").text,
               shw_counted(command->count, "forest", "forests").text,
               shw_counted(info->class_count, "class", "classes").text, hash);
    return SHW_EXIT_SUCCESS;
}

static enum shw_result load(struct command *command, struct shw_forest_part *parts, const struct shw_log *log)
{
    const struct shw_forest_load_params params = shw_plugins_params(&command->code.plugins, log);

    for (uint32_t f = 0; f < command->count; f++) {
        SHW_PROPAGATE(shw_code_forest_load(command->paths[f], SHW_CODE_LOOK_ONLY, &params, &command->forests[f]));
        parts[f] = (struct shw_forest_part){command->forests[f], command->paths[f]};
    }
    return SHW_OK;
}

static int merge(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_forest_part *parts = calloc(command->count, sizeof *parts);
    struct shw_forest *merged = NULL;
    enum shw_result result;
    int code;

    command->forests = calloc(command->count, sizeof *command->forests);
    result = parts != NULL && command->forests != NULL ? load(command, parts, &log)
                                                       : shw_fail_memory(&log, "the forests to merge");
    if (result == SHW_OK)
        result = shw_forest_merge(parts, command->count, &log, &merged);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, command->output);
    if (result == SHW_OK)
        result = shw_forest_save(merged, command->output, &log);
    code = result == SHW_OK ? report_forest(command, merged) : shw_exit_code(result);
    shw_forest_destroy(&merged);
    for (uint32_t f = 0; command->forests != NULL && f < command->count; f++)
        shw_forest_destroy(&command->forests[f]);
    free(command->forests);
    free(parts);
    return code;
}

static int run(int argc, char **argv)
{
    struct command command = {.output = NULL};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output, "the forest to write (.ktx2)"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_PLUGIN_OPTION(command.code),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_merge, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (command.output == NULL)
        return shw_usage_error(&cli_merge, "an output file is needed: --output FILE");
    if (argc - first < 2)
        return shw_usage_error(&cli_merge, "at least two forests are needed");
    command.paths = argv + first;
    command.count = (uint32_t)(argc - first);
    for (uint32_t f = 0; f < command.count; f++)
        shw_output_files_read(&command.files, command.paths[f]);
    shw_output_files_write(&command.files, command.output, &shw_file_forest);
    code = cli_check_outputs(&command.report, &command.files);
    if (code == SHW_CONTINUE)
        code = cli_load_plugins(&command.report, &command.code);
    if (code == SHW_CONTINUE)
        code = merge(&command);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_merge = {
    .name = "merge",
    .summary = "make one forest of the trees of several",
    .arguments = "--output FILE [OPTION...] FOREST...",
    .text = "Makes one forest of the trees of several that were trained apart, on the same classes, with the same "
            "channels, feature\ntype, combination of trees and filling of depth. Parts of one training, made with "
            "train --trees and --first-tree, become\nthe file that a single training would have written. Otherwise "
            "the forest says from which ones it was merged.",
    .examples = "  shadewood train --data scenes --trees 10 -o first.ktx2\n"
                "  shadewood train --data scenes --trees 10 --first-tree 10 -o second.ktx2\n"
                "  shadewood merge -o scenes.ktx2 first.ktx2 second.ktx2",
    .run = run,
};
