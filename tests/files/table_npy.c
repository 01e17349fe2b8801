#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tables/table.h"

static struct testing_log memory;
static struct shw_name_set names;

/* An array with that header, of format version `version`. */
static const char *write_array(int version, const char *header, const void *elements, size_t size)
{
    const char *path = testing_path("array.npy");
    FILE *file = fopen(path, "wb");
    const unsigned length = (unsigned)strlen(header) + 1;

    assert_non_null(file);
    fprintf(file, "\x93NUMPY%c%c%c%c", version, 0, (int)(length & 255), (int)(length >> 8));
    if (version > 1)
        fwrite("\0\0", 1, 2, file);
    fprintf(file, "%s\n", header);
    fwrite(elements, 1, size, file);
    assert_int_equal(fclose(file), 0);
    return path;
}

static enum shw_result read_array(const char *path, const char *column, struct shw_table_records *set)
{
    struct shw_table_params params = {
        .classes = &names, .threads = 1, .class_column = column, .log = testing_log(&memory)};

    memory = (struct testing_log){.errors = 0};
    shw_name_set_free(&names);
    return shw_table_records_read(&path, 1, &params, set);
}

static void check_array(int version, const char *header, const void *elements, size_t size, uint32_t attributes,
                        uint64_t count, const float *expected)
{
    struct shw_table_records set;

    assert_int_equal(read_array(write_array(version, header, elements, size), NULL, &set), SHW_OK);
    assert_int_equal(set.count, count);
    assert_int_equal(set.attribute_count, attributes);
    for (uint64_t i = 0; i < count * attributes; i++)
        if (memcmp(&set.values[i], &expected[i], sizeof *expected) != 0 &&
            !(isnan(set.values[i]) && isnan(expected[i])))
            fail_msg("%s: element %u is %.9g instead of %.9g", header, (unsigned)i, (double)set.values[i],
                     (double)expected[i]);
    shw_table_records_free(&set);
}

TESTING_CASE(test_arrays_of_every_type)
{
    static const uint8_t halves[] = {0, 0x3c, 1, 0,    0xff, 0xfb,
                                     0, 0xfc, 0, 0x7e, 0,    0x80}; /* 1, 2^-24, -65504, -inf, NaN, -0 */
    static const double doubles[] = {1, 1 + 0x1p-24, 1 + 0x1p-24 + 0x1p-50, 1e-46, NAN, -1e300};
    static const int64_t integers[] = {-1,       INT64_C(0x7fffffbfffffffff), INT64_C(0x7fffff4000000001), 16777217, 0,
                                       INT64_MIN};
    static const uint8_t swapped[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0};
    static const uint8_t bytes[] = {255, 0, 128};

    check_array(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (6, 1), }", halves, 12, 1, 6,
                (const float[]){1, 0x1p-24f, -65504, -INFINITY, NAN, -0.0f});
    check_array(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (6, 1), }", doubles, 48, 1, 6,
                (const float[]){1, 1, 1 + 0x1p-23f, 0, NAN, -INFINITY});
    assert_int_equal(memory.count[SHW_LOG_DATASET], 1);
    assert_non_null(strstr(memory.last, "record 6, column 1"));
    /* The second and the third lie just below and above the middle between two float32, closer than a double tells. */
    check_array(1, "{'descr': '<i8', 'fortran_order': False, 'shape': (6, 1), }", integers, 48, 1, 6,
                (const float[]){-1, 0x1.fffffep62f, 0x1.fffffep62f, 16777216, 0, -0x1p63f});
    check_array(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1, 2), }", swapped, 8, 2, 1,
                (const float[]){1, -2});
    check_array(1, "{'descr': '|i1', 'fortran_order': False, 'shape': (3, 1), }", bytes, 3, 1, 3,
                (const float[]){-1, 0, -128});
    check_array(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 1), }", bytes, 3, 1, 3,
                (const float[]){255, 0, 128});
    check_array(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3, 1), }", bytes, 3, 1, 3,
                (const float[]){1, 0, 1});
}

TESTING_CASE(test_orders_and_shapes_of_arrays)
{
    static const float elements[] = {1, 2, 3, 4, 5, 6};

    for (int version = 1; version <= 3; version++)
        check_array(version, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", elements, 24, 2, 3,
                    elements);
    check_array(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", elements, 24, 2, 3,
                (const float[]){1, 4, 2, 5, 3, 6});
    check_array(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (6,), }", elements, 24, 1, 6, elements);
    check_array(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 2), }", elements, 0, 2, 0, NULL);
}

/* Records by columns, as many as take several blocks. */
TESTING_CASE(test_long_columns_of_arrays)
{
    enum { RECORDS = 1200000, COLUMNS = 3 };
    float *elements = malloc((size_t)COLUMNS * RECORDS * sizeof *elements);
    struct shw_table_records set;

    assert_non_null(elements);
    for (uint32_t i = 0; i < COLUMNS * RECORDS; i++)
        elements[i] = (float)i;
    assert_int_equal(read_array(write_array(1, "{'descr': '<f4', 'fortran_order': True, 'shape': (1200000, 3), }",
                                            elements, (size_t)COLUMNS * RECORDS * sizeof *elements),
                                "none", &set),
                     SHW_OK);
    assert_true(set.attribute_count == COLUMNS && set.count == RECORDS);
    for (uint32_t i = 0; i < COLUMNS * RECORDS; i++)
        assert_true(set.values[(size_t)(i % RECORDS) * COLUMNS + i / RECORDS] == elements[i]);
    shw_table_records_free(&set);
    free(elements);
}

TESTING_CASE(test_classes_in_arrays)
{
    static const double elements[] = {1, 10, 2, 9, 3, 10, 4, NAN};
    struct shw_table_records set;

    assert_int_equal(read_array(write_array(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (4, 2), }", elements,
                                            sizeof elements),
                                "2", &set),
                     SHW_OK);
    assert_true(set.attribute_count == 1 && set.count == 4 && set.values[3] == 4);
    assert_string_equal(names.names[0], "9");
    assert_true(set.classes[0] == 1 && set.classes[1] == 0 && set.classes[2] == 1 && set.classes[3] == SHW_NO_CLASS);
    shw_table_records_free(&set);
    shw_name_set_free(&names);
}

/* As integers, as doubles and as text. */
TESTING_CASE(test_large_integers_are_different_classes)
{
    static const int64_t integers[] = {(INT64_C(1) << 53) + 1, INT64_C(1) << 53, -(INT64_C(1) << 53) - 1, INT64_MIN};
    static const uint64_t naturals[] = {UINT64_C(1) << 63, UINT64_MAX};
    static const double doubles[] = {0x1p63, 0x1p60, -0x1p63, 0x1p64};
    static const struct {
        const char *header;
        const void *elements;
        size_t size;
        const char *classes[4]; /* in order */
    } cases[] = {
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }",
         integers,
         sizeof integers,
         {"-9223372036854775808", "-9007199254740993", "9007199254740992", "9007199254740993"}},
        {"{'descr': '<u8', 'fortran_order': False, 'shape': (2,), }",
         naturals,
         sizeof naturals,
         {"9223372036854775808", "18446744073709551615"}},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
         doubles,
         sizeof doubles,
         {"-9223372036854775808", "1152921504606846976", "9223372036854775808", "1.8446744073709552e+19"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t count = (uint32_t)cases[i].size / 8;
        struct shw_table_records set;

        assert_int_equal(read_array(write_array(1, cases[i].header, cases[i].elements, cases[i].size), "1", &set),
                         SHW_OK);
        assert_int_equal(names.count, count);
        for (uint32_t c = 0; c < count; c++)
            assert_string_equal(names.names[c], cases[i].classes[c]);
        shw_table_records_free(&set);
    }
    shw_name_set_free(&names);
}

TESTING_CASE(test_arrays_that_are_refused)
{
    static const float elements[] = {1, 2, 3, 4};
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"{'descr': [('a', '<f4'), ('b', '<f4', (2,))], 'fortran_order': False, 'shape': (2,), }", "structured"},
        {"{'descr': '<U4', 'fortran_order': False, 'shape': (1, 1), }", "type <U4"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }", "type |O"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1, 2), }", "type <c8"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 2), }", "3 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "0 dimensions"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4, 0), }", "without attributes"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", "16 bytes of elements"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", "16 bytes of elements"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000000000, 2), }", "16 bytes of elements"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 200000), }", "more than 131072 columns"},
        {"{'descr': '<f4', 'shape': (2, 2), }", "a header that NumPy does not write"},
        {"{'descr': [('a', '<f4'), 'fortran_order': False, 'shape': (2, 2), }", "a header that NumPy does not write"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_table_records set;

        assert_int_not_equal(read_array(write_array(1, cases[i].header, elements, sizeof elements), NULL, &set),
                             SHW_OK);
        assert_int_equal(memory.errors, 1);
        if (strstr(memory.last, cases[i].message) == NULL || strstr(memory.last, "array.npy") == NULL)
            fail_msg("'%s' does not say '%s'", memory.last, cases[i].message);
    }
}
