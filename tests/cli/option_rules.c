/* Each rule of options that exclude each other, need another one, or have no effect with another one, is tried. */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "program.h"

#define USAGE 2

/* The arguments that give it, by its number of values after the first one. */
static void append(char *line, size_t size, const struct cli_given *given, unsigned value)
{
    const char *argument = given->sample, *separator = argument != NULL ? " " : "";
    size_t length = argument != NULL ? strlen(argument) : 0;

    if (given->values != NULL) {
        argument = given->values;
        separator = " ";
        for (; value > 0; value--)
            argument = strchr(argument, ',') + 1;
        length = strcspn(argument, ",");
    }
    snprintf(line + strlen(line), size - strlen(line), " --%s%s%.*s", given->name, separator, (int)length, argument);
}

static unsigned count_values(const struct cli_given *given)
{
    unsigned count = 1;

    for (const char *at = given->values; at != NULL && *at != '\0'; at++)
        count += *at == ',';
    return count;
}

/* What the rules let pass is refused for the argument, and does nothing. */
static struct run try(const char *command, const struct cli_given *first, unsigned first_value,
                      const struct cli_given *second, unsigned second_value)
{
    char line[400];

    snprintf(line, sizeof line, "shadewood %s", command);
    append(line, sizeof line, first, first_value);
    if (second != NULL)
        append(line, sizeof line, second, second_value);
    return run("%s no-such-file", line);
}

static void check_named(const char *text, const struct cli_rule *rule)
{
    char first[64], second[64];

    snprintf(first, sizeof first, "--%s", rule->first.name);
    snprintf(second, sizeof second, "--%s", rule->second.name);
    if (strstr(text, first) == NULL || strstr(text, second) == NULL ||
        (rule->why != NULL && strstr(text, rule->why) == NULL))
        fail_msg("--%s and --%s: %s", rule->first.name, rule->second.name, text);
}

/* All values of both sides are tried, and the first side alone. */
static void try_rule(const char *command, const struct cli_rule *rule)
{
    static const char *const words[] = {
        [CLI_EXCLUDES] = "exclude each other", [CLI_NEEDS] = " needs ", [CLI_IDLE_WITH] = " has no effect with "};
    const char *word = words[rule->relation];

    for (unsigned f = 0; f < count_values(&rule->first); f++) {
        struct run result;

        for (unsigned s = 0; s < count_values(&rule->second); s++) {
            result = try(command, &rule->first, f, &rule->second, s);
            assert_int_not_equal(result.code, 0);
            if ((strstr(result.err, word) != NULL) != (rule->relation != CLI_NEEDS))
                fail_msg("%s --%s and --%s: %s", command, rule->first.name, rule->second.name, result.err);
            if (rule->relation != CLI_NEEDS)
                check_named(result.err, rule);
            if (rule->relation == CLI_EXCLUDES)
                assert_int_equal(result.code, USAGE);
        }
        result = try(command, &rule->first, f, NULL, 0);
        if ((strstr(result.err, word) != NULL) != (rule->relation == CLI_NEEDS))
            fail_msg("%s --%s alone: %s", command, rule->first.name, result.err);
        if (rule->relation == CLI_NEEDS)
            check_named(result.err, rule);
    }
}

/* Rules of all commands are tried with those that have both options. */
TESTING_CASE(test_the_rules_of_options)
{
    static const struct {
        const char *first, *command;
    } shared[] = {{"quiet", "inspect"},
                  {"resume", "train-cascade"},
                  {"checkpoint-every", "train"},
                  {"target", "records"},
                  {"class-column", "train-records"}};
    size_t count;
    const struct cli_rule *rules = cli_rules(&count);

    assert_true(count > 0);
    for (size_t r = 0; r < count; r++) {
        const char *command = rules[r].command;

        for (size_t i = 0; command == NULL && i < sizeof shared / sizeof *shared; i++)
            command = strcmp(rules[r].first.name, shared[i].first) == 0 ? shared[i].command : NULL;
        assert_non_null(command);
        try_rule(command, &rules[r]);
    }
}

/* They are what options mean, not how they are spelled. */
TESTING_CASE(test_defaults_and_spellings_count)
{
    struct run result;

    assert_one_line(run("shadewood train --mirror --flip none -o x.ktx2"), USAGE,
                    "--mirror and --flip none exclude each other: --mirror means --flip images", NULL);
    assert_one_line(run("shadewood train --mirror --flip images -o x.ktx2"), USAGE, "--data DIR", NULL);
    assert_one_line(run("shadewood depth --alpha 1 d -o x"), USAGE, "--alpha needs --fill colorization", NULL);
    assert_one_line(run("shadewood depth --fill none d -o x"), USAGE, "--fill none needs --height: otherwise", NULL);
    assert_one_line(run("shadewood label -qv a b"), USAGE, "--quiet and --verbose exclude each other", NULL);
    assert_one_line(run("shadewood records a b -t cpu -t windowed --window-levels 2"), 1, "a",
                    NULL); /* the last counts */
    result = run("shadewood train-records t.csv -t cpu --device 0 -o x.ktx2");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.err, "shadewood: warning: --device has no effect with --technique cpu: no device is "
                                       "used\n"));
    assert_one_line(run("shadewood train-records t.csv -t cpu --device 0 -o x.ktx2 -q"), 1, "t.csv", NULL);
}

/* Frames need a forest that looks at them. */
TESTING_CASE(test_frames_that_nothing_reads)
{
    assert_success(run("shadewood synth -o scenes -q --count 2 --frames 2 --size 24x20 && "
                       "shadewood train --data scenes -q -t cpu --trees 1 --depth 2 -o still.ktx2"));
    assert_one_line(run("shadewood label still.ktx2 scenes --frames -t cpu -o labelled"), 1,
                    "--frames: the previous frame is not read by the forest", NULL);
    assert_false(exists("labelled"));
}
