/* Tables of options: parsing and help. */
#ifndef SHW_BASE_OPTIONS_H
#define SHW_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Exit codes. */
enum shw_exit {
    SHW_EXIT_SUCCESS = 0,
    SHW_EXIT_FAILURE = 1,       /* a file, a data set or a forest is invalid, or cannot be written */
    SHW_EXIT_USAGE = 2,         /* the command line is invalid */
    SHW_EXIT_NO_DEVICE = 3,     /* no Vulkan device, or one that cannot do what was asked */
    SHW_EXIT_TARGET_MISSED = 4, /* a cascade is written that misses what it was to reach */
    SHW_EXIT_INTERRUPTED = 130  /* by SIGINT, SIGTERM or SIGHUP */
};

#define SHW_CONTINUE (-1)

struct shw_command {
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

enum shw_option_kind {
    SHW_VALUE_FLAG,    /* bool */
    SHW_VALUE_NUMBER,  /* uint32_t from low to high */
    SHW_VALUE_COUNT,   /* the same, or `all` for UINT32_MAX */
    SHW_VALUE_SEED,    /* uint64_t */
    SHW_VALUE_BYTES,   /* uint64_t: a number with K, M or G for KiB, MiB or GiB; without, MiB */
    SHW_VALUE_TEXT,    /* const char * */
    SHW_VALUE_LIST,    /* struct shw_option_list: the option may be repeated */
    SHW_VALUE_CHOICE,  /* int: the position in `choices` */
    SHW_VALUE_EXTENT,  /* uint32_t[2]: WIDTHxHEIGHT, each from low to high */
    SHW_VALUE_RANGE,   /* double[2]: LOW:HIGH */
    SHW_VALUE_NUMBERS, /* struct shw_option_numbers: N or N,N,N, each from low to high */
    SHW_VALUE_SECONDS, /* uint32_t seconds: a number with s, m or h; without, seconds */
    SHW_VALUE_REALS    /* struct shw_option_reals: from low to high of them, separated by commas */
};

#define SHW_OPTION_LIST_MAX 64u
struct shw_option_list {
    const char *items[SHW_OPTION_LIST_MAX];
    uint32_t count;
};

/* Count 0: not given. */
struct shw_option_numbers {
    uint32_t count, items[3];
};

#define SHW_OPTION_REALS_MAX 2u
struct shw_option_reals {
    uint32_t count;
    double items[SHW_OPTION_REALS_MAX];
};

struct shw_option {
    const char *name;
    char letter;          /* or 0 */
    const char *argument; /* shown in the help; NULL for flags */
    const char *help;     /* lines break at \n */
    enum shw_option_kind kind;
    void *value; /* initially the default */
    uint32_t low, high;
    const char *const *choices; /* NULL-terminated */
    const char *former;         /* an earlier name that still works but is not documented, or NULL */
};

/* Entries of a table. */
#define SHW_OPTION(kind_, name_, letter_, argument_, value_, help_)                                                    \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = kind_, .value = value_         \
    }
#define SHW_OPTION_FLAG(name_, letter_, value_, help_) SHW_OPTION(SHW_VALUE_FLAG, name_, letter_, NULL, value_, help_)
#define SHW_OPTION_WITHIN(kind_, name_, letter_, argument_, value_, low_, high_, help_)                                \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = kind_, .value = value_,        \
        .low = low_, .high = high_                                                                                     \
    }
#define SHW_OPTION_CHOICE(name_, letter_, argument_, value_, choices_, help_)                                          \
    {                                                                                                                  \
        .name = name_, .letter = letter_, .argument = argument_, .help = help_, .kind = SHW_VALUE_CHOICE,              \
        .value = value_, .choices = choices_                                                                           \
    }
#define SHW_OPTION_RENAMED(name_, former_, argument_, value_, choices_, help_)                                         \
    {                                                                                                                  \
        .name = name_, .former = former_, .argument = argument_, .help = help_, .kind = SHW_VALUE_CHOICE,              \
        .value = value_, .choices = choices_                                                                           \
    }

#define SHW_OPTIONS_MAX 96u

/* Parses argv[1] and following. Returns SHW_CONTINUE, with *first the index of the first argument that is no option, or
 * the exit code: success after --help, usage after one message. texts[i] becomes the last argument of options[i], ""
 * for a flag, NULL if it was not given. `options` need not list --help. */
int shw_options_parse(const struct shw_command *command, const struct shw_option *options, uint32_t count, int argc,
                      char **argv, int *first, const char *texts[SHW_OPTIONS_MAX]);

/* False if the text is not a whole number from low to high. */
bool shw_parse_number(const char *text, uint64_t low, uint64_t high, uint64_t *value);

/* Prints a message about the command line, pointing to --help, on standard error. Returns SHW_EXIT_USAGE. */
int shw_usage_error(const struct shw_command *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A search for the nearest of several names; zero-initialised except `wanted`. */
struct shw_suggestion {
    const char *wanted;
    const char *nearest; /* NULL while no name is near enough */
    uint32_t distance;
};

/* Considers another name. Of equally near names the first is kept. */
void shw_suggest(struct shw_suggestion *suggestion, const char *name);

/* The exit code for a result. */
int shw_exit_code(enum shw_result result);

#endif
