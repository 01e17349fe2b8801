/* `detect --resume` and `--shard`, and `merge-shards` of them: whatever was done before, by whom, and however it ended,
 * the results are those of one call. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect_spots.h"
#include "program.h"

#define IMAGES  12
#define OPTIONS SPOTS "-q --format csv,coco --raw "
#define TELLING SPOTS "--format csv,coco --raw 2>said"

static int prepare(void **state)
{
    assert_int_equal(prepare_spots(state), 0);
    assert_success(
        run("mkdir photos && for i in 00 01 02 03; do cp images/a.png photos/$i.png; cp images/b.png photos/b$i.png; "
            "cp images/none.png photos/n$i.png; done; touch -d '1 hour ago' photos/*"));
    assert_success(run_blind("shadewood detect spot.ktx2 photos -o whole " OPTIONS));
    return 0;
}

static void assert_same(const char *one, const char *other)
{
    struct run result = run("diff -r -x 'shadewood-detect*.jsonl' %s %s", one, other);

    if (result.code != 0)
        fail_msg("%s and %s differ:\n%s%s", one, other, result.out, result.err);
}

static void detect_shards(const char *images, const char *output, unsigned count)
{
    for (unsigned i = count; i > 0; i--)
        assert_success(
            run_blind("shadewood detect spot.ktx2 %s -o %s --shard %u/%u " OPTIONS, images, output, i, count));
}

TESTING_CASE(shards_become_the_whole)
{
    static const unsigned counts[] = {1, 3, 30};

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        detect_shards("photos", "parts", counts[c]);
        assert_false(exists("parts/detections.csv"));
        assert_success(run("shadewood merge-shards parts -q"));
        assert_same("whole", "parts");
        assert_success(run("shadewood merge-shards parts -q")); /* replaces its own tables */
        assert_success(run("rm -r parts"));
    }
    /* a list, folders of their own, and no pictures */
    assert_success(run("printf 'photos/b01.png\\nphotos/03.png\\nphotos/n00.png\\n' >list.txt"));
    assert_success(run_blind("shadewood detect spot.ktx2 list.txt -o listed --no-pictures " OPTIONS));
    for (unsigned i = 1; i <= 2; i++)
        assert_success(
            run_blind("shadewood detect spot.ktx2 list.txt -o apart/%u --no-pictures --shard %u/2 " OPTIONS, i, i));
    assert_success(run("shadewood merge-shards apart/2 apart/1 -o merged -q"));
    assert_same("listed", "merged");
}

/* Killed at random moments, some of them again and again. */
TESTING_CASE(killed_shards)
{
    struct testing_random random = {7};
    unsigned killed = 0;

    for (unsigned turn = 0; turn < 30; turn++)
        killed += run_blind("timeout --foreground -s KILL 0.%03u sh -c 'exec \"$0\" \"$@\"' \"$SHADEWOOD_PROGRAM\" "
                            "detect spot.ktx2 photos -o killed --shard %u/4 " OPTIONS "; test $? = 137",
                            3 + testing_random_below(&random, 40), 1 + turn % 3)
                      .code == 0;
    assert_true(killed > 0);
    detect_shards("photos", "killed", 4);
    assert_success(run("shadewood merge-shards killed -q"));
    assert_same("whole", "killed");
    assert_success(run("test -z \"$(find killed -name '.*.shadewood')\""));
}

TESTING_CASE(only_what_is_missing)
{
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume " TELLING),
                         "12 images, 12 detections, in");
    assert_same("whole", "next");
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume " TELLING),
                         "0 images, 12 were up to date, 0 detections, in next");
    assert_same("whole", "next");
    assert_success(run("rm next/01_detections.png next/detections.csv"));
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume " TELLING),
                         "1 image, 11 were up to date");
    assert_same("whole", "next");
    /* changed, and back */
    assert_success(run("cp -p photos/02.png keep.png && cp photos/b00.png photos/02.png"));
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume " TELLING),
                         "1 image, 11 were up to date");
    assert_success(run("grep -q 'photos/02.png .*changed since it was searched: it is searched again' said && "
                       "cmp next/02_detections.png next/b00_detections.png"));
    assert_success(run("cp -p keep.png photos/02.png"));
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume " TELLING),
                         "1 image, 11 were up to date");
    assert_same("whole", "next");
    /* other options, and back; other numbers of threads change nothing */
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume --min-score 0.5 " TELLING),
                         "12 images, 8");
    assert_success(run("grep -q '12 images in next were searched by another cascade or with other options' said"));
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume --threads 2 " TELLING),
                         "12 images, 12");
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --resume --threads 1 " TELLING),
                         "0 images, 12 were");
    assert_same("whole", "next");
    /* other shards */
    assert_output_begins(run_blind("shadewood detect spot.ktx2 photos -o next --shard 2/3 " TELLING), "0 images, ");
    /* a result that somebody has edited is not replaced */
    assert_success(run("echo mine >next/03_detections.png"));
    assert_one_line(run_blind("shadewood detect spot.ktx2 photos -o next --resume " OPTIONS), 1,
                    "next/03_detections.png", "changed since", NULL);
    assert_success(run_blind("shadewood detect spot.ktx2 photos -o next --resume --overwrite " OPTIONS));
    assert_same("whole", "next");
}

TESTING_CASE(failed_and_added_images)
{
    struct run result;

    assert_success(run("cp -r photos more && echo none >more/05.png && touch -d '1 hour ago' more/*"));
    assert_int_equal(run_blind("shadewood detect spot.ktx2 more -o fails/whole --resume " OPTIONS).code, 1);
    for (unsigned i = 1; i <= 2; i++)
        run_blind("shadewood detect spot.ktx2 more -o fails/parts --shard %u/2 " OPTIONS, i);
    result = run("shadewood merge-shards fails/parts");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.err, "more/05.png failed in shard "));
    assert_non_null(strstr(result.out, "12 images of 2 shards of detect, 1 failed"));
    assert_same("fails/whole", "fails/parts");
    assert_success(run("cp photos/00.png more/05.png && cp photos/b00.png more/a1.png"));
    assert_success(run_blind("shadewood detect spot.ktx2 more -o fails/new " OPTIONS));
    detect_shards("more", "fails/parts", 2);
    assert_success(run("shadewood merge-shards fails/parts -q"));
    assert_same("fails/new", "fails/parts");
}

TESTING_CASE(what_is_refused)
{
    detect_shards("photos", "merge", 3);
    assert_success(run("mkdir spare && mv merge/shadewood-detect-2-of-3.jsonl spare"));
    assert_one_line(run("shadewood merge-shards merge"), 1, "shard 2 of 3 is missing", NULL);
    assert_success(run("cp spare/*.jsonl merge"));
    assert_one_line(run("shadewood merge-shards merge spare -o elsewhere"), 1, "shard 2 of 3 is there twice", NULL);
    assert_success(run("cp merge/shadewood-detect-1-of-3.jsonl merge/shadewood-detect-2-of-3.jsonl"));
    assert_one_line(run("shadewood merge-shards merge"), 1, "is not the journal of shard 2 of 3", NULL);
    assert_success(run("cp spare/*.jsonl merge"));
    assert_success(run("sed -i '$d' merge/shadewood-detect-3-of-3.jsonl"));
    assert_one_line(run("shadewood merge-shards merge"), 1, "shard 3 of 3 has not ended", NULL);
    assert_success(run_blind("shadewood detect spot.ktx2 photos -o merge --shard 3/3 --min-score 0.5 " OPTIONS));
    assert_one_line(run("shadewood merge-shards merge"), 1, "shard 3 of 3 was made by another model", NULL);
    assert_success(run_blind("shadewood detect spot.ktx2 photos/b0*.png -o merge --shard 3/3 " OPTIONS));
    assert_one_line(run("shadewood merge-shards merge"), 1, "another list of images", NULL);
    assert_success(run_blind("shadewood detect spot.ktx2 photos -o merge --shard 3/3 " OPTIONS));
    assert_success(run("shadewood merge-shards merge -q"));
    assert_same("whole", "merge");
    assert_one_line(run_blind("shadewood detect spot.ktx2 photos -o photos --shard 1/2 " OPTIONS), 2, "another folder",
                    NULL);
    assert_one_line(run_blind("shadewood detect spot.ktx2 photos -o x --shard 3/2 " OPTIONS), 2, "'3/2'", NULL);
    assert_one_line(run_blind("shadewood detect spot.ktx2 walk.mp4 -o x --resume " OPTIONS), 2, "videos", NULL);
    assert_one_line(run_blind("shadewood detect spot.ktx2 photos -o x --resume --evaluate a.csv " OPTIONS), 2,
                    "--evaluate", NULL);
    assert_one_line(run_blind("shadewood detect spot.ktx2 photos -o x --shard 1/2 --survivors a.ktx2 " OPTIONS), 2,
                    "--survivors", NULL);
    assert_false(exists("x"));
    /* tables of a call without a journal are not ours */
    assert_one_line(run_blind("shadewood detect spot.ktx2 photos -o whole --resume " OPTIONS), 1,
                    "whole/detections.csv exists", NULL);
}

TESTING_FIXTURE(prepare, NULL)
