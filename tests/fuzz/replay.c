/* Runs a fuzz target over its corpus, and over damaged versions of it by their seeds (testing/cases.h). */
#include "testing/testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/memory.h"
#include "fuzz/messages.h"
#include "fuzz/mutate.h"
#include "testing/cases.h"

enum { FILES_MAX = 64, ROOM = 1 << 20, SEALED_PERCENT = 60 };

/* TARGET(NAME, CASES, SOURCE) for each; what SOURCE defines is in target.h. */
#define TARGET(name, cases, source)                                                                                    \
    int source##_fuzz_input(const uint8_t *data, size_t size);                                                         \
    void source##_fuzz_seal(uint8_t *bytes, size_t size) __attribute__((weak));                                        \
    size_t source##_fuzz_memory_bound(size_t size) __attribute__((weak));
#include "targets.h"
#undef TARGET

/* One of them */
struct target {
    const char *name;
    uint32_t cases;
    int (*input)(const uint8_t *data, size_t size);
    void (*seal)(uint8_t *bytes, size_t size);
    size_t (*memory_bound)(size_t size);
};
#define TARGET(name, cases, source) {#name, cases, source##_fuzz_input, source##_fuzz_seal, source##_fuzz_memory_bound},
static const struct target targets[] = {
#include "targets.h"
};
static const struct target *target;

struct file {
    char name[256];
    uint8_t *bytes;
    size_t size;
};

static struct file files[FILES_MAX];
static uint32_t file_count;

/* What runs. */
static uint8_t input[ROOM];
static size_t input_size;

static void run_input(void)
{
    uint8_t *exact = malloc(input_size > 0 ? input_size : 1); /* so that a read behind the end is seen */
    size_t bound =
        target->memory_bound != NULL ? target->memory_bound(input_size) : ((size_t)16 << 20) + 64 * input_size;

    if (exact == NULL)
        abort();
    memcpy(exact, input, input_size);
    fuzz_memory_begin();
    target->input(exact, input_size);
    if (fuzz_memory_peak() > bound)
        fail_msg("%zu bytes take %zu bytes of memory, more than %zu", input_size, fuzz_memory_peak(), bound);
    free(exact);
}

/* What failed becomes a file. */
static void keep_input(const char *sweep, uint64_t seed)
{
    char path[512];
    FILE *stream;

    snprintf(path, sizeof path, "%s-%llu.mutant", sweep, (unsigned long long)seed);
    stream = fopen(path, "wb");
    if (stream == NULL)
        return;
    fwrite(input, 1, input_size, stream);
    fclose(stream);
    printf("# written to %s\n", path);
}

static void run_mutant(uint64_t seed)
{
    struct testing_random random = {seed};
    const struct file *file = &files[testing_random_below(&random, file_count)];
    const struct file *other = &files[testing_random_below(&random, file_count)];
    bool sealed;

    memcpy(input, file->bytes, file->size);
    input_size = fuzz_mutate(&random, input, file->size, sizeof input, other->bytes, other->size);
    sealed = target->seal != NULL && random_chance(&random, SEALED_PERCENT);
    if (sealed)
        target->seal(input, input_size);
    testing_describe(" %s, %zu bytes%s", file->name, input_size, sealed ? ", sealed" : "");
    run_input();
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static void read_file(const char *name)
{
    struct file *file = &files[file_count++];
    char path[1024];
    FILE *stream;

    assert_in_range(file_count, 1, FILES_MAX);
    snprintf(path, sizeof path, "%s/%s/%s", FUZZ_CORPUS, target->name, name);
    snprintf(file->name, sizeof file->name, "%s", name);
    stream = fopen(path, "rb");
    file->bytes = malloc(ROOM / 2);
    if (stream == NULL || file->bytes == NULL)
        fail_msg("cannot read %s", path);
    file->size = fread(file->bytes, 1, ROOM / 2, stream);
    fclose(stream);
}

static int read_corpus(void **state)
{
    struct dirent *entry;
    char path[1024];
    DIR *folder;

    (void)state;
    snprintf(path, sizeof path, "%s/%s", FUZZ_CORPUS, target->name);
    folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        if (entry->d_name[0] != '.')
            read_file(entry->d_name);
    closedir(folder);
    assert_in_range(file_count, 1, FILES_MAX);
    qsort(files, file_count, sizeof *files, compare_names);
    return 0;
}

static int free_corpus(void **state)
{
    (void)state;
    for (uint32_t f = 0; f < file_count; f++)
        free(files[f].bytes);
    return 0;
}

static void corpus_does_no_harm(void **state)
{
    (void)state;
    for (uint32_t f = 0; f < file_count; f++) {
        memcpy(input, files[f].bytes, files[f].size);
        input_size = files[f].size;
        testing_begin_case("%s/%s/%s", FUZZ_CORPUS, target->name, files[f].name);
        run_input();
        testing_end_case();
    }
}

static void mutants_do_no_harm(void **state)
{
    unsigned before = fuzz_accepted;

    (void)state;
    testing_sweep(&(struct testing_sweep){.name = target->name,
                                          .usual = target->cases,
                                          .sanitized = target->cases / (testing_is_slow() ? 2 : 8),
                                          .run = run_mutant,
                                          .failed = keep_input});
    printf("# %u mutants were accepted\n", fuzz_accepted - before);
    assert_true(fuzz_accepted > before || getenv("SHW_CASE") != NULL || getenv("SHW_CASES") != NULL);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(corpus_does_no_harm, testing_sweep_teardown),
                                              cmocka_unit_test_teardown(mutants_do_no_harm, testing_sweep_teardown)};

    for (size_t t = 0; argc == 2 && t < sizeof targets / sizeof *targets; t++)
        if (strncmp(argv[1], "fuzz_", 5) == 0 && strcmp(targets[t].name, argv[1] + 5) == 0)
            target = &targets[t];
    if (target == NULL) {
        fprintf(stderr, "usage: %s fuzz_TARGET, of these:\n", argv[0]);
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            fprintf(stderr, "    fuzz_%s\n", targets[t].name);
        return 2;
    }
    testing_group = argv[1];
    return cmocka_run_group_tests(tests, read_corpus, free_corpus);
}
