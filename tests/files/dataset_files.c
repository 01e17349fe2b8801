/* Finding the files of a data set: patterns, folders, splits. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/dataset/dataset.h"
#include "files/dataset/pattern.h"
#include "testing/image_encode.h"

static char root[512];

/* A file below the root, with its folders; the contents do not matter for finding it. */
static void touch(const char *name, const char *text)
{
    char path[1024];

    snprintf(path, sizeof path, "%s/%s", root, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    testing_write_file(path, (struct testing_bytes){(uint8_t *)strdup(text), strlen(text)});
}

static int setup(void **state)
{
    static const char *const files[] = {
        "images/b.png",       "images/a.png",    "images/sub/c.png", "images/.hidden.png", "images/.git/x.png",
        "images/lonely.png",  "images/note.txt", "labels/a_L.png",   "labels/b_L.png",     "labels/sub/c_L.png",
        "labels/extra_L.png", "flat/1_s.bmp",    "flat/1_s_GT.bmp",  "flat/2_s.bmp",       "flat/2_s_GT.bmp",
        "flat/2_s_D.bmp",     "flat/1_s_D.bmp",  "twice/x/x.png",    "twice/y/z.png",      "one/a.b.png"};
    static unsigned count;
    char name[32];

    (void)state;
    snprintf(name, sizeof name, "set%u", count++);
    snprintf(root, sizeof root, "%s", testing_path(name));
    mkdir(root, 0777);
    touch("palette.json", "{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}]}");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        touch(files[i], "");
    return 0;
}

static void check_names(const struct shw_dataset_params *params, const char *expected, struct testing_log *memory)
{
    struct shw_dataset_params with_log = *params;
    struct shw_dataset set = {0};
    char names[1024] = "";

    with_log.log = testing_log(memory);
    with_log.root = root;
    assert_int_equal(shw_dataset_open(&with_log, &set), SHW_OK);
    for (uint32_t i = 0; i < set.count; i++) {
        strcat(names, shw_dataset_name(&set, i));
        strcat(names, " ");
    }
    assert_string_equal(names, expected);
    shw_dataset_close(&set);
    shw_dataset_close(&set);
    assert_int_equal(memory->errors, 0);
}

static void check_error(const struct shw_dataset_params *params, enum shw_result result, enum shw_log_item item,
                        const char *part)
{
    struct shw_dataset_params with_log = *params;
    struct testing_log memory;
    struct shw_dataset set = {0};

    with_log.log = testing_log(&memory);
    if (with_log.root == NULL)
        with_log.root = root;
    assert_int_equal(shw_dataset_open(&with_log, &set), result);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, item);
    assert_non_null(strstr(memory.last, part));
    assert_null(set.user);
}

TESTING_CASE(test_pattern)
{
    static const struct {
        const char *pattern, *path, *name;
    } cases[] = {
        {"a/{}.png", "a/x.png", "x"},
        {"a/{}.png", "a/x/y.png", "x/y"},
        {"a/{}.png", "a/.png", NULL},
        {"a/{}.png", "b/x.png", NULL},
        {"a/{}.png", "a/x.jpg", NULL},
        {"{}", "x.png", "x.png"},
        {"{}/{}.png", "x/x.png", "x"},
        {"{}/{}.png", "x/y.png", NULL},
        {"{}/{}.png", "xy/xy.png", "xy"},
        {"{}/{}.png", "xy/xyz.png", NULL},
        {"a{}b", "ab", NULL},
        {"a{}a", "a", NULL},
        {"{}_L.png", "_L.png", NULL},
        {"{}{}", "abab", "ab"},
        {"{}{}", "aba", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name;
        size_t length;
        bool matches = shw_pattern_match(cases[i].pattern, cases[i].path, &name, &length);

        assert_int_equal(matches, cases[i].name != NULL);
        if (matches) {
            char *filled = shw_pattern_fill(cases[i].pattern, name, length);

            assert_int_equal(length, strlen(cases[i].name));
            assert_memory_equal(name, cases[i].name, length);
            assert_string_equal(filled, cases[i].path);
            free(filled);
        }
    }
}

TESTING_CASE(test_join)
{
    static const struct {
        const char *root, *pattern, *joined;
    } cases[] = {{"a", "{}.png", "a/{}.png"}, {"a/", "b/{}", "a/b/{}"}, {"a//", "b//{}", "a/b/{}"},
                 {NULL, "{}", "./{}"},        {"", "{}", "./{}"},       {"a", "/b/{}", "/b/{}"},
                 {"/", "{}", "/{}"},          {"a", "", "a/"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *joined = shw_pattern_join(cases[i].root, cases[i].pattern);

        assert_string_equal(joined, cases[i].joined);
        free(joined);
    }
}

TESTING_CASE(test_find)
{
    struct shw_dataset_params params = {.images = "images/{}.png", .labels = "labels/{}_L.png"};
    struct testing_log memory;

    check_names(&params, "a b sub/c ", &memory);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 1); /* lonely has no label: one warning */
    params.labels = NULL;
    check_names(&params, "a b lonely sub/c ", &memory);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    params.images = "images/sub/{}.png";
    check_names(&params, "c ", &memory);
    params = (struct shw_dataset_params){.images = "twice/{}.png", .labels = "twice/{}.png"};
    check_names(&params, "x/x y/z ", &memory);
    params = (struct shw_dataset_params){.images = "one/{}.png"};
    check_names(&params, "a.b ", &memory);
}

/* All in one folder: the label and depth images of others are no images. */
TESTING_CASE(test_find_flat)
{
    struct shw_dataset_params params = {
        .images = "flat/{}.bmp",
        .labels = "flat/{}_GT.bmp",
        .inputs = (const struct shw_input_file[]){{.name = SHW_DEPTH, .path = "flat/{}_D.bmp"}},
        .input_count = 1};
    struct testing_log memory;

    check_names(&params, "1_s 2_s ", &memory);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
}

TESTING_CASE(test_splits)
{
    static char one[600], two[600];
    const char *splits[2] = {one, two};
    struct shw_dataset_params params = {
        .images = "images/{}.png", .labels = "labels/{}_L.png", .splits = splits, .split_count = 1};
    struct testing_log memory;

    snprintf(one, sizeof one, "%s/one.txt", root);
    snprintf(two, sizeof two, "%s/two.txt", root);
    touch("one.txt", "\xef\xbb\xbf# names\r\n\r\n  sub/c.png \r\nb");
    touch("two.txt", "a\n\n#a\nb\n");
    check_names(&params, "b sub/c ", &memory);
    params.split_count = 2;
    check_names(&params, "a b sub/c ", &memory);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 1); /* b twice: one warning */

    touch("one.txt", "a\nmissing.jpg\n");
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "one.txt, line 2: \"missing.jpg\" has no image file ");
    touch("one.txt", "a\nlonely.png\n");
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "line 2: \"lonely\" has no label file ");
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "/labels/lonely_L.png");
    touch("one.txt", "# only\n");
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "lists no name");
    remove(one);
    check_error(&params, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "one.txt");

    touch("three.txt", "a.b.png\n");
    snprintf(one, sizeof one, "%s/three.txt", root);
    params = (struct shw_dataset_params){.images = "one/{}.png", .splits = splits, .split_count = 1};
    check_names(&params, "a.b ", &memory);
    touch("three.txt", "a.b\n");
    check_names(&params, "a.b ", &memory);
}

TESTING_CASE(test_errors)
{
    struct shw_dataset_params params = {.images = "images/a.png"};

    check_error(&params, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "\"images/a.png\" must contain {} once");
    params.images = NULL;
    check_error(&params, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "{}");
    params.images = "{}/{}.png";
    check_error(&params, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "{} once");
    params.images = "images/{}.png", params.labels = "labels/a.png";
    check_error(&params, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "\"labels/a.png\" must contain {}");
    params.images = "images/{}.tif", params.labels = "labels/{}_L.png";
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "matches no file");
    params.images = "images/{}.png", params.labels = "labels/{}_M.png";
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "images/a.png has no label image, ");
    params.images = "nowhere/{}.png";
    check_error(&params, SHW_ERROR_IO, SHW_LOG_DATASET, "nowhere");
    params.images = "palette.json/{}.png";
    check_error(&params, SHW_ERROR_IO, SHW_LOG_DATASET, "palette.json");
    params = (struct shw_dataset_params){.layout = SHW_DATASET_CURFIL, .images = "{}.png"};
    check_error(&params, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "CURFIL");
    params = (struct shw_dataset_params){.layout = SHW_DATASET_CURFIL};
    check_error(&params, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "{}_colors.png");
    params = (struct shw_dataset_params){.images = "images/{}.png", .palette_path = "/nowhere/p.json"};
    check_error(&params, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "/nowhere/p.json");
}

TESTING_FIXTURE(setup, NULL)
