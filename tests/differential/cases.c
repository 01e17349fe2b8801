#include "cases.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static struct {
    uint64_t seed; /* 0: none runs */
    char description[2048];
    size_t length;
} current;

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : 0;
}

void cases_run(uint32_t usual, void (*run)(uint64_t seed))
{
    uint64_t first = number_of("SHW_DIFFERENTIAL_SEED"), count = number_of("SHW_DIFFERENTIAL_CASES");

    if (count == 0)
        count = first > 0 ? 1 : SANITIZED ? usual / 8 + 1 : usual;
    if (first == 0)
        first = 1;
    for (uint64_t seed = first; seed < first + count; seed++) {
        current.seed = seed;
        current.length = 0;
        run(seed);
        current.seed = 0;
    }
}

void cases_describe(const char *format, ...)
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

int cases_report(void **state)
{
    (void)state;
    if (current.seed != 0)
        printf("# to be repeated with SHW_DIFFERENTIAL_SEED=%" PRIu64 ":%s\n", current.seed, current.description);
    fflush(stdout);
    current.seed = 0;
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
