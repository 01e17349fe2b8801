#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "files/tables/table.h"

#define TEXT(bytes) .text = bytes, .size = sizeof(bytes) - 1

struct names_case {
    const char *text;
    size_t size;
    const char *message; /* of the error; NULL: it is read */
    const char *ignored;
    const char *const *wanted;
    uint32_t wanted_count;
    float values[3]; /* of the only record that is read */
};

static void check(const struct names_case *item)
{
    struct testing_log memory = {.errors = 0};
    struct shw_name_set names = {0};
    const struct shw_table_params params = {.classes = &names,
                                            .ignored = &item->ignored,
                                            .ignored_count = item->ignored != NULL,
                                            .attribute_names = item->wanted,
                                            .attribute_count = item->wanted_count,
                                            .threads = 1,
                                            .log = testing_log(&memory)};
    const char *path = testing_path("names.csv");
    FILE *file = fopen(path, "wb");
    struct shw_table_records set;
    enum shw_result result;

    assert_non_null(file);
    assert_int_equal(fwrite(item->text, 1, item->size, file), item->size);
    assert_int_equal(fclose(file), 0);
    result = shw_table_records_read(&path, 1, &params, &set);
    assert_int_equal(result, item->message != NULL ? SHW_ERROR_FORMAT : SHW_OK);
    if (result == SHW_OK)
        assert_memory_equal(set.values, item->values, set.attribute_count * sizeof *set.values);
    else if (memory.errors != 1 || strstr(memory.last, item->message) == NULL)
        fail_msg("'%s' does not say '%s'", memory.last, item->message);
    shw_table_records_free(&set);
    shw_name_set_free(&names);
}

TESTING_CASE(test_names_of_a_new_forest)
{
    static const struct names_case cases[] = {
        {TEXT(",a,class\n0,1,x\n"),
         .message = "line 1, column 1: the name is empty"}, /* an index as pandas writes it */
        {TEXT(",a,b,class\n0,1,2,x\n"), .ignored = "1", .values = {1, 2}},
        {TEXT("# y\n\na,\"b\nc\",class\n0,1,x\n"),
         .message = "line 3, column 2 (b?c): the name has control characters"},
        {TEXT("a,h\xf6he,class\n0,1,x\n"), .message = "line 1, column 2 (h\xf6he): the name is not UTF-8"},
        {TEXT("a,b\0,class\n0,1,x\n"), .message = "line 1, column 2: the name has a zero byte"},
        {TEXT("a,class\n0,x\n1,K\xf6ln\n"), .message = "line 3, column 2 (class): the name of the class is not UTF-8"},
        {TEXT("a,class\n0,\"x\ny\"\n"),
         .message = "line 2, column 2 (class): the name of the class has control characters"},
        {TEXT("a,class\n0,x\n1,x\0y\n2,x\0y\n"),
         .message = "line 3, column 2 (class): the name of the class has a zero byte"},
        {TEXT("a,class,class\n0,1,1\n"), .message = "line 1: columns 2 and 3 have the same name, class:"},
        {TEXT("a,b,class,a\n0,1,x,2\n"), .message = "line 1: columns 1 and 4 have the same name, a:"},
        {TEXT("a,b,class,a\n0,1,x,2\n"), .ignored = "4", .values = {0, 1}},
    };
    char text[300] = "";

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
    memset(text, 'a', 256);
    strcat(text, ",b\n1,2\n");
    check(&(struct names_case){.text = text, .size = strlen(text), .message = "the name has more than 255 bytes"});
}

/* They are not said to lack names or columns. */
TESTING_CASE(test_files_that_are_no_tables)
{
    static const struct names_case cases[] = {
        {TEXT("\x1f\x8b\10\0\0\0\0\0\0\3"), .message = "names.csv is compressed with gzip"},
        {TEXT("BZh91AY&SY\1\2"), .message = "names.csv is compressed with bzip2"},
        {TEXT("\xfd\x37zXZ\0"), .message = "names.csv is compressed with xz"},
        {TEXT("\x28\xb5\x2f\xfd\0"), .message = "names.csv is compressed with zstd"},
        {TEXT("PK\3\4\n"), .message = "names.csv is a ZIP archive"},
        {TEXT("\xabKTX 20\xbb\r\n\x1a\n"), .message = "names.csv is a texture"},
        {TEXT("BZh,b\n1,2\n"), .wanted_count = 2, .values = {1, 2}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}

TESTING_CASE(test_attributes_that_are_called_as_classes)
{
    static const char *const wanted[] = {"a", "target"}, *const ignored[] = {"target"};
    static const struct {
        const char *text, *message;
        struct shw_table_params params;
    } cases[] = {
        {"a,target,class\n1,2,x\n",
         "names.csv: the column 'target' is an attribute, though its name suggests classes; --ignore target",
         {.delimiter = 0}},
        {"a,Label,kind\n1,2,x\n", "the column 'Label' is an attribute", {.class_column = "kind"}},
        {"a,target,class\n1,2,x\n", NULL, {.attribute_names = wanted, .attribute_count = 2}},
        {"a,target,class\n1,2,x\n", NULL, {.ignored = ignored, .ignored_count = 1}},
        {"a,target,kind\n1,2,3\n", NULL, {.class_column = "none"}},
        {"a,y,class\n1,2,3\n", NULL, {.delimiter = 0}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory = {.errors = 0};
        struct shw_name_set names = {0};
        struct shw_table_params params = cases[i].params;
        struct shw_table *table = NULL;
        const char *path = testing_path("names.csv");
        FILE *file = fopen(path, "wb");

        assert_non_null(file);
        assert_true(fputs(cases[i].text, file) >= 0 && fclose(file) == 0);
        params.classes = &names;
        params.log = testing_log(&memory);
        assert_int_equal(shw_table_open(path, &params, &table), SHW_OK);
        assert_int_equal(memory.count[SHW_LOG_DATASET], cases[i].message != NULL);
        assert_true(cases[i].message == NULL || strstr(memory.last, cases[i].message) != NULL);
        shw_table_close(&table);
    }
}

TESTING_CASE(test_names_that_occur_twice)
{
    static const char *const wanted[] = {"a", "b"}, *const twice[] = {"a", "b", "a"};
    static const struct names_case cases[] = {
        {TEXT("a,b,b,c\n1,2,3,4\n"), .message = "line 1: columns 2 and 3 have the same name, b:", .wanted = wanted,
         .wanted_count = 2},
        {TEXT("a,b,c,c\n1,2,3,4\n"), .wanted = wanted, .wanted_count = 2, .values = {1, 2}},
        {TEXT("a,b,b\n1,2,3\n"), .ignored = "2", .wanted = wanted, .wanted_count = 2, .values = {1, 3}},
        {TEXT("a,b,b\n1,2,3\n"), .message = "columns 2 and 3 have the same name, b:", .ignored = "b"},
        {TEXT("a,b,c\n1,2,3\n"), .message = "column 1 (a): attributes 1 and 3 of the forest have this name",
         .wanted = twice, .wanted_count = 3},
        {TEXT("a,b,c\n1,2,3\n"), .wanted_count = 3, .values = {1, 2, 3}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(&cases[i]);
}
