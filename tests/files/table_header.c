#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "files/tables/table.h"

static struct testing_log memory;
static struct shw_name_set names;

static const char *write_text(const char *name, const char *text)
{
    const char *path = testing_path(name);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    return path;
}

static enum shw_result read_text(const char *text, const char *labels, enum shw_table_header header,
                                 struct shw_table_records *set)
{
    const struct shw_table_params params = {
        .classes = &names, .labels = labels, .header = header, .threads = 1, .log = testing_log(&memory)};
    const char *path = write_text("header.csv", text);

    memory = (struct testing_log){.errors = 0};
    shw_name_set_free(&names);
    return shw_table_records_read(&path, 1, &params, set);
}

TESTING_CASE(test_headers_that_are_told)
{
    struct shw_table_records set;

    assert_int_equal(read_text("1,2\n3,4\n", NULL, SHW_TABLE_HEADER_YES, &set), SHW_OK);
    assert_true(set.count == 1 && set.attribute_count == 2 && set.values[0] == 3 && set.values[1] == 4);
    shw_table_records_free(&set);
    assert_int_equal(read_text("a,b\n3,4\n", NULL, SHW_TABLE_HEADER_NO, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "line 1, column 1: 'a' is not a number"));
    assert_int_equal(read_text("a,b\n", NULL, SHW_TABLE_HEADER_AUTO, &set), SHW_OK);
    assert_true(set.count == 0 && set.attribute_count == 2);
    shw_table_records_free(&set);
}

/* Whether the first record is taken for a header. */
static void check_header(const char *text, bool expected)
{
    struct shw_table_records set;
    uint64_t lines = 0;

    for (const char *c = text; *c != '\0'; c++)
        lines += *c == '\n';
    if (read_text(text, NULL, SHW_TABLE_HEADER_AUTO, &set) != SHW_OK)
        fail_msg("refused: %s", text);
    if (set.count != lines - expected)
        fail_msg("%u records in %s", (unsigned)set.count, text);
    if (expected && (set.attribute_names == NULL || strspn(set.attribute_names[0], "01") != 1))
        fail_msg("no names from %s", text);
    shw_table_records_free(&set);
}

TESTING_CASE(test_headers_of_numbers)
{
    check_header("0,1,species\n5.1,3.5,u\n4.9,3,u\n6,2,v\n", true);
    check_header("1,2,species\n5,3,v\n4,2,u\n6,2,u\n7,2,v\n", true);
    check_header("0,1,species\n5,3,0\n4,2,1\n", true);
    check_header("\"0\",\"1\",species\n5,3,0\n4,2,1\n", true);
    check_header("0,1,2\n5.5,3,0\n4,2,1\n", true);
    check_header("0,1,2\n5,3,0\n4,2.5,1\n", true);
    check_header("0,1,2\n5,3,0\n4,2,1\n", false);
    check_header("0,1\n5.5,3\n4,2\n", false);
    check_header("0,1,a\n0,2,b\n", false);
    check_header("0,1,a\n0,2,b\n0,3,b\n0,1,a\n", false);
    check_header("0,1,a\n0,1,b\n0,3,b\n", false);
    check_header("0,1,a\n0,2,b\n0,3,\n", false);
    check_header("0,2,species\n5,3,u\n4,2,u\n", false);
    check_header("0,1.0,species\n5,3,u\n4,2,u\n", false);
    check_header("00,1,species\n5,3,u\n4,2,u\n", false);
    check_header("2,3,species\n5,3,u\n4,2,u\n", false);
    check_header("0,species\n5,u\n4,u\n", false);
    check_header("0,1,?,species\n5,3,1,u\n4,2,1,u\n", false);
}

/* The index of pandas has no name. Its number is that of another column. */
TESTING_CASE(test_headers_of_numbers_after_an_index)
{
    struct shw_table_records set;

    assert_int_equal(read_text(",0,1,species\n0,5.1,3,u\n1,5.2,3,u\n2,6,7,v\n", NULL, SHW_TABLE_HEADER_AUTO, &set),
                     SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "line 1, column 1: the name is empty"));
    assert_non_null(strstr(memory.last, "--ignore ''"));
}

static void check_doubt(const char *text, const char *labels, enum shw_table_header header, const char *message)
{
    struct shw_table_records set;

    assert_int_equal(read_text(text, labels, header, &set), SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_DATASET], message != NULL);
    if (message != NULL && strstr(memory.last, message) == NULL)
        fail_msg("'%s' does not say '%s'", memory.last, message);
    shw_table_records_free(&set);
}

TESTING_CASE(test_first_records_that_may_be_headers)
{
    static const char *const doubt = "the class 'species' occurs in the first record alone; if that is a header: "
                                     "--header yes";
    static const char table[] = "# iris\n0,1,7,species\n5,3,1,u\n4,2,1,u\n6,2,1,v\n";
    char labels[256], message[160];
    struct shw_table_records set;

    snprintf(message, sizeof message, "header.csv, line 2: %s", doubt);
    check_doubt(table, NULL, SHW_TABLE_HEADER_AUTO, message);
    check_doubt(table, NULL, SHW_TABLE_HEADER_NO, NULL);
    check_doubt(table, NULL, SHW_TABLE_HEADER_YES, NULL);
    check_doubt("0,1,7,u\n5,3,1,u\n4,2,1,w\n", NULL, SHW_TABLE_HEADER_AUTO, NULL);
    check_doubt("0,1,7,u\n5,3,1,v\n4,2,1,w\n", NULL, SHW_TABLE_HEADER_AUTO, NULL);
    snprintf(labels, sizeof labels, "%s", write_text("header_labels.csv", "species\nu\nu\nv\n"));
    snprintf(message, sizeof message, "header_labels.csv, line 1: %s", doubt);
    check_doubt("0,1\n5,3\n4,2\n6,2\n", labels, SHW_TABLE_HEADER_AUTO, message);
    assert_int_equal(read_text("5,3\n4,2\n6,2\n", labels, SHW_TABLE_HEADER_AUTO, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "header_labels.csv has labels for more than the 3 records of"));
    assert_non_null(strstr(memory.last, "header.csv (if its first record is a header: --header yes)"));
}

TESTING_CASE(test_labels_have_the_header_that_is_told)
{
    struct shw_table_records set;
    char labels[256];

    snprintf(labels, sizeof labels, "%s", write_text("header_labels.csv", "u\nv\nu\n"));
    assert_int_equal(read_text("0,1\n5,3\n4,2\n", labels, SHW_TABLE_HEADER_YES, &set), SHW_OK);
    assert_true(set.count == 2 && set.classes[0] == 1 && set.classes[1] == 0);
    shw_table_records_free(&set);
    snprintf(labels, sizeof labels, "%s", write_text("header_labels.csv", "label\nv\nu\n"));
    assert_int_equal(read_text("0,1\n5,3\n4,2\n", labels, SHW_TABLE_HEADER_NO, &set), SHW_OK);
    assert_true(set.count == 3 && strcmp(names.names[set.classes[0]], "label") == 0);
    shw_table_records_free(&set);
}

TESTING_CASE(test_unknown_classes_that_may_be_headers)
{
    struct shw_table_records set;
    struct shw_name_set known = {0};
    struct shw_table_params params = {.classes = &known, .threads = 1, .log = testing_log(&memory)};
    const char *path = write_text("header.csv", "1,2,species\n0,0,u\n");

    assert_true(shw_name_set_add(&known, "u", 1));
    known.closed = true;
    assert_int_equal(shw_table_records_read(&path, 1, &params, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "line 1, column 3: the forest has no class 'species' (if this is a header: "
                                        "--header yes)"));
    params.has_matching = true;
    assert_int_equal(shw_table_records_read(&path, 1, &params, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "column out; if this is a header: --header yes)"));
    params.header = SHW_TABLE_HEADER_NO;
    assert_int_equal(shw_table_records_read(&path, 1, &params, &set), SHW_ERROR_FORMAT);
    assert_null(strstr(memory.last, "--header"));
    shw_name_set_free(&known);
}
