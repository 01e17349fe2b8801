/* Fuzz target: tables of records, as text and as arrays of NumPy. The size of the file chooses how it is read. What is
 * accepted has classes that exist, and a number or NaN for every attribute. */
#define _GNU_SOURCE /* memfd_create() */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "files/tables/table.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "testing/testing.h"

static const char *const wanted[] = {"b", "a"};

/* A file in memory, since thousands on a disk take long. Its path is a link that has the name. */
static const char *make_file(const uint8_t *data, size_t size)
{
    static char path[512];
    static int file = -1;

    if (file < 0) {
        char target[32];

        file = memfd_create(FUZZ_NAME, MFD_CLOEXEC);
        snprintf(target, sizeof target, "/proc/self/fd/%d", file);
        snprintf(path, sizeof path, "%s", testing_path(FUZZ_NAME));
        if (file < 0 || symlink(target, path) != 0)
            abort();
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        abort();
    return path;
}

static void use(const struct shw_table_records *set, const struct shw_name_set *names)
{
    volatile unsigned infinite = 0;

    for (uint64_t i = 0; i < set->count * set->attribute_count; i++)
        infinite += isinf(set->values[i]) != 0;
    for (uint64_t r = 0; set->classes != NULL && r < set->count; r++)
        if (set->classes[r] != SHW_NO_CLASS && set->classes[r] >= names->count)
            abort();
    for (uint64_t r = 0; set->targets != NULL && r < set->count; r++)
        infinite += isinf(set->targets[r]) != 0;
}

/* A number in double precision rounds to its float32, or, since it was rounded before, to the next one. */
static void check_double(double number, float value)
{
    const float rounded = (float)number;

    if (isnan(number) != isnan(value) || (!isnan(number) && rounded != value && nextafterf(rounded, value) != value))
        abort();
}

static enum shw_result read_doubles(const char *path, const struct shw_table_params *params)
{
    struct shw_table_params own = *params;
    struct shw_table *table = NULL;
    struct shw_table_block block = {.count = 1};
    enum shw_result result;

    own.doubles = true;
    result = shw_table_open(path, &own, &table);
    while (result == SHW_OK && block.count > 0) {
        result = shw_table_read(table, &block);
        for (size_t v = 0; result == SHW_OK && v < (size_t)block.count * shw_table_get_info(table)->attribute_count;
             v++)
            check_double(block.doubles[v], block.values[v]);
    }
    shw_table_close(&table);
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = make_file(data, size);
    struct fuzz_messages messages;
    struct shw_name_set names = {0};
    struct shw_table_params params = {.threads = 1, .classes = &names, .log = fuzz_log(&messages)};
    struct shw_table_records set;
    enum shw_result result;

    if (size % 4 == 1)
        params.truth = SHW_TABLE_TARGETS;
    if (size % 4 == 2)
        params.class_column = "1";
    if (size % 8 == 3) {
        params.attribute_names = wanted;
        params.attribute_count = 2;
    }
    if (size % 8 >= 6) {
        fuzz_check(read_doubles(path, &params), &messages);
        shw_name_set_free(&names);
        return 0;
    }
    result = shw_table_records_read(&path, 1, &params, &set);
    fuzz_check(result, &messages);
    if (result == SHW_OK)
        use(&set, &names);
    shw_table_records_free(&set);
    shw_name_set_free(&names);
    return 0;
}
