/* Mutants of texts: each is refused by one message with file and line, or is accepted by all compilers: what one of
 * them refuses, the parser should have refused. Some of them also train and label, by several techniques with the same
 * result. With --slow, two thousand, all of which are compiled. */
#include "testing/testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_bytes.h"
#include "code/mutants.h"
#include "files/code/code.h"
#include "files/code/compile.h"
#include "files/io/module.h"
#include "testing/device.h"
#include "testing/examples.h"
#include "testing/training.h"

#define TEXTS_MAX 32
#define TEXT_SIZE 8192

static struct corpus {
    char texts[TEXTS_MAX][TEXT_SIZE];
    char names[TEXTS_MAX][64];
    uint32_t count;
} corpus;

static int is_text(const struct dirent *entry)
{
    return strstr(entry->d_name, SHW_CODE_ENDING) != NULL;
}

static void read_folder(const char *folder)
{
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_text, alphasort);

    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        struct shw_file_bytes file;
        char path[1024];

        snprintf(path, sizeof path, "%s%s", folder, entries[i]->d_name);
        assert_int_equal(shw_file_bytes_read(path, TEXT_SIZE - 1, NULL, &file), SHW_OK);
        assert_true(corpus.count < TEXTS_MAX);
        memcpy(corpus.texts[corpus.count], file.bytes, file.size);
        snprintf(corpus.names[corpus.count++], sizeof corpus.names[0], "%.60s", entries[i]->d_name);
        shw_file_bytes_free(&file);
        free(entries[i]);
    }
    free(entries);
}

static int begin(void **state)
{
    (void)state;
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    read_folder(EXAMPLES);
    read_folder(TEXTS);
    return mkdir(testing_path("cache"), 0700);
}

/* What was said; errors are expected, and not printed. */
struct said {
    unsigned errors;
    char last[1024];
};

static void listen(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct said *said = user;

    (void)item;
    if (level != SHW_LOG_ERROR)
        return;
    said->errors++;
    snprintf(said->last, sizeof said->last, "%s", text);
}

/* The mutant of a case, from the text of which it is one. */
static void make_mutant(uint64_t seed, char mutant[TEXT_SIZE])
{
    struct testing_random random = {seed};
    const char *from = corpus.texts[testing_random_below(&random, corpus.count)];

    (testing_random_below(&random, 4) == 0 ? mutate_bytes : mutate_words)(from, &random, mutant, TEXT_SIZE);
}

/* NULL if it is refused, which takes one message that names the line. */
static struct shw_code_text *read_mutant(const char *mutant)
{
    struct said said = {.errors = 0};
    const struct shw_log log = {.function = listen, .user = &said};
    struct shw_code_text *text = NULL;
    unsigned line;
    int end = 0;

    if (shw_code_text_read("mutant.glsl", mutant, strlen(mutant), &log, &text) == SHW_OK) {
        assert_int_equal(said.errors, 0);
        return text;
    }
    assert_null(text);
    assert_int_equal(said.errors, 1);
    if (sscanf(said.last, "mutant.glsl:%u: %n", &line, &end) != 1 || end == 0)
        fail_msg("'%s' does not name the line", said.last);
    return NULL;
}

/* By shaderc, by the C compiler and by TinyCC. */
static void compile_everywhere(const struct shw_code_text *text, const char *mutant)
{
    struct shw_code_compiler compilers[] = {shw_code_find_compiler(), {"", true}};
    struct said said = {.errors = 0};
    const struct shw_log log = {.function = listen, .user = &said};
    struct shw_shader shaders[SHW_CODE_SHADERS_MAX];
    char *header = shw_code_text_header(text), folder[1024], object[1100];
    static uint32_t number;

    assert_non_null(header);
#ifdef HAS_TCC
    assert_true(shw_module_find("shadewood-tcc", compilers[1].path));
#endif
    if (shw_code_compile_shaders(text, header, shw_code_all_shaders(text), NULL, &log, shaders) != SHW_OK)
        fail_msg("shaderc refuses what was accepted: %s\n%s", said.last, mutant);
    shw_code_free_shaders(shaders);
#ifdef HAS_TCC
    for (int c = 0; c < 2; c++) {
#else
    for (int c = 0; c < 1; c++) {
#endif
        snprintf(folder, sizeof folder, "%s", testing_path(c == 0 ? "cc" : "tcc"));
        (void)mkdir(folder, 0700);
        snprintf(object, sizeof object, "%s/%u.so", folder, number++ % 2);
        if (shw_code_compile_object(text, header, &compilers[c], folder, object, NULL, &log) != SHW_OK)
            fail_msg("%s refuses what was accepted: %s\n%s", c == 0 ? compilers[0].path : "TinyCC", said.last, mutant);
        assert_int_equal(remove(object), 0);
    }
    free(header);
}

TESTING_CASE(test_mutants_are_refused_or_compiled)
{
    const uint32_t cases = testing_is_slow() ? 2000 : 400, compiled_max = testing_is_slow() ? cases : 4;
    uint32_t accepted = 0, compiled = 0;

    for (uint64_t seed = 1; seed <= cases; seed++) {
        struct shw_code_text *text;
        char mutant[TEXT_SIZE];

        make_mutant(seed, mutant);
        text = read_mutant(mutant);
        if (text == NULL)
            continue;
        accepted++;
        /* In a short run, those of different texts */
        if (compiled < compiled_max && (testing_is_slow() || seed % 100 >= 90)) {
            compile_everywhere(text, mutant);
            compiled++;
        }
        shw_code_text_free(&text);
    }
    assert_true(accepted > cases / 20);
    assert_true(compiled >= (testing_is_slow() ? 200 : 4));
}

/* --- What they compute --- */

#define MADE_MAX 14u /* a program has 16 texts at most */

/* Whether cpu and compute train the same forest, and label the same with it; texts that a trainer refuses, for sums
 * that could be too large, do so with a message. */
static bool run_everywhere(const struct shw_code_made *made, struct testing_examples *examples)
{
    static uint16_t labels[2][64 * 64];
    struct said said = {.errors = 0};
    struct shw_trainer_params params = testing_training;
    const struct testing_example *example = &examples->examples[0];
    const struct shw_image image = {example->pixels, example->width, example->height, 0, SHW_PIXEL_RGB8};
    struct shw_forest *forests[2] = {NULL, NULL};
    char channels[64];

    params.log = (struct shw_log){.function = listen, .user = &said};
    params.depth = 4;
    params.feature = made->feature;
    snprintf(channels, sizeof channels, "rgb,gauss:1");
    if (made->kind != NULL) {
        const bool has_parameter = made->kind->parameter_max > 0;

        snprintf(channels, sizeof channels, has_parameter ? "rgb,%s:%u" : "rgb,%s", made->kind->name,
                 made->kind->parameter_max);
        params.kinds = (struct shw_channel_kinds){{made->kind}};
    }
    params.channels = channels;
    for (int t = 0; t < 2; t++) {
        params.technique = t == 0 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
        params.device = t == 0 ? NULL : testing_device();
        if (shw_train(&params, &examples->dataset, &forests[t]) != SHW_OK) {
            assert_int_equal(t, 0);
            assert_int_equal(said.errors, 1);
            return false;
        }
    }
    assert_int_equal(shw_forest_hash(forests[0]), shw_forest_hash(forests[1]));
    for (int t = 0; t < 2; t++) {
        const enum shw_technique technique = t == 0 ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
        const struct shw_labeller_params with = {.forest = forests[0],
                                                 .device = t == 0 ? NULL : testing_device(),
                                                 .channels = technique,
                                                 .integrate = technique,
                                                 .evaluate = technique,
                                                 .outputs = SHW_OUTPUT_ARGMAX};
        const struct shw_labelling out = {.argmax = labels[t]};
        struct shw_labeller *labeller = NULL;

        assert_int_equal(shw_labeller_create(&with, &labeller), SHW_OK);
        assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &out), SHW_OK);
        shw_labeller_destroy(&labeller);
    }
    for (int t = 0; t < 2; t++)
        shw_forest_destroy(&forests[t]);
    assert_memory_equal(labels[0], labels[1], example->width * example->height * sizeof labels[0][0]);
    return true;
}

TESTING_CASE(test_mutants_compute_the_same_by_all_techniques)
{
    const uint32_t most = testing_is_slow() ? MADE_MAX : 2;
    struct testing_examples examples;
    uint32_t ran = 0, made_count = 0;

    testing_examples_make(&(struct testing_examples_params){.seed = 5}, &examples);
    for (uint64_t seed = 1000000; made_count < most; seed++) {
        struct said said = {.errors = 0};
        const struct shw_log log = {.function = listen, .user = &said};
        struct shw_code_text *text;
        struct shw_code_made made;
        char mutant[TEXT_SIZE];

        make_mutant(seed, mutant);
        text = read_mutant(mutant);
        if (text == NULL)
            continue;
        shw_code_text_free(&text);
        made_count++;
        if (shw_code_make("mutant.glsl", mutant, strlen(mutant), SHW_CODE_RUN, &log, &made) != SHW_OK)
            fail_msg("%s", said.last);
        if (made.kind != NULL && made.kind->input != NULL)
            continue; /* the examples have no planes */
        ran += run_everywhere(&made, &examples);
    }
    assert_true(ran >= most / 2);
    testing_examples_free(&examples);
}

TESTING_FIXTURE(begin, NULL)
