/* Projects with texts: what they store, what they train, and that nothing of a file runs unasked. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/code/code.h"
#include "files/project/project_texts.h"
#include "files/project/training_tiles.h"
#include "testing/painting.h"

extern const struct shw_channel_kind edge;

static int begin(void **state)
{
    (void)state;
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    return mkdir(testing_path("cache"), 0700);
}

static struct shw_code_made read_example(const char *name)
{
    struct shw_code_made made;
    char file[512];

    snprintf(file, sizeof file, EXAMPLES "%s.glsl", name);
    assert_int_equal(shw_code_make_file(file, NULL, &made), SHW_OK);
    return made;
}

static void put_example(struct shw_project *project, const char *name, const char *path)
{
    const struct shw_code_made made = read_example(name);

    assert_int_equal(shw_project_put_text(project, path, &made), SHW_OK);
}

static struct shw_project *make_project(void)
{
    struct shw_project *project = testing_paint_project(60, 40, NULL);

    testing_paint_areas(project, 2);
    return project;
}

/* A channel kind that returns the number, with what stands in its head after the name. */
static struct shw_code_made make_kind(const char *name, const char *head, int number, enum shw_code_use use)
{
    struct shw_code_made made;
    char text[512];

    snprintf(text, sizeof text, "//!CHANNEL %s\n%s//!OUTPUT own\n//!MAXIMUM 100\n\nint own() { return %d; }\n", name,
             head, number);
    assert_int_equal(shw_code_make("own.glsl", text, strlen(text), use, NULL, &made), SHW_OK);
    return made;
}

static const char *channels_of(const struct shw_project *project)
{
    static char channels[SHW_CHANNEL_LIST_NAME_SIZE];
    const struct shw_project_training training = shw_project_get_training(project);

    snprintf(channels, sizeof channels, "%s", training.channels);
    return channels;
}

/* The same by the parameters of `train --feature` with the same text; the kind is the one in C, which has none. */
static uint64_t train_as_options(struct shw_project *project)
{
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;
    struct shw_training_choice all;
    struct shw_trainer_params params;
    struct shw_forest *forest = NULL;
    uint64_t hash;

    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    params = shw_training_set_params(set);
    params.technique = SHW_TECHNIQUE_CPU;
    params.feature = read_example("sparse-sum").feature;
    params.channels = "rgb,edge:1";
    params.kinds = (struct shw_channel_kinds){{&edge}};
    assert_int_equal(shw_training_tiles_make(set, shw_trainer_params_get_reach(&params), NULL, NULL, &tiles), SHW_OK);
    assert_int_equal(shw_training_choice_make(tiles, NULL, &all), SHW_OK);
    assert_int_equal(shw_train(&params, &all.dataset, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    shw_training_choice_free(&all);
    shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
    return hash;
}

TESTING_CASE(a_project_stores_its_texts_and_trains_with_them)
{
    struct shw_project *project = make_project(), *read = NULL, *copy = NULL;
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_training_set *set = NULL;
    uint64_t hash, edition;
    char *text;

    put_example(project, "sparse-sum", "code/sparse-sum.glsl");
    put_example(project, "edge", NULL);
    assert_string_equal(channels_of(project), "rgb,edge:1");
    hash = testing_paint_train(project);
    assert_true(hash == train_as_options(project));

    text = shw_project_encode(project);
    assert_non_null(text);
    assert_non_null(strstr(text, "\"version\": 6"));
    assert_int_equal(shw_project_decode(text, strlen(text), "p.json", &log, &read), SHW_OK);
    assert_int_equal(shw_project_set_folder(read, testing_path("")), SHW_OK);
    assert_int_equal(shw_project_get_text_count(read), 2);
    assert_string_equal(shw_project_get_text(read, 0).name, "sparse-sum");
    assert_string_equal(shw_project_get_text(read, 0).path, "code/sparse-sum.glsl");
    assert_true(shw_project_get_text(read, 0).is_feature);
    assert_false(shw_project_get_text(read, 0).runs);
    assert_null(shw_project_get_text(read, 1).path);
    assert_string_equal(shw_project_get_text(read, 1).text, shw_project_get_text(project, 1).text);
    assert_string_equal(channels_of(read), "rgb,edge:1");

    /* It does not run, and says so. */
    assert_true(shw_project_is_held_back(read));
    assert_int_equal(shw_training_set_make(read, &log, &set), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "the feature type sparse-sum (21 lines), the channel kind edge (25 lines)"));
    assert_non_null(strstr(memory.last, "--trust-code"));
    edition = shw_project_get_edition(read);
    assert_int_equal(shw_project_run_texts(read, NULL, &log), SHW_OK);
    assert_false(shw_project_is_held_back(read));
    assert_true(shw_project_get_edition(read) > edition);

    /* A copy has all of it, after the other is gone. */
    assert_int_equal(shw_project_snapshot(read, &log, &copy), SHW_OK);
    free(text);
    text = shw_project_encode(read);
    shw_project_destroy(&read);
    assert_true(shw_project_get_text(copy, 1).runs);
    {
        char *again = shw_project_encode(copy);

        assert_string_equal(again, text);
        free(again);
    }
    free(text);
    shw_project_destroy(&copy);
    shw_project_destroy(&project);
}

TESTING_CASE(texts_take_the_places_of_others)
{
    struct shw_project *project = make_project();
    struct shw_code_made made = make_kind("one", "", 1, SHW_CODE_RUN);

    assert_int_equal(shw_project_put_text(project, "one.glsl", &made), SHW_OK);
    assert_string_equal(channels_of(project), "rgb,one");
    made = make_kind("other", "", 2, SHW_CODE_RUN); /* of the same file: it has another name now */
    assert_int_equal(shw_project_put_text(project, "one.glsl", &made), SHW_OK);
    assert_int_equal(shw_project_get_text_count(project), 1);
    assert_string_equal(channels_of(project), "rgb,other");
    made = make_kind("third", "//!PARAM n\n//!MINIMUM 2\n//!MAXIMUM 5\n", 3, SHW_CODE_RUN);
    assert_int_equal(shw_project_put_text(project, "third.glsl", &made), SHW_OK);
    assert_string_equal(channels_of(project), "rgb,other,third:2");

    /* A parameter that the kind no longer takes. */
    made = make_kind("third", "//!PARAM n\n//!MINIMUM 3\n//!MAXIMUM 5\n", 3, SHW_CODE_RUN);
    assert_int_equal(shw_project_put_text(project, "third.glsl", &made), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_get_kinds(project)->kinds[1]->parameter_min, 2);
    assert_string_equal(channels_of(project), "rgb,other,third:2");
    assert_int_equal(shw_project_get_text_count(project), 2);

    /* There is one feature type. */
    put_example(project, "sparse-sum", NULL);
    put_example(project, "ring", "ring.glsl");
    assert_int_equal(shw_project_get_text_count(project), 3);
    assert_string_equal(shw_project_get_feature(project)->name, "ring");
    shw_project_remove_text(project, 2);
    assert_null(shw_project_get_feature(project));
    shw_project_remove_text(project, 0);
    assert_string_equal(channels_of(project), "rgb,third:2");
    shw_project_remove_text(project, 0);
    assert_string_equal(channels_of(project), "rgb");
    shw_project_destroy(&project);
}

TESTING_CASE(planes_may_have_the_names_of_kinds)
{
    struct shw_project *project = make_project();
    struct shw_project_training training = shw_project_get_training(project);
    struct shw_code_made made = make_kind("own", "", 1, SHW_CODE_RUN);

    snprintf(training.channels, sizeof training.channels, "ndiff:nir,own,rgb");
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    assert_int_equal(shw_project_put_text(project, "own.glsl", &made), SHW_OK);
    assert_string_equal(channels_of(project), "ndiff:nir,own,rgb,own");
    made = make_kind("other", "", 2, SHW_CODE_RUN);
    assert_int_equal(shw_project_put_text(project, "own.glsl", &made), SHW_OK);
    assert_string_equal(channels_of(project), "ndiff:nir,own,rgb,other");
    made = make_kind("own", "", 3, SHW_CODE_RUN);
    assert_int_equal(shw_project_put_text(project, "own.glsl", &made), SHW_OK);
    shw_project_remove_text(project, 0);
    assert_string_equal(channels_of(project), "ndiff:nir,own,rgb");
    shw_project_destroy(&project);
}

static void refuse(const char *code, const char *training, const char *expected)
{
    struct testing_log memory = {.errors = 0};
    const struct shw_log log = testing_log(&memory);
    struct shw_project *project = NULL;
    char text[2048];

    snprintf(text, sizeof text,
             "{\"format\": \"shadewood-project\", \"version\": 6, \"code\": %s, \"classes\": [], \"training\": {%s}, "
             "\"pictures\": []}",
             code, training);
    assert_int_not_equal(shw_project_decode(text, strlen(text), "p.json", &log, &project), SHW_OK);
    if (strstr(memory.last, expected) == NULL)
        fail_msg("%s", memory.last);
}

#define KIND(number)                                                                                                   \
    "{\"text\": \"//!CHANNEL own\\n//!OUTPUT own\\n//!MAXIMUM 9\\nint own() { return " number "; }\\n\"}"

TESTING_CASE(files_that_are_wrong_are_refused)
{
    refuse("3", "", "\"code\" is not a list");
    refuse("[3]", "", "p.json: \"code\" 0 has no \"text\"");
    refuse("[{\"text\": \"//!FEATURE x\", \"file\": 3}]", "", "a \"file\" that is not a text");
    refuse("[{\"text\": \"\", \"file\": \"a.glsl\"}]", "", "p.json: a.glsl");
    refuse("[" KIND("1") ", " KIND("2") "]", "", "for the second time");
    refuse("[" KIND("1") "]", "\"channels\": \"own:3\"", "own");
    refuse("[]", "\"channels\": \"own\"", "own");
}

TESTING_FIXTURE(begin, NULL)
