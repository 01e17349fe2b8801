/* What every test program needs. Include first. */
#ifndef SHW_TESTING_H
#define SHW_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h wants those four before it */
#include <cmocka.h>

#include <shadewood/channel_kind.h>
#include <shadewood/shadewood.h>

#include "testing/sanitizers.h"

/* A case of the group that CMake names TESTING_GROUP for the file: TESTING_CASE(it_works) { ... }. Cases run in the
 * order of the file; a TESTING_FIXTURE(setup, teardown) runs before and after those of its file. */
#define TESTING_CASE(name)                       TESTING_CASE_WITH(name, NULL, NULL)
#define TESTING_CASE_WITH(name, setup, teardown) TESTING_CASE_FULL(TESTING_GROUP, name, setup, teardown, false)
#define TESTING_CASE_OF(group, name)             TESTING_CASE_FULL(group, name, NULL, NULL, false)
/* One that only `./run test --slow` runs: it takes long, and others check the same kind of thing as usual. */
#define TESTING_CASE_SLOW(name) TESTING_CASE_FULL(TESTING_GROUP, name, NULL, NULL, true)
/* One that a sanitizer would only slow down: with ThreadSanitizer, what is not about threads or whose threads other
 * cases have. */
#define TESTING_CASE_UNLESS(left_out, name)                                                                            \
    TESTING_CASE_FULL((left_out) ? NULL : TESTING_GROUP, name, NULL, NULL, false)
#define TESTING_CASE_FULL(group, name, setup, teardown, is_slow)                                                       \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void testing_register_##name(void)                                             \
    {                                                                                                                  \
        static struct testing_case it = {group, __FILE__, __LINE__, {#name, name, setup, teardown, NULL}, is_slow};    \
        testing_register_case(&it);                                                                                    \
    }                                                                                                                  \
    static void name(__attribute__((unused)) void **state)
#define TESTING_FIXTURE(setup, teardown)                                                                               \
    __attribute__((constructor)) static void testing_register_fixture_of_file(void)                                    \
    {                                                                                                                  \
        static struct testing_fixture it = {__FILE__, setup, teardown};                                                \
        testing_register_fixture(&it);                                                                                 \
    }

struct testing_case {
    const char *group, *file; /* without a group, it is not run */
    int line;
    struct CMUnitTest test;
    bool is_slow;
};
struct testing_fixture {
    const char *file;
    CMFixtureFunction setup, teardown;
};
void testing_register_case(struct testing_case *test);
void testing_register_fixture(struct testing_fixture *fixture);
extern const char *testing_group; /* what runs */

/* Leaves the running test as skipped and says why; where SHW_NO_SKIP=1 is set, as failed. What the test holds is lost,
 * so it must not hold anything that is to be given back. */
void testing_skip(const char *reason, ...) __attribute__((format(printf, 1, 2), noreturn));

/* The same in the middle of a test, where a device is found to be missing: the program does not look for leaks at its
 * end. */
void testing_abandon(const char *reason, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Whether `./run test --slow` runs, or SHW_SLOW=1 is set otherwise: tests that are samples of many then run all of
 * them. */
bool testing_is_slow(void);

/* Where a file or folder of the real data sets is: below the folder that the variable SHADEWOOD_DATA names, or NULL if
 * the variable is not set or `name` is not there. Tests that can do without use it in addition to data that they make.
 * Static lifetime until the next call. */
const char *testing_data(const char *name);

/* Skips the test unless all of these, up to NULL, are there, whatever SHW_NO_SKIP says: the sets do not belong to the
 * project. To be called before the test takes anything that it would have to give back. */
void testing_need_data(const char *name, ...) __attribute__((sentinel));

/* A log that remembers: counts by item, and the last message. Not for several threads. */
struct testing_log {
    unsigned count[SHW_LOG_ITEM_COUNT];
    unsigned errors;
    enum shw_log_item last_item;
    char last[1024];
};
struct shw_log testing_log(struct testing_log *memory); /* passes all levels, and prints errors */

/* An empty folder that is removed when the program ends, and a path in it. Static lifetime until the eighth next
 * call. */
const char *testing_path(const char *name);

/* A stream of test input: splitmix64. */
struct testing_random {
    uint64_t state;
};
uint64_t testing_random_next(struct testing_random *random);
uint32_t testing_random_below(struct testing_random *random, uint32_t bound);           /* bound > 0 */
int32_t testing_random_range(struct testing_random *random, int32_t low, int32_t high); /* both included */

/* The list with that text, which must be one. Static lifetime until the 16th next text. Not for several threads. */
const struct shw_channel_list *testing_channels(const char *text);

/* The library's channel kinds, except that of a level below, with each of their parameters, at most eight of a kind.
 * Returns how many. */
struct testing_kind {
    const struct shw_channel_kind *kind;
    uint32_t parameter;
    char text[32]; /* as in lists */
};
#define TESTING_KINDS_MAX   256u
#define TESTING_FLOAT_PLANE "pf" /* of the planes "pa", "pb" and "pf" that kinds name, one that may be of floats */
uint32_t testing_channel_kinds(struct testing_kind kinds[TESTING_KINDS_MAX]);

/* XXH3, for golden values. */
uint64_t testing_hash(const void *bytes, size_t size);

#endif
