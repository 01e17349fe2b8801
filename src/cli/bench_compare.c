#include <stdio.h>

#include "bench/compare.h"
#include "bench/document.h"
#include "cli/commands.h"
#include "cli/option_rules.h"
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

static int run(int argc, char **argv)
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
    .run = run,
};
