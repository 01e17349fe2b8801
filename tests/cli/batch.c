/* `shadewood label PROJECT`: trains and labels in one call, and the next call does what is left to do. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OPTIONS "-t cpu -q --objects --objects-format csv,geojson,instances --objects-area 2 "
#define IMAGES  6

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", IMAGES);
    make_project("meadow.json", "pairs/00.png");
    assert_success(run_blind("mkdir one two deep deep/two; cp pairs/0[0-5].png one; cp pairs/0[1-2].png two; "
                             "cp pairs/03.png deep/two; rm -f one/*_L.png"));
    assert_success(run_blind("shadewood label meadow.json one two -o whole %s", OPTIONS));
    return 0;
}

/* The results of two folders are the same; records need not be. */
static void assert_same(const char *one, const char *other)
{
    struct run result = run("diff -r -x shadewood-label.jsonl %s %s", one, other);

    if (result.code != 0)
        fail_msg("%s and %s differ:\n%s%s", one, other, result.out, result.err);
}

/* The numbers in the summary of a run. */
static void assert_told(struct run result, unsigned labelled, unsigned up_to_date)
{
    char text[128];

    assert_success(result);
    if (up_to_date > 0)
        snprintf(text, sizeof text, "%u image%s labelled, %u w%s up to date, in", labelled, labelled == 1 ? "" : "s",
                 up_to_date, up_to_date == 1 ? "as" : "ere");
    else
        snprintf(text, sizeof text, "%u image%s labelled, in", labelled, labelled == 1 ? "" : "s");
    if (strncmp(result.out, text, strlen(text)) != 0)
        fail_msg("not '%s' but '%s'", text, result.out);
}

#define TELLING "-t cpu --objects --objects-format csv,geojson,instances --objects-area 2 2>/dev/null"

TESTING_CASE(test_the_forest_is_that_of_train)
{
    size_t sizes[2];
    char *forests[2], *table;

    assert_success(run_blind("shadewood train meadow.json -o meadow.ktx2 -q -t cpu"));
    forests[0] = file_bytes("meadow.ktx2", &sizes[0]);
    forests[1] = file_bytes("whole/meadow.ktx2", &sizes[1]);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(forests[0], forests[1], sizes[0]);
    free(forests[0]);
    free(forests[1]);

    /* and the results are those of labelling with it */
    assert_success(run_blind("shadewood label meadow.ktx2 one -o flat %s", OPTIONS));
    for (int i = 0; i < IMAGES; i++)
        for (int f = 0; f < 4; f++) {
            static const char *const endings[] = {"labels.png", "overlay.png", "objects.geojson", "instances.png"};
            assert_success(run("cmp flat/%02d_%s whole/one/%02d_%s", i, endings[f], i, endings[f]));
        }
    assert_success(run("n=$(wc -l <flat/objects.csv); cut -d, -f1-14 flat/objects.csv >flat.txt; head -n $n "
                       "whole/objects.csv | cut -d, -f1-14 | cmp - flat.txt"));
    assert_success(
        run("sed -n 2p flat/objects.csv | grep -q ',00.$' && sed -n 2p whole/objects.csv | grep -q ',one/00.$'"));

    table = file_bytes("whole/shares.csv", &sizes[0]);
    assert_memory_equal(table, "picture,width_px,height_px,class,class_number,area_px,share\r\none/00.png,48,40,", 75);
    free(table);
    assert_success(run("test $(wc -l <whole/shares.csv) = %d", 1 + 3 * (IMAGES + 2)));
    assert_success(run("awk -F, 'NR > 1 { e = $7 - $6 / ($2 * $3); if (e > 5.1e-7 || e < -5.1e-7) wrong++; n++ } "
                       "END { exit wrong > 0 || n == 0 }' whole/shares.csv")); /* rounded to the nearest */
}

TESTING_CASE(test_what_is_up_to_date_is_passed_over)
{
    struct run result;
    json_t *told;

    assert_success(run("cp -r whole next"));
    assert_told(run_blind("shadewood label meadow.json one two -o next " TELLING), 0, 8);
    assert_same("whole", "next");
    assert_success(run("rm next/two/01_labels.png next/one/03_objects.geojson"));
    assert_told(run_blind("shadewood label meadow.json one two -o next " TELLING), 2, 6);
    assert_same("whole", "next");
    assert_success(run("rm next/objects.csv next/shares.csv next/classes.json next/meadow.ktx2"));
    assert_told(run_blind("shadewood label meadow.json one two -o next " TELLING), 0, 8);
    assert_same("whole", "next");
    /* tables keep what other calls have labelled, as long as it is there */
    assert_told(run_blind("shadewood label meadow.json one -o next " TELLING), 0, IMAGES);
    assert_same("whole", "next");
    assert_told(run_blind("shadewood label meadow.json two -o next " TELLING), 0, 2);
    assert_success(
        run("for t in shares objects; do sort next/$t.csv >next.txt && sort whole/$t.csv | cmp - next.txt && "
            "head -2 next/$t.csv | grep -q ^two/01.png || exit 1; done"));
    assert_success(run("rm -r next/two"));
    assert_told(run_blind("shadewood label meadow.json one -o next " TELLING), 0, IMAGES);
    assert_success(run("! grep -q ^two next/shares.csv && grep -q ^one/05.png next/shares.csv"));
    assert_told(run_blind("shadewood label meadow.json one two -o next " TELLING), 2, 6);
    assert_same("whole", "next");

    result = run_blind("shadewood label meadow.json one two -o next --json " TELLING);
    assert_success(result);
    told = parse_json(result.out);
    assert_int_equal(json_array_size(json_object_get(told, "images")), 8);
    assert_true(json_is_true(json_object_get(json_array_get(json_object_get(told, "images"), 3), "up_to_date")));
    json_decref(told);
}

TESTING_CASE(test_what_has_changed_is_done_again)
{
    assert_success(run("rm -rf next edited && cp -r whole next && cp -r one edited && cp -r two edited/two"));
    assert_success(run_blind("shadewood label meadow.json one -o mine %s", OPTIONS));
    assert_success(run("cp one/04.png keep.png && cp one/05.png one/04.png"));
    assert_told(run_blind("shadewood label meadow.json one -o mine " TELLING), 1, 5);
    assert_success(run("cmp mine/one/04_labels.png mine/one/05_labels.png; cp keep.png one/04.png"));
    /* another option, and back */
    assert_told(run_blind("shadewood label meadow.json one -o mine --opacity 30 " TELLING), 6, 0);
    assert_told(run_blind("shadewood label meadow.json one -o mine --objects-smooth 1 " TELLING), 6, 0);
    assert_told(run_blind("shadewood label meadow.json one two -o mine " TELLING), 8, 0);
    assert_same("whole", "mine");
    /* other settings of objects, another range */
    assert_told(run_blind("shadewood label meadow.json two -o mine " TELLING), 0, 2);
    assert_told(run_blind("shadewood label meadow.json two -o mine --objects-holes 3 " TELLING), 2, 0);
    assert_told(run_blind("shadewood label meadow.json two -o mine --range 10:200 " TELLING), 2, 0);
    assert_told(run_blind("shadewood label meadow.json two -o mine --range 10:100 " TELLING), 2, 0);
    /* a picture that was taught on */
    assert_success(run("cp pairs/00.png keep.png && cp pairs/03.png pairs/00.png"));
    assert_told(run_blind("shadewood label meadow.json two -o mine " TELLING), 2, 0);
    assert_success(run("! cmp -s mine/meadow.ktx2 whole/meadow.ktx2; cp keep.png pairs/00.png"));
    /* other strokes */
    assert_success(run("cp meadow.json keep.json && sed -i 's/\"seed\": \"5\"/\"seed\": \"77\"/' meadow.json && "
                       "! cmp -s meadow.json keep.json"));
    assert_told(run_blind("shadewood label meadow.json one two -o mine " TELLING), 8, 0);
    assert_success(run("! cmp -s mine/meadow.ktx2 whole/meadow.ktx2; cp keep.json meadow.json"));
    assert_told(run_blind("shadewood label meadow.json one two -o mine " TELLING), 8, 0);
    assert_same("whole", "mine");
}

/* Files that somebody has edited, or that are not ours, are not lost. */
TESTING_CASE(test_what_is_not_ours_is_kept)
{
    assert_success(run("rm -rf next && cp -r whole next && echo more >>next/objects.csv"));
    assert_one_line(run_blind("shadewood label meadow.json one two -o next %s", OPTIONS), 1, "next/objects.csv exists",
                    NULL);
    assert_success(run("cp one/01.png next/one/02_labels.png && cp whole/objects.csv next"));
    assert_one_line(run_blind("shadewood label meadow.json one two -o next %s", OPTIONS), 1, "02_labels.png", NULL);
    assert_success(run_blind("shadewood label meadow.json one two -o next --overwrite %s", OPTIONS));
    assert_same("whole", "next");
    assert_success(run("mkdir other && echo mine >other/shadewood-label.jsonl"));
    assert_one_line(run_blind("shadewood label meadow.json one -o other %s", OPTIONS), 1, "shadewood-label.jsonl",
                    NULL);
    assert_success(run("test \"$(cat other/shadewood-label.jsonl)\" = mine"));
}

/* Wherever the record ends, the rest is done, and nothing tells afterwards. */
TESTING_CASE(test_any_part_of_a_record)
{
    size_t size;
    char *record = file_bytes("whole/shadewood-label.jsonl", &size);
    unsigned cuts = 0;

    for (size_t end = 0; end <= size; end += end == size ? 1 : size / 12 < size - end ? size / 12 : size - end) {
        assert_success(run("rm -rf next && cp -r whole next && rm next/objects.csv next/shares.csv"));
        make_file("next/shadewood-label.jsonl", record, end);
        assert_success(run_blind("shadewood label meadow.json one two -o next %s", OPTIONS));
        assert_same("whole", "next");
        assert_told(run_blind("shadewood label meadow.json one two -o next " TELLING), 0, 8);
        cuts++;
    }
    assert_true(cuts > 10);
    free(record);
}

/* A record that somebody has edited, or a disk has damaged: what cannot be right is done again, with a word. */
TESTING_CASE(test_damaged_records)
{
    static const char without_sums[] = "s/,\"sum\":\"[0-9a-f]*\"}/}/";
    static const struct {
        const char *edit;
        bool keep_sums;
    } damages[] = {{"s/\"pixels\":.[0-9]*/\"pixels\":[7/", true},
                   {"s/\"pixels\":.\\([0-9]*\\),\\([0-9]*\\)/\"pixels\":[\\2,\\1/", true},
                   {"s/\"objects\":..[0-9]*/\"objects\":[[0,9/", true},
                   {"s/\"pixels\":.[0-9]*/\"pixels\":[7/", false},
                   {"s/\"pixels\":./\"pixels\":[0,/", false},
                   {"s/\"width\":[0-9]*/\"width\":0/", false},
                   {"s/\"objects\":..[0-9]*/\"objects\":[[300/", false},
                   {"s/\"objects\":..[0-9]*/\"objects\":[[65536/", false},
                   {"s/\"objects\":..[0-9]*,[0-9]*,[0-9]*/\"objects\":[[0,0,5000/", false},
                   {"s/\"objects\":../\"objects\":[[true,/", false},
                   {"s/\"objects\":.*\\]\\]/\"objects\":{}/", false}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        assert_success(run("rm -rf next && cp -r whole next && rm next/objects.csv next/shares.csv"));
        if (!damages[i].keep_sums)
            assert_success(run("sed -i '%s' next/shadewood-label.jsonl", without_sums));
        assert_success(run("sed -i '/one.03\"/{%s}' next/shadewood-label.jsonl && "
                           "! cmp -s next/shadewood-label.jsonl whole/shadewood-label.jsonl",
                           damages[i].edit));
        assert_success(run_blind("shadewood label meadow.json one two -o next -t cpu --objects --objects-format "
                                 "csv,geojson,instances --objects-area 2 >said 2>warned"));
        assert_success(run("grep -q '^1 image labelled, 7 were up to date' said"));
        assert_success(run("test $(grep -c 'warning: next/shadewood-label.jsonl.*one/03' warned) = 1"));
        assert_same("whole", "next");
        assert_told(run_blind("shadewood label meadow.json one two -o next " TELLING), 0, 8);
    }
}

/* Killed at random moments, again and again; what is left has no temporary files. */
TESTING_CASE(test_killed_at_any_moment)
{
    static const char more[] = "-p npy --leaves --masks";
    struct testing_random random = {9};
    unsigned killed = 0;

    assert_success(run_blind("shadewood label meadow.json one two -o calm %s %s", OPTIONS, more));
    for (int turn = 0; turn < 60; turn++)
        killed += run_blind("timeout --foreground -s KILL 0.%03u sh -c 'exec \"$0\" \"$@\"' \"$SHADEWOOD_PROGRAM\" "
                            "label meadow.json "
                            "one two -o killed %s %s; test $? = 137",
                            5 + testing_random_below(&random, 60), OPTIONS, more)
                      .code == 0;
    assert_success(run_blind("shadewood label meadow.json one two -o killed %s %s", OPTIONS, more));
    assert_true(killed > 0);
    assert_same("calm", "killed");
    assert_success(run("test -z \"$(find killed -name '.*.shadewood')\""));
}

TESTING_CASE(test_folders_keep_apart)
{
    assert_success(run_blind("shadewood label meadow.json two deep/two one/05.png -o apart -q -t cpu"));
    assert_true(exists("apart/work/two/01_labels.png"));
    assert_true(exists("apart/deep/two/03_labels.png"));
    assert_true(exists("apart/05_labels.png"));
    assert_one_line(run_blind("shadewood label meadow.json two two/ -o never -q -t cpu"), 2, "same name", NULL);
    assert_success(run_blind("cd two && shadewood label ../meadow.json . -o ../dot -q -t cpu"));
    assert_true(exists("dot/two/01_labels.png"));
}

/* An image is listed once, whatever it is called; what this call has labelled counts. */
TESTING_CASE(test_images_are_listed_once)
{
    struct run result;

    assert_success(run_blind("mkdir again && shadewood label meadow.json one -o again/alone %s", OPTIONS));
    assert_success(run_blind("shadewood label meadow.json one one/../one/02.png -o again/both %s", OPTIONS));
    assert_success(run_blind("shadewood label meadow.json one -o again/out %s", OPTIONS));
    result = run_blind("shadewood label meadow.json ./one/01.png -o again/out -t cpu %s", strstr(OPTIONS, "--objects"));
    assert_success(result);
    if (strstr(result.err, "list each image once: 1 other result there is") == NULL)
        fail_msg("%s", result.err);
    assert_success(
        run_blind("cd two && shadewood label ../meadow.json \"$PWD/../one/03.png\" -o ../again/out %s", OPTIONS));
    for (int t = 0; t < 2; t++) {
        static const char *const tables[] = {"shares", "objects"};
        for (int i = 0; i < IMAGES; i++) /* rows of each image, without what it and its results are called */
            assert_success(run("for d in out both; do test $(grep -c '%02d.png' again/$d/%s.csv) = "
                               "$(grep -c '%02d.png' again/alone/%s.csv) || exit 1; done",
                               i, tables[t], i, tables[t]));
    }
    assert_success(
        run("grep -q '^./one/01.png' again/out/shares.csv && ! grep -q '^one/01.png' again/out/shares.csv && "
            "grep -q '/../one/03.png' again/out/shares.csv"));
    assert_success(
        run_blind("shadewood label meadow.json one -o again/out %s", OPTIONS)); /* under its first name again */
    assert_success(run("cmp again/out/shares.csv again/alone/shares.csv && cmp again/out/objects.csv "
                       "again/alone/objects.csv"));
}

TESTING_CASE(test_failures)
{
    struct run result;
    char *table;
    size_t size;

    assert_success(run("mkdir bad && cp one/0[0-2].png bad && echo none >bad/01.png"));
    result = run_blind("shadewood label meadow.json bad -o fails -q -t cpu");
    assert_one_line(result, 1, "bad/01.png", NULL);
    table = file_bytes("fails/shares.csv", &size);
    assert_non_null(strstr(table, "bad/02.png"));
    assert_null(strstr(table, "bad/01.png"));
    free(table);
    assert_success(run("cp one/01.png bad"));
    assert_told(run_blind("shadewood label meadow.json bad -o fails -t cpu 2>/dev/null"), 1, 2);

    make_file("none.json", "{}", 2);
    assert_one_line(run_blind("shadewood label none.json one -o never -q"), 1, "none.json", "\"format\"", NULL);
    assert_one_line(run_blind("shadewood label missing.json one -o never -q"), 1, "missing.json", NULL);
    make_project("lost.json", "pairs/77.png");
    assert_one_line(run_blind("shadewood label lost.json one -o never -q -t cpu"), 1, "pairs/77.png", NULL);
    assert_one_line(run_blind("shadewood label meadow.json one -o never -q --objects --objects-classes lake"), 2,
                    "lake", NULL);
    assert_false(exists("never/meadow.ktx2"));
}

TESTING_CASE(test_one_run_in_a_folder_at_a_time)
{
    skip_on_windows("flock does not hold what Wine has open");
    assert_one_line(
        run_blind("flock fails/shadewood-label.jsonl \"$SHADEWOOD_PROGRAM\" label meadow.json bad -o fails"), 1,
        "another shadewood label", NULL);
}

TESTING_FIXTURE(prepare, NULL)
