/* Tables of options: parsing and help. */
#ifndef SHW_CLI_OPTIONS_H
#define SHW_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* Exit codes. */
enum cli_exit {
    CLI_SUCCESS = 0,
    CLI_FAILURE = 1,       /* a file, a data set or a forest is invalid, or cannot be written */
    CLI_USAGE = 2,         /* the command line is invalid */
    CLI_NO_DEVICE = 3,     /* no Vulkan device, or one that cannot do what was asked */
    CLI_TARGET_MISSED = 4, /* a cascade is written that misses what it was to reach */
    CLI_INTERRUPTED = 130  /* by SIGINT, SIGTERM or SIGHUP */
};

#define CLI_CONTINUE (-1)

struct cli_command {
    const char *name;
    bool own_program;      /* called shadewood-NAME; otherwise shadewood NAME */
    const char *summary;   /* one line */
    const char *arguments; /* in the usage line */
    const char *text;      /* what it does */
    const char *examples;  /* one per line */
    const char *former;    /* an option of earlier versions without its dashes, or NULL */
    const char *instead;   /* of that option, for the message */
    int (*run)(int argc, char **argv);
};

enum cli_option_kind {
    CLI_FLAG,    /* bool */
    CLI_NUMBER,  /* uint32_t from low to high */
    CLI_COUNT,   /* the same, or `all` for UINT32_MAX */
    CLI_SEED,    /* uint64_t */
    CLI_BYTES,   /* uint64_t: a number with K, M or G for KiB, MiB or GiB; without, MiB */
    CLI_TEXT,    /* const char * */
    CLI_LIST,    /* struct cli_list: the option may be repeated */
    CLI_CHOICE,  /* int: the position in `choices` */
    CLI_EXTENT,  /* uint32_t[2]: WIDTHxHEIGHT, each from low to high */
    CLI_RANGE,   /* double[2]: LOW:HIGH */
    CLI_NUMBERS, /* struct cli_numbers: N or N,N,N, each from low to high */
    CLI_REALS    /* struct cli_reals: from low to high of them, separated by commas */
};

#define CLI_LIST_MAX 64u
struct cli_list {
    const char *items[CLI_LIST_MAX];
    uint32_t count;
};

/* Count 0: not given. */
struct cli_numbers {
    uint32_t count, items[3];
};

#define CLI_REALS_MAX 2u
struct cli_reals {
    uint32_t count;
    double items[CLI_REALS_MAX];
};

struct cli_option {
    const char *name;
    char letter;          /* or 0 */
    const char *argument; /* shown in the help; NULL for flags */
    const char *help;     /* lines break at \n */
    enum cli_option_kind kind;
    void *value; /* initially the default */
    uint32_t low, high;
    const char *const *choices; /* NULL-terminated */
    const char *former;         /* an earlier name that still works but is not documented, or NULL */
};

/* Entries of a table. */
#define CLI_OPTION(kind_, name_, letter_, argument_, value_, help_)                                                    \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = kind_, .value = value_         \
    }
#define CLI_OPTION_FLAG(name_, letter_, value_, help_) CLI_OPTION(CLI_FLAG, name_, letter_, NULL, value_, help_)
#define CLI_OPTION_WITHIN(kind_, name_, letter_, argument_, value_, low_, high_, help_)                                \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = kind_, .value = value_,        \
        .low = low_, .high = high_                                                                                     \
    }
#define CLI_OPTION_CHOICE(name_, letter_, argument_, value_, choices_, help_)                                          \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = CLI_CHOICE, .value = value_,   \
        .choices = choices_                                                                                            \
    }

#define CLI_OPTION_RENAMED(name_, former_, argument_, value_, choices_, help_)                                         \
    {                                                                                                                  \
        .name = name_, .former = former_, .argument = argument_, .help = help_, .kind = CLI_CHOICE, .value = value_,   \
        .choices = choices_                                                                                            \
    }

/* Parses argv[1] and following. Returns CLI_CONTINUE, with *first the index of the first argument that is no option, or
 * the exit code: success after --help, usage after one message, also if options contradict each other
 * (cli/option_rules.h). `options` need not list --help. */
int cli_parse(const struct cli_command *command, const struct cli_option *options, uint32_t count, int argc,
              char **argv, int *first);

/* False if the text is not a whole number from low to high. */
bool cli_parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *value);

/* Prints a message about the command line, pointing to --help, on standard error. Returns CLI_USAGE. */
int cli_usage_error(const struct cli_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
