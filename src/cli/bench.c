#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/records.h>

#include "base/log.h"
#include "base/options.h"
#include "bench/bench.h"
#include "bench/compare.h"
#include "bench/document.h"
#include "cli/commands.h"
#include "cli/report.h"

/* A file that cannot be read is an error of the command line, so that 1 always means a regression. */
static int compare(const char *const paths[2], double threshold, struct cli_report *report)
{
    struct shw_log log = cli_log(report);
    struct shw_bench_comparison comparison = {0};
    json_t *a = NULL, *b = NULL;
    int code = SHW_EXIT_USAGE;

    if (shw_bench_load(paths[0], &log, &a) != SHW_OK || shw_bench_load(paths[1], &log, &b) != SHW_OK ||
        shw_bench_compare(a, b, threshold, &log, &comparison) != SHW_OK)
        goto end;
    if (!report->quiet)
        shw_bench_print_comparison(&comparison, paths[0], paths[1], stdout);
    code = shw_bench_regressed(&comparison) ? SHW_EXIT_FAILURE : SHW_EXIT_SUCCESS;

end:
    shw_bench_comparison_free(&comparison);
    json_decref(a);
    json_decref(b);
    return code;
}

static int run_compare(int argc, char **argv)
{
    struct cli_report report = {0};
    uint32_t threshold = 10;
    const struct shw_option options[] = {
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threshold", 0, "PERCENT", &threshold, 0, 1000,
                          "slowdown that counts as a regression (10)"),
        SHW_OPTION_FLAG("quiet", 'q', &report.quiet, "print no table, only errors"),
    };
    int first, code = cli_parse(&cli_bench_compare, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first != 2)
        return shw_usage_error(&cli_bench_compare,
                               "two reports are needed, as 'shadewood bench --json FILE' writes them");
    return compare((const char *const[]){argv[first], argv[first + 1]}, threshold / 100.0, &report);
}

const struct shw_command cli_bench_compare = {
    .name = "bench compare",
    .summary = "show what changed between two runs of the bench",
    .arguments = "[OPTION...] A.json B.json",
    .text =
        "Compares two stored runs of the bench: both medians of every row, by the device's clock where both have it, "
        "their\n"
        "ratio, and whether the change exceeds noise, that is whether the interquartile ranges are disjoint. Exits "
        "with 1 if\n"
        "a row, or a stage on average, became slower by more than the threshold, or if a result no longer equals "
        "that of cpu;\n"
        "with 2 if a file cannot be read.",
    .examples = "  shadewood bench compare before.json after.json\n"
                "  shadewood bench compare before.json after.json --threshold 5",
    .former = "html",
    .instead = "shadewood-bench-page makes pages of two reports",
    .run = run_compare,
};

#define SUITES_MAX 16u

struct settings {
    struct shw_bench_options options;
    struct cli_report report;
    const char *json, *csv, *limits, *techniques;
    uint32_t device, seconds, size[2], records;
    bool list;
    const struct shw_bench_suite *suites[SUITES_MAX];
    uint32_t suite_count;
    char command[1024];
    struct shw_option_list plugin_paths;
    struct shw_bench_plugins plugins;
    struct shw_output_files files;
};

static int choose_suites(struct settings *settings, int count, char **names)
{
    for (const struct shw_bench_suite *suite = shw_bench_suites; count == 0 && suite->name != NULL; suite++)
        settings->suites[settings->suite_count++] = suite;
    for (int i = 0; i < count; i++) {
        struct shw_suggestion suggestion = {.wanted = names[i]};
        const struct shw_bench_suite *suite = shw_bench_suites;
        for (; suite->name != NULL && strcmp(suite->name, names[i]) != 0; suite++)
            shw_suggest(&suggestion, suite->name);
        if (suite->name == NULL && suggestion.nearest != NULL)
            return shw_usage_error(&cli_bench, "there is no suite '%s'; did you mean '%s'?", names[i],
                                   suggestion.nearest);
        if (suite->name == NULL || settings->suite_count == SUITES_MAX)
            return shw_usage_error(&cli_bench, "there is no suite '%s': --list shows them", names[i]);
        settings->suites[settings->suite_count++] = suite;
    }
    return SHW_CONTINUE;
}

static int no_such_technique(const char *name, size_t length)
{
    char known[256] = "";

    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s, ",
                 shw_technique_name((enum shw_technique)t));
    for (int t = SHW_RECORD_SERIAL; t < (int)SHW_RECORD_TECHNIQUE_COUNT; t++)
        if (strstr(known, shw_record_technique_name((enum shw_record_technique)t)) == NULL)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s, ",
                     shw_record_technique_name((enum shw_record_technique)t));
    return shw_usage_error(&cli_bench, "--technique takes names from %sand those of plugins, not '%.*s'", known,
                           (int)length, name);
}

static bool is_name(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && strncmp(known, name, length) == 0;
}

/* With one of records alone, suites of images time nothing: no technique of theirs has that number. */
static bool choose_record_technique(struct shw_bench_options *options, const char *name, size_t length)
{
    for (int t = SHW_RECORD_SERIAL; t < (int)SHW_RECORD_TECHNIQUE_COUNT; t++)
        if (is_name(shw_record_technique_name((enum shw_record_technique)t), name, length)) {
            options->record_techniques |= 1u << t;
            options->techniques |= 1u << SHW_TECHNIQUE_AUTO;
            return true;
        }
    return false;
}

/* A name may be that of a technique of images, of records, or of both. */
static bool choose_technique(struct settings *settings, const char *name, size_t length)
{
    struct shw_bench_options *options = &settings->options;
    bool found = choose_record_technique(options, name, length);
    int custom;

    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        if (is_name(shw_technique_name((enum shw_technique)t), name, length)) {
            options->techniques |= 1u << t;
            return true;
        }
    custom = found ? -1 : shw_bench_plugins_find(&settings->plugins, name, length);
    if (custom >= 0)
        options->techniques |= SHW_BENCH_CUSTOM_BIT((uint32_t)custom);
    return found || custom >= 0;
}

static int choose_techniques(struct settings *settings)
{
    const char *at = settings->techniques;

    while (at != NULL && *at != '\0') {
        size_t length = strcspn(at, ",");
        if (!choose_technique(settings, at, length))
            return no_such_technique(at, length);
        at += length + (at[length] == ',');
    }
    if (settings->techniques != NULL && settings->options.techniques == 0)
        return shw_usage_error(&cli_bench, "--technique needs a name");
    return SHW_CONTINUE;
}

/* The command line as one string; characters that are not printable ASCII become question marks. */
static void keep_command(struct settings *settings, int argc, char **argv)
{
    size_t length = (size_t)snprintf(settings->command, sizeof settings->command, "shadewood bench");

    for (int i = 1; i < argc && length < sizeof settings->command; i++)
        length += (size_t)snprintf(settings->command + length, sizeof settings->command - length, " %s", argv[i]);
    for (char *at = settings->command; *at != '\0'; at++)
        if (*at < ' ' || *at > '~')
            *at = '?';
}

static void say(void *user, const char *text)
{
    cli_say(user, "%s", text);
}

static bool stops(void *user)
{
    (void)user;
    return cli_interrupted();
}

/* Reads the limits of a stored run of this device, instead of measuring them. */
static int take_limits(struct settings *settings, struct shw_bench *bench)
{
    struct shw_log log = cli_log(&settings->report);
    const char *here = json_string_value(json_object_get(json_object_get(bench->document, "device"), "name")), *there;
    json_t *stored;
    enum shw_result result = shw_bench_load(settings->limits, &log, &stored);
    int code = SHW_EXIT_SUCCESS;

    if (result != SHW_OK)
        return shw_exit_code(result);
    there = json_string_value(json_object_get(json_object_get(stored, "device"), "name"));
    if (strcmp(here != NULL ? here : "no device", there != NULL ? there : "no device") != 0)
        code = cli_fail(&settings->report, "%s: these are the limits of %s, this is %s", settings->limits,
                        there != NULL ? there : "no device", here != NULL ? here : "no device");
    else
        json_object_set(bench->document, "limits", json_object_get(stored, "limits"));
    json_decref(stored);
    return code;
}

static bool is_chosen(const struct settings *settings, const char *suite)
{
    for (uint32_t i = 0; i < settings->suite_count; i++)
        if (strcmp(settings->suites[i]->name, suite) == 0)
            return true;
    return false;
}

/* Results that differ from those of cpu come last, where they are noticed. */
static int check_equality(struct settings *settings, const json_t *document)
{
    const json_t *row;
    uint32_t different = 0;
    size_t i;

    json_array_foreach(json_object_get(document, "rows"), i, row) different +=
        json_is_false(json_object_get(row, "equals_cpu"));
    if (different == 0)
        return SHW_EXIT_SUCCESS;
    return cli_fail(&settings->report, "%u of %zu results differ from those of cpu", different,
                    json_array_size(json_object_get(document, "rows")));
}

/* The CSV file in memory; NULL if memory is exhausted. */
static char *make_csv(const json_t *document, size_t *size)
{
    char *text = NULL;
    FILE *stream = open_memstream(&text, size);

    if (stream == NULL)
        return NULL;
    shw_bench_print_csv(document, stream);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

/* Takes ownership of the text; NULL: memory is exhausted. */
static enum shw_result write_text(const struct settings *settings, const char *path, char *text, size_t size)
{
    enum shw_result result = text != NULL ? shw_output_files_save(&settings->files, path, NULL, text, size)
                                          : shw_fail_memory(&settings->files.log, path);

    free(text);
    return result;
}

static int write_files(struct settings *settings, const json_t *document)
{
    enum shw_result json = SHW_OK, csv = SHW_OK;
    size_t size = 0;

    if (settings->json != NULL) {
        char *text = json_dumps(document, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        size = text != NULL ? strlen(text) : 0;
        if (text != NULL)
            text[size++] = '\n'; /* in the place of the zero byte */
        json = write_text(settings, settings->json, text, size);
    }
    settings->report.failed = false; /* each message names its file */
    if (settings->csv != NULL) {
        char *text = make_csv(document, &size);
        csv = write_text(settings, settings->csv, text, size);
    }
    return shw_exit_code(json != SHW_OK ? json : csv);
}

/* Checked before timing. */
static int check_files(struct settings *settings)
{
    shw_output_files_read(&settings->files, settings->limits);
    for (uint32_t i = 0; i < settings->plugin_paths.count; i++)
        shw_output_files_read(&settings->files, settings->plugin_paths.items[i]);
    if (settings->options.data != NULL)
        shw_output_files_read_folder(&settings->files, settings->options.data);
    shw_output_files_read(&settings->files, settings->options.cascade);
    shw_output_files_read(&settings->files, settings->options.image);
    shw_output_files_write(&settings->files, settings->json, &shw_file_bench_report);
    shw_output_files_write(&settings->files, settings->csv, &shw_file_table);
    return cli_check_outputs(&settings->report, &settings->files);
}

static int run_suites(struct settings *settings, struct shw_bench *bench)
{
    struct shw_log log = cli_log(&settings->report);
    enum shw_result result = SHW_OK;
    int code;

    for (uint32_t i = 0; i < settings->suite_count && result == SHW_OK; i++) {
        result = settings->suites[i]->run(bench);
        if (result != SHW_OK && result != SHW_ERROR_CANCELLED) {
            cli_fail(&settings->report, "suite %s: %s", settings->suites[i]->name, bench->message);
            return shw_exit_code(result);
        }
    }
    if (shw_bench_bind(bench->document, json_object_get(bench->document, "limits"), &log) != SHW_OK)
        return SHW_EXIT_FAILURE;
    shw_bench_print_table(bench->document, stdout);
    code = write_files(settings, bench->document);
    if (code == SHW_EXIT_SUCCESS)
        code = check_equality(settings, bench->document);
    if (code != SHW_EXIT_SUCCESS || result == SHW_OK)
        return code;
    cli_fail(&settings->report, "interrupted; only the first %zu rows were measured",
             json_array_size(json_object_get(bench->document, "rows")));
    return SHW_EXIT_INTERRUPTED;
}

static int load_plugins(struct settings *settings)
{
    struct shw_log log = cli_log(&settings->report);

    for (uint32_t i = 0; i < settings->plugin_paths.count; i++) {
        enum shw_result result = shw_bench_plugins_load(&settings->plugins, settings->plugin_paths.items[i], &log);
        if (result != SHW_OK)
            return shw_exit_code(result);
    }
    return SHW_CONTINUE;
}

static int measure(struct settings *settings, bool device_needed)
{
    struct shw_log log = cli_log(&settings->report);
    struct shw_bench bench = {
        .plugins = &settings->plugins, .outer = log, .say = say, .stops = stops, .user = &settings->report};
    enum shw_result result =
        shw_bench_open(&bench, &settings->options, settings->device, device_needed, settings->command);
    int code = shw_exit_code(result);

    if (result != SHW_OK)
        cli_fail(&settings->report, "%s", bench.message);
    else
        code = settings->limits != NULL ? take_limits(settings, &bench) : SHW_EXIT_SUCCESS;
    cli_hold_signals(true);
    if (code == SHW_EXIT_SUCCESS)
        code = run_suites(settings, &bench);
    cli_hold_signals(false);
    shw_bench_close(&bench);
    return code;
}

/* Refuses options of suites that are not timed. */
static int check_suites(const struct settings *settings)
{
    const struct {
        bool given;
        const char *option, *suite;
    } rules[] = {{settings->options.cascade != NULL, "cascade", "detect"},
                 {settings->options.image != NULL, "image", "detect"},
                 {settings->records > 0, "records", "records"}};

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].given && !is_chosen(settings, rules[i].suite))
            return shw_usage_error(&cli_bench, "--%s is for the suite %s: name it, too", rules[i].option,
                                   rules[i].suite);
    return SHW_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct settings settings = {.device = UINT32_MAX};
    const struct shw_option options[] = {
        SHW_OPTION_FLAG("list", 0, &settings.list, "list the suites and exit"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "device", 'd', "N", &settings.device, 0, 63,
                          "number of the Vulkan device, as listed by 'shadewood\ndevices' (0, if there is any)"),
        SHW_OPTION(SHW_VALUE_TEXT, "technique", 0, "LIST", &settings.techniques,
                   "only these techniques, separated by commas: cpu, compute,\nfragment, blend; of records serial, "
                   "cpu, compute, "
                   "speculative,\nspeculative-mapped, windowed, fragment"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "records", 0, "N", &settings.records, 1, 1000000000,
                          "maximum records in a setting of the suite records\n(as many as memory allows)"),
        SHW_OPTION(SHW_VALUE_LIST, "plugin", 0, "FILE", &settings.plugin_paths,
                   "a shared object with custom techniques (shadewood/stage.h)\nto time along with the built-in ones; "
                   "may be repeated"),
        SHW_OPTION_FLAG("quick", 0, &settings.options.quick,
                        "fewer settings and runs; always on without a device or with\na software renderer"),
        SHW_OPTION_WITHIN(SHW_VALUE_EXTENT, "size", 0, "WxH", settings.size, 16, 16384,
                          "images of this size only, in the suites pipeline, embed\nand detect"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "runs", 0, "N", &settings.options.runs, 1, 1001,
                          "maximum runs per row (51, quick 21)"),
        SHW_OPTION_WITHIN(
            SHW_VALUE_NUMBER, "seconds", 0, "N", &settings.seconds, 1, 3600,
            "stop timing a row after this time, once there were three\nruns (5, quick 1, without hardware 0.25)"),
        SHW_OPTION(SHW_VALUE_TEXT, "data", 0, "DIR", &settings.options.data,
                   "a folder with images/, labels/ and splits/ for the suite\ntraining and the trained forest of sharp "
                   "(synthetic scenes), or\nwith uci_segment/ for records"),
        SHW_OPTION(SHW_VALUE_TEXT, "cascade", 0, "FILE", &settings.options.cascade,
                   "a cascade that the suite detect times as well as a generated one"),
        SHW_OPTION(SHW_VALUE_TEXT, "image", 0, "FILE", &settings.options.image,
                   "an image to detect in, at its own size (synthesised ones)"),
        SHW_OPTION(SHW_VALUE_TEXT, "limits", 0, "FILE", &settings.limits,
                   "limits of this device from the JSON of another run, instead\nof the suite roofline"),
        SHW_OPTION_FLAG("samples", 0, &settings.options.samples, "keep all individual times in the JSON document"),
        SHW_OPTION(SHW_VALUE_TEXT, "json", 0, "FILE", &settings.json,
                   "write all results as JSON, of which shadewood-bench-page\nmakes a page with charts"),
        SHW_OPTION(SHW_VALUE_TEXT, "csv", 0, "FILE", &settings.csv, "write one line per row"),
        CLI_OVERWRITE_OPTION(settings.files),
        SHW_OPTION_FLAG("quiet", 'q', &settings.report.quiet, "suppress progress and warnings"),
        SHW_OPTION_FLAG("verbose", 'v', &settings.report.verbose, "print more"),
    };
    bool device_needed;
    int first, code;

    if (argc > 1 && strcmp(argv[1], "compare") == 0)
        return cli_bench_compare.run(argc - 1, argv + 1);
    keep_command(&settings, argc, argv); /* before getopt_long() reorders the arguments */
    code = cli_parse(&cli_bench, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (settings.list) {
        for (const struct shw_bench_suite *suite = shw_bench_suites; suite->name != NULL; suite++)
            printf("%-10s %s\n", suite->name, suite->summary);
        return SHW_EXIT_SUCCESS;
    }
    code = choose_suites(&settings, argc - first, argv + first);
    if (code == SHW_CONTINUE && settings.limits != NULL && is_chosen(&settings, "roofline"))
        return shw_usage_error(&cli_bench, "--limits replaces the suite roofline: name the other suites");
    if (code == SHW_CONTINUE)
        code = check_suites(&settings);
    device_needed = settings.device != UINT32_MAX;
    settings.device = device_needed ? settings.device : 0;
    settings.options.seconds = settings.seconds;
    settings.options.records = settings.records;
    settings.options.width = settings.size[0];
    settings.options.height = settings.size[1];
    if (code == SHW_CONTINUE)
        code = load_plugins(&settings);
    if (code == SHW_CONTINUE)
        code = choose_techniques(&settings);
    if (code == SHW_CONTINUE)
        code = check_files(&settings);
    if (code == SHW_CONTINUE)
        code = measure(&settings, device_needed);
    shw_bench_plugins_unload(&settings.plugins);
    shw_output_files_free(&settings.files);
    return code;
}

const struct shw_command cli_bench = {
    .name = "bench",
    .summary = "time the stages with every technique",
    .arguments = "[OPTION...] [SUITE...]",
    .text =
        "Times every stage with every technique on this machine, and compares every result with that of cpu.\n"
        "Without a SUITE, all of them run. The table goes to standard output. 'shadewood bench compare A.json B.json' "
        "shows\n"
        "what changed between two runs: see 'shadewood bench compare --help'.",
    .examples = "  shadewood bench --list\n  shadewood bench pipeline --quick\n  shadewood bench pipeline embed --json "
                "here.json "
                "--csv here.csv",
    .former = "html",
    .instead = "shadewood-bench-page makes pages of the files of --json",
    .run = run,
};
