#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/import.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/record_run.h"
#include "cli/report.h"
#include "files/tables/results_part.h"

struct command {
    struct cli_report report;
    struct shw_output_files files;
    struct cli_table_options tables;
    struct shw_option_reals missing;
    const char *output, *write, *names;
    const char *shard_text; /* NULL: all records */
    json_t *part;           /* what is said of a shard */
    struct shw_record_evaluator_params params;
    int technique;
    uint32_t device;
    bool timing, is_double;
    struct shw_record_doubles *doubles; /* with is_double */

    bool wanted[SHW_RESULTS_KIND_COUNT];
    char *name_text; /* of --class-names, divided */
    const char **class_names;
    struct shw_record_forest *forest;
    struct shw_record_evaluator *evaluator;
    struct cli_record_measures measures;
    struct cli_record_run run;
};

/* SHW_RESULTS_KIND_COUNT if forests with that task have none of that name. */
static int find_kind(const char *name, size_t length, enum shw_record_task task)
{
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++) {
        const char *known = shw_results_kind_name((enum shw_results_kind)k, task);

        if (known != NULL && strlen(known) == length && strncmp(name, known, length) == 0)
            return k;
    }
    return SHW_RESULTS_KIND_COUNT;
}

/* The kinds of results in --write. */
static int take_kinds(struct command *command, enum shw_record_task task)
{
    const bool values = task == SHW_RECORD_VALUES;

    if (command->write == NULL)
        command->wanted[values ? SHW_RESULTS_PREDICTIONS : SHW_RESULTS_CLASSES] = true;
    for (const char *text = command->write; text != NULL;) {
        const size_t length = strcspn(text, ",");
        const int kind = find_kind(text, length, task);

        if (kind < SHW_RESULTS_KIND_COUNT)
            command->wanted[kind] = true;
        else if (find_kind(text, length, values ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES) < SHW_RESULTS_KIND_COUNT)
            return shw_usage_error(&cli_records, "--write %.*s: this forest predicts %s", (int)length, text,
                                   values ? "values, not classes and probabilities"
                                          : "classes and probabilities, not values");
        else
            return shw_usage_error(&cli_records,
                                   "--write takes classes, probabilities, values, leaves and sums, not '%.*s'",
                                   (int)length, text);
        text = text[length] != '\0' ? text + length + 1 : NULL;
    }
    return SHW_CONTINUE;
}

static bool has_name(const char *const *names, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* The names in --class-names, one for each class of the forest. */
static int take_names(struct command *command)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(command->forest);
    uint32_t count = 0;

    if (command->names == NULL)
        return SHW_CONTINUE;
    if (info->task != SHW_RECORD_CLASSES)
        return shw_usage_error(&cli_records, "--class-names: this forest predicts values, not classes");
    command->name_text = strdup(command->names);
    command->class_names = calloc(info->class_count, sizeof *command->class_names);
    if (command->name_text == NULL || command->class_names == NULL)
        return cli_fail(&command->report, "not enough memory for the names of classes");
    for (char *at = command->name_text; at != NULL; count++) {
        char *comma = strchr(at, ',');

        if (comma != NULL)
            *comma++ = '\0';
        if (*at == '\0' || strlen(at) > SHW_CLASS_NAME_BYTES_MAX)
            return shw_usage_error(&cli_records, "--class-names: a name must have 1 to %u bytes",
                                   SHW_CLASS_NAME_BYTES_MAX);
        if (count < info->class_count)
            command->class_names[count] = at;
        if (count < info->class_count && has_name(command->class_names, count, at))
            return shw_usage_error(&cli_records, "--class-names has '%s' twice", at);
        at = comma;
    }
    if (count == info->class_count)
        return SHW_CONTINUE;
    return shw_usage_error(&cli_records, "--class-names has %s; the forest has %u classes",
                           shw_counted(count, "name", "names").text, info->class_count);
}

static int check(struct command *command, char **tables, int count)
{
    const int code = cli_check_tables(&cli_records, &command->tables, tables, count);

    if (code != SHW_CONTINUE)
        return code;
    if (command->missing.count > 0 && !command->is_double && isinf((float)command->missing.items[0]))
        return shw_usage_error(&cli_records, "--missing %g is beyond the range of float32", command->missing.items[0]);
    if (command->params.tuning.group_lanes & (command->params.tuning.group_lanes - 1))
        return shw_usage_error(&cli_records, "--group-lanes takes a power of two, not %u",
                               command->params.tuning.group_lanes);
    if (command->shard_text != NULL && (command->output == NULL || cli_is_standard_output(command->output)))
        return shw_usage_error(&cli_records, "--shard needs --output: a file for its results");
    if (command->shard_text != NULL)
        return cli_take_shard(&cli_records, command->shard_text, &command->run.shard);
    return cli_check_standard_output(&cli_records, &command->report, command->output);
}

static int open_evaluator(struct command *command)
{
    struct shw_record_evaluator_params *params = &command->params;
    int code = SHW_CONTINUE;

    params->forest = command->is_double ? shw_record_doubles_get_forest(command->doubles) : command->forest;
    params->technique = (enum shw_record_technique)command->technique;
    params->timing = command->timing;
    params->log = cli_log(&command->report);
    if (params->technique == SHW_RECORD_AUTO || shw_record_technique_needs_device(params->technique))
        code = cli_create_device(&command->report, command->device,
                                 shw_record_technique_needs_device(params->technique), &params->device);
    if (code != SHW_CONTINUE)
        return code;
    return shw_exit_code(shw_record_evaluator_create(params, &command->evaluator));
}

static void add_text(struct shw_digester *digester, const char *text)
{
    shw_digester_add_text(digester, text != NULL ? text : "");
}

/* Everything that results depend on besides the tables. Empty if the model cannot be read. */
static struct shw_digest digest_settings(const struct command *command, const char *forest)
{
    const struct cli_table_options *tables = &command->tables;
    const uint64_t hash = shw_record_forest_hash(command->forest);
    const int numbers[] = {command->is_double, (int)command->missing.count, tables->by_position, tables->header,
                           tables->first_index};
    struct shw_digester *digester = shw_digester_create();
    struct shw_digest digest;
    bool complete = digester != NULL && (!command->is_double || shw_digester_add_file(digester, forest));

    if (complete) {
        shw_digester_add(digester, &hash, sizeof hash);
        shw_digester_add(digester, numbers, sizeof numbers);
        shw_digester_add(digester, command->missing.items, command->missing.count * sizeof *command->missing.items);
        shw_digester_add(digester, command->wanted, sizeof command->wanted);
        add_text(digester, command->names);
        add_text(digester, tables->class_column);
        add_text(digester, tables->delimiter);
        for (uint32_t i = 0; i < tables->ignored.count; i++)
            add_text(digester, tables->ignored.items[i]);
    }
    digest = shw_digester_end(&digester);
    return complete ? digest : (struct shw_digest){""};
}

/* The bytes of all tables, which every shard reads. Returns SHW_CONTINUE or the exit code. */
static int digest_tables(struct command *command, char **tables, int count, struct shw_digest *digest)
{
    struct shw_digester *digester = shw_digester_create();
    const char *failed = digester == NULL ? tables[0] : NULL;

    for (int i = 0; i < count && failed == NULL; i++)
        failed = shw_digester_add_file(digester, tables[i]) ? NULL : tables[i];
    *digest = shw_digester_end(&digester);
    return failed == NULL
               ? SHW_CONTINUE
               : cli_fail(&command->report, "%s cannot be read by each shard, as --shard needs: pass a file", failed);
}

/* What the file of a shard says. Returns SHW_CONTINUE or the exit code. */
static int describe_part(struct command *command, const char *forest, char **tables, int count)
{
    const struct shw_shard *shard = &command->run.shard;
    const struct shw_digest settings = digest_settings(command, forest);
    struct shw_digest list;
    int code;

    if (shard->count == 0)
        return SHW_CONTINUE;
    if (settings.text[0] == '\0')
        return cli_fail(&command->report, "%s can be read only once, so that shards cannot share it: pass a file",
                        forest);
    code = digest_tables(command, tables, count, &list);
    if (code != SHW_CONTINUE)
        return code;
    command->part = json_pack("{s:[i,i], s:s, s:s}", "shard", (int)shard->number, (int)shard->count, "list", list.text,
                              "settings", settings.text);
    return command->part != NULL ? SHW_CONTINUE : cli_fail(&command->report, "not enough memory for the shard");
}

/* Whether the shard is there already, made from the same. */
static bool is_up_to_date(const struct command *command)
{
    static const char *const same[] = {"shard", "list", "settings"};
    json_t *there = command->part != NULL ? shw_results_part_read(command->output) : NULL;
    bool is = there != NULL;

    for (size_t i = 0; i < sizeof same / sizeof *same && is; i++)
        is = json_equal(json_object_get(there, same[i]), json_object_get(command->part, same[i]));
    json_decref(there);
    return is;
}

static int report_up_to_date(struct command *command)
{
    const struct shw_shard *shard = &command->run.shard;

    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:b}", "output", shw_json_text(command->output), "up_to_date", 1));
    if (!command->report.quiet)
        printf("shard %u of %u is up to date, in %s\n", shard->number, shard->count,
               shw_printable(command->output).text);
    return SHW_EXIT_SUCCESS;
}

/* Checks what is going to be written before anything is read. Returns SHW_CONTINUE or the exit code. */
static int prepare_output(struct command *command, const char *forest, char **tables, int count)
{
    struct shw_results_params params = {.forest = command->forest,
                                        .class_names = command->class_names,
                                        .path = command->output,
                                        .files = &command->files,
                                        .part = command->part,
                                        .threads = command->params.threads,
                                        .log = cli_log(&command->report)};
    int code;

    if (command->output == NULL)
        return SHW_CONTINUE;
    memcpy(params.wanted, command->wanted, sizeof params.wanted);
    shw_output_files_read(&command->files, forest);
    shw_output_files_read(&command->files, command->tables.labels);
    for (int i = 0; i < count; i++)
        shw_output_files_read(&command->files, tables[i]);
    code = shw_exit_code(shw_results_create(&params, &command->run.results));
    if (code == SHW_EXIT_SUCCESS)
        code = cli_check_outputs(&command->report, &command->files);
    if (code == SHW_CONTINUE)
        code = shw_exit_code(shw_results_open(command->run.results));
    return code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
}

static void print_times(const struct command *command)
{
    const struct shw_record_seconds *seconds = &command->run.seconds;
    const double records = (double)command->measures.records;

    printf("\ntechnique            %s\nouter time           %.6f s, %.4g records/s\n",
           shw_record_technique_name(shw_record_evaluator_get_technique(command->evaluator)), seconds->outer,
           records / seconds->outer);
    if (seconds->inner > 0)
        printf("inner time           %.6f s, %.4g records/s\n", seconds->inner, records / seconds->inner);
}

static void print_files(const struct command *command)
{
    const char *path;

    printf("\n%s, in ", shw_counted(command->measures.records, "record", "records").text);
    for (uint32_t i = 0; (path = shw_results_get_path(command->run.results, i)) != NULL; i++)
        printf("%s%s", i > 0 ? ", " : "", shw_printable(path).text);
    printf("\n");
}

static int report_json(struct command *command, const char *forest)
{
    char hash[20];
    json_t *document = cli_record_measures_pack(&command->measures);

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_record_forest_hash(command->forest));
    json_object_update_new(document,
                           json_pack("{s:o, s:s, s:s, s:o}", "forest", shw_json_text(forest), "hash", hash, "technique",
                                     shw_record_technique_name(shw_record_evaluator_get_technique(command->evaluator)),
                                     "output", command->output != NULL ? shw_json_text(command->output) : json_null()));
    if (command->timing)
        json_object_update_new(document, json_pack("{s:f, s:f}", "inner_seconds", command->run.seconds.inner,
                                                   "outer_seconds", command->run.seconds.outer));
    return cli_print_json(&command->report, document);
}

/* Nothing on standard output if the table goes there. */
static int report(struct command *command, const char *forest)
{
    if (command->report.json)
        return report_json(command, forest);
    if (cli_is_standard_output(command->output))
        return SHW_EXIT_SUCCESS;
    if (!command->report.quiet || command->output == NULL) {
        cli_record_measures_print(&command->measures);
        if (command->timing)
            print_times(command);
        if (command->output != NULL)
            print_files(command);
    }
    return SHW_EXIT_SUCCESS;
}

static int evaluate(struct command *command, char **tables, int count)
{
    struct cli_record_run *run = &command->run;
    const struct shw_log log = cli_log(&command->report);
    int code =
        shw_exit_code(cli_record_measures_begin(&command->measures, command->forest, command->class_names, &log));

    run->report = &command->report;
    run->evaluator = command->evaluator;
    run->forest = command->forest;
    run->table.log = log;
    run->table.threads = command->params.threads;
    run->has_missing = command->missing.count > 0;
    run->missing = (float)command->missing.items[0];
    run->missing_double = command->missing.items[0];
    run->doubles = command->doubles;
    run->wanted = run->results != NULL ? command->wanted : NULL;
    run->measures = &command->measures;
    for (int i = 0; i < count && code == SHW_EXIT_SUCCESS; i++)
        code = cli_record_run_table(run, tables[i]);
    if (code == SHW_EXIT_SUCCESS && run->results != NULL)
        code = shw_exit_code(shw_results_commit(run->results, run->row));
    return code;
}

/* A model that is given directly was not imported, which would have reported this. */
static void tell_double_thresholds(struct command *command, const char *name)
{
    const struct shw_log log = cli_log(&command->report);
    const uint32_t count = shw_record_forest_count_double_thresholds(command->forest);

    if (count > 0)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_RECORD_FOREST,
                        "%s: %s in double precision, but compared in float32: numbers that are not float32 may reach "
                        "other leaves than in the model (--double compares as the model does)",
                        name, shw_counted(count, "threshold is", "thresholds are").text);
}

static int records(struct command *command, char **arguments, int count)
{
    const struct shw_log log = cli_log(&command->report);
    int code = shw_exit_code(shw_record_forest_open(arguments[0], &log, &command->forest));

    if (code == SHW_EXIT_SUCCESS && command->is_double)
        code = shw_exit_code(shw_record_doubles_create(command->forest, arguments[0], &log, &command->doubles));
    else if (code == SHW_EXIT_SUCCESS)
        tell_double_thresholds(command, arguments[0]);
    if (code == SHW_EXIT_SUCCESS)
        code = take_kinds(command, shw_record_forest_get_info(command->forest)->task);
    if (code == SHW_CONTINUE)
        code = take_names(command);
    if (code == SHW_CONTINUE)
        code = describe_part(command, arguments[0], arguments + 1, count - 1);
    if (code == SHW_CONTINUE && is_up_to_date(command))
        return report_up_to_date(command);
    if (code == SHW_CONTINUE)
        code = prepare_output(command, arguments[0], arguments + 1, count - 1);
    if (code == SHW_CONTINUE)
        code = open_evaluator(command);
    if (code == SHW_EXIT_SUCCESS)
        code = evaluate(command, arguments + 1, count - 1);
    return code == SHW_EXIT_SUCCESS ? report(command, arguments[0]) : code;
}

#define NUMBER(name, value, low, high, help)                                                                           \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, name, 0, "N", &(value), low, high, help)

static int run(int argc, char **argv)
{
    struct command command = {.technique = SHW_RECORD_AUTO};
    struct shw_record_tuning *tuning = &command.params.tuning;
    const char *techniques[SHW_RECORD_TECHNIQUE_COUNT + 1];
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output,
                   "the table of results to write: .npy, otherwise CSV; - for\nstandard output"),
        CLI_OVERWRITE_OPTION(command.files),
        SHW_OPTION(
            SHW_VALUE_TEXT, "shard", 0, "I/N", &command.shard_text,
            "evaluate the I-th of N parts of the records, each of which\nanother process may evaluate, and write a "
            "file for\nmerge-shards"),
        SHW_OPTION(SHW_VALUE_TEXT, "write", 'w', "KIND,...", &command.write,
                   "what to write: classes, probabilities, values (regression),\nleaves, sums (classes or values)"),
        CLI_TABLE_OPTIONS(command.tables),
        SHW_OPTION(SHW_VALUE_TEXT, "class-names", 0, "NAME,...", &command.names,
                   "names of the forest's classes in tables, for models\nthat have numbers (the forest's names)"),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "missing", 0, "NUMBER", &command.missing, 1, 1,
                          "this number means that an attribute is missing, as NaN does"),
        SHW_OPTION_FLAG("double", 0, &command.is_double,
                        "compare attributes in double precision, as LightGBM does;\nFOREST is then its model"),
        SHW_OPTION_CHOICE("technique", 't', "NAME", &command.technique, techniques,
                          "auto, serial, cpu, compute, speculative,\nspeculative-mapped, windowed or fragment; same "
                          "result (auto)"),
        CLI_DEVICE_OPTION(command.device),
        NUMBER("group-lanes", tuning->group_lanes, 1, 1024, "speculative techniques: lanes per record (by the forest)"),
        NUMBER("records-per-group", tuning->records_per_group, 1, 65536,
               "successive records per lane or group (by the device)"),
        NUMBER("reductions", tuning->reductions, 1, 8,
               "speculative-mapped, windowed: pointer jumps between tests for\n"
               "a leaf (by the forest)"),
        NUMBER("window-levels", tuning->window_levels, 1, 10, "windowed: levels of a window (by the forest)"),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &command.params.memory,
                   "device memory for records and results in flight (256M)"),
        NUMBER("threads", command.params.threads, 1, 1024, "threads that read, evaluate and write (one per processor)"),
        SHW_OPTION_FLAG("timing", 0, &command.timing,
                        "also print how long evaluation took, with and without transfers"),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code;

    for (uint32_t t = 0; t <= SHW_RECORD_TECHNIQUE_COUNT; t++) /* NULL at the end */
        techniques[t] = shw_record_technique_name((enum shw_record_technique)t);
    code = cli_parse(&cli_records, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first < 2)
        return shw_usage_error(&cli_records, "a forest and at least one table are needed");
    command.run.table.has_matching = true;
    code = cli_take_table_options(&cli_records, &command.tables, &command.run.table);
    if (code == SHW_CONTINUE)
        code = check(&command, argv + first + 1, argc - first - 1);
    if (code == SHW_CONTINUE)
        code = records(&command, argv + first, argc - first);
    shw_results_destroy(&command.run.results);
    json_decref(command.part);
    cli_record_run_free(&command.run);
    cli_record_measures_free(&command.measures);
    free(command.class_names);
    free(command.name_text);
    shw_record_evaluator_destroy(&command.evaluator);
    shw_record_doubles_destroy(&command.doubles);
    shw_device_destroy(&command.params.device);
    shw_record_forest_destroy(&command.forest);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_records = {
    .name = "records",
    .summary = "evaluate a forest on tables of records",
    .arguments = "[OPTION...] FOREST TABLE...",
    .text =
        "Evaluates a record forest, or a model of another program as 'shadewood import' reads them, on records: rows "
        "of\n"
        "attributes, as CSV, libsvm or NPY, of any number. It prints how many records are of each class; where the "
        "table says "
        "the\n"
        "classes, also accuracy and confusion matrix; for regression, the values and their errors. With --output, it "
        "writes\n"
        "a row per record. All techniques find the same leaves and the same sums. A TABLE of - is standard input.",
    .examples = "  shadewood records records.ktx2 test.csv\n"
                "  shadewood records records.ktx2 test.csv -o classes.csv --write classes,probabilities\n"
                "  shadewood records array.ktx2 test.npy --labels labels.npy -t serial --timing\n"
                "  shadewood records model.json test.csv --technique cpu\n"
                "  shadewood records records.ktx2 - -o - <test.csv | tail -n +2 | sort | uniq -c",
    .run = run,
};
