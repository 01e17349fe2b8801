#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/record_train.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/ranks.h"
#include "cli/record_run.h"
#include "cli/report.h"
#include "cli/train_run.h"
#include "dense/split/traits.h"

#define MANY_CLASSES 20u /* from this number on, a hint says that they may be meant as values */

static const char *const techniques[] = {"auto", "cpu", "compute", "blend", NULL};
static const enum shw_technique technique_values[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE,
                                                      SHW_TECHNIQUE_BLEND};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    struct cli_table_options tables;
    struct shw_option_list tests, test_labels;
    struct shw_option_reals missing;
    const char *output;
    struct cli_checkpoint checkpoint;
    struct cli_ranks ranks;
    struct shw_record_trainer_params params;
    struct cli_device_list devices;
    int technique, score, weighting;

    struct shw_name_set classes;
    struct shw_table_records records;
    struct shw_record_out_of_bag out_of_bag;
    struct cli_record_measures measures; /* of --test */
    double seconds;
};

static bool show_progress(void *user, const struct shw_train_progress *progress)
{
    const struct command *command = user;
    char text[120];

    snprintf(text, sizeof text, "tree %u of %u, depth %u, %u open nodes", progress->tree + 1, progress->tree_count,
             progress->depth, progress->open_nodes);
    cli_progress_left(&command->report, progress->fraction, progress->seconds_left, text);
    return true;
}

static enum shw_result save(void *trainer, const char *path)
{
    return shw_record_trainer_save(trainer, path);
}

static enum shw_result resume(struct command *command, struct shw_record_trainer *trainer)
{
    struct shw_train_progress progress;

    if (!cli_checkpoint_is_there(&command->checkpoint))
        return SHW_OK;
    SHW_PROPAGATE(shw_record_trainer_load(trainer, command->checkpoint.path));
    shw_record_trainer_get_progress(trainer, &progress);
    cli_say(&command->report, "resuming %s after %u of %s", command->checkpoint.path, progress.tree,
            shw_counted(progress.tree_count, "tree", "trees").text);
    return SHW_OK;
}

static enum shw_result step(void *user, bool *finished)
{
    return shw_record_trainer_step(user, finished);
}

static int write_forest(struct command *command, const struct shw_record_forest *forest)
{
    void *bytes = NULL;
    size_t size;
    enum shw_result result = shw_record_forest_save_memory(forest, &bytes, &size);

    result = result == SHW_OK
                 ? shw_output_files_save(&command->files, command->output, command->checkpoint.path, bytes, size)
                 : shw_fail_memory(&command->files.log, command->output);
    free(bytes);
    return shw_exit_code(result);
}

/* The table with the classes of a table of --test; NULL: the table has them itself. */
static const char *test_labels(const struct command *command, uint32_t test)
{
    return command->test_labels.count > 0 ? command->test_labels.items[test] : NULL;
}

/* The accuracy on the tables of --test. */
static int test(struct command *command, const struct shw_record_forest *forest)
{
    const struct shw_log log = cli_log(&command->report);
    const struct shw_record_evaluator_params params = {
        .forest = forest, .technique = SHW_RECORD_CPU, .threads = command->params.threads, .log = log};
    struct cli_record_run run = {.report = &command->report,
                                 .forest = forest,
                                 .has_missing = command->missing.count > 0,
                                 .missing = (float)command->missing.items[0],
                                 .measures = &command->measures};
    int code = cli_take_table_options(&cli_train_records, &command->tables, &run.table);

    run.table.class_required = true;
    run.table.usual_column = command->records.class_column;
    run.table.threads = command->params.threads;
    run.table.log = log;
    if (code == SHW_CONTINUE)
        code = shw_exit_code(cli_record_measures_begin(&command->measures, forest, NULL, &log));
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_record_evaluator_create(&params, &run.evaluator));
    for (uint32_t i = 0; i < command->tests.count && code == SHW_EXIT_SUCCESS; i++) {
        run.table.labels = test_labels(command, i);
        code = cli_record_run_table(&run, command->tests.items[i]);
    }
    shw_record_evaluator_destroy(&run.evaluator);
    cli_record_run_free(&run);
    return code;
}

/* Those that were trained on. */
static uint64_t count_examples(const struct shw_table_records *records)
{
    uint64_t count = 0;

    for (uint64_t r = 0; r < records->count; r++)
        count += records->classes[r] != SHW_NO_CLASS;
    return count;
}

static int report_json(struct command *command, const struct shw_record_forest_info *info, const char *hash)
{
    json_t *document =
        json_pack("{s:o, s:s, s:I, s:i, s:i, s:i, s:i, s:i, s:f}", "forest", shw_json_text(command->output), "hash",
                  hash, "records", (json_int_t)count_examples(&command->records), "attributes",
                  (int)info->attribute_count, "classes", (int)info->class_count, "trees", (int)info->tree_count,
                  "nodes", (int)info->node_count, "leaves", (int)info->leaf_count, "seconds", command->seconds);

    if (command->params.out_of_bag)
        json_object_set_new(document, "out_of_bag",
                            json_pack("{s:I, s:I}", "records", (json_int_t)command->out_of_bag.records, "correct",
                                      (json_int_t)command->out_of_bag.right));
    if (command->tests.count > 0)
        json_object_set_new(document, "test", cli_record_measures_pack(&command->measures));
    return cli_print_json(&command->report, document);
}

static int report(struct command *command, const struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    const struct shw_record_out_of_bag *out_of_bag = &command->out_of_bag;
    char hash[20];

    snprintf(hash, sizeof hash, "%016" PRIx64, shw_record_forest_hash(forest));
    if (command->report.json)
        return report_json(command, info, hash);
    printf("%s: %s, %s, %u classes, from %s of %s in %.1f s (hash %s)\n", shw_printable(command->output).text,
           shw_counted(info->tree_count, "tree", "trees").text, shw_counted(info->leaf_count, "leaf", "leaves").text,
           info->class_count, shw_counted(count_examples(&command->records), "record", "records").text,
           shw_counted(info->attribute_count, "attribute", "attributes").text, command->seconds, hash);
    if (command->params.out_of_bag && out_of_bag->records > 0)
        printf("out-of-bag accuracy  %.2f %%, %" PRIu64 " of %s\n",
               100.0 * (double)out_of_bag->right / (double)out_of_bag->records, out_of_bag->right,
               shw_counted(out_of_bag->records, "record", "records").text);
    if (command->tests.count > 0) {
        printf("\n");
        cli_record_measures_print(&command->measures);
    }
    return SHW_EXIT_SUCCESS;
}

static int finish(struct command *command, struct shw_record_trainer *trainer)
{
    struct shw_record_forest *forest = NULL;
    struct shw_train_progress progress;
    enum shw_result result = shw_record_trainer_get_forest(trainer, &forest);
    int code;

    if (result == SHW_OK && command->params.out_of_bag)
        result = shw_record_trainer_get_out_of_bag(trainer, &command->out_of_bag);
    code = shw_exit_code(result);
    shw_record_trainer_get_progress(trainer, &progress);
    command->seconds = progress.seconds;
    if (!cli_ranks_write(&command->ranks)) {
        shw_record_forest_destroy(&forest);
        return code;
    }
    if (code == SHW_EXIT_SUCCESS)
        code = write_forest(command, forest);
    if (code == SHW_EXIT_SUCCESS && command->tests.count > 0) {
        code = test(command, forest);
        if (code != SHW_EXIT_SUCCESS)
            cli_say(&command->report, "%s is written, but was not measured", command->output);
    }
    if (code == SHW_EXIT_SUCCESS)
        code = report(command, forest);
    shw_record_forest_destroy(&forest);
    return code;
}

static void interrupt(void *trainer)
{
    shw_record_trainer_interrupt(trainer);
}

static int train(struct command *command)
{
    const struct shw_table_records *records = &command->records;
    const struct shw_record_examples examples = {.records = {.values = records->values,
                                                             .count = records->count,
                                                             .attribute_count = records->attribute_count,
                                                             .has_missing = command->missing.count > 0,
                                                             .missing = (float)command->missing.items[0]},
                                                 .classes = records->classes,
                                                 .class_count = command->classes.count,
                                                 .attribute_names = (const char *const *)records->attribute_names,
                                                 .class_names = (const char *const *)command->classes.names};
    struct shw_record_trainer *trainer = NULL;
    enum shw_result result;
    int code;

    command->params.progress = show_progress;
    command->params.progress_user = command;
    command->params.log = cli_log(&command->report);
    result = shw_record_trainer_create(&command->params, &examples, &trainer);
    if (result == SHW_OK)
        result = resume(command, trainer);
    code = shw_exit_code(result);
    if (code == SHW_EXIT_SUCCESS) {
        cli_checkpoint_begin(&command->checkpoint, trainer);
        cli_ranks_watch(&command->ranks, interrupt, trainer);
        code = cli_checkpoint_run(&command->checkpoint, step, trainer, true);
        cli_ranks_unwatch(&command->ranks);
    }
    if (code == SHW_EXIT_SUCCESS)
        code = finish(command, trainer);
    shw_record_trainer_destroy(&trainer);
    return code == SHW_EXIT_SUCCESS ? cli_checkpoint_remove(&command->checkpoint) : code;
}

/* Numbers of a regression are not taken for classes. */
static int check_classes(struct command *command, const char *path)
{
    const uint32_t count = command->classes.count;
    const uint64_t examples = command->records.classes != NULL ? count_examples(&command->records) : 0;
    const struct shw_log log = cli_log(&command->report);
    const char *fraction, *missing;

    if (count < 2)
        return cli_fail(&command->report, "%s: there %s; a forest is trained on two classes or more", path,
                        count == 0 ? "are no classes" : "is one class");
    missing = shw_name_set_find_missing(&command->classes);
    if (missing != NULL)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: '%s' is taken for a class, while all others are numbers: a record without a class has an "
                        "empty field, ? or NaN",
                        path, missing);
    if (!shw_name_set_is_numeric(&command->classes, &fraction))
        return SHW_EXIT_SUCCESS;
    if (fraction != NULL)
        return cli_fail(&command->report,
                        "%s: the classes are numbers such as %s: forests are trained to predict classes, of which each "
                        "has a name or a whole number, and not values (regression); --target NAME or NUMBER chooses "
                        "another column",
                        path, fraction);
    if (count > MANY_CLASSES && count > examples / 2)
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u different numbers in %" PRIu64 " records are taken for classes: forests are not "
                        "trained to predict values (regression)",
                        path, count, examples);
    return SHW_EXIT_SUCCESS;
}

static int check_attributes(struct command *command, const char *path)
{
    const uint32_t count = command->records.attribute_count, wanted = command->params.attributes;

    if (count == 0)
        return cli_fail(&command->report, "%s: there are no attributes besides the column of classes", path);
    if (wanted > count && wanted != SHW_RECORD_ATTRIBUTES_ALL)
        return shw_usage_error(&cli_train_records, "--attributes %u: %s has %s", wanted, path,
                               shw_counted(count, "attribute", "attributes").text);
    return SHW_EXIT_SUCCESS;
}

/* The column was not named, so it is reported for users who mean another one. */
static void tell_target(const struct command *command, const char *path)
{
    const struct shw_table_records *records = &command->records;
    char name[100] = "";

    if (records->class_column != NULL)
        snprintf(name, sizeof name, " (%.80s)", records->class_column);
    cli_say(&command->report, "%s: taking classes from the last column, %u%s; --target names another one", path,
            records->class_number, name);
}

/* All tables are checked before training begins. */
static int read_tables(struct command *command, char **paths, int count)
{
    struct shw_table_params params = {.classes = &command->classes,
                                      .class_required = true,
                                      .threads = command->params.threads,
                                      .log = cli_log(&command->report)};
    int code = cli_take_table_options(&cli_train_records, &command->tables, &params);

    if (code == SHW_CONTINUE)
        code = shw_exit_code(
            shw_table_records_read((const char *const *)paths, (uint32_t)count, &params, &command->records));
    if (code == SHW_EXIT_SUCCESS)
        code = check_classes(command, command->tables.labels != NULL ? command->tables.labels : paths[0]);
    if (code == SHW_EXIT_SUCCESS)
        code = check_attributes(command, paths[0]);
    if (code == SHW_EXIT_SUCCESS && command->records.class_is_guess)
        tell_target(command, paths[0]);
    if (!params.by_position)
        params.attribute_names = (const char *const *)command->records.attribute_names;
    params.attribute_count = command->records.attribute_count;
    params.usual_column = command->records.class_column;
    for (uint32_t i = 0; i < command->tests.count && code == SHW_EXIT_SUCCESS; i++) {
        struct shw_table *table = NULL;

        params.labels = test_labels(command, i);
        params.log.level = SHW_LOG_ERROR; /* warnings come when it is read */
        code = shw_exit_code(shw_table_open(command->tests.items[i], &params, &table));
        shw_table_close(&table);
    }
    return code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
}

static int check_files(struct command *command, char **tables, int count)
{
    if (!cli_ranks_write(&command->ranks))
        return SHW_CONTINUE;
    for (int i = 0; i < count; i++)
        shw_output_files_read(&command->files, tables[i]);
    for (uint32_t i = 0; i < command->tests.count; i++) {
        shw_output_files_read(&command->files, command->tests.items[i]);
        shw_output_files_read(&command->files, test_labels(command, i));
    }
    shw_output_files_read(&command->files, command->tables.labels);
    shw_output_files_write(&command->files, command->output, &shw_file_record_forest);
    return cli_checkpoint_check_files(&command->checkpoint, &shw_file_checkpoint, command->output);
}

/* Standard input is one, too. */
static bool is_pipe(const char *path)
{
    struct stat status;

    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && S_ISFIFO(status.st_mode));
}

static int check(struct command *command, char **tables, int count)
{
    const int code = cli_check_tables(&cli_train_records, &command->tables, tables, count);

    if (count < 1)
        return shw_usage_error(&cli_train_records, "at least one table is needed");
    if (command->output == NULL)
        return shw_usage_error(&cli_train_records, "an output file is needed: --output FILE");
    if (code != SHW_CONTINUE)
        return code;
    if (command->test_labels.count > 0 && command->test_labels.count != command->tests.count)
        return shw_usage_error(&cli_train_records, "--test-labels is needed once for each --test: %s, not %u",
                               shw_counted(command->tests.count, "time", "times").text, command->test_labels.count);
    for (uint32_t i = 0; i < command->tests.count; i++) {
        const char *labels = test_labels(command, i);
        if (is_pipe(command->tests.items[i]) || (labels != NULL && is_pipe(labels)))
            return shw_usage_error(&cli_train_records,
                                   "--test and --test-labels take files, which are read twice, not standard input or "
                                   "pipes");
    }
    command->params.technique = technique_values[command->technique];
    command->params.score = (enum shw_score)command->score;
    command->params.weighting = (enum shw_class_weighting)command->weighting;
    return SHW_CONTINUE;
}

/* Joins the other ranks, which all read the tables. */
static int take_ranks(struct command *command, char **tables, int count)
{
    struct cli_ranks *ranks = &command->ranks;
    int code;

    for (int i = 0; i < count && ranks->wanted; i++)
        if (is_pipe(tables[i]))
            return shw_usage_error(&cli_train_records,
                                   "with --mpi, every process reads the tables: %s is not a file that all can read",
                                   strcmp(tables[i], "-") == 0 ? "standard input" : tables[i]);
    code = cli_ranks_begin(&cli_train_records, &command->report, ranks);
    if (code != SHW_CONTINUE || !ranks->joined)
        return code;
    command->params.exchange = &ranks->exchange;
    if (command->params.threads == 0)
        command->params.threads = ranks->ranks.processors;
    command->checkpoint.elsewhere = !cli_ranks_write(ranks);
    return SHW_CONTINUE;
}

#define NUMBER(name, value, low, high, help)                                                                           \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, name, 0, "N", &(value), low, high, help)

static int run(int argc, char **argv)
{
    struct command command = {
        .checkpoint = {.minutes = CLI_SAVE_MINUTES, .report = &command.report, .files = &command.files, .save = save}};
    struct shw_record_trainer_params *params = &command.params;
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output, "the forest to write (.ktx2)"),
        CLI_OVERWRITE_RESULT_OPTION(command.files, "forest"),
        SHW_OPTION(SHW_VALUE_LIST, "test", 0, "TABLE", &command.tests,
                   "measure the forest on other records; may be repeated"),
        SHW_OPTION(SHW_VALUE_LIST, "test-labels", 0, "FILE", &command.test_labels,
                   "the classes of --test, as --labels has those of the\ntraining; once for each --test"),
        CLI_TABLE_OPTIONS(command.tables),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "missing", 0, "NUMBER", &command.missing, 1, 1,
                          "this number means that an attribute is missing, as NaN does"),
        NUMBER("trees", params->tree_count, 1, SHW_TREES_MAX, "trees (100)"),
        NUMBER("depth", params->depth, 1, SHW_DEPTH_MAX, "maximum tests on a path (64)"),
        NUMBER("leaves", params->leaf_max, 1, SHW_NODES_MAX / 2, "maximum leaves per tree (no limit)"),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "attributes", 0, "N", &params->attributes, 1, SHW_RECORD_ATTRIBUTES_MAX,
                          "attributes that each node chooses from, or all (the square\nroot of their number)"),
        NUMBER("bins", params->bins, 2, 255, "bins of an attribute's histogram (255)"),
        SHW_OPTION_CHOICE("score", 0, "NAME", &command.score, shw_score_names,
                          "how tests are scored: information-gain, gini,\nmisclassification, normalised-gain, "
                          "gain-ratio\n(information-gain)"),
        NUMBER("records", params->records_percent, 1, 100, "percent of the records that each tree is trained on (63)"),
        NUMBER("min-samples", params->samples_min, 1, 1u << 30, "minimum records in each child (1)"),
        SHW_OPTION_CHOICE("weights", 0, "NAME", &command.weighting, shw_weighting_names,
                          "of classes: " SHW_WEIGHTINGS(SHW_TRAIT_HELP) " of their\nfrequency (none)"),
        SHW_OPTION_FLAG("out-of-bag", 0, &params->out_of_bag,
                        "also measure each tree on the records that it was not\ntrained on"),
        SHW_OPTION(SHW_VALUE_SEED, "seed", 0, "N", &params->seed, "seed of all random choices (0)"),
        SHW_OPTION_CHOICE("technique", 't', "NAME", &command.technique, techniques,
                          "cpu, compute, blend or auto: compute on a graphics card,\notherwise cpu; the forest is the "
                          "same (auto)"),
        CLI_RANK_DEVICE_OPTION(command.devices),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &params->memory,
                   "memory that training may use besides the records (most of\nit)"),
        NUMBER("threads", params->threads, 1, 1024, "threads; does not affect the forest (one per processor)"),
        CLI_RANKS_OPTION(command.ranks, "train-records"),
        CLI_CHECKPOINT_OPTIONS(command.checkpoint, "forest", "round"),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code;

    cli_ranks_hush();
    code = cli_parse(&cli_train_records, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    code = check(&command, argv + first, argc - first);
    if (code == SHW_CONTINUE)
        code = take_ranks(&command, argv + first, argc - first);
    if (code == SHW_CONTINUE)
        code = cli_take_rank_device(&cli_train_records, params->technique, &command.ranks, &command.devices);
    if (code == SHW_CONTINUE)
        code = check_files(&command, argv + first, argc - first);
    if (code == SHW_CONTINUE)
        code = read_tables(&command, argv + first, argc - first);
    if (code == SHW_CONTINUE)
        code = cli_open_rank_device(&command.report, &command.devices, &params->technique, &params->device);
    if (code == SHW_CONTINUE)
        code = train(&command);
    cli_record_measures_free(&command.measures);
    shw_table_records_free(&command.records);
    shw_name_set_free(&command.classes);
    shw_device_destroy(&params->device);
    shw_output_files_free(&command.files);
    return cli_ranks_end(&command.ranks, code);
}

const struct shw_command cli_train_records = {
    .name = "train-records",
    .summary = "train a forest on tables of records",
    .arguments = "[OPTION...] TABLE... --output FOREST",
    .text =
        "Trains a random forest that predicts the classes of records: rows of attributes, as CSV, libsvm or NPY, with "
        "a column of\n"
        "classes. 'shadewood records' evaluates it. The same options, tables and seed give the same file, with every\n"
        "technique and any number of threads. Records without a class are left out. A TABLE of - is standard input.\n"
        "Forests for regression are not trained, but imported from other programs ('shadewood import').",
    .examples =
        "  shadewood train-records train.csv --test test.csv -o records.ktx2\n"
        "  shadewood train-records train.npy --labels labels.npy --trees 20 --depth 8 -o array.ktx2\n"
        "  shadewood train-records x.npy --labels y.npy --test x_test.npy --test-labels y_test.npy -o two.ktx2\n"
        "  shadewood train-records train.csv --target 3 --out-of-bag -o third.ktx2\n"
        "  shadewood train-records train.csv --trees 1 --records 100 --attributes all -o tree.ktx2",
    .run = run,
};
