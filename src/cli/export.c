#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/outputs.h"
#include "cli/report.h"
#include "exchange/curfil_forest.h"
#include "exchange/packed_file.h"

static const char *const formats[] = {"curfil", NULL};

static const struct shw_file_kind curfil_file = {NULL, "a tree of CURFIL's", NULL, false};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    int format;
    const char *folder, *path;
    struct shw_forest *forest;
};

/* FOLDER/tree0.json.gz and so on, to be freed with free(). */
static char *path_of(const struct command *command, uint32_t tree)
{
    size_t size = strlen(command->folder) + 32;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s/tree%u.json.gz", command->folder, tree);
    return path;
}

static enum shw_result write_tree(const struct command *command, uint32_t tree, const struct shw_log *log)
{
    char *path = path_of(command, tree), *text = NULL;
    void *packed = NULL;
    size_t size = 0;
    enum shw_result result = path != NULL ? SHW_OK : shw_fail_memory(log, "a path");

    if (result == SHW_OK)
        result = shw_curfil_tree_format(command->forest, command->path, tree, log, &text);
    if (result == SHW_OK)
        result = shw_packed_text_make(text, log, &packed, &size);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, path);
    if (result == SHW_OK)
        result = shw_atomic_file_write(path, packed, size, log);
    free(packed);
    free(text);
    free(path);
    return result;
}

/* Whether all trees can be written, before a folder or a file is. */
static enum shw_result check_trees(const struct command *command, const struct shw_log *log)
{
    for (uint32_t t = 0; t < shw_forest_get_info(command->forest)->tree_count; t++) {
        char *text = NULL;
        SHW_PROPAGATE(shw_curfil_tree_format(command->forest, command->path, t, log, &text));
        free(text);
    }
    return SHW_OK;
}

static int tell(struct command *command)
{
    uint32_t trees = shw_forest_get_info(command->forest)->tree_count;

    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:o, s:i}", "forest", cli_json_text(command->path), "format",
                                        formats[command->format], "folder", cli_json_text(command->folder), "trees",
                                        (int)trees));
    if (!command->report.quiet)
        printf("%s: %u trees\n", cli_printable(command->folder).text, trees);
    return CLI_SUCCESS;
}

/* Checks the files before anything is written. */
static int check_files(struct command *command)
{
    uint32_t trees = shw_forest_get_info(command->forest)->tree_count;

    shw_output_files_read(&command->files, command->path);
    for (uint32_t t = 0; t < trees; t++) {
        char *path = path_of(command, t);
        shw_output_files_write(&command->files, path, &curfil_file);
        free(path);
    }
    return cli_check_outputs(&command->report, &command->files);
}

static int export(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    enum shw_result result =
        shw_forest_load(command->path, &(struct shw_forest_load_params){.log = log}, &command->forest);
    int code;

    if (result == SHW_OK)
        result = check_trees(command, &log);
    if (result != SHW_OK)
        return cli_exit_code(result);
    code = cli_make_folder(&command->report, command->folder);
    if (code == CLI_CONTINUE)
        code = check_files(command);
    if (code != CLI_CONTINUE)
        return code;
    for (uint32_t t = 0; t < shw_forest_get_info(command->forest)->tree_count && result == SHW_OK; t++)
        result = write_tree(command, t, &log);
    return result == SHW_OK ? tell(command) : cli_exit_code(result);
}

static int run(int argc, char **argv)
{
    struct command command = {.format = -1};
    const struct cli_option options[] = {
        CLI_OPTION_CHOICE("to", 0, "FORMAT", &command.format, formats,
                          "curfil: JSON trees of CURFIL's, packed by gzip, of a forest\nof feature type "
                          "curfil-difference"),
        CLI_OPTION(CLI_TEXT, "output", 'o', "DIR", &command.folder,
                   "the folder to write to: tree0.json.gz and so on; created\nif it does not exist"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_export, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != CLI_CONTINUE)
        return code;
    if (command.format < 0)
        return cli_usage_error(&cli_export, "the format to write is needed: --to FORMAT");
    if (command.folder == NULL || *command.folder == '\0')
        return cli_usage_error(&cli_export, "an output folder is needed: --output DIR");
    if (argc - first != 1)
        return cli_usage_error(&cli_export, "one forest is needed");
    command.path = argv[first];
    code = export(&command);
    shw_forest_destroy(&command.forest);
    shw_output_files_free(&command.files);
    return code;
}

const struct cli_command cli_export = {
    .name = "export",
    .summary = "write a forest as another program reads it",
    .arguments = "--to FORMAT --output DIR [OPTION...] FOREST",
    .text =
        "Writes the trees of a forest as another program reads them, one per file. 'shadewood import' makes the same\n"
        "forest of them; docs/exchange.md has the formats, and what differs.",
    .examples = "  shadewood export --to curfil rooms.ktx2 -o rooms-curfil",
    .run = run,
};
