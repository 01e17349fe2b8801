/* Forests on tables of records: training, evaluation, what is written, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "program.h"

#define RECORDS 300u
#define CLASSES 3u
#define TREES   5u
#define FAILURE 1
#define USAGE   2

static const char *const class_names[CLASSES] = {"grass, wet", "sea", "sky"};

static uint32_t class_of(float a, float b)
{
    return a > 0.5f ? 2 : b > 0.4f ? 1 : 0;
}

/* A table of three attributes, the last of which is noise, and sometimes missing. */
static void make_table(const char *name, uint64_t seed, bool classes)
{
    struct testing_random random = {seed};
    FILE *file = fopen(place(name), "wb");

    assert_non_null(file);
    fprintf(file, classes ? "a,b,noise,class\r\n" : "a,b,noise\r\n");
    for (uint32_t r = 0; r < RECORDS; r++) {
        const float a = (float)testing_random_below(&random, 1000) / 1000.0f;
        const float b = (float)testing_random_below(&random, 1000) / 1000.0f;

        fprintf(file, "%.3f,%.3f,", (double)a, (double)b);
        if (r % 7 != 0)
            fprintf(file, "%u", testing_random_below(&random, 9));
        if (classes)
            fprintf(file, ",\"%s\"", class_names[class_of(a, b)]);
        fputs("\r\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

static int prepare(void **state)
{
    (void)state;
    make_table("train.csv", 1, true);
    make_table("test.csv", 2, true);
    make_table("bare.csv", 2, false);
    assert_success(run("shadewood train-records train.csv -o forest.ktx2 --trees 5 -t cpu -q"));
    return 0;
}

static json_t *member(json_t *document, const char *key)
{
    json_t *value = json_object_get(document, key);

    if (value == NULL)
        fail_msg("the JSON document lacks %s", key);
    return value;
}

TESTING_CASE(test_training_tells_what_it_made)
{
    struct run result = run("shadewood train-records train.csv -o again.ktx2 --trees 5 -t cpu --threads 1 --json "
                            "--test test.csv --out-of-bag");
    json_t *document;

    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_integer_value(member(document, "records")), RECORDS);
    assert_int_equal(json_integer_value(member(document, "attributes")), 3);
    assert_int_equal(json_integer_value(member(document, "classes")), CLASSES);
    assert_int_equal(json_integer_value(member(document, "trees")), TREES);
    assert_true(json_real_value(member(member(document, "test"), "accuracy")) > 0.9);
    assert_true(json_integer_value(member(member(document, "out_of_bag"), "correct")) > 200);
    json_decref(document);
    assert_success(run("cmp forest.ktx2 again.ktx2"));
    document =
        parse_json(run("printf 'a,class\\n1,x\\n2,y\\n3,\\n4,?\\n' | shadewood train-records - --trees 1 -t cpu -q "
                       "-o two.ktx2 --json")
                       .out);
    assert_int_equal(json_integer_value(member(document, "records")), 2);
    json_decref(document);
    document = parse_json(run("shadewood inspect forest.ktx2 --json").out);
    assert_string_equal(json_string_value(json_array_get(member(document, "attribute_names"), 2)), "noise");
    json_decref(document);
}

/* The numbers of predictions and the matrix must be those that the written classes give. */
TESTING_CASE(test_measures_are_those_of_the_written_classes)
{
    struct run result =
        run("shadewood records forest.ktx2 test.csv -t cpu --json -o classes.csv && sed 1d test.csv | "
            "sed 's/[^\"]*//' >given.csv && sed 1d classes.csv | paste -d: given.csv - | sort | uniq -c "
            ">pairs.txt");
    json_t *document = parse_json(result.out), *matrix = member(document, "confusion");
    json_int_t correct = 0;

    assert_success(result);
    assert_int_equal(json_integer_value(member(document, "records")), RECORDS);
    assert_int_equal(json_integer_value(member(document, "labelled")), RECORDS);
    for (uint32_t r = 0; r < CLASSES; r++)
        for (uint32_t c = 0; c < CLASSES; c++) {
            const json_int_t count = json_integer_value(json_array_get(json_array_get(matrix, r), c));
            const char *quote = c == 0 ? "\"" : "";
            const unsigned counted = (unsigned)atoi(
                run("grep -F '\"%s\"\r:%s%s%s' pairs.txt || echo 0", class_names[r], quote, class_names[c], quote).out);

            assert_int_equal(counted, count);
            correct += r == c ? count : 0;
        }
    assert_true(correct > 270);
    assert_int_equal(json_integer_value(member(document, "correct")), correct);
    json_decref(document);
}

TESTING_CASE(test_every_technique_writes_the_same)
{
    static const char *const techniques[] = {"serial",   "compute", "speculative", "speculative-mapped",
                                             "windowed", "fragment"};

    assert_success(run("shadewood records forest.ktx2 test.csv -t cpu -q -o cpu.csv -w "
                       "sums,leaves,classes,probabilities --threads 2"));
    for (size_t i = 0; i < sizeof techniques / sizeof *techniques; i++) {
        if (i > 0 && run("shadewood devices").code != 0)
            testing_skip("no Vulkan device");
        assert_success(run("shadewood records forest.ktx2 test.csv -t %s -q -o %s.csv -w "
                           "classes,probabilities,leaves,sums",
                           techniques[i], techniques[i]));
        assert_success(run("cmp cpu.csv %s.csv", techniques[i]));
    }
}

/* The elements of an array with that header, and their number. */
static char *array_elements(const char *name, const char *header, size_t *size)
{
    char *bytes = file_bytes(name, size);

    assert_true(*size > 128);
    assert_memory_equal(bytes, "\x93NUMPY\x01", 7);
    if (strstr(bytes + 10, header) == NULL)
        fail_msg("%s: %.118s", name, bytes + 10);
    *size -= 128;
    return bytes;
}

TESTING_CASE(test_tables_and_arrays_say_the_same)
{
    size_t sizes[4];
    char *classes, *probabilities, *leaves, *sums, *text, *line;

    assert_success(
        run("shadewood records forest.ktx2 test.csv -t cpu -q -o all.npy -w classes,probabilities,leaves,sums"));
    assert_success(
        run("shadewood records forest.ktx2 test.csv -t cpu -o - -w classes,probabilities,leaves,sums >all.csv"));
    classes =
        array_elements("all_classes.npy", "'descr': '<u4', 'fortran_order': False, 'shape': (300,), }", &sizes[0]);
    probabilities =
        array_elements("all_probabilities.npy", "'<f4', 'fortran_order': False, 'shape': (300, 3), }", &sizes[1]);
    leaves = array_elements("all_leaves.npy", "'<u4', 'fortran_order': False, 'shape': (300, 5), }", &sizes[2]);
    sums = array_elements("all_sums.npy", "'<i8', 'fortran_order': False, 'shape': (300, 3), }", &sizes[3]);
    assert_true(sizes[0] == 4 * RECORDS && sizes[1] == 12 * RECORDS && sizes[2] == 20 * RECORDS &&
                sizes[3] == 24 * RECORDS);
    line = text = file_bytes("all.csv", &sizes[0]);
    for (uint32_t r = 0; r <= RECORDS; r++) {
        char expected[512], *end = strstr(line, "\r\n");
        float p[CLASSES];
        uint32_t class, numbers[TREES];
        int64_t s[CLASSES];

        assert_non_null(end);
        *end = '\0';
        if (r == 0) {
            assert_string_equal(line,
                                "class,\"probability_grass, wet\",probability_sea,probability_sky,leaf_0,leaf_1,leaf_2,"
                                "leaf_3,leaf_4,\"sum_grass, wet\",sum_sea,sum_sky");
            line = end + 2;
            continue;
        }
        memcpy(&class, classes + 128 + 4 * (r - 1), sizeof class);
        memcpy(p, probabilities + 128 + 12 * (r - 1), sizeof p);
        memcpy(numbers, leaves + 128 + 20 * (r - 1), sizeof numbers);
        memcpy(s, sums + 128 + 24 * (r - 1), sizeof s);
        assert_true(class < CLASSES && p[class] >= p[0] && p[class] >= p[1] && p[class] >= p[2]);
        assert_true(p[0] + p[1] + p[2] > 0.999f && p[0] + p[1] + p[2] < 1.001f);
        assert_true(s[0] + s[1] + s[2] == (int64_t)TREES << 30);
        snprintf(expected, sizeof expected, "%s%s%s,", class == 0 ? "\"" : "", class_names[class],
                 class == 0 ? "\"" : "");
        assert_memory_equal(line, expected, strlen(expected));
        line += strlen(expected);
        for (uint32_t c = 0; c < CLASSES; c++, line++)
            assert_true(strtof(line, &line) == p[c]);
        snprintf(expected, sizeof expected, "%u,%u,%u,%u,%u,%lld,%lld,%lld", numbers[0], numbers[1], numbers[2],
                 numbers[3], numbers[4], (long long)s[0], (long long)s[1], (long long)s[2]);
        assert_string_equal(line, expected);
        line = end + 2;
    }
    assert_int_equal(*line, '\0');
    free(text);
    free(classes);
    free(probabilities);
    free(leaves);
    free(sums);
}

TESTING_CASE(test_where_records_come_from)
{
    assert_success(run("shadewood records forest.ktx2 test.csv -t cpu -q -o file.csv"));
    assert_success(
        run("cat test.csv | shadewood records forest.ktx2 - -t cpu -o - >pipe.csv && cmp file.csv pipe.csv"));
    assert_success(
        run("shadewood records forest.ktx2 bare.csv -t cpu -q -o bare_out.csv && cmp file.csv bare_out.csv"));
    assert_success(
        run("awk -F, -v OFS=\\; 'NR > 1 { print $1, $2, $3 }' bare.csv | shadewood records forest.ktx2 - -t cpu "
            "-o - >semicolons.csv && cmp file.csv semicolons.csv"));
    assert_success(
        run("awk -F, -v OFS=, '{ sub(/\\r/, \"\"); print $3, $1, (NR > 1 ? 7 : \"id\"), $2 }' bare.csv >turned.csv && "
            "shadewood records forest.ktx2 turned.csv -t cpu -q -o turned_out.csv && "
            "cmp file.csv turned_out.csv"));
    assert_success(run("awk -F, -v OFS=, '{ sub(/\\r/, \"\"); if ($3 == \"\") $3 = -99; print }' bare.csv | shadewood "
                       "records forest.ktx2 - --missing -99 -t cpu -o - >number.csv && cmp file.csv number.csv"));
    assert_success(run("shadewood records forest.ktx2 test.csv bare.csv -t cpu -q -o both.csv && "
                       "(cat file.csv; sed 1d file.csv) | cmp - both.csv"));
    assert_success(
        run("sed 's/.*,//' classes.csv >/dev/null; awk -F'\"' '{ print NR == 1 ? \"class\" : $2 }' test.csv | "
            "sed 's/.*,.*/\"&\"/' >labels.csv && shadewood records forest.ktx2 bare.csv --labels labels.csv "
            "-t cpu --json >labelled.json && shadewood records forest.ktx2 test.csv -t cpu --json | cmp - "
            "labelled.json"));
    assert_success(run("shadewood train-records bare.csv --labels labels.csv --test bare.csv --test-labels labels.csv "
                       "--trees 2 -t cpu -q -o parts.ktx2 | sed 1d >parts.txt && shadewood train-records test.csv "
                       "--test test.csv --trees 2 -t cpu -q -o whole.ktx2 | sed 1d | cmp - parts.txt && grep -q "
                       "'300 of 300\\|29. of 300' parts.txt && cmp parts.ktx2 whole.ktx2"));
    assert_success(run("shadewood train-records bare.csv --labels labels.csv --test test.csv --trees 2 -t cpu -q -o "
                       "mixed.ktx2 | sed 1d | cmp - parts.txt"));
}

#define MODEL_OF_DOUBLES                                                                                               \
    "tree\nversion=v4\nnum_class=1\nmax_feature_idx=1\nobjective=regression\nfeature_names=a b\n\n"                    \
    "Tree=0\nnum_leaves=4\nnum_cat=1\nsplit_feature=0 0 1\nthreshold=0.1 0.10000000000000002 0\n"                      \
    "decision_type=2 2 1\nleft_child=-1 -2 -3\nright_child=1 2 -4\nleaf_value=1 2 3 4\ncat_boundaries=0 1\n"           \
    "cat_threshold=85\nshrinkage=1\n\nend of trees\n"

/* Numbers that have one float32, and a category that rounding would pass. */
TESTING_CASE(test_double_precision)
{
    const char *leaves = "leaf_0\r\n0\r\n0\r\n1\r\n3\r\n2\r\n2\r\n0\r\n";
    const double array[3][2] = {{0.1, 0}, {0.10000000000000002, 2}, {1e300, 1.9999999999}};
    FILE *file = fopen(place("doubles.txt"), "wb");
    size_t size;
    char *text;

    assert_non_null(file);
    fputs(MODEL_OF_DOUBLES, file);
    assert_int_equal(fclose(file), 0);
    assert_non_null(file = fopen(place("doubles.csv"), "wb"));
    fputs("a,b\n0.1,0\n0.10000000000000001,2\n\"0.10000000000000002\",2\n 0.10000000000000003 ,1.9999999999\n"
          "0.10000000000000003,2\ninf,-0.5\nNA,0\n",
          file);
    assert_int_equal(fclose(file), 0);
    assert_success(run("shadewood records doubles.txt doubles.csv --double -t cpu -o - -w leaves >doubles_out.csv"));
    text = file_bytes("doubles_out.csv", &size);
    assert_int_equal(size, strlen(leaves));
    assert_memory_equal(text, leaves, size);
    free(text);
    assert_success(run("shadewood records doubles.txt doubles.csv --double -t serial -o - -w leaves | cmp - "
                       "doubles_out.csv"));
    assert_true(run("shadewood records doubles.txt doubles.csv -t cpu -o - -w leaves | cmp - doubles_out.csv").code !=
                0);
    assert_success(run("shadewood records doubles.txt doubles.csv -t cpu -o - -w leaves 2>&1 >/dev/null | grep -q "
                       "'doubles.txt: 2 thresholds are in double precision, .*--double'"));
    assert_success(run("shadewood records doubles.txt doubles.csv --double -t cpu -o - -w leaves 2>doubles_told.txt "
                       ">/dev/null && test ! -s doubles_told.txt"));
    assert_success(run("sed 's/NA/-7/' doubles.csv | shadewood records doubles.txt - --double --missing -7 -t cpu -o - "
                       "-w leaves | cmp - doubles_out.csv"));
    assert_non_null(file = fopen(place("doubles.npy"), "wb"));
    fprintf(file, "\x93NUMPY\x01%c%c%c%-117s\n", 0, 118, 0,
            "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }");
    fwrite(array, sizeof array, 1, file);
    assert_int_equal(fclose(file), 0);
    assert_success(run(
        "shadewood records doubles.txt doubles.npy --double --by-position -t cpu -o - -w leaves >array.csv 2>array.txt "
        "&& test ! -s array.txt"));
    text = file_bytes("array.csv", &size);
    assert_int_equal(size, strlen("leaf_0\r\n0\r\n1\r\n3\r\n"));
    assert_memory_equal(text, "leaf_0\r\n0\r\n1\r\n3\r\n", size);
    free(text);
    assert_success(
        run("printf '0 1:0.1\\n0 1:0.10000000000000001 2:2\\n0 1:0.10000000000000002 2:2\\n' >doubles.svm && "
            "printf '0 1:0.10000000000000003 2:1.9999999999\\n0 1:1e300 2:2\\n' >>doubles.svm && "
            "shadewood records doubles.txt doubles.svm --double --by-position -t cpu -o - -w leaves >sparse.csv "
            "2>sparse.txt && "
            "test ! -s sparse.txt && printf 'leaf_0\\r\\n0\\r\\n0\\r\\n1\\r\\n3\\r\\n2\\r\\n' | cmp - sparse.csv"));
    assert_success(
        run("shadewood import doubles.txt -o doubles.ktx2 | grep -q '2 thresholds are in double precision'"));
    assert_success(run("shadewood inspect doubles.ktx2 | grep -q 'of categories in 1 test, which take 3 words'"));
    assert_success(
        run("shadewood inspect doubles.ktx2 --tree 0 | grep -q 'right to 6, else to 5, if b is not in {0, 2, 4, 6}, "
            "without its fraction, or missing'"));
    assert_success(run("shadewood inspect doubles.ktx2 --tree 0 --json | tr -d ' \\n' | grep -q "
                       "'\"from_below\":true,\"left\":5,\"members\":\\[\\[0,0\\],\\[2,2\\],\\[4,4\\],\\[6,6\\]\\],"
                       "\"members_right\":false,'"));
    assert_success(
        run("shadewood export --to trees doubles.ktx2 -o - | sed 's/, \"from_below\": true//' >plain.json && "
            "shadewood import -q plain.json -o plain.ktx2 && shadewood inspect plain.ktx2 --tree 0 | grep -q "
            "'{0, 2, 4, 6}, without its fraction if it is not negative, or missing'"));
    assert_success(run("shadewood export --to trees doubles.ktx2 -o doubles.json && shadewood import doubles.json -o "
                       "same.ktx2 && shadewood records same.ktx2 doubles.csv -t serial -o - -w leaves >same.csv && "
                       "shadewood records doubles.ktx2 doubles.csv -t cpu -o - -w leaves | cmp - same.csv"));
    assert_success(run("shadewood import doubles.txt -o again.ktx2 --json | grep -q '\"double_thresholds\": 2'"));
    assert_int_equal(run("shadewood records doubles.ktx2 doubles.csv --double").code, FAILURE);
}

TESTING_CASE(test_what_is_refused)
{
    assert_one_line(run("shadewood records forest.ktx2"), USAGE, "at least one table", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv -w classes"), USAGE, "--output", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv -t cpu -o new.csv -w colours"), USAGE, "colours", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv -t cpu -o new.csv -w values"), USAGE, "classes", NULL);
    assert_one_line(run("shadewood records forest.ktx2 - - -t cpu"), USAGE, "once", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv test.csv --labels x"), USAGE, "one table", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv -t cpu --delimiter x"), USAGE, "--delimiter", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv --group-lanes 3"), USAGE, "power of two", NULL);
    assert_one_line(run("shadewood records forest.ktx2 missing.csv -t cpu"), FAILURE, "missing.csv", NULL);
    assert_one_line(run("shadewood records test.csv test.csv -t cpu"), FAILURE, "test.csv", NULL);
    assert_one_line(run("shadewood records forest.ktx2 . -t cpu"), FAILURE, "not a regular file", NULL);
    make_file("red.csv", "a,b,noise\n1,2,3\n1,red,3\n", 24);
    assert_one_line(run("shadewood records forest.ktx2 red.csv -t cpu -q -o red_out.csv"), FAILURE,
                    "red.csv, line 3, column 2 (b): 'red' is not a number", "--ignore 2", NULL);
    assert_false(exists("red_out.csv"));
    make_file("mud.csv", "a,b,noise,class\n1,2,3,mud\n", 26);
    assert_one_line(run("shadewood records forest.ktx2 mud.csv -t cpu"), FAILURE, "line 2", "'mud'", "--ignore", NULL);
    assert_success(run("shadewood records forest.ktx2 mud.csv -t cpu --ignore class"));
    assert_one_line(run("shadewood records forest.ktx2 mud.csv -t cpu --class-names mud,sea"), USAGE, "2 names", NULL);
    assert_one_line(run("shadewood records forest.ktx2 mud.csv -t cpu --class-names mud,sea,mud"), USAGE,
                    "--class-names has 'mud' twice", NULL);
    assert_one_line(run("shadewood records forest.ktx2 mud.csv -t cpu --class-names mud,sea,"), USAGE,
                    "--class-names: a name must have 1 to 255 bytes", NULL);
    assert_success(run("shadewood records forest.ktx2 mud.csv -t cpu --class-names sea,mud,mist -o named.csv -q "
                       "--write classes,probabilities && grep -q ^class,probability_sea,probability_mud named.csv && "
                       "sed 1d named.csv | grep -q ^mist, && rm named.csv"));
    make_file("few.csv", "a,b\n1,2\n", 8);
    assert_one_line(run("shadewood records forest.ktx2 few.csv -t cpu"), FAILURE, "lacks 1 of the 3 attributes",
                    "noise", NULL);
    assert_one_line(run("shadewood train-records few.csv -o x.ktx2 -t cpu --target none"), FAILURE, "--target", NULL);
    assert_one_line(run("shadewood train-records mud.csv -o x.ktx2 -t cpu"), FAILURE, "two classes", NULL);
    assert_one_line(run("shadewood train-records train.csv --attributes 4 -o x.ktx2 -t cpu"), USAGE,
                    "--attributes 4: train.csv has 3 attributes", NULL);
    assert_one_line(run("shadewood train-records train.csv --memory 1K -o x.ktx2 -t cpu -q"), FAILURE,
                    "1 KiB may be used", NULL);
    assert_one_line(run("cp few.csv ./-1dash.csv; shadewood records forest.ktx2 -1dash.csv -t cpu"), USAGE,
                    "there is no option '-1'; the file is called ./-1dash.csv", NULL);
    assert_one_line(run("shadewood records forest.ktx2 few.csv -1"), USAGE, "there is no option '-1' (try", NULL);
    assert_one_line(run("shadewood train-records train.csv --test few.csv -o x.ktx2 -t cpu -q"), FAILURE, "few.csv",
                    NULL);
    assert_success(run(
        "seq 40 | awk '{ print $1 \",\" $1 / 2 }' >halves.csv; seq 40 | awk '{ print $1 \",\" 3 * $1 }' >wholes.csv"));
    assert_one_line(run("shadewood train-records halves.csv --target 2 -o x.ktx2 -t cpu"), FAILURE,
                    "halves.csv: the classes are numbers such as 0.5", "regression", NULL);
    assert_success(run("shadewood train-records wholes.csv --target 2 --trees 1 -o wholes.ktx2 -t cpu 2>&1 | "
                       "grep -q 'wholes.csv: 40 different numbers in 40 records'"));
    assert_success(run("awk -F, -v OFS=, '{ print $1, NR == 9 ? \"n/a\" : $1 %% 2 }' wholes.csv >gap.csv; shadewood "
                       "train-records gap.csv --class-column 2 --trees 1 -o gap.ktx2 -t cpu 2>&1 | grep -q "
                       "\"warning: gap.csv: 'n/a' is taken for a class\""));
    assert_one_line(run("mkfifo pipe && shadewood train-records train.csv --test pipe -o x.ktx2 -t cpu"), USAGE,
                    "pipes", NULL);
    assert_success(run("shadewood train-records train.csv --test mud.csv -o mud.ktx2 -t cpu --trees 1 2>&1 | "
                       "grep -q '^shadewood: mud.ktx2 is written' && rm mud.ktx2"));
    assert_one_line(run("shadewood train-records - --labels - -o x.ktx2"), USAGE, "once", NULL);
    assert_one_line(run("shadewood train-records train.csv"), USAGE, "--output", NULL);
    assert_one_line(run("shadewood train-records a.npy b.npy --labels x -o x.ktx2"), USAGE, "one table, not 2", NULL);
    assert_one_line(run("shadewood train-records train.csv --test test.csv --test test.csv --test-labels x -o x.ktx2"),
                    USAGE, "--test-labels", "2 times, not 1", NULL);
    assert_one_line(run("shadewood train-records train.csv --test test.csv --test-labels x --class-column 4 -o x.ktx2"),
                    USAGE, "both say where", NULL);
    assert_one_line(run("shadewood train-records train.csv --test test.csv --test-labels - -o x.ktx2"), USAGE,
                    "standard input", NULL);
    assert_one_line(run("shadewood train-records train.csv -o x.ktx2 --resume"), USAGE, "--checkpoint", NULL);
    assert_false(exists("x.ktx2"));
}

TESTING_CASE(test_nothing_is_replaced_without_a_word)
{
    make_file("mine.csv", "precious", 8);
    assert_one_line(run("shadewood records forest.ktx2 test.csv -t cpu -q -o mine.csv"), FAILURE, "mine.csv",
                    "--overwrite", NULL);
    assert_success(run("test \"$(cat mine.csv)\" = precious"));
    assert_success(run("shadewood records forest.ktx2 test.csv -t cpu -q -o mine.csv --overwrite && "
                       "test $(wc -l <mine.csv) = 301"));
    assert_one_line(run("shadewood records forest.ktx2 test.csv -t cpu -q -o test.csv --overwrite"), USAGE, "input",
                    NULL);
    assert_one_line(run("shadewood train-records train.csv -t cpu -q -o train.csv --overwrite"), USAGE, "input", NULL);
    assert_one_line(run("shadewood records forest.ktx2 - -t cpu -q -o test.csv --overwrite <test.csv"), USAGE,
                    "the input standard input", NULL);
    assert_one_line(run("shadewood train-records - -t cpu -q -o new.ktx2 --checkpoint train.csv --overwrite "
                        "<train.csv"),
                    USAGE, "input", NULL);
    assert_one_line(run("shadewood train-records train.csv -t cpu -q -o mine.csv"), FAILURE, "mine.csv", NULL);
    assert_one_line(run("shadewood records forest.ktx2 test.csv -t cpu -o - >/dev/full"), FAILURE, "standard output",
                    NULL);
}

/* The most memory that any program has taken so far that was run here, in KiB. */
static long most_memory(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return usage.ru_maxrss;
}

/* As a whole, the long table would take 36 MB. */
TESTING_CASE(test_memory_does_not_grow_with_the_records)
{
    static const char command[] =
        "(printf '\\223NUMPY\\001\\0\\166\\0%%-117s\\n' \"{'descr': '<f4', 'fortran_order': "
        "False, 'shape': (%u, 3), }\"; head -c %u /dev/zero) | \"$SHADEWOOD_PROGRAM\" records "
        "forest.ktx2 - -t cpu --threads 2 --json";
    const uint32_t counts[] = {1000000, 3000000};
    long before = 0;

    for (int i = 0; i < 2; i++) {
        struct run result = run(command, counts[i], 12 * counts[i]);
        json_t *document;

        assert_success(result);
        document = parse_json(result.out);
        assert_int_equal(json_integer_value(member(document, "records")), counts[i]);
        json_decref(document);
        if (i > 0 && most_memory() > before + (8 << 10))
            fail_msg("%ld KiB, and %ld KiB for 1,000,000 records", most_memory(), before);
        before = most_memory();
    }
}

TESTING_CASE(test_interrupted_training_continues)
{
    struct run result;

    assert_success(run("shadewood train-records train.csv --trees 150 --seed 3 -t cpu -q -o whole.ktx2"));
    result = run("\"$SHADEWOOD_PROGRAM\" train-records train.csv --trees 150 --seed 3 -t cpu -q -o part.ktx2 "
                 "--checkpoint part.part --checkpoint-every 0 & until test -e part.part; do sleep 0.01; done; "
                 "kill -INT $!; wait $!");
    assert_int_equal(result.code, 130);
    assert_false(exists("part.ktx2"));
    assert_one_line(run("shadewood train-records train.csv --trees 150 --seed 3 -t cpu -q -o part.ktx2 --checkpoint "
                        "part.part"),
                    FAILURE, "part.part exists", "--resume", NULL);
    result = run("shadewood train-records train.csv --trees 150 --seed 3 -t cpu -o part.ktx2 --checkpoint part.part "
                 "--resume");
    assert_success(result);
    assert_non_null(strstr(result.err, "resuming part.part"));
    assert_success(run("cmp whole.ktx2 part.ktx2"));
    assert_false(exists("part.part"));
}

TESTING_CASE(test_regression)
{
    static const char model[] =
        "{\"format\": \"record-trees\", \"version\": 1, \"task\": \"values\", \"attributes\": 1, \"outputs\": 1, "
        "\"trees\": [{\"children_left\": [1, -1, -1], \"children_right\": [2, -1, -1], \"feature\": [0, 0, 0], "
        "\"threshold\": [0.5, 0, 0], \"value\": [0, 2, 5.25]}]}";
    struct run result;
    json_t *document;

    make_file("model.json", model, strlen(model));
    make_file("values.csv", "a,y\n0.5,2\n0.6,5\n,4\n", 19);
    result = run("shadewood records model.json values.csv -t cpu --json");
    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_integer_value(member(document, "labelled")), 3);
    assert_true(json_real_value(member(document, "mean_absolute_error")) == 0.5);
    assert_true(json_real_value(member(json_array_get(member(document, "values"), 0), "greatest")) == 5.25);
    json_decref(document);
    result = run("shadewood records model.json values.csv -t cpu -o - --class-column y -w values,leaves");
    assert_success(result);
    assert_string_equal(result.out, "value,leaf_0\r\n2,1\r\n5.25,2\r\n5.25,2\r\n");
    assert_one_line(run("shadewood records model.json values.csv -t cpu -o x.csv -w classes"), USAGE, "values", NULL);
    result = run("shadewood records model.json test.csv -t cpu");
    assert_success(result);
    assert_non_null(strstr(result.out, "mean"));
    assert_null(strstr(result.out, "R squared"));
}

/* Sparse text gives the forest of the same table with delimiters; what was chosen by default is reported. */
TESTING_CASE(test_sparse_tables_and_their_columns)
{
    struct run result;

    assert_success(
        run("seq 90 | awk '{ a = $1 * 7 %% 13; b = $1 * 5 %% 11; c = (a > 6) + (b > 5); print a \",0,\" b "
            "\",\" c >\"dense.csv\"; print c (a ? \" 1:\" a : \"\") (b ? \" 3:\" b : \"\") >\"sparse.svm\" }'"));
    result = run("shadewood train-records dense.csv --trees 3 -t cpu -o dense.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.err, "dense.csv: taking classes from the last column, 4; --target names "
                                       "another one\n"));
    result = run("shadewood train-records sparse.svm --test sparse.svm --trees 3 -t cpu -o sparse.ktx2 2>&1");
    assert_success(result);
    assert_null(strstr(result.out, "the last column"));
    assert_success(run("cmp dense.ktx2 sparse.ktx2"));
    assert_success(run("sed 's/ 1:/ 0:/; s/ 3:/ 2:/' sparse.svm >zero.svm && shadewood train-records zero.svm "
                       "--first-index 0 --trees 3 -t cpu -q -o zero.ktx2 && cmp zero.ktx2 sparse.ktx2"));
    /* indices from 1 on that are read as if they began with 0, but not each time */
    assert_success(run("shadewood train-records sparse.svm --first-index 0 --trees 3 -t cpu -q -o shifted.ktx2"));
    result = run("shadewood records shifted.ktx2 sparse.svm -t cpu");
    assert_success(result);
    assert_non_null(strstr(result.err, "sparse.svm: no line has the index 4 of the last attribute"));
    assert_string_equal(run("shadewood records shifted.ktx2 sparse.svm -t cpu --first-index 0").err, "");
    assert_string_equal(run("shadewood records sparse.ktx2 sparse.svm -t cpu").err, "");
    result = run("shadewood records sparse.ktx2 dense.csv -t cpu --first-index 0");
    assert_success(result);
    assert_non_null(strstr(result.err, "warning: dense.csv: --first-index has no effect"));
    result = run("shadewood records sparse.ktx2 sparse.svm -t cpu --header no --delimiter ';'");
    assert_success(result);
    assert_non_null(strstr(result.err, "warning: sparse.svm: --delimiter has no effect: the table is not delimited"));
    assert_non_null(strstr(result.err, "warning: sparse.svm: --header has no effect"));
    result = run("shadewood records sparse.ktx2 - -t cpu --json <sparse.svm");
    assert_success(result);
    assert_non_null(strstr(result.out, "\"labelled\": 90"));
    assert_success(run("tail -n +2 train.csv >headless.csv"));
    result = run("shadewood records forest.ktx2 headless.csv -t cpu");
    assert_success(result);
    assert_string_equal(result.err, "shadewood: warning: headless.csv: its columns have no names, but the attributes "
                                    "of the forest have, so that they are matched by position (--by-position if that "
                                    "is right)\n");
    result = run("shadewood records forest.ktx2 headless.csv -t cpu --by-position");
    assert_success(result);
    assert_string_equal(result.err, "");
    assert_one_line(run("shadewood train-records train.csv headless.csv -t cpu -o mixed.ktx2"), FAILURE,
                    "headless.csv: its columns have no names", "--by-position", NULL);
    assert_success(run("shadewood train-records train.csv headless.csv -t cpu -o mixed.ktx2 --by-position --trees 1"));
}

TESTING_FIXTURE(prepare, NULL)
