/* Tables of records: every rule by which they are read, against what the text says. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/tables/table.h"

static struct testing_log memory;
static struct shw_name_set names;

static struct shw_table_params usual(void)
{
    memory = (struct testing_log){.errors = 0};
    shw_name_set_free(&names);
    return (struct shw_table_params){.classes = &names, .threads = 2, .log = testing_log(&memory)};
}

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    const char *path = testing_path(name);
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static enum shw_result read_text(const char *text, const struct shw_table_params *params, struct shw_table_records *set)
{
    const char *path = write_file("table.csv", text, strlen(text));

    return shw_table_records_read(&path, 1, params, set);
}

/* The text must be read as these records; `values` row by row. */
static void check_values(const char *text, const struct shw_table_params *params, uint32_t attributes, uint64_t count,
                         const float *values)
{
    struct shw_table_records set;

    if (read_text(text, params, &set) != SHW_OK)
        fail_msg("refused: %s", text);
    if (set.count != count || set.attribute_count != attributes)
        fail_msg("%u records of %u attributes from: %s", (unsigned)set.count, set.attribute_count, text);
    for (uint64_t i = 0; i < count * attributes; i++)
        if (memcmp(&set.values[i], &values[i], sizeof *values) != 0 && !(isnan(set.values[i]) && isnan(values[i])))
            fail_msg("number %u is %.9g instead of %.9g: %s", (unsigned)i, (double)set.values[i], (double)values[i],
                     text);
    shw_table_records_free(&set);
}

static void check_refused(const char *text, const struct shw_table_params *params, enum shw_result expected,
                          const char *message)
{
    struct shw_table_records set;
    enum shw_result result = read_text(text, params, &set);

    assert_int_equal(result, expected);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, message) == NULL || strstr(memory.last, "table.csv") == NULL)
        fail_msg("'%s' does not say '%s'", memory.last, message);
}

TESTING_CASE(test_ways_to_write_records)
{
    static const float expected[] = {1, 2, 3, 4};
    static const char *const texts[] = {
        "1,2\n3,4\n",
        "1,2\r\n3,4\r\n",
        "1,2\n3,4",
        "\xef\xbb\xbf"
        "1,2\n3,4\n",
        "1;2\n3;4\n",
        "1\t2\n3\t4\n",
        "a,b\n1,2\n3,4\n",
        "# made by hand\n; so\n\n1,2\n   \n# more \"\n3,4\n\n",
        " 1 , 2\n3 ,  4 \n",
        "\"1\",\"2\"\n\"3\",4\n",
        "\"the first,\"\"one\"\"\",b\n1,2\n3,4\n",
        "+1,2.\n3e0,.4E+1\n",
        "a;b\n1;2\n3;4\n",
        "\"a;b\",c\n1,2\n3,4\n",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct shw_table_params params = usual();
        check_values(texts[i], &params, 2, 2, expected);
        assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    }
}

TESTING_CASE(test_missing_and_special_numbers)
{
    static const float expected[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, INFINITY, -INFINITY, -0.0f, 1e-45f, 0};
    struct shw_table_params params = usual();

    check_values(",?,NA,nan,NULL,n/a,\"\",inf,-Infinity,-0,1.4e-45,1e-50\n", &params, 12, 1, expected);
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
    check_values("1\n3.5e38\n-1e999\n", &params, 1, 3, (const float[]){1, INFINITY, -INFINITY});
    assert_int_equal(memory.count[SHW_LOG_DATASET], 1);
    assert_non_null(strstr(memory.last, "line 2, column 1: 3.5e38 is beyond"));
    params = usual();
    params.delimiter = ';';
    check_values(";2\n1;\n", &params, 2, 2, (const float[]){NAN, 2, 1, NAN});
    check_values("a\n\n1\n", &params, 1, 1, (const float[]){1});
}

TESTING_CASE(test_what_is_wrong_is_said)
{
    static const struct {
        const char *text, *message;
        enum shw_result result;
    } cases[] = {
        {"a,b\n1,2\n3,red\n", "line 3, column 2 (b): 'red' is not a number", SHW_ERROR_FORMAT},
        {"1,2\n3,0x10\n", "line 2, column 2: '0x10' is not a number", SHW_ERROR_FORMAT},
        {"1,2\n# x\n\n3,1.5.2\n", "line 4, column 2: '1.5.2'", SHW_ERROR_FORMAT},
        {"1,2\n3,1 000\n", "'1 000' is not a number", SHW_ERROR_FORMAT},
        {"1,2\n3\n", "line 2: only 1 of 2 fields", SHW_ERROR_FORMAT},
        {"a,b,c\n1,2,3\n1,y\n", "line 3: only 2 of 3 fields", SHW_ERROR_FORMAT},
        {"a,b,c\n1,2,3\ny\n4,5,6\n", "line 3: only 1 of 3 fields", SHW_ERROR_FORMAT},
        {"a,b,c\n1,2,3\n1,\"y\",\n", "line 3, column 2 (b): 'y' is not a number", SHW_ERROR_FORMAT},
        {"1\n3,4\n", "line 2: more than 1 field", SHW_ERROR_FORMAT},
        {"a,b\r1,2\r3,4\r", "line 1: lines end with CR alone", SHW_ERROR_FORMAT},
        {"a,b\r1,2\r3,4", "line 1: lines end with CR alone", SHW_ERROR_FORMAT},
        {"1,2\n3,4,5\n", "line 2: more than 2 fields", SHW_ERROR_FORMAT},
        {"a,b\n1,2,3,4\n", "line 2: 4 fields, while the header has 2 names", SHW_ERROR_FORMAT},
        {"a,b\n1,2,3\n", "which column has the classes", SHW_ERROR_FORMAT},
        {"1,2\n3,\"4\n5,6\n", "line 2: a quotation mark is not closed", SHW_ERROR_FORMAT},
        {"1,2\n3,4\n3,\"4\"5\n", "line 3, column 2: text after", SHW_ERROR_FORMAT},
        {"", "has no records", SHW_ERROR_FORMAT},
        {"# nothing\n\n", "has no records", SHW_ERROR_FORMAT},
        {"\xff\xfe"
         "1",
         "UTF-16", SHW_ERROR_FORMAT},
        {"a,c\n1,2\n\n4,\"x\ny\"\n", "line 4, column 2 (c): 'x?y'", SHW_ERROR_FORMAT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_table_params params = usual();
        params.class_column = "none";
        check_refused(cases[i].text, &params, cases[i].result, cases[i].message);
    }
}

/* The classes must be these, in a text with one letter for each record. */
static void check_classes(const char *text, const char *column, const char *expected, const char *order,
                          uint32_t attributes)
{
    struct shw_table_params params = usual();
    struct shw_table_records set;
    char all[64] = "";

    params.class_column = column;
    if (read_text(text, &params, &set) != SHW_OK)
        fail_msg("refused: %s", text);
    assert_int_equal(set.attribute_count, attributes);
    assert_int_equal(set.count, strlen(expected));
    for (uint64_t r = 0; r < set.count; r++) {
        const char *name = set.classes[r] != SHW_NO_CLASS ? names.names[set.classes[r]] : "-";
        if (name[0] != expected[r])
            fail_msg("record %u is of class %s: %s", (unsigned)r, name, text);
    }
    for (uint32_t c = 0; c < names.count; c++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", c > 0 ? " " : "", names.names[c]);
    assert_string_equal(all, order);
    shw_table_records_free(&set);
}

TESTING_CASE(test_the_column_of_classes)
{
    check_classes("a,b,class\n1,2,x\n3,4,y\n5,6,x\n", NULL, "xyx", "x y", 2);
    check_classes("Label,a,b\n2,2,8\n1,4,9\n", NULL, "21", "1 2", 2);
    check_classes("1,2,sky\n3,4,grass\n,5,\n6,6,?\n", NULL, "sg--", "grass sky", 2);
    check_classes("sky,1,2\ngrass,3,4\n", NULL, "sg", "grass sky", 2);
    check_classes(";;; old\n\nA,B\nsky,1,2\ngrass,3,4\n", NULL, "sg", "grass sky", 2);
    check_classes("y,a\n10,1\n9,1\n10.0,3\n+9,4\n", NULL, "1919", "9 10", 1);
    check_classes("a,b\n1,2\n3,1\n", "b", "21", "1 2", 1);
    check_classes("a,b\n1,2\n3,1\n", "1", "13", "1 3", 1);
    check_classes("1;\"a;b\"\n2;\"c \"\"d\"\"\"\n3;a\n", NULL, "aca", "a a;b c \"d\"", 1);
    check_classes("a,b\n1,9007199254740993\n2,9007199254740992.\n3,+09007199254740993.0\n", "b", "999",
                  "9007199254740992 9007199254740993", 1);
    check_classes("a,b\n1,-18446744073709551616\n2,-18446744073709551617\n3,-0\n", "b", "--0",
                  "-18446744073709551617 -18446744073709551616 0", 1);
    check_classes("a,b\n1,nan\n2,NaN\n3,NAN\n4,\"nan\"\n5,1\n6,nano\n7,NA\n", "b", "----1nN", "1 NA nano", 1);
    check_classes("class\nx\ny\n", NULL, "xy", "x y", 0);
    check_classes("target,label\n1,u\n2,v\n", NULL, "uv", "u v", 1);
    check_classes("x,y,z,kind\n1,2,3,u\n4,5,6,v\n", NULL, "uv", "u v", 3); /* y is a coordinate */
    check_classes("1,2,y\n3,4,n\n", NULL, "yn", "n y", 2);                 /* and no header */
}

TESTING_CASE(test_classes_that_are_known)
{
    struct shw_table_params params = usual();
    struct shw_table_records set;

    assert_true(shw_name_set_add(&names, "sky", 3) && shw_name_set_add(&names, "grass", 5));
    names.closed = true;
    assert_int_equal(read_text("1,grass\n2,sky\n3,\n", &params, &set), SHW_OK);
    assert_true(set.classes[0] == 1 && set.classes[1] == 0 && set.classes[2] == SHW_NO_CLASS);
    shw_table_records_free(&set);
    check_refused("1,grass\n2,sea\n", &params, SHW_ERROR_FORMAT, "line 2, column 2: the forest has no class 'sea'");
    assert_null(strstr(memory.last, "--"));
    memory.errors = 0;
    params.has_matching = true;
    check_refused("1,sea\n", &params, SHW_ERROR_FORMAT, "'sea' (--class-names names its classes, --ignore");
}

TESTING_CASE(test_no_class_column_and_required)
{
    struct shw_table_params params = usual();

    params.class_required = true;
    params.class_column = "none";
    check_refused("a,b\n1,2\n", &params, SHW_ERROR_FORMAT, "which column has the classes? Name it with --target");
    params = usual();
    params.class_column = "c";
    check_refused("a,b\n1,2\n", &params, SHW_ERROR_FORMAT, "has no column 'c'");
    params = usual();
    params.class_column = "3";
    check_refused("1,2\n", &params, SHW_ERROR_FORMAT, "numbers from 1 to 2");
}

TESTING_CASE(test_attributes_by_name_and_by_position)
{
    static const char *const wanted[] = {"b", "y", "a"};
    struct shw_table_params params = usual();

    params.attribute_names = wanted;
    params.attribute_count = 3;
    check_values("a,\"i\nd\",y,b,class\n1,x7,2,3,u\n4,x8,5,6,v\n", &params, 3, 2, (const float[]){3, 2, 1, 6, 5, 4});
    assert_int_equal(memory.count[SHW_LOG_DATASET], 1);
    assert_non_null(strstr(memory.last, "1 column is not in the forest and ignored: i?d"));
    check_values("1,2,3\n", &params, 3, 1, (const float[]){1, 2, 3});
    check_refused("a,c,d\n1,2,3\n", &params, SHW_ERROR_FORMAT, "lacks 2 of the 3 attributes of the forest: b, y");
    assert_non_null(strstr(memory.last, "b, y (--by-position matches"));
    params = usual();
    params.attribute_names = wanted;
    params.attribute_count = 3;
    check_refused("\"a\",\"b\n\",y,b\n1,,3,red\n", &params, SHW_ERROR_FORMAT, "line 3, column 4 (b): 'red'");
    params = usual();
    params.attribute_count = 2;
    check_values("p,q,r\n1,2,3\n", &params, 2, 1, (const float[]){1, 2});
    assert_non_null(strstr(memory.last, "ignored: r"));
    params = usual();
    params.attribute_count = 3;
    check_refused("1,2\n", &params, SHW_ERROR_FORMAT, "has 2 columns of attributes; 3 are needed");
    params = usual();
    params.attribute_count = 3;
    check_refused("x,y,z\n1,2,3\n", &params, SHW_ERROR_FORMAT, "column (y) was taken for that of classes");
    params = usual();
    params.ignored = (const char *const[]){"id", "1"};
    params.ignored_count = 2;
    check_values("a,id,b\nred,blue,3\n", &params, 1, 1, (const float[]){3});
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
}

TESTING_CASE(test_targets)
{
    struct shw_table_params params = usual();
    struct shw_table_records set;

    params.truth = SHW_TABLE_TARGETS;
    assert_int_equal(read_text("a,target\n1,2.5\n2,\n", &params, &set), SHW_OK);
    assert_true(set.attribute_count == 1 && set.targets[0] == 2.5f && isnan(set.targets[1]) && set.classes == NULL);
    shw_table_records_free(&set);
}

/* A table of several blocks and parts, with quotation marks that hold newlines. */
TESTING_CASE(test_large_tables_come_back)
{
    const uint32_t count = 60000;
    struct testing_random random = {11};
    char *text = malloc((size_t)count * 120), *at = text;
    float *values = malloc((size_t)count * 3 * sizeof *values);
    const char *path;
    struct shw_table *table = NULL;
    struct shw_table_block block;
    struct shw_table_params params = usual();
    uint32_t blocks = 0, lines = 1;
    uint64_t next = 0;
    char wrong[80];

    params.ignored = (const char *const[]){"note"};
    params.ignored_count = 1;
    at += sprintf(at, "a,b,kind,c,note\n");
    for (uint32_t r = 0; r < count; r++) {
        for (uint32_t a = 0; a < 3; a++) {
            const uint32_t bits = (uint32_t)testing_random_next(&random) & 0xbfffffffu;
            memcpy(&values[3 * r + a], &bits, sizeof bits);
        }
        at += sprintf(at, "%.9g,%.9g,class %u,%.9g,\"new\nline\"%s\n", (double)values[3 * r], (double)values[3 * r + 1],
                      r % 7, (double)values[3 * r + 2], r % 1000 == 0 ? "\n# \"" : "");
    }
    path = write_file("large.csv", text, (size_t)(at - text));
    params.threads = 3;
    assert_int_equal(shw_table_open(path, &params, &table), SHW_OK);
    while (shw_table_read(table, &block) == SHW_OK && block.count > 0) {
        assert_int_equal(block.first, next);
        assert_memory_equal(block.values, values + 3 * next, block.count * 3 * sizeof *values);
        for (uint32_t r = 0; r < block.count; r++)
            assert_int_equal(block.classes[r], (next + r) % 7);
        next += block.count;
        blocks++;
    }
    assert_int_equal(next, count);
    assert_true(blocks > 2);
    assert_string_equal(names.names[3], "class 3");
    shw_table_close(&table);
    at = strstr(at - 200, "class");
    strcpy(at, "1,oh,2\n");
    for (const char *c = text; c < at; c++)
        lines += *c == '\n';
    snprintf(wrong, sizeof wrong, "large.csv, line %u, column 4 (c): 'oh'", lines);
    write_file("large.csv", text, strlen(text));
    assert_int_equal(shw_table_open(path, &params, &table), SHW_OK);
    while (shw_table_read(table, &block) == SHW_OK)
        assert_true(block.count > 0);
    assert_int_equal(memory.errors, 1);
    assert_non_null(strstr(memory.last, wrong));
    shw_table_close(&table);
    free(text);
    free(values);
}

TESTING_CASE(test_labels_of_their_own)
{
    struct shw_table_params params = usual();
    struct shw_table_records set;
    char labels[256];

    snprintf(labels, sizeof labels, "%s", write_file("labels.csv", "label\nu\nv\nu\n", 12));
    params.labels = labels;
    assert_int_equal(read_text("1,2\n3,4\n5,6\n", &params, &set), SHW_OK);
    assert_true(set.attribute_count == 2 && set.classes[0] == 0 && set.classes[1] == 1 && set.classes[2] == 0);
    shw_table_records_free(&set);
    assert_int_equal(read_text("1,2\n3,4\n", &params, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "labels.csv has labels for more than the 2 records"));
    assert_int_equal(read_text("1,2\n3,4\n5,6\n7,8\n", &params, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "labels.csv has 3 labels, and"));
}

TESTING_CASE(test_several_tables_are_one)
{
    struct shw_table_params params = usual();
    struct shw_table_records set;
    char first[256];
    const char *paths[2];

    snprintf(first, sizeof first, "%s", write_file("first.csv", "a,b,class\n1,2,x\n", 16));
    paths[0] = first;
    paths[1] = write_file("second.csv", "class,b,a\nw,4,3\n", 16);
    assert_int_equal(shw_table_records_read(paths, 2, &params, &set), SHW_OK);
    assert_true(set.count == 2 && set.values[2] == 3 && set.values[3] == 4);
    assert_true(set.classes[0] == 1 && set.classes[1] == 0);
    shw_table_records_free(&set);
    paths[1] = write_file("second.csv", "b,a\n4,3\n", 8);
    assert_int_equal(shw_table_records_read(paths, 2, &params, &set), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "no column of classes"));
}

/* Records longer than what is read at once, as many attributes as are possible, and one more. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_wide_tables)
{
    const uint32_t most = SHW_RECORD_ATTRIBUTES_MAX;
    char *text = malloc((size_t)most * 24), *at;

    for (uint32_t more = 0; more < 2; more++) {
        struct shw_table_params params = usual();
        struct shw_table_records set;

        at = text;
        for (uint32_t a = 0; a < most + more; a++)
            at += sprintf(at, "a%u,", a);
        at += sprintf(at, "class\n");
        for (uint32_t r = 0; r < 3; r++) {
            for (uint32_t a = 0; a < most + more; a++)
                at += sprintf(at, "%u,", (r + a) % 10);
            at += sprintf(at, "%c\n", 'x' + (char)r);
        }
        if (more > 0) {
            check_refused(text, &params, SHW_ERROR_LIMIT, "more than 65536 attributes");
            continue;
        }
        assert_int_equal(read_text(text, &params, &set), SHW_OK);
        assert_true(set.count == 3 && set.attribute_count == most && set.classes[2] == 2);
        assert_string_equal(set.attribute_names[most - 1], "a65535");
        for (uint32_t i = 0; i < 3 * most; i++)
            assert_true(set.values[i] == (float)((i / most + i % most) % 10));
        shw_table_records_free(&set);
    }
    free(text);
}

/* A record without end, after others. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_records_that_are_too_long)
{
    const size_t size = (size_t)65 << 20;
    const char *path = testing_path("table.csv");
    char *text = malloc(size);

    assert_non_null(text);
    memset(text, '1', size);
    for (int lines = 1; lines < 4; lines++) {
        struct shw_table_params params = usual();
        struct shw_table_records set;
        char message[64];

        memcpy(text + 4 * (lines - 1), "1,2\n", 4);
        write_file("table.csv", text, size);
        snprintf(message, sizeof message, "table.csv, line %d: a record of more than 64 MiB", lines + 1);
        assert_int_equal(shw_table_records_read(&path, 1, &params, &set), SHW_ERROR_LIMIT);
        assert_non_null(strstr(memory.last, message));
    }
    free(text);
    remove(path);
}

/* Both files of UCI's image segmentation set, or of one that is written as it is: comments of Lisp, the names of the
 * attributes without that of the class before them, an empty line. */
static void check_segments(const char *folder, float first, float last)
{
    struct shw_table_params params = usual();
    struct shw_table_records set;
    char path[1024];
    const char *paths[] = {path};

    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/segmentation.%s", folder, i == 0 ? "data" : "test");
        assert_int_equal(shw_table_records_read(paths, 1, &params, &set), SHW_OK);
        assert_int_equal(set.count, i == 0 ? 210 : 2100);
        assert_int_equal(set.attribute_count, 19);
        assert_string_equal(set.attribute_names[18], "HUE-MEAN");
        assert_true(names.count == 7);
        if (i == 0)
            assert_true(set.values[0] == first && set.values[18] == last && set.classes[0] == 0);
        shw_table_records_free(&set);
    }
    assert_string_equal(names.names[0], "BRICKFACE");
    assert_int_equal(memory.count[SHW_LOG_DATASET], 0);
}

static void write_segments(const char *name, uint32_t records, uint32_t first_class)
{
    static const char *const classes[] = {"BRICKFACE", "SKY", "FOLIAGE", "CEMENT", "WINDOW", "PATH", "GRASS"};
    FILE *file = fopen(testing_path(name), "w");

    assert_non_null(file);
    fprintf(file, ";;; -*- Mode:Common-Lisp; Base:10 -*-\n;;; *-* Last-edit: 11/21/90 15:28:30 *-*;\n\n");
    for (int a = 0; a < 18; a++)
        fprintf(file, "REGION-%d,", a);
    fprintf(file, "HUE-MEAN\n\n");
    for (uint32_t r = 0; r < records; r++) {
        fprintf(file, "%s", classes[(first_class + r * 7 / records) % 7]);
        for (uint32_t a = 0; a < 19; a++)
            fprintf(file, ",%.8g", a == 0 ? r + 140.0 : (a % 2 ? 1 : -1) * (r + 1.0) / (a * 3));
        fprintf(file, "\n");
    }
    assert_int_equal(fclose(file), 0);
}

TESTING_CASE(test_tables_as_ucis_segments)
{
    char folder[512];
    const char *real = testing_data("uci_segment");

    write_segments("segmentation.data", 210, 0);
    write_segments("segmentation.test", 2100, 6);
    snprintf(folder, sizeof folder, "%s", testing_path("."));
    check_segments(folder, 140, -1.0f / 54);
    if (real != NULL)
        check_segments(real, 140, -1.1218182f);
}

static int forget(void **state)
{
    (void)state;
    shw_name_set_free(&names);
    return 0;
}

TESTING_FIXTURE(NULL, forget)
