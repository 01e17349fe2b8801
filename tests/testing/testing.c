#include "testing/testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "dense/channels/channels.h"

const char *testing_group = "";
static bool is_abandoned;

/* Which LeakSanitizer asks. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_abandoned;
}

static void leave(const char *reason, va_list arguments) __attribute__((noreturn));
static void leave(const char *reason, va_list arguments)
{
    const char *forbidden = getenv("SHW_NO_SKIP");
    char text[512];

    vsnprintf(text, sizeof text, reason, arguments);
    if (forbidden != NULL && strcmp(forbidden, "1") == 0)
        fail_msg("would be skipped, but SHW_NO_SKIP=1: %s", text);
    printf("# skipped: %s\n", text);
    fflush(stdout);
    skip();
    abort();
}

void testing_skip(const char *reason, ...)
{
    va_list arguments;

    va_start(arguments, reason);
    leave(reason, arguments);
}

void testing_abandon(const char *reason, ...)
{
    va_list arguments;

    is_abandoned = true;
    va_start(arguments, reason);
    leave(reason, arguments);
}

bool testing_is_slow(void)
{
    const char *slow = getenv("SHW_SLOW");

    return slow != NULL && strcmp(slow, "1") == 0;
}

const char *testing_data(const char *name)
{
    static char path[1024];
    const char *root = getenv("SHADEWOOD_DATA");
    struct stat status;

    if (root == NULL || root[0] == '\0')
        return NULL;
    snprintf(path, sizeof path, "%s/%s", root, name);
    return stat(path, &status) == 0 ? path : NULL;
}

void testing_need_data(const char *name, ...)
{
    const char *missing = NULL;
    va_list names;

    va_start(names, name);
    for (; name != NULL && missing == NULL; name = va_arg(names, const char *))
        missing = testing_data(name) == NULL ? name : NULL;
    va_end(names);
    if (missing == NULL)
        return;
    printf("# skipped: no real data: SHADEWOOD_DATA names no folder with %s\n", missing);
    fflush(stdout);
    skip();
}

static void remember(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct testing_log *memory = user;

    memory->count[item]++;
    memory->errors += level == SHW_LOG_ERROR;
    memory->last_item = item;
    snprintf(memory->last, sizeof memory->last, "%s", text);
    if (level == SHW_LOG_ERROR)
        printf("# error: %s\n", text);
}

struct shw_log testing_log(struct testing_log *memory)
{
    memset(memory, 0, sizeof *memory);
    return (struct shw_log){.function = remember, .user = memory, .level = SHW_LOG_DEBUG};
}

static char folder[64];

static void remove_all(const char *path)
{
    struct stat status;
    DIR *entries = lstat(path, &status) == 0 && S_ISDIR(status.st_mode) ? opendir(path) : NULL;
    const struct dirent *entry;
    char inner[4096];

    while (entries != NULL && (entry = readdir(entries)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            (size_t)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < sizeof inner)
            remove_all(inner);
    if (entries != NULL)
        closedir(entries);
    remove(path);
}

static void remove_folder(void)
{
    remove_all(folder);
}

const char *testing_path(const char *name)
{
    static char paths[8][512];
    static unsigned next;
    char *path = paths[next++ % 8];

    if (folder[0] == '\0') {
        strcpy(folder, "/tmp/shadewood-test-XXXXXX");
        if (mkdtemp(folder) == NULL)
            abort();
        atexit(remove_folder);
    }
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

uint64_t testing_random_next(struct testing_random *random)
{
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint32_t testing_random_below(struct testing_random *random, uint32_t bound)
{
    return (uint32_t)(((testing_random_next(random) >> 32) * bound) >> 32);
}

int32_t testing_random_range(struct testing_random *random, int32_t low, int32_t high)
{
    return (int32_t)(low + (int64_t)testing_random_below(random, (uint32_t)((int64_t)high - low + 1)));
}

uint64_t testing_hash(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}

/* As lists have it, with planes by turns. */
static void write_kind(struct testing_kind *made, uint32_t count)
{
    static const char *const planes[] = {"pa", "pb", TESTING_FLOAT_PLANE};
    const char *name = made->kind->name, *plane = planes[count % 3], *other = planes[(count + 1) % 3];
    char number[16] = "";

    if (made->kind->parameter_max > 0)
        snprintf(number, sizeof number, ":%u", made->parameter);
    switch (made->kind->naming) {
    case SHW_NAMES_NONE: snprintf(made->text, sizeof made->text, "%s%s", name, number); break;
    case SHW_NAMES_AT: snprintf(made->text, sizeof made->text, "%s%s@%s", name, number, plane); break;
    case SHW_NAMES_ONE: snprintf(made->text, sizeof made->text, "%s:%s", name, plane); break;
    case SHW_NAMES_TWO: snprintf(made->text, sizeof made->text, "%s:%s,%s", name, plane, other); break;
    }
}

uint32_t testing_channel_kinds(struct testing_kind kinds[TESTING_KINDS_MAX])
{
    const struct shw_channel_kind *kind;
    uint32_t count = 0;

    for (uint32_t k = 0; (kind = shw_channel_kind_get(NULL, k)) != NULL; k++) {
        uint32_t first = count;
        if (strcmp(kind->name, "posterior") == 0)
            continue; /* only with a level below */
        for (uint32_t p = kind->parameter_min; p <= kind->parameter_max && count < first + 8; p++) {
            if (kind->accepts != NULL && !kind->accepts(p))
                continue;
            assert_in_range(count, 0, TESTING_KINDS_MAX - 1);
            kinds[count] = (struct testing_kind){.kind = kind, .parameter = p};
            write_kind(&kinds[count], count);
            count++;
        }
    }
    return count;
}

const struct shw_channel_list *testing_channels(const char *text)
{
    static struct shw_channel_list lists[16];
    static uint32_t next;
    struct shw_channel_list list;

    assert_int_equal(shw_channel_list_parse(text, NULL, NULL, &list), SHW_OK);
    for (uint32_t i = 0; i < 16; i++)
        if (strcmp(lists[i].name, list.name) == 0)
            return &lists[i];
    lists[next % 16] = list;
    return &lists[next++ % 16];
}
