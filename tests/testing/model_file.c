#include "testing/model_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/forest_seal.h"

static struct shw_forest_load_params params_of(const struct shw_log *log)
{
    return (struct shw_forest_load_params){.log = log != NULL ? *log : (struct shw_log){0}};
}

static enum shw_result load_forest(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   void **model)
{
    const struct shw_forest_load_params params = params_of(log);
    struct shw_forest *forest = NULL;
    enum shw_result result = shw_forest_load_memory(bytes, size, name, log != NULL ? &params : NULL, &forest);

    *model = forest;
    return result;
}

static enum shw_result load_forest_file(const char *path, const struct shw_log *log, void **model)
{
    const struct shw_forest_load_params params = params_of(log);
    struct shw_forest *forest = NULL;
    enum shw_result result = shw_forest_load(path, log != NULL ? &params : NULL, &forest);

    *model = forest;
    return result;
}

#define LOADERS(kind)                                                                                                  \
    static enum shw_result load_##kind(const void *bytes, size_t size, const char *name, const struct shw_log *log,    \
                                       void **model)                                                                   \
    {                                                                                                                  \
        struct shw_##kind *loaded = NULL;                                                                              \
        enum shw_result result = shw_##kind##_load_memory(bytes, size, name, log, &loaded);                            \
        *model = loaded;                                                                                               \
        return result;                                                                                                 \
    }                                                                                                                  \
    static enum shw_result load_##kind##_file(const char *path, const struct shw_log *log, void **model)               \
    {                                                                                                                  \
        struct shw_##kind *loaded = NULL;                                                                              \
        enum shw_result result = shw_##kind##_load(path, log, &loaded);                                                \
        *model = loaded;                                                                                               \
        return result;                                                                                                 \
    }

#define KIND(kind, text, log_item)                                                                                     \
    static enum shw_result save_##kind(const void *model, void **bytes, size_t *size)                                  \
    {                                                                                                                  \
        return shw_##kind##_save_memory(model, bytes, size);                                                           \
    }                                                                                                                  \
    static enum shw_result save_##kind##_file(const void *model, const char *path, const struct shw_log *log)          \
    {                                                                                                                  \
        return shw_##kind##_save(model, path, log);                                                                    \
    }                                                                                                                  \
    static uint64_t hash_##kind(const void *model)                                                                     \
    {                                                                                                                  \
        return shw_##kind##_hash(model);                                                                               \
    }                                                                                                                  \
    static void destroy_##kind(void **model)                                                                           \
    {                                                                                                                  \
        struct shw_##kind *own = *model;                                                                               \
        shw_##kind##_destroy(&own);                                                                                    \
        *model = NULL;                                                                                                 \
    }                                                                                                                  \
    const struct model_kind model_##kind = {text,        log_item,           load_##kind, load_##kind##_file,          \
                                            save_##kind, save_##kind##_file, hash_##kind, destroy_##kind}

LOADERS(cascade)
LOADERS(record_forest)
KIND(forest, "forest", SHW_LOG_FOREST_METADATA);
KIND(cascade, "cascade", SHW_LOG_CASCADE);
KIND(record_forest, "record forest", SHW_LOG_RECORD_FOREST);

struct model_file model_file_open(const struct model_kind *kind, void *model)
{
    struct model_file file = {.kind = kind, .model = model};
    void *bytes;

    assert_int_equal(kind->save(model, &bytes, &file.size), SHW_OK);
    file.bytes = bytes;
    return file;
}

void model_file_close(struct model_file *file)
{
    file->kind->destroy(&file->model);
    free(file->bytes);
}

uint32_t model_file_get_word(const struct model_file *file, size_t at)
{
    uint32_t value;

    memcpy(&value, file->bytes + at, sizeof value);
    return value;
}

void model_file_set_word(struct model_file *file, size_t at, uint32_t value)
{
    memcpy(file->bytes + at, &value, sizeof value);
}

size_t model_file_texels_at(const struct model_file *file)
{
    return model_file_get_word(file, LEVEL_AT);
}

char *model_file_metadata(const struct model_file *file)
{
    size_t first = (4 + model_file_get_word(file, KVD_AT) + 3) / 4 * 4;

    return (char *)file->bytes + KVD_AT + first + 4 + sizeof "shadewood";
}

void model_file_seal(struct model_file *file)
{
    assert_true(testing_forest_seal(file->bytes, file->size));
}

void model_file_set_texel(struct model_file *file, size_t texel, size_t word, uint32_t value)
{
    model_file_set_word(file, model_file_texels_at(file) + 16 * texel + 4 * word, value);
    model_file_seal(file);
}

void model_file_replace(struct model_file *file, const char *from, const char *to)
{
    char *json = model_file_metadata(file), *place = strstr(json, from), *rest;
    size_t less = strlen(from) - strlen(to), length = strlen(json);

    assert_true(strlen(to) <= strlen(from));
    if (place == NULL)
        fail_msg("no '%s' in: %s", from, json);
    rest = place + strlen(from);
    memcpy(place, to, strlen(to));
    memmove(place + strlen(to), rest, strlen(rest));
    memset(json + length - less, ' ', less);
    model_file_seal(file);
}

void model_file_refuse(const struct model_file *file, size_t size, enum shw_result result, enum shw_log_item item,
                       const char *words)
{
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    void *model;

    assert_int_equal(file->kind->load(file->bytes, size, "some.ktx2", &log, &model), result);
    assert_null(model);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, item);
    if (strncmp(memory.last, "some.ktx2: ", 11) != 0 || strstr(memory.last, words) == NULL)
        fail_msg("no '%s' in: %s", words, memory.last);
}

void model_file_check_again(const struct model_file *file, void (*assert_same)(const void *a, const void *b))
{
    const struct model_kind *kind = file->kind;
    const char *path = testing_path("model.ktx2");
    void *again, *bytes;
    size_t size;

    assert_int_equal(kind->save_file(file->model, path, NULL), SHW_OK);
    for (int from_file = 0; from_file < 2; from_file++) {
        assert_int_equal(from_file ? kind->load_file(path, NULL, &again)
                                   : kind->load(file->bytes, file->size, "x", NULL, &again),
                         SHW_OK);
        assert_same(file->model, again);
        assert_true(kind->hash(again) == kind->hash(file->model));
        assert_int_equal(kind->save(again, &bytes, &size), SHW_OK);
        assert_int_equal(size, file->size);
        assert_memory_equal(bytes, file->bytes, size);
        free(bytes);
        kind->destroy(&again);
    }
}

void model_file_check_damage(struct model_file *file)
{
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    void *model;

    for (size_t size = 0; size < file->size; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1); /* so that a read behind the end is seen */
        assert_non_null(copy);
        memcpy(copy, file->bytes, size);
        assert_int_equal(file->kind->load(copy, size, "some.ktx2", &log, &model), SHW_ERROR_FORMAT);
        assert_int_equal(memory.last_item, SHW_LOG_FILE_READ);
        assert_null(model);
        free(copy);
    }
    assert_int_equal(memory.errors, file->size);
    file->bytes = realloc(file->bytes, file->size + 1);
    assert_non_null(file->bytes);
    file->bytes[file->size] = 0;
    model_file_refuse(file, file->size + 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, "bytes follow the last texel");
    for (size_t bit = 0; bit < 8 * file->size; bit++) {
        file->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (file->kind->load(file->bytes, file->size, "some.ktx2", NULL, &model) == SHW_OK)
            fail_msg("bit %zu of byte %zu does not matter", bit % 8, bit / 8);
        assert_null(model);
        file->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

void model_file_check_bits(struct model_file *file, const char *words)
{
    uint64_t hash = file->kind->hash(file->model);
    void *model;

    for (size_t bit = 8 * model_file_texels_at(file); bit < 8 * file->size; bit++) {
        file->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        model_file_seal(file);
        if (file->kind->load(file->bytes, file->size, "x", NULL, &model) == SHW_OK)
            assert_true(file->kind->hash(model) != hash);
        file->kind->destroy(&model);
        file->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    file->bytes[file->size - 1] ^= 1;
    model_file_seal(file);
    model_file_refuse(file, file->size, SHW_ERROR_FORMAT, file->kind->item, words);
}

void model_file_check_others(const struct model_file *file, const char *what)
{
    static const struct model_kind *const kinds[] = {&model_forest, &model_cascade, &model_record_forest};
    char words[128];

    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct model_file other = *file;
        other.kind = kinds[k];
        snprintf(words, sizeof words, "some.ktx2: it is a %s, %s, not a %s", file->kind->name, what, kinds[k]->name);
        if (other.kind != file->kind)
            model_file_refuse(&other, file->size, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, words);
    }
}
