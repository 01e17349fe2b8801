#include "forest_bytes.h"

#include <stdlib.h>
#include <string.h>

#include "testing/forest_seal.h"

const struct random_forest_params small = {.seed = 9, .classes = 3, .trees = 2, .depth = 3, .split_percent = 60};

void open_file(struct file *file, const struct random_forest_params *params)
{
    void *bytes;

    file->forest = random_forest(params);
    assert_int_equal(shw_forest_save_memory(file->forest, &bytes, &file->size), SHW_OK);
    file->bytes = bytes;
}

void close_file(struct file *file)
{
    free(file->bytes);
    shw_forest_destroy(&file->forest);
}

uint32_t word(const struct file *file, size_t at)
{
    uint32_t value;

    memcpy(&value, file->bytes + at, sizeof value);
    return value;
}

void set_word(struct file *file, size_t at, uint32_t value)
{
    memcpy(file->bytes + at, &value, sizeof value);
}

size_t texels_at(const struct file *file)
{
    return word(file, LEVEL_AT);
}

size_t metadata_at(const struct file *file)
{
    size_t first = (4 + word(file, KVD_AT) + 3) / 4 * 4;

    return KVD_AT + first + 4 + sizeof "shadewood";
}

void seal(struct file *file)
{
    assert_true(testing_forest_seal(file->bytes, file->size));
}

void refuse(const struct file *file, size_t size, enum shw_result result, enum shw_log_item item, const char *words)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = NULL;

    assert_int_equal(
        shw_forest_load_memory(file->bytes, size, "some.ktx2", &(struct shw_forest_load_params){.log = log}, &forest),
        result);
    assert_null(forest);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, item);
    if (strncmp(memory.last, "some.ktx2: ", 11) != 0 || strstr(memory.last, words) == NULL)
        fail_msg("no '%s' in: %s", words, memory.last);
}
