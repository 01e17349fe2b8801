#include "testing/testing.h"

#include <stdio.h>
#include <string.h>

#include "files/tables/table.h"

static struct testing_log memory;

static const char *write_text(const char *name, const char *text)
{
    const char *path = testing_path(name);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
    return path;
}

/* As train-records reads. */
TESTING_CASE(test_the_target_of_a_new_forest)
{
    static const char *const ignored[] = {"who"};
    static const struct {
        const char *text, *message; /* of the refusal; NULL: it is read */
        uint32_t number;            /* of the target */
        bool is_guess;
        struct shw_table_params params;
    } cases[] = {
        {"a,b\n1,2\n3,4\n", NULL, 2, true, {.delimiter = 0}},
        {"1,2\n3,4\n", NULL, 2, true, {.delimiter = 0}},
        {"a,b\n1,u\n3,v\n", NULL, 2, true, {.delimiter = 0}},
        {"target,b\n1,2\n3,4\n", NULL, 1, false, {.delimiter = 0}},
        {"a,y\n1,2\n3,4\n", NULL, 2, true, {.delimiter = 0}},
        {"kind,a,b\nu,1,0.2\nv,2,0.5\n",
         "The last one, column 3 (b), has numbers with fractions; column 1 (kind), which has text: name it with "
         "--target",
         0,
         false,
         {.delimiter = 0}},
        {"kind,a,b\nu,1,2\nv,2,5\n",
         "The last one, column 3 (b), or column 1 (kind), which has text: name it with --target",
         0,
         false,
         {.delimiter = 0}},
        {"u,1,2\nv,2,5\n", "column 3, or column 1, which has text", 0, false, {.delimiter = 0}},
        {"a,b\nRex,1,2\nWaldi,3,4\n", "column 3 (b), or column 1, which has text", 0, false, {.delimiter = 0}},
        {"a,b\n1,0.2\n3,4\n", "column 2 (b), has numbers with fractions: name it", 0, false, {.delimiter = 0}},
        {"y,a,b\n1,2,3\n", "column 3 (b), or column 1 (y), which has that name", 0, false, {.delimiter = 0}},
        {"kind,a,b\nu,1,2\nv,2,5\n", NULL, 1, false, {.class_column = "kind"}},
        {"who,a,b\nu,1,2\nv,2,5\n", NULL, 3, true, {.ignored = ignored, .ignored_count = 1}},
        {"a,b\n1,0.2\n3,4\n", NULL, 1, false, {.class_column = "1"}},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_name_set names = {0};
        struct shw_table_params params = cases[i].params;
        struct shw_table_records set;
        const char *path = write_text("target.csv", cases[i].text);

        memory = (struct testing_log){.errors = 0};
        params.classes = &names;
        params.class_required = true;
        params.log = testing_log(&memory);
        assert_int_equal(shw_table_records_read(&path, 1, &params, &set),
                         cases[i].message != NULL ? SHW_ERROR_FORMAT : SHW_OK);
        if (cases[i].message != NULL && strstr(memory.last, cases[i].message) == NULL)
            fail_msg("'%s' does not say '%s'", memory.last, cases[i].message);
        assert_int_equal(set.class_number, cases[i].number);
        assert_int_equal(set.class_is_guess, cases[i].is_guess);
        shw_table_records_free(&set);
        shw_name_set_free(&names);
    }
}

/* As records reads, whose forest has the attributes a and b, and the classes 1 and 2. */
TESTING_CASE(test_the_target_of_a_known_forest)
{
    static const char *const wanted[] = {"a", "b"};
    static const struct {
        const char *text;
        uint32_t number;
        bool named, required;
    } cases[] = {
        {"a,b,kind\n1,2,2\n", 3, true, false},
        {"kind,a,b\n1,2,2\n", 0, true, false},
        {"a,b,kind\n1,2,7\n", 0, true, false},
        {"a,b,kind\n1,2,1\n", 3, true, true},
        {"a,b,kind,c\n1,2,1,1\n", 0, true, false},
        {"1,2,1\n", 3, false, false},
        {"1,2\n", 0, false, false},
        {"1,2,7\n", 0, false, false},
        {"a,class,b\n1,2,1\n", 2, true, false},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_name_set names = {0};
        struct shw_table *table = NULL;
        struct shw_table_params params = {.classes = &names,
                                          .attribute_names = cases[i].named ? wanted : NULL,
                                          .attribute_count = 2,
                                          .class_required = cases[i].required};

        assert_true(shw_name_set_add(&names, "1", 1) && shw_name_set_add(&names, "2", 1));
        names.closed = true;
        assert_int_equal(shw_table_open(write_text("known.csv", cases[i].text), &params, &table), SHW_OK);
        if (shw_table_get_info(table)->class_number != cases[i].number)
            fail_msg("column %u of %s", shw_table_get_info(table)->class_number, cases[i].text);
        shw_table_close(&table);
        shw_name_set_free(&names);
    }
}

TESTING_CASE(test_tables_with_and_without_names)
{
    static const char *const wanted[] = {"a", "b"};
    static const char named[] = "b,a,class\n1,2,x\n3,4,y\n", bare[] = "1,2,x\n3,4,y\n";
    struct shw_name_set names = {0};
    struct shw_table_params params = {.classes = &names, .class_required = true, .log = testing_log(&memory)};
    struct shw_table_records set;
    char first[256];
    const char *paths[2] = {first};

    for (int i = 0; i < 4; i++) { /* one forest is trained on both */
        snprintf(first, sizeof first, "%s", write_text("first.csv", i & 1 ? named : bare));
        paths[1] = write_text("second.csv", i & 2 ? named : bare);
        memory = (struct testing_log){.errors = 0};
        params.by_position = false;
        assert_int_equal(shw_table_records_read(paths, 2, &params, &set),
                         (i & 1) == i >> 1 ? SHW_OK : SHW_ERROR_FORMAT);
        shw_table_records_free(&set);
        if ((i & 1) == i >> 1)
            continue;
        assert_int_equal(memory.errors, 1);
        assert_non_null(strstr(memory.last, i & 1 ? "second.csv: its columns have no names, those of the table before "
                                                    "have some: give all"
                                                  : "second.csv: its columns have names, those of the table before "
                                                    "have none: give all"));
        params.by_position = true;
        assert_int_equal(shw_table_records_read(paths, 2, &params, &set), SHW_OK);
        assert_true(set.count == 4 && set.values[0] == 1 && set.values[4] == 1);
        assert_int_equal(memory.count[SHW_LOG_DATASET], 1);
        shw_table_records_free(&set);
    }
    for (int i = 0; i < 8; i++) { /* a forest is evaluated */
        const bool forest_has = i & 1, table_has = i & 2;
        struct shw_table *table = NULL;
        struct shw_table_params own = params;

        memory = (struct testing_log){.errors = 0};
        own.attribute_names = forest_has ? wanted : NULL;
        own.attribute_count = 2;
        own.by_position = i & 4;
        assert_int_equal(shw_table_open(write_text("other.csv", table_has ? named : bare), &own, &table), SHW_OK);
        assert_int_equal(memory.count[SHW_LOG_DATASET], forest_has != table_has && !own.by_position);
        if (memory.count[SHW_LOG_DATASET] > 0)
            assert_non_null(strstr(memory.last, "matched by position"));
        shw_table_close(&table);
    }
    shw_name_set_free(&names);
}
