#include "testing/cases.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "testing/sanitizers.h"

#define SHARE (TESTING_ADDRESS_SANITIZED ? 8u : TESTING_THREAD_SANITIZED ? 16u : 1u)

static struct {
    bool runs;
    struct testing_sweep sweep;
    uint64_t seed;
    char description[4096];
    size_t length;
} current;

static bool ran_alone; /* what SHW_CASE says */

/* Of the sanitizers' runtime, where there is one. */
#ifndef _WIN32
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));
#endif

static void report(void)
{
    const struct testing_sweep *sweep = &current.sweep;
    char program[1024];

    if (!current.runs)
        return;
    current.runs = false;
    if (sweep->name == NULL) {
        printf("# case: %s\n", current.description);
        fflush(stdout);
        return;
    }
    shw_process_path(program, sizeof program);
    printf("# case %s:%" PRIu64 ":%s\n# to repeat it alone: SHW_CASE=%s:%" PRIu64 " %s %s\n", sweep->name, current.seed,
           current.description, sweep->name, current.seed, program, testing_group);
    if (sweep->failed != NULL)
        sweep->failed(sweep->name, current.seed);
    fflush(stdout);
}

static void report_abort(int number)
{
    report();
    signal(number, SIG_DFL);
    raise(number);
}

/* From now on, a case at whose end the program does not arrive is reported. */
static void watch(void)
{
    signal(SIGABRT, report_abort);
#ifndef _WIN32
    if (__sanitizer_set_death_callback != NULL)
        __sanitizer_set_death_callback(report);
#endif
}

/* Without the end of a test, which would be taken for success. */
static void refuse(const char *name, const char *text)
{
    fprintf(stderr, "%s=%s: there is no such case\n", name, text);
    _exit(2);
}

static uint64_t parse(const char *name, const char *text)
{
    char *end;
    uint64_t number = strtoull(text, &end, 10);

    if (end == text || *end != '\0')
        refuse(name, text);
    return number;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? parse(name, text) : otherwise;
}

static void run_case(const struct testing_sweep *sweep, uint64_t seed)
{
    current.seed = seed;
    current.length = 0;
    current.description[0] = '\0';
    current.sweep = *sweep;
    current.runs = true;
    sweep->run(seed);
    current.runs = false;
}

/* SHW_CASE, which may belong to another sweep. */
static void run_alone(const struct testing_sweep *sweep, const char *wanted)
{
    size_t length = strlen(sweep->name);

    if (strncmp(wanted, sweep->name, length) != 0 || wanted[length] != ':')
        return;
    run_case(sweep, parse("SHW_CASE", wanted + length + 1));
    ran_alone = true;
}

/* At the end of the program. */
static void expect_case(void)
{
    if (!ran_alone)
        refuse("SHW_CASE", getenv("SHW_CASE"));
}

static uint32_t usual_of(const struct testing_sweep *sweep)
{
    return TESTING_ADDRESS_SANITIZED && sweep->sanitized > 0 ? sweep->sanitized : (sweep->usual + SHARE - 1) / SHARE;
}

void testing_sweep(const struct testing_sweep *sweep)
{
    uint64_t first = number_of("SHW_SEED", 1), count = number_of("SHW_CASES", usual_of(sweep));
    const char *alone = getenv("SHW_CASE");

    watch();
    if (count == 0)
        refuse("SHW_CASES", "0");
    if (alone != NULL) {
        static bool expected;
        if (!expected)
            atexit(expect_case);
        expected = true;
        run_alone(sweep, alone);
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        run_case(sweep, first + i);
        if (getenv("SHW_CASES") != NULL && (i + 1) % (count / 20 + 1) == 0) { /* a sweep of hours shows where it is */
            printf("# %s: %" PRIu64 " of %" PRIu64 " cases\n", sweep->name, i + 1, count);
            fflush(stdout);
        }
    }
}

void testing_describe(const char *format, ...)
{
    size_t room = sizeof current.description - current.length;
    va_list arguments;
    int written;

    va_start(arguments, format);
    written = vsnprintf(current.description + current.length, room, format, arguments);
    va_end(arguments);
    if (written > 0)
        current.length += (size_t)written < room ? (size_t)written : room - 1;
}

void testing_begin_case(const char *format, ...)
{
    va_list arguments;

    watch();
    current.sweep = (struct testing_sweep){0};
    va_start(arguments, format);
    vsnprintf(current.description, sizeof current.description, format, arguments);
    va_end(arguments);
    current.length = strlen(current.description);
    current.runs = true;
}

void testing_end_case(void)
{
    current.runs = false;
}

int testing_sweep_teardown(void **state)
{
    (void)state;
    report();
    return 0;
}

bool random_chance(struct testing_random *random, uint32_t percent)
{
    return testing_random_below(random, 100) < percent;
}

uint32_t random_size(struct testing_random *random, uint32_t most)
{
    uint32_t bits = 0;

    while (most >> bits > 1)
        bits++;
    return 1 + testing_random_below(random, 1 + ((most - 1) >> testing_random_below(random, bits + 1)));
}

static uint32_t random_side(struct testing_random *random, uint32_t most)
{
    return random_chance(random, 50) ? random_size(random, most) : 1 + testing_random_below(random, most);
}

void random_extent(struct testing_random *random, uint32_t most, uint32_t *width, uint32_t *height)
{
    uint32_t longer, shorter;

    *width = random_side(random, most);
    *height = random_side(random, most);
    if (!random_chance(random, 15))
        return;
    longer = random_size(random, 16 * most);
    shorter = most * most / longer;
    shorter = random_side(random, shorter < most ? shorter : most);
    *width = random_chance(random, 50) ? longer : shorter;
    *height = *width == longer ? shorter : longer;
}
