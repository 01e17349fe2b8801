#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "files/io/image_paths.h"
#include "files/output/accuracy_shards.h"
#include "files/output/detection_tables.h"
#include "files/output/label_tables.h"
#include "files/output/result_shards.h"
#include "files/tables/results_part.h"

/* The commands whose images can be worked on in shards. */
static const struct shw_result_tables_kind *const kinds[] = {&shw_tables_of_label, &shw_tables_of_detect};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    const char *output;
    uint32_t count; /* of shards; 0: as many as there are */
    bool counts;
    struct shw_result_shards shards;
    struct shw_result_journal *journal;
    json_t *merged; /* what is reported, by command */
};

static bool owns(const void *journal, const char *path)
{
    return shw_result_journal_owns(journal, path);
}

/* A table that an earlier call has written is known by the journal. */
static int prepare(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    const struct shw_result_tables_kind *kind = command->shards.kind;
    const struct shw_result_journal_name name = shw_result_journal_name(kind->command, (struct shw_shard){0});
    int code = cli_make_folder(&command->report, command->output);

    command->files.log = log;
    if (code == SHW_CONTINUE && shw_result_journal_open(&log, command->output, name.text, command->files.overwrite,
                                                        &command->journal) != SHW_OK)
        code = SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE &&
        shw_result_tables_list(kind, shw_result_shards_columns(&command->shards), command->output, owns,
                               command->journal, &command->files) != SHW_OK)
        code = SHW_EXIT_FAILURE;
    return code == SHW_CONTINUE ? cli_check_outputs(&command->report, &command->files) : code;
}

static int report(struct command *command)
{
    const struct shw_result_shards *shards = &command->shards;

    json_object_set_new(command->merged, shards->kind->command,
                        json_pack("{s:i, s:I, s:I}", "shards", (int)shards->count, "images",
                                  (json_int_t)shards->pictures, "failed", (json_int_t)shards->failed));
    if (!command->report.json && !command->report.quiet)
        printf("%llu images of %u shards of %s, %llu failed, in %s\n", (unsigned long long)shards->pictures,
               shards->count, shards->kind->command, (unsigned long long)shards->failed,
               shw_printable(command->output).text);
    return shards->failed > 0 ? SHW_EXIT_FAILURE : SHW_EXIT_SUCCESS;
}

/* The shards of one command. */
static int merge_kind(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    int code = prepare(command);

    if (code == SHW_CONTINUE)
        code = shw_exit_code(
            shw_result_shards_merge(&command->shards, command->output, command->journal, &command->files, &log));
    if (code == SHW_EXIT_SUCCESS)
        code = report(command);
    shw_result_journal_close(&command->journal);
    shw_output_files_free(&command->files);
    return code;
}

static int refuse_none(struct command *command, const char *folder)
{
    if (command->count > 0)
        return cli_fail(&command->report, "%s has no journals of %u shards", folder, command->count);
    return cli_fail(&command->report,
                    "%s has no journals of shards: label --shard and detect --shard leave them beside their results",
                    folder);
}

/* A folder may have shards of several commands. */
static int merge(struct command *command, char **folders, int count)
{
    const struct shw_log log = cli_log(&command->report);
    int worst = SHW_EXIT_SUCCESS, printed = SHW_EXIT_SUCCESS;
    bool any = false;

    command->merged = json_object();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        enum shw_result found =
            shw_result_shards_find(kinds[k], folders, count, command->count, &log, &command->shards);
        const bool has_some = found == SHW_OK && command->shards.count > 0;
        const int code = has_some ? merge_kind(command) : SHW_EXIT_SUCCESS;

        any = any || has_some;
        worst = code != SHW_EXIT_SUCCESS ? code : worst;
        shw_result_shards_free(&command->shards);
        worst = found != SHW_OK ? shw_exit_code(found) : worst;
        any = any || found != SHW_OK;
    }
    if (command->report.json && json_object_size(command->merged) > 0)
        printed = cli_print_json(&command->report, json_incref(command->merged));
    json_decref(command->merged);
    if (!any)
        return refuse_none(command, folders[0]);
    return worst != SHW_EXIT_SUCCESS ? worst : printed;
}

/* Adds what shards of evaluate have counted. */
static int add(struct command *command, char **paths, int count)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_accuracy_sum sum;
    int code = shw_exit_code(shw_accuracy_parts_add(paths, count, &log, &sum));

    sum.report.counts = command->counts;
    if (code == SHW_EXIT_SUCCESS && command->report.json)
        code = cli_print_json(&command->report, shw_pack_accuracy(&sum.report));
    else if (code == SHW_EXIT_SUCCESS && !shw_print_accuracy(&sum.report))
        code = cli_fail(&command->report, "not enough memory for the report");
    shw_accuracy_sum_free(&sum);
    return code;
}

/* Puts the tables together that shards of records have parts of. */
static int join(struct command *command, char **paths, int count)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_results_parts *parts = NULL;
    int code;

    for (int i = 0; i < count; i++)
        shw_output_files_read(&command->files, paths[i]);
    command->files.log = log;
    code = shw_exit_code(shw_results_parts_open(paths, count, &log, &parts));
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_results_parts_name(parts, command->output, &command->files));
    if (code == SHW_EXIT_SUCCESS)
        code = cli_check_outputs(&command->report, &command->files);
    if (code == SHW_CONTINUE)
        code = shw_exit_code(shw_results_parts_merge(parts, &command->files));
    if (code == SHW_EXIT_SUCCESS && command->report.json)
        code = cli_print_json(&command->report, json_pack("{s:i, s:I}", "shards", (int)shw_results_parts_count(parts),
                                                          "records", (json_int_t)shw_results_parts_records(parts)));
    else if (code == SHW_EXIT_SUCCESS && !command->report.quiet)
        printf("%s of %u shards, in %s\n", shw_counted(shw_results_parts_records(parts), "record", "records").text,
               shw_results_parts_count(parts), shw_printable(command->output).text);
    shw_results_parts_close(&parts);
    shw_output_files_free(&command->files);
    return code;
}

/* Files of shards: of records, or of evaluate. */
static int merge_files(struct command *command, char **paths, int count)
{
    if (command->count > 0)
        return shw_usage_error(&cli_merge_shards, "--shards is for folders of shards");
    if (shw_file_results_part.is_ours(paths[0], NULL)) {
        if (command->output == NULL)
            return shw_usage_error(&cli_merge_shards, "shards of records become a table: name it with --output");
        if (command->counts)
            return shw_usage_error(&cli_merge_shards, "--counts is for shards of evaluate");
        return join(command, paths, count);
    }
    if (command->output != NULL)
        return shw_usage_error(&cli_merge_shards,
                               "shards of evaluate are added and printed: --output is for those of other commands");
    return add(command, paths, count);
}

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int run(int argc, char **argv)
{
    struct command command = {.output = NULL};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "PATH", &command.output,
                   "the folder of the tables, created if missing (that of the\nshards, if it is one); of records: the "
                   "table, CSV or .npy"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "shards", 0, "N", &command.count, 1, SHW_SHARDS_MAX,
                          "only journals of N shards, of folders that have others, too"),
        SHW_OPTION_FLAG("counts", 0, &command.counts,
                        "of evaluate: print the confusion matrix in pixels, not in\npercent"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_merge_shards, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (first == argc)
        return shw_usage_error(&cli_merge_shards, "at least one folder of shards, or file of a shard, is needed");
    if (is_file(argv[first]))
        return merge_files(&command, argv + first, argc - first);
    if (command.counts)
        return shw_usage_error(&cli_merge_shards, "--counts is for shards of evaluate");
    if (command.output == NULL && argc - first > 1)
        return shw_usage_error(&cli_merge_shards, "the shards are in several folders: name one with --output");
    if (command.output == NULL)
        command.output = argv[first];
    return merge(&command, argv + first, argc - first);
}

const struct shw_command cli_merge_shards = {
    .name = "merge-shards",
    .summary = "merge what label, detect, evaluate or records did in shards",
    .arguments = "[OPTION...] {FOLDER... | FILE...}",
    .text =
        "Writes the tables of images that were labelled or searched by several calls of 'shadewood label --shard' or "
        "'shadewood\ndetect --shard', into one folder or several: those that one call would have written, byte for "
        "byte. Shards that are missing,\nthere twice, have not ended, or are of other images, models or options are "
        "refused. The exit status is 1 if images have\nfailed.\n"
        "The FILEs of all shards of 'shadewood evaluate --shard' are added, and the report of one call is printed. "
        "Those of\n'shadewood records --shard' become the table of one call.",
    .examples = "  for i in 1 2 3 4; do shadewood label scenes.ktx2 photos -o labelled --shard $i/4 & done; wait\n"
                "  shadewood merge-shards labelled\n"
                "  for i in 1 2; do shadewood detect face.ktx2 photos -o faces --shard $i/2; done\n"
                "  shadewood merge-shards faces\n"
                "  shadewood evaluate --data scenes scenes.ktx2 --shard 1/2 -o part1.json\n"
                "  shadewood evaluate --data scenes scenes.ktx2 --shard 2/2 -o part2.json\n"
                "  shadewood merge-shards part1.json part2.json\n"
                "  for i in 1 2; do shadewood records records.ktx2 test.csv --shard $i/2 -o part$i; done\n"
                "  shadewood merge-shards part1 part2 -o classes.csv",
    .run = run,
};
