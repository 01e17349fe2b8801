#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "files/tables/table.h"

#define RECORDS 200000u

static struct testing_log memory;

static const char *write_bytes(const char *bytes, size_t size)
{
    const char *path = testing_path("sparse.svm");
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static enum shw_result read_text(const char *text, struct shw_table_params params, struct shw_table_records *set)
{
    const char *path = write_bytes(text, strlen(text));

    memory = (struct testing_log){.errors = 0};
    params.log = testing_log(&memory);
    return shw_table_records_read(&path, 1, &params, set);
}

TESTING_CASE(test_sparse_records)
{
    static const char text[] = "# written by hand\n\n-1\n+1 1:0.5 3:-2 # the end\r\n-1.0\t2:1e-3  3:nan\n+1 4:inf";
    static const float values[] = {0, 0, 0, 0, 0.5F, 0, -2, 0, 0, 1e-3F, NAN, 0, 0, 0, 0, INFINITY};
    static const char *const ignored[] = {"2", "3"};
    struct shw_name_set names = {0};
    struct shw_table_params params = {.classes = &names, .class_required = true};
    struct shw_table_records set;

    assert_int_equal(read_text(text, params, &set), SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    assert_true(set.count == 4 && set.attribute_count == 4 && set.attribute_names == NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        assert_true(set.values[i] == values[i] || (isnan(set.values[i]) && isnan(values[i])));
    assert_true(names.count == 2 && strcmp(names.names[0], "-1") == 0 && strcmp(names.names[1], "1") == 0);
    assert_true(set.classes[0] == 0 && set.classes[1] == 1 && set.classes[2] == 0 && set.classes[3] == 1);
    shw_table_records_free(&set);

    params.ignored = ignored;
    params.ignored_count = 2;
    assert_int_equal(read_text(text, params, &set), SHW_OK);
    assert_true(set.attribute_count == 2 && set.values[2] == 0.5F && isinf(set.values[7]));
    shw_table_records_free(&set);

    params = (struct shw_table_params){.classes = &names, .first_index_is_0 = true};
    assert_int_equal(read_text("1 0:7 2:8\n", params, &set), SHW_OK);
    assert_true(set.attribute_count == 3 && set.values[0] == 7 && set.values[1] == 0 && set.values[2] == 8);
    shw_table_records_free(&set);

    params = (struct shw_table_params){.truth = SHW_TABLE_TARGETS};
    assert_int_equal(read_text("0.25 qid:1 1:7\n-3 qid:2\n", params, &set), SHW_OK);
    assert_true(set.count == 2 && set.targets[0] == 0.25F && set.targets[1] == -3);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 1);
    assert_non_null(strstr(memory.last, "line 1: the groups of records, qid, are ignored"));
    shw_table_records_free(&set);

    params = (struct shw_table_params){.classes = &names, .class_column = "none"};
    assert_int_equal(read_text("1 1:7\n", params, &set), SHW_OK);
    assert_true(set.classes == NULL && set.attribute_count == 1);
    shw_table_records_free(&set);
    shw_name_set_free(&names);
}

TESTING_CASE(test_sparse_records_of_a_known_forest)
{
    static const char *const ignored[] = {"1", "90"};
    struct shw_name_set names = {0};
    struct shw_table_params params = {
        .classes = &names, .attribute_count = 3, .ignored = ignored, .log = testing_log(&memory)};
    struct shw_table *table = NULL;
    struct shw_table_block block;
    const char *paths[2];

    assert_true(shw_name_set_add(&names, "1", 1));
    names.closed = true;
    for (uint32_t count = 0; count <= 2; count++) {
        memory = (struct testing_log){.errors = 0};
        params.ignored_count = count;
        assert_int_equal(shw_table_open(write_bytes("1 1:5 2:6 77:1\n1 78:1", 21), &params, &table), SHW_OK);
        assert_int_equal(shw_table_read(table, &block), SHW_OK);
        assert_true(block.count == 2 && shw_table_get_info(table)->attribute_count == 3);
        assert_true(block.values[0] == (count > 0 ? 6 : 5) && block.values[1] == (count > 0 ? 0 : 6));
        assert_int_equal(memory.count[SHW_LOG_DATASET], 1); /* once */
        assert_non_null(strstr(memory.last, "line 1: the index 77 and others above"));
        shw_table_close(&table);
    }
    params = (struct shw_table_params){.classes = &names, .log = testing_log(&memory)};
    memory = (struct testing_log){.errors = 0};
    paths[0] = paths[1] = write_bytes("1 1:5 2:6\n", 10);
    names.closed = false;
    params.is_continued = true; /* a part of a table before */
    params.attribute_count = 1;
    assert_int_equal(shw_table_open(paths[0], &params, &table), SHW_OK);
    assert_int_equal(shw_table_read(table, &block), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "'2:6' has an index above all of the table before"));
    shw_table_close(&table);
    shw_name_set_free(&names);
}

/* More text than is read at a time, and more records than a block has. */
TESTING_CASE(test_sparse_files_of_many_blocks)
{
    struct shw_name_set names = {0};
    struct shw_table_params params = {.classes = &names, .attribute_count = 20, .log = testing_log(&memory)};
    struct shw_table *table = NULL;
    struct shw_table_block block;
    const char *path = testing_path("long.svm");
    FILE *file = fopen(path, "wb");
    uint64_t count = 0;
    uint32_t blocks = 0;

    assert_non_null(file);
    for (uint32_t r = 0; r < RECORDS; r++)
        fprintf(file, "%u %u:%u %u:0.123456789012345678901234567890\n", r % 3, 1 + r % 7, r, 8 + r % 13);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(shw_table_open(path, &params, &table), SHW_OK);
    do {
        assert_int_equal(shw_table_read(table, &block), SHW_OK);
        assert_int_equal(block.first, count);
        for (uint32_t r = 0; r < block.count; r++, count++)
            assert_true(block.values[(size_t)r * 20 + count % 7] == (float)count &&
                        names.names[block.classes[r]][0] == '0' + (char)(count % 3));
        blocks++;
    } while (block.count > 0);
    assert_int_equal(count, RECORDS);
    assert_true(blocks > 3);
    shw_table_close(&table);
    shw_name_set_free(&names);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_sparse_records_that_no_machine_holds)
{
    const uint32_t records = 1u << 22; /* of 256 KiB: a TiB */
    char *text = malloc(2 * (size_t)records + 16);
    struct shw_name_set names = {0};
    const struct shw_table_params params = {.classes = &names};
    struct shw_table_records set;

    if (shw_machine_memory() >> 40 > 0) { /* one does */
        free(text);
        return;
    }
    assert_non_null(text);
    strcpy(text, "1 65536:1\n");
    for (uint32_t r = 0; r < records; r++)
        memcpy(text + 10 + 2 * (size_t)r, "1\n", 3);
    assert_int_equal(read_text(text, params, &set), SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "4194305 records of 65536 attributes, by the highest index, take 1024.0 GiB"));
    free(text);
    shw_name_set_free(&names);
}

TESTING_CASE(test_wrong_sparse_records)
{
    static const struct {
        const char *text, *message;
        const char *column;
        enum shw_result result;
    } cases[] = {
        {"1 1:2\n1 0:2\n", "line 2: '0:2' has the index 0: those of libsvm begin with 1 (--first-index 0", NULL,
         SHW_ERROR_FORMAT},
        {"1 1:2 1:3\n", "line 1: '1:3' has an index that is not above", NULL, SHW_ERROR_FORMAT},
        {"1 1:2\n2,3 1:3\n", "line 2: '2,3' are several labels", NULL, SHW_ERROR_FORMAT},
        {"1 1:2\n1:3\n", "line 2: '1:3' stands where the label", NULL, SHW_ERROR_FORMAT},
        {"1 1:2 3\n", "line 1: '3' is not INDEX:VALUE", NULL, SHW_ERROR_FORMAT},
        {"1 1:2 x:3\n", "line 1: 'x:3' is not INDEX:VALUE", NULL, SHW_ERROR_FORMAT},
        {"1 1:2 3:\n", "line 1: '3:' is not INDEX:VALUE", NULL, SHW_ERROR_FORMAT},
        {"1 1:2 3:red\n", "line 1: '3:red' is not INDEX:VALUE", NULL, SHW_ERROR_FORMAT},
        {"1 1:2\n1 65537:3\n", "line 2: more than 65536 attributes, as the index 65537 shows", NULL, SHW_ERROR_LIMIT},
        {"1 1:2\n", "whose lines begin with the target: --target can only", "2", SHW_ERROR_FORMAT},
        {"1 1:2\r1 2:3\r1 4:5\n", "CR without LF", NULL, SHW_ERROR_FORMAT},
    };
    struct shw_name_set names = {0};
    struct shw_table_records set;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shw_table_params params = {.classes = &names, .class_column = cases[i].column};

        assert_int_equal(read_text(cases[i].text, params, &set), cases[i].result);
        assert_int_equal(memory.errors, 1);
        if (strstr(memory.last, cases[i].message) == NULL || strstr(memory.last, "sparse.svm") == NULL)
            fail_msg("'%s' does not say '%s'", memory.last, cases[i].message);
    }
    shw_name_set_free(&names);
}

/* Labels may be texts: the names of classes, but no targets. */
TESTING_CASE(test_sparse_texts)
{
    struct shw_name_set names = {0};
    struct shw_table_params params = {.classes = &names};
    struct shw_table_records set;

    (void)state;
    assert_int_equal(read_text("cat 1:2\ndog 2:3.5\ncat 2:1\n", params, &set), SHW_OK);
    assert_int_equal(set.count, 3);
    assert_int_equal(set.attribute_count, 2);
    assert_string_equal(names.names[set.classes[1]], "dog");
    shw_table_records_free(&set);
    params.truth = SHW_TABLE_TARGETS;
    assert_int_equal(read_text("cat 1:2\n", params, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "line 1: 'cat' is not a number"));
    shw_name_set_free(&names);
}

/* They stay tables with delimiters. */
TESTING_CASE(test_text_that_is_not_sparse)
{
    static const char *const texts[] = {"1,2:3\n",        "1\n2\n", "a b:c\n1\n",   "12:30 1\n", "1 2\n",
                                        "1 12:30:15,4\n", "#\n",    "a 12:30:15\n", "a 1:2,3\n"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct shw_name_set names = {0};
        const struct shw_table_params params = {.classes = &names, .class_column = "1"};
        struct shw_table_records set;
        const enum shw_result result = read_text(texts[i], params, &set);

        if (result != SHW_OK && strstr(memory.last, "libsvm") != NULL)
            fail_msg("%s", memory.last);
        shw_table_records_free(&set);
        shw_name_set_free(&names);
    }
}
