#include "base/options.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/integers.h"
#include "base/text.h"

#define LONG_BASE 1000 /* what getopt_long() returns for the first option */

static char separator(const struct shw_command *command)
{
    return command->own_program ? '-' : ' ';
}

int shw_usage_error(const struct shw_command *command, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    shw_make_printable(text);
    fprintf(stderr, "shadewood%c%s: %s (try 'shadewood%c%s --help')\n", separator(command), command->name, text,
            separator(command), command->name);
    return SHW_EXIT_USAGE;
}

bool shw_parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *value)
{
    char *end;

    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' && *value >= low && *value <= high;
}

static bool parse_pair(const char *text, char separator, uint32_t low, uint32_t high, uint32_t pair[2])
{
    char first[16];
    const char *middle = strchr(text, separator);
    uint64_t values[2];

    if (middle == NULL || (size_t)(middle - text) >= sizeof first)
        return false;
    memcpy(first, text, (size_t)(middle - text));
    first[middle - text] = '\0';
    if (!shw_parse_number(first, low, high, &values[0]) || !shw_parse_number(middle + 1, low, high, &values[1]))
        return false;
    pair[0] = (uint32_t)values[0];
    pair[1] = (uint32_t)values[1];
    return true;
}

/* A number in decimal notation, up to the end or the separator; NULL if it is none. */
static const char *parse_real(const char *text, double *value)
{
    char *end;

    if (strspn(text, "+-.0123456789eE") == 0)
        return NULL;
    *value = strtod(text, &end);
    return end > text && isfinite(*value) ? end : NULL;
}

static bool parse_range(const char *text, double range[2])
{
    double read[2];
    const char *end = parse_real(text, &read[0]);

    end = end != NULL && *end == ':' ? parse_real(end + 1, &read[1]) : NULL;
    if (end == NULL || *end != '\0' || !(read[0] < read[1]))
        return false;
    memcpy(range, read, sizeof read);
    return true;
}

static bool parse_numbers(const char *text, uint32_t low, uint32_t high, struct shw_option_numbers *numbers)
{
    struct shw_option_numbers read = {0};

    for (;;) {
        size_t length = strcspn(text, ",");
        char part[16];
        uint64_t value;

        if (read.count == 3 || length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (!shw_parse_number(part, low, high, &value))
            return false;
        read.items[read.count++] = (uint32_t)value;
        if (text[length] == '\0')
            break;
        text += length + 1;
    }
    if (read.count == 2 || read.items[0] + read.items[1] + read.items[2] == 0)
        return false;
    *numbers = read;
    return true;
}

static bool parse_reals(const char *text, uint32_t low, uint32_t high, struct shw_option_reals *reals)
{
    struct shw_option_reals read = {0};

    while (read.count < high) {
        const char *end = parse_real(text, &read.items[read.count]);

        if (end == NULL || (*end != '\0' && *end != ','))
            return false;
        read.count++;
        if (*end == '\0') {
            *reals = read;
            return read.count >= low;
        }
        text = end + 1;
    }
    return false;
}

static bool parse_bytes(const char *text, uint64_t *bytes)
{
    static const char units[] = "KMG";
    size_t length = strlen(text);
    const char *unit = length > 0 ? strchr(units, text[length - 1]) : NULL;
    unsigned shift = unit != NULL ? 10 * (unsigned)(unit - units + 1) : 20;
    char digits[16];
    uint64_t number;

    length -= unit != NULL;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, text, length);
    digits[length] = '\0';
    if (!shw_parse_number(digits, 1, 1u << 20, &number))
        return false;
    *bytes = number << shift;
    return true;
}

static bool parse_seconds(const char *text, uint32_t *seconds)
{
    const size_t length = strlen(text);
    const char last = length > 0 ? text[length - 1] : '\0';
    const uint32_t unit = last == 'h' ? 3600 : last == 'm' ? 60 : 1;
    const size_t digits = length - (last == 'h' || last == 'm' || last == 's');
    char number[16];
    uint64_t value;

    if (digits == 0 || digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    if (!shw_parse_number(number, 1, 100000000 / unit, &value))
        return false;
    *seconds = (uint32_t)value * unit;
    return true;
}

static int choice_error(const struct shw_command *command, const struct shw_option *option, const char *text)
{
    char choices[256] = "";

    for (int i = 0; option->choices[i] != NULL; i++)
        snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s", i > 0 ? ", " : "",
                 option->choices[i]);
    return shw_usage_error(command, "--%s is one of %s, not '%s'", option->name, choices, text);
}

static int parse_value(const struct shw_command *command, const struct shw_option *option, const char *text)
{
    uint64_t number;

    switch (option->kind) {
    case SHW_VALUE_FLAG: *(bool *)option->value = true; return SHW_CONTINUE;
    case SHW_VALUE_TEXT: *(const char **)option->value = text; return SHW_CONTINUE;
    case SHW_VALUE_COUNT:
        if (strcmp(text, "all") == 0) {
            *(uint32_t *)option->value = UINT32_MAX;
            return SHW_CONTINUE;
        }
        /* fall through */
    case SHW_VALUE_NUMBER:
        if (!shw_parse_number(text, option->low, option->high, &number))
            return shw_usage_error(command, "--%s takes a number from %u to %u%s, not '%s'", option->name, option->low,
                                   option->high, option->kind == SHW_VALUE_COUNT ? " or 'all'" : "", text);
        *(uint32_t *)option->value = (uint32_t)number;
        return SHW_CONTINUE;
    case SHW_VALUE_BYTES:
        if (!parse_bytes(text, option->value))
            return shw_usage_error(command, "--%s takes a size such as 512M or 2G, not '%s'", option->name, text);
        return SHW_CONTINUE;
    case SHW_VALUE_SECONDS:
        if (!parse_seconds(text, option->value))
            return shw_usage_error(command, "--%s takes a time such as 90s, 10m or 2h, not '%s'", option->name, text);
        return SHW_CONTINUE;
    case SHW_VALUE_SEED:
        if (!shw_parse_number(text, 0, INT64_MAX, (uint64_t *)option->value))
            return shw_usage_error(command, "--%s takes a whole number below 2^63, not '%s'", option->name, text);
        return SHW_CONTINUE;
    case SHW_VALUE_LIST: {
        struct shw_option_list *list = option->value;
        if (list->count == SHW_OPTION_LIST_MAX)
            return shw_usage_error(command, "--%s may be given %u times at most", option->name, SHW_OPTION_LIST_MAX);
        list->items[list->count++] = text;
        return SHW_CONTINUE;
    }
    case SHW_VALUE_CHOICE:
        for (int i = 0; option->choices[i] != NULL; i++)
            if (strcmp(text, option->choices[i]) == 0) {
                *(int *)option->value = i;
                return SHW_CONTINUE;
            }
        return choice_error(command, option, text);
    case SHW_VALUE_RANGE:
        if (!parse_range(text, option->value))
            return shw_usage_error(command, "--%s takes %s, two numbers with LOW below HIGH, not '%s'", option->name,
                                   option->argument, text);
        return SHW_CONTINUE;
    case SHW_VALUE_NUMBERS:
        if (!parse_numbers(text, option->low, option->high, option->value))
            return shw_usage_error(command,
                                   "--%s takes one number or three, such as 3 or 3,2,1, from %u to %u and not all 0, "
                                   "not '%s'",
                                   option->name, option->low, option->high, text);
        return SHW_CONTINUE;
    case SHW_VALUE_REALS:
        if (!parse_reals(text, option->low, option->high, option->value))
            return shw_usage_error(command, "--%s takes %s, not '%s'", option->name,
                                   option->high == 1  ? "a number"
                                   : option->low == 2 ? "two numbers, such as 3.5,2"
                                                      : "one number or two, such as 3.5 or 3.5,2",
                                   text);
        return SHW_CONTINUE;
    case SHW_VALUE_EXTENT:
        if (!parse_pair(text, 'x', option->low, option->high, option->value))
            return shw_usage_error(command, "--%s takes %s with numbers from %u to %u, not '%s'", option->name,
                                   option->argument, option->low, option->high, text);
        return SHW_CONTINUE;
    }
    return SHW_EXIT_USAGE;
}

static void print_option(const struct shw_option *option)
{
    char head[64];
    const char *help = option->help;

    snprintf(head, sizeof head, "  %c%c%s --%s%s%s", option->letter ? '-' : ' ', option->letter ? option->letter : ' ',
             option->letter ? "," : " ", option->name, option->argument != NULL ? " " : "",
             option->argument != NULL ? option->argument : "");
    printf(strlen(head) < 30 ? "%-30s" : "%s\n%30s", head, "");
    for (;;) {
        size_t length = strcspn(help, "\n");
        printf("%.*s\n", (int)length, help);
        if (help[length] == '\0')
            return;
        help += length + 1;
        printf("%30s", "");
    }
}

static void print_help(const struct shw_command *command, const struct shw_option *options, uint32_t count)
{
    static const struct shw_option help = {.name = "help", .letter = 'h', .help = "show this help and exit"};

    printf("usage: shadewood%c%s %s\n\n%s\n\noptions:\n", separator(command), command->name, command->arguments,
           command->text);
    for (uint32_t i = 0; i < count; i++)
        print_option(&options[i]);
    print_option(&help);
    printf("\nexamples:\n%s\n", command->examples);
}

#define LENGTH_MAX 40u

/* Optimal string alignment distance (edits and exchanges of neighbours) of words of at most `LENGTH_MAX` letters. */
static uint32_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    uint32_t rows[3][LENGTH_MAX + 1];

    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = (uint32_t)j;
    for (size_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3], *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = shw_min_u32(shw_min_u32(row[j - 1], last[j]) + 1, last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = shw_min_u32(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void shw_suggest(struct shw_suggestion *suggestion, const char *name)
{
    size_t wanted_length = strcspn(suggestion->wanted, "="), length = strlen(name);
    uint32_t distance;

    if (wanted_length == 0 || wanted_length > LENGTH_MAX || length > LENGTH_MAX)
        return;
    distance = edit_distance(suggestion->wanted, wanted_length, name, length);
    if (distance > 2 + wanted_length / 8 || distance >= shw_min_u32((uint32_t)wanted_length, (uint32_t)length))
        return;
    if (suggestion->nearest != NULL && distance >= suggestion->distance)
        return;
    suggestion->nearest = name;
    suggestion->distance = distance;
}

static const struct shw_option *find_option(const struct shw_option *options, uint32_t count, int code)
{
    for (uint32_t i = 0; i < count; i++)
        if (code == LONG_BASE + (int)i || (options[i].letter != 0 && code == options[i].letter))
            return &options[i];
    return NULL;
}

/* Reports a letter that is no option. The argument that has it is the one before `next` if the letter ends it. It may
 * be meant as a file. */
static int letter_error(const struct shw_command *command, int letter, char **next)
{
    const char *last = next[-1];
    const char *given = *last == '-' && last[strlen(last) - 1] == letter ? last : *next;

    if (given != NULL && *given == '-' && access(given, F_OK) == 0)
        return shw_usage_error(command, "there is no option '-%c'; the file is called ./%s", letter, given);
    return shw_usage_error(command, "there is no option '-%c'", letter);
}

/* Reports what getopt_long() rejected: `code` is its optopt, `next` the argument after the last one it took. */
static int option_error(const struct shw_command *command, const struct shw_option *options, uint32_t count, int code,
                        char **next)
{
    const char *given = next[-1];
    struct shw_suggestion suggestion = {.wanted = given + 2};
    const struct shw_option *option = find_option(options, count, code), *first = NULL;
    size_t length = strcspn(given, "=");

    if (option != NULL || code == 'h')
        return shw_usage_error(command, "the option '%.*s' takes no value", (int)length, given);
    if (code != 0)
        return letter_error(command, code, next);
    if (command->former != NULL && strlen(command->former) == length - 2 &&
        strncmp(command->former, given + 2, length - 2) == 0)
        return shw_usage_error(command, "there is no option '%.*s': %s", (int)length, given, command->instead);
    for (uint32_t i = 0; i < count; i++) {
        if (strncmp(options[i].name, given + 2, length - 2) == 0) {
            if (first != NULL)
                return shw_usage_error(command, "'%.*s' could mean '--%s' or '--%s'", (int)length, given, first->name,
                                       options[i].name);
            first = &options[i];
        }
        shw_suggest(&suggestion, options[i].name);
    }
    if (suggestion.nearest != NULL)
        return shw_usage_error(command, "there is no option '%.*s'; did you mean '--%s'?", (int)length, given,
                               suggestion.nearest);
    return shw_usage_error(command, "there is no option '%.*s'", (int)length, given);
}

int shw_options_parse(const struct shw_command *command, const struct shw_option *options, uint32_t count, int argc,
                      char **argv, int *first, const char *texts[SHW_OPTIONS_MAX])
{
    struct option longs[2 * SHW_OPTIONS_MAX + 2] = {{"help", no_argument, NULL, 'h'}};
    char letters[2 * SHW_OPTIONS_MAX + 4] = ":h";
    uint32_t long_count = 1;
    int code;

    if (count > SHW_OPTIONS_MAX) /* a command's table, not what is given */
        abort();
    memset(texts, 0, SHW_OPTIONS_MAX * sizeof *texts);
    for (uint32_t i = 0; i < count; i++) {
        bool has_argument = options[i].kind != SHW_VALUE_FLAG;
        struct option entry = {options[i].name, has_argument ? required_argument : no_argument, NULL,
                               LONG_BASE + (int)i};
        longs[long_count++] = entry;
        entry.name = options[i].former;
        if (entry.name != NULL)
            longs[long_count++] = entry;
        if (options[i].letter != 0)
            snprintf(letters + strlen(letters), sizeof letters - strlen(letters), "%c%s", options[i].letter,
                     has_argument ? ":" : "");
    }
    optind = 0; /* resets glibc's state */
    opterr = 0;
    while ((code = getopt_long(argc, argv, letters, longs, NULL)) != -1) {
        const struct shw_option *option = find_option(options, count, code == ':' ? optopt : code);
        if (code == 'h') {
            print_help(command, options, count);
            return SHW_EXIT_SUCCESS;
        }
        /* a value for an option that takes none is ':' for mingw-w64, '?' for glibc */
        if (code == '?' || option == NULL || (code == ':' && option->kind == SHW_VALUE_FLAG))
            return option_error(command, options, count, optopt, argv + optind);
        if (code == ':')
            return shw_usage_error(command, "the option '--%s' needs a value: --%s %s", option->name, option->name,
                                   option->argument);
        texts[option - options] = option->kind == SHW_VALUE_FLAG ? "" : optarg;
        code = parse_value(command, option, optarg);
        if (code != SHW_CONTINUE)
            return code;
    }
    *first = optind;
    return SHW_CONTINUE;
}

int shw_exit_code(enum shw_result result)
{
    switch (result) {
    case SHW_OK: return SHW_EXIT_SUCCESS;
    case SHW_ERROR_NO_DEVICE:
    case SHW_ERROR_UNSUPPORTED:
    case SHW_ERROR_DEVICE_LOST:
    case SHW_ERROR_DEVICE_MEMORY: return SHW_EXIT_NO_DEVICE;
    case SHW_ERROR_CANCELLED: return SHW_EXIT_INTERRUPTED;
    default: return SHW_EXIT_FAILURE;
    }
}
