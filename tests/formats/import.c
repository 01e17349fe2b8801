/* Models of other programs by the library's own functions: from files, and from memory. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/import.h>
#include <shadewood/memory.h>

#include "formats/record_models.h"
#include "testing/record_forests.h"

TESTING_CASE(formats_are_listed_by_kind)
{
    const struct shw_import_format *format;
    int kind = SHW_MODEL_FOREST;
    uint32_t count = 0;

    while ((format = shw_import_format_get(count)) != NULL) {
        assert_true((int)format->kind >= kind);
        kind = (int)format->kind;
        assert_ptr_equal(shw_import_format_find(format->name), format);
        assert_true(strlen(format->description) > 0);
        count++;
    }
    assert_int_equal(kind, SHW_MODEL_RECORDS);
    assert_int_equal(count, 9);
    assert_null(shw_import_format_get(UINT32_MAX));
    assert_null(shw_import_format_find("png"));
    assert_null(shw_import_format_find(NULL));
}

static void check_memory(const char *name, const char *format)
{
    struct shw_record_forest *from_file = open_record_model(name), *from_memory = NULL;
    struct shw_file_bytes file = read_record_model(name);
    const struct shw_import_source source = {.bytes = file.bytes, .size = file.size, .name = "in/memory"};
    struct shw_import_params params = {.sources = &source, .source_count = 1};

    assert_string_equal(shw_import_recognise(&source), format);
    for (int told = 0; told < 2; told++) {
        params.format = told ? format : NULL;
        assert_int_equal(shw_record_forest_import(&params, &from_memory), SHW_OK);
        assert_true(shw_record_forest_hash(from_memory) == shw_record_forest_hash(from_file));
        assert_non_null(strstr(shw_record_forest_get_info(from_memory)->training, "\"files\":[\"memory\"]"));
        shw_record_forest_destroy(&from_memory);
    }
    shw_record_forest_destroy(&from_file);
    shw_file_bytes_free(&file);
}

TESTING_CASE(record_models_in_memory_are_those_of_files)
{
    check_memory("xgboost-squarederror.json", "xgboost");
    check_memory("xgboost-dart.ubj", "xgboost");
    check_memory("lightgbm-binary.txt", "lightgbm");
    check_memory("onnx-binary.onnx", "onnx");
    check_memory("sklearn-forest-classes.json", "trees");
}

/* One test, two leaves. */
static const char kinect[] = "1\n10 20 -30 40 50\n3 4\n";

TESTING_CASE(trees_in_memory_become_a_forest)
{
    struct shw_import_source sources[2] = {{.bytes = kinect, .size = sizeof kinect - 1, .name = "a"},
                                           {.bytes = kinect, .size = sizeof kinect - 1, .name = "b"}};
    struct shw_import_params params = {.format = "kinect", .sources = sources, .source_count = 2};
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_forest_import(&params, &forest), SHW_OK);
    assert_int_equal(shw_forest_get_info(forest)->tree_count, 2);
    assert_int_equal(shw_forest_get_tree(forest, 1).node_count, 3);
    assert_non_null(strstr(shw_forest_get_info(forest)->training, "\"files\":[\"a\",\"b\"]"));
    shw_forest_destroy(&forest);
    params.cuts = true;
    assert_int_equal(shw_forest_import(&params, &forest), SHW_OK);
    assert_int_equal(shw_forest_get_tree(forest, 1).node_count, 1);
    shw_forest_destroy(&forest);
    params.cuts = false;
    params.focal_length = 1050;
    assert_int_equal(shw_forest_import(&params, &forest), SHW_OK);
    assert_non_null(strstr(shw_forest_get_info(forest)->training, "\"focal_length\":1050"));
    shw_forest_destroy(&forest);
}

/* The name of a file need not be UTF-8; what is kept of it is the same for every kind of model. */
TESTING_CASE(names_of_files_become_text)
{
    static const struct {
        const char *name, *kept;
    } names[] = {{"some/mod\xff"
                  "el",
                  "\"files\":[\"mod\xef\xbf\xbd"
                  "el\"]"},
                 {"gr\xc3\xb6\xc3\x9f"
                  "e",
                  "\"files\":[\"gr\xc3\xb6\xc3\x9f"
                  "e\"]"},
                 {"some/folder/", "\"files\":[\"some/folder/\"]"}};
    struct shw_file_bytes file = read_record_model("lightgbm-binary.txt");

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        const struct shw_import_source model = {.bytes = file.bytes, .size = file.size, .name = names[n].name};
        const struct shw_import_source tree = {.bytes = kinect, .size = sizeof kinect - 1, .name = names[n].name};
        const struct shw_import_params records_params = {.sources = &model, .source_count = 1};
        const struct shw_import_params forest_params = {.format = "kinect", .sources = &tree, .source_count = 1};
        struct shw_record_forest *records = NULL;
        struct shw_forest *forest = NULL;
        assert_int_equal(shw_record_forest_import(&records_params, &records), SHW_OK);
        assert_int_equal(shw_forest_import(&forest_params, &forest), SHW_OK);
        assert_non_null(strstr(shw_record_forest_get_info(records)->training, names[n].kept));
        assert_non_null(strstr(shw_forest_get_info(forest)->training, names[n].kept));
        shw_record_forest_destroy(&records);
        shw_forest_destroy(&forest);
    }
    shw_file_bytes_free(&file);
}

static void refuse(const struct shw_import_params *given, enum shw_model_kind kind, enum shw_result expected,
                   const char *message)
{
    struct testing_log memory;
    struct shw_import_params params = *given;
    struct shw_forest *forest = NULL;
    struct shw_cascade *cascade = NULL;
    struct shw_record_forest *records = NULL;
    enum shw_result result;

    params.log = testing_log(&memory);
    result = kind == SHW_MODEL_FOREST    ? shw_forest_import(&params, &forest)
             : kind == SHW_MODEL_CASCADE ? shw_cascade_import(&params, &cascade)
                                         : shw_record_forest_import(&params, &records);
    assert_int_equal(result, expected);
    assert_non_null(strstr(memory.last, message));
    assert_true(forest == NULL && cascade == NULL && records == NULL);
}

TESTING_CASE(what_cannot_be_imported_is_named)
{
    static const struct shw_import_source text = {.bytes = "abc", .size = 3, .name = "some.txt"}, none = {.name = "x"},
                                          file = {.path = "none.xml"}, two[2] = {{.bytes = "", .size = 0}, {0}};
    const struct shw_import_params of_text = {.sources = &text, .source_count = 1};
    struct shw_import_params params = of_text;

    refuse(&of_text, SHW_MODEL_FOREST, SHW_ERROR_ARGUMENT, "the format of the trees must be given");
    refuse(&of_text, SHW_MODEL_CASCADE, SHW_ERROR_FORMAT, "some.txt: not a cascade");
    refuse(&of_text, SHW_MODEL_RECORDS, SHW_ERROR_FORMAT, "some.txt: neither a record forest nor a model");
    params.format = "png";
    refuse(&params, SHW_MODEL_RECORDS, SHW_ERROR_ARGUMENT, "there is no format 'png'");
    params.format = "pico";
    refuse(&params, SHW_MODEL_RECORDS, SHW_ERROR_ARGUMENT, "the format pico is that of a cascade, not of a record");
    refuse(&params, SHW_MODEL_CASCADE, SHW_ERROR_FORMAT, "some.txt");
    params.format = "csv";
    refuse(&params, SHW_MODEL_CASCADE, SHW_ERROR_ARGUMENT, "is a folder");
    params = (struct shw_import_params){.format = "kinect", .sources = &text, .source_count = 1, .bias_percent = 100};
    params.has_bias = true;
    refuse(&params, SHW_MODEL_FOREST, SHW_ERROR_ARGUMENT, "a bias of 100 per cent");
    params.has_bias = false;
    refuse(&params, SHW_MODEL_FOREST, SHW_ERROR_FORMAT, "some.txt");
    params.source_count = 0;
    refuse(&params, SHW_MODEL_FOREST, SHW_ERROR_ARGUMENT, "nothing to import");
    params = (struct shw_import_params){.sources = two, .source_count = 2};
    refuse(&params, SHW_MODEL_RECORDS, SHW_ERROR_ARGUMENT, "source 1 has neither a path nor bytes");
    params.sources = &none;
    params.source_count = 1;
    refuse(&params, SHW_MODEL_CASCADE, SHW_ERROR_ARGUMENT, "source 0 has neither");
    params.sources = &file;
    params.format = "opencv";
    refuse(&params, SHW_MODEL_CASCADE, SHW_ERROR_IO, "none.xml");
    assert_null(shw_import_recognise(&text));
    assert_null(shw_import_recognise(&none));
    assert_null(shw_import_recognise(&file));
}

/* A file of our own is opened, but not imported. */
TESTING_CASE(our_own_files_are_opened)
{
    struct shw_record_forest *forest = random_record_forest(&(struct random_record_forest_params){0}), *opened = NULL;
    const char *path = testing_path("own.ktx2");
    const struct shw_import_source source = {.path = path};
    const struct shw_import_params params = {.sources = &source, .source_count = 1};

    assert_int_equal(shw_record_forest_save(forest, path, NULL), SHW_OK);
    assert_int_equal(shw_record_forest_open(path, NULL, &opened), SHW_OK);
    assert_true(shw_record_forest_hash(opened) == shw_record_forest_hash(forest));
    shw_record_forest_destroy(&opened);
    refuse(&params, SHW_MODEL_RECORDS, SHW_ERROR_FORMAT, "a file of Shadewood's own");
    assert_int_equal(shw_cascade_open(path, NULL, &(struct shw_cascade *){NULL}), SHW_ERROR_FORMAT);
    assert_int_equal(shw_record_forest_open("none.ktx2", NULL, &opened), SHW_ERROR_IO);
    assert_null(opened);
    shw_record_forest_destroy(&forest);
}
