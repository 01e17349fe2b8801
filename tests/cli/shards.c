/* `label --resume` and `--shard`, and `merge-shards`: whatever was done before, by whom, and however it ended, the
 * results are those of one call. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/io/shard.h"

#define IMAGES  12
#define OPTIONS "-t cpu -q --objects --objects-area 2 -p npy "

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", IMAGES);
    assert_success(run_blind("shadewood train --data pairs --images '{}.png' --labels '{}_L.png' --palette "
                             "pairs/palette.json --trees 2 --depth 5 --pixels 200 -o forest.ktx2 -q -t cpu"));
    assert_success(run_blind("shadewood train --data pairs --images '{}.png' --labels '{}_L.png' --palette "
                             "pairs/palette.json --trees 1 --depth 3 --pixels 100 -o other.ktx2 -q -t cpu"));
    assert_success(run_blind("mkdir photos && cp pairs/[0-9][0-9].png photos && touch -d '1 hour ago' photos/*"));
    assert_success(run_blind("shadewood label forest.ktx2 photos -o whole --resume " OPTIONS));
    return 0;
}

/* The results of two folders are the same; journals need not be. */
static void assert_same(const char *one, const char *other)
{
    struct run result = run("diff -r -x 'shadewood-label*.jsonl' %s %s", one, other);

    if (result.code != 0)
        fail_msg("%s and %s differ:\n%s%s", one, other, result.out, result.err);
}

#define TELLING "-t cpu --objects --objects-area 2 -p npy 2>said"

/* In an order that is not theirs. */
static void label_shards(const char *images, const char *output, unsigned count, const char *more)
{
    for (unsigned i = count; i > 0; i--)
        assert_success(run_blind("shadewood label forest.ktx2 %s -o %s --shard %u/%u " OPTIONS "%s", images, output, i,
                                 count, more));
}

TESTING_CASE(test_the_whole_is_that_of_label)
{
    assert_success(run_blind("shadewood label forest.ktx2 photos -o plain " OPTIONS));
    assert_success(run("diff -r -x 'shadewood-label*' -x shares.csv whole plain"));
    assert_success(run("test $(wc -l <whole/shares.csv) = %d", 1 + 3 * IMAGES));
}

/* Each image is in exactly one shard, which others do not change. */
TESTING_CASE(test_every_image_has_one_shard)
{
    struct testing_random random = {3};
    struct shw_shard shard;

    for (unsigned turn = 0; turn < 200; turn++) {
        char name[32];
        uint32_t found = 0;

        snprintf(name, sizeof name, "%x", testing_random_below(&random, 1u << 30));
        shard.count = 1 + testing_random_below(&random, 40);
        for (shard.number = 1; shard.number <= shard.count; shard.number++)
            found += shw_shard_has(&shard, name);
        assert_int_equal(found, 1);
    }
    /* as xxhsum -H3 gives it: XXH3_64bits("a") is 0xe6c632b61e964e1f */
    assert_true(shw_shard_has(&(struct shw_shard){0x1e964e1f % 16 + 1, 16}, "a"));
    assert_true(shw_shard_has(&(struct shw_shard){0, 0}, "a"));
    for (int i = 0; i < 8; i++) {
        static const char *const wrong[] = {"", "0/4", "5/4", "1", "1/", "/4", "1/4 ", "1/65537"};
        assert_false(shw_shard_parse(wrong[i], &shard));
    }
    assert_true(shw_shard_parse("65536/65536", &shard) && shard.number == 65536);
}

TESTING_CASE(test_shards_become_the_whole)
{
    static const unsigned counts[] = {1, 2, 3, 7, 40};

    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        label_shards("photos", "parts", counts[c], "");
        assert_false(exists("parts/shares.csv"));
        assert_success(run("shadewood merge-shards parts -q"));
        assert_same("whole", "parts");
        assert_success(run("shadewood merge-shards parts -q")); /* replaces its own tables */
        assert_success(run("rm -r parts"));
    }
    /* folders of their own, arguments in another order, and names of files */
    assert_success(
        run_blind("mkdir apart more && cp photos/03.png more/a.png && "
                  "shadewood label forest.ktx2 more photos/05.png photos/01.png -o apart/whole --resume " OPTIONS));
    for (unsigned i = 1; i <= 3; i++)
        assert_success(run_blind("shadewood label forest.ktx2 more photos/05.png photos/01.png -o apart/%u --shard "
                                 "%u/3 " OPTIONS,
                                 i, i));
    assert_success(
        run("shadewood merge-shards apart/3 apart/1 apart/2 -o apart/merged -q && cmp apart/merged/shares.csv "
            "apart/whole/shares.csv && cmp apart/merged/objects.csv apart/whole/objects.csv"));
}

/* Killed at random moments, some of them again and again. */
TESTING_CASE(test_killed_shards)
{
    struct testing_random random = {5};
    unsigned killed = 0;

    for (unsigned turn = 0; turn < 45; turn++)
        killed += run_blind("timeout --foreground -s KILL 0.%03u sh -c 'exec \"$0\" \"$@\"' \"$SHADEWOOD_PROGRAM\" "
                            "label forest.ktx2 photos -o killed --shard %u/4 " OPTIONS "; test $? = 137",
                            3 + testing_random_below(&random, 50), 1 + turn % 3)
                      .code == 0;
    assert_true(killed > 0);
    label_shards("photos", "killed", 4, "");
    assert_success(run("shadewood merge-shards killed -q"));
    assert_same("whole", "killed");
    assert_success(run("test -z \"$(find killed -name '.*.shadewood')\""));
}

/* All at once, also the same shard twice. */
TESTING_CASE(test_shards_at_the_same_time)
{
    assert_success(
        run_blind("for i in 1 2 3 4 5; do shadewood label forest.ktx2 photos -o together --shard $i/5 " OPTIONS
                  "& p=\"$p $!\"; done; for i in $p; do wait $i || exit 1; done"));
    assert_success(run("shadewood merge-shards together -q"));
    assert_same("whole", "together");
    skip_on_windows("flock does not hold what Wine has open");
    assert_one_line(run_blind("flock together/shadewood-label-2-of-5.jsonl \"$SHADEWOOD_PROGRAM\" label forest.ktx2 "
                              "photos -o together --shard 2/5"),
                    1, "another shadewood label", "2-of-5", NULL);
}

TESTING_CASE(test_only_what_is_missing)
{
    assert_success(run("rm -rf next && cp -r whole next"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING),
                         "0 images labelled, 12 were up to date, in next");
    assert_success(run("rm next/03_labels.png next/04_overlay.png next/05_probabilities.npy"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING),
                         "3 images labelled, 9 were up to date, in next");
    assert_same("whole", "next");
    /* touched, but the same; then another */
    assert_success(run("cp -p photos/07.png keep.png && touch photos/07.png"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING), "0 images");
    assert_success(run("cp photos/08.png photos/07.png"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING),
                         "1 image labelled, 11 were up to date");
    assert_success(run("grep -q 'photos/07.png .*changed since it was labelled' said && "
                       "cmp next/07_labels.png next/08_labels.png"));
    /* changed within the file, with the same size and the time of last modification set back */
    assert_success(run("cp -p keep.png photos/07.png"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING), "1 image labelled");
    assert_same("whole", "next");
    /* another forest or other options, and back */
    assert_output_begins(run_blind("shadewood label other.ktx2 photos -o next --resume " TELLING),
                         "12 images labelled");
    assert_success(run("grep -q '12 images in next were labelled by another forest or with other options' said"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume --opacity 30 " TELLING),
                         "12 images labelled");
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING),
                         "12 images labelled");
    assert_same("whole", "next");
    /* where the results are is not what counts, nor the number of shards */
    label_shards("photos", "next", 5, "");
    assert_success(run("rm next/shares.csv next/objects.csv && shadewood merge-shards next -q"));
    assert_same("whole", "next");
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --shard 2/3 " TELLING),
                         "0 images labelled");
    assert_success(run("rm -r next"));
    label_shards("photos", "next", 3, "");
    assert_output_begins(run_blind("shadewood label forest.ktx2 photos -o next --resume " TELLING),
                         "0 images labelled, 12 were up to date");
    assert_same("whole", "next");
}

/* New images are added to what is there. */
TESTING_CASE(test_added_images)
{
    assert_success(run("mkdir grown && cp photos/*.png grown && touch -d '1 hour ago' grown/*"));
    label_shards("grown", "added", 3, "");
    assert_success(run("for i in 1 2 3 4; do cp photos/0$i.png grown/new$i.png; done; touch -d '1 hour ago' grown/*"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 grown -o all --resume " TELLING), "16 images labelled");
    assert_success(run("sleep 2.5")); /* until files are old enough to be known by their times */
    label_shards("grown", "added", 3, "");
    assert_success(run("shadewood merge-shards added -q"));
    assert_same("all", "added");
}

/* Files that are as they were are not opened to be listed; the journal says what was found in them, once. */
TESTING_CASE(test_listed_files_are_known)
{
    assert_success(
        run("cp -r photos known && cp whole/00_labels.png known/other.png && touch -d '1 hour ago' known/* && "
            "sleep 2.5"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 known -o learnt --resume -v " TELLING),
                         "12 images labelled");
    assert_success(run("grep -q '1 image is left out, which label or detect has written' said"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 known -o learnt --resume -v " TELLING),
                         "0 images labelled, 12");
    assert_success(run("grep -c found learnt/shadewood-label.jsonl | grep -qx 1"));
    /* no longer a result, and a picture that is now one */
    assert_success(run("cp photos/03.png known/other.png && cp whole/01_labels.png known/05.png"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 known -o learnt --resume -v " TELLING),
                         "1 image labelled, 11 were up to date");
    assert_success(run("cmp learnt/other_labels.png learnt/03_labels.png && grep -q '1 image is left out' said"));
    /* a damaged line is not believed */
    assert_success(run("sed -i 's/\\(\"found\".*\\):1/\\1:9/' learnt/shadewood-label.jsonl"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 known -o learnt --resume --page all " TELLING),
                         "0 images labelled, 12");
}

/* Names are bytes: those that are not UTF-8 tell pictures apart, too. */
TESTING_CASE(test_names_that_are_not_utf8)
{
    skip_on_windows("names are UTF-16");
    assert_success(
        run("mkdir bytes && cp photos/00.png \"$(printf 'bytes/a\\377.png')\" && "
            "cp photos/01.png \"$(printf 'bytes/a\\376.png')\" && "
            "cp photos/02.png \"$(printf 'bytes/a\\357\\277\\275.png')\" && "
            "cp photos/03.png \"$(printf 'bytes/a\\357\\277\\275fe.png')\" && touch -d '1 hour ago' bytes/*"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 bytes -o named/whole --resume " TELLING),
                         "4 images labelled");
    assert_output_begins(run_blind("shadewood label forest.ktx2 bytes -o named/whole --resume " TELLING),
                         "0 images labelled, 4 were up to date");
    label_shards("bytes", "named/parts", 3, "");
    assert_success(run("shadewood merge-shards named/parts -q"));
    assert_same("named/whole", "named/parts");
    assert_success(run("cut -d, -f1 named/parts/shares.csv | tail -n +2 | uniq | tr -d '\\n' >listed && "
                       "printf %%s bytes/* | cmp - listed"));
}

TESTING_CASE(test_what_is_refused_to_merge)
{
    label_shards("photos", "merge", 4, "");
    assert_success(
        run("mkdir spare && mv merge/shadewood-label-3-of-4.jsonl merge/shadewood-label-1-of-4.jsonl spare"));
    assert_one_line(run("shadewood merge-shards merge"), 1, "shards 1 and 3 of 4 are missing", NULL);
    assert_success(run("cp spare/*.jsonl merge && rm spare/*-1-of*"));
    assert_one_line(run("shadewood merge-shards merge spare -o elsewhere"), 1, "shard 3 of 4 is there twice", NULL);
    assert_success(run("sed -i '$d' merge/shadewood-label-2-of-4.jsonl"));
    assert_one_line(run("shadewood merge-shards merge"), 1, "shard 2 of 4 has not ended", NULL);
    assert_success(run_blind("shadewood label forest.ktx2 photos -o merge --shard 2/4 " OPTIONS));
    assert_success(run("shadewood merge-shards merge -q"));
    assert_success(run("f=$(ls merge/*_labels.png | head -1); mv $f kept.png; echo $f >name"));
    assert_one_line(run("shadewood merge-shards merge"), 1, "no longer beside", "again", NULL);
    assert_success(run("mv kept.png $(cat name)"));
    assert_success(run_blind("shadewood label forest.ktx2 photos -o merge --shard 2/4 --opacity 7 " OPTIONS));
    assert_one_line(run("shadewood merge-shards merge"), 1, "shard 2 of 4 was made by another model", NULL);
    assert_success(run_blind("shadewood label forest.ktx2 photos/0*.png -o merge --shard 2/4 " OPTIONS));
    assert_one_line(run("shadewood merge-shards merge"), 1, "another list of images", NULL);
    assert_success(run_blind("shadewood label forest.ktx2 photos -o merge --shard 2/4 " OPTIONS));
    assert_success(run_blind("shadewood label forest.ktx2 photos -o merge --shard 1/3 " OPTIONS));
    assert_one_line(run("shadewood merge-shards merge"), 1, "--shards", NULL);
    assert_success(run("shadewood merge-shards merge --shards 4 -q"));
    assert_same("whole", "merge");
    assert_one_line(run("shadewood merge-shards merge --shards 5"), 1, "merge has no journals of 5 shards", NULL);
    assert_one_line(run("shadewood merge-shards photos"), 1, "no journals of shards", NULL);
    assert_one_line(run("shadewood merge-shards missing"), 1, "missing", NULL);
    assert_one_line(run("shadewood merge-shards merge photos"), 2, "--output", NULL);
    /* a damaged line */
    assert_success(run("sed -i 's/\"width\":48/\"width\":47/' merge/shadewood-label-4-of-4.jsonl"));
    assert_one_line(run("shadewood merge-shards merge --shards 4"), 1, "4-of-4", NULL);
    assert_success(
        run_blind("shadewood label forest.ktx2 photos -o merge --shard 4/4 -t cpu --objects --objects-area 2 "
                  "-p npy -q && shadewood merge-shards merge --shards 4 -q"));
    assert_same("whole", "merge");
    /* tables that are not ours */
    assert_success(run("echo more >>merge/shares.csv"));
    assert_one_line(run("shadewood merge-shards merge --shards 4"), 1, "merge/shares.csv exists", NULL);
    assert_success(run("shadewood merge-shards merge --shards 4 --overwrite -q"));
    assert_same("whole", "merge");
}

TESTING_CASE(test_failed_images)
{
    struct run result;

    assert_success(run("mkdir bad && cp photos/0[0-5].png bad && echo none >bad/03.png && mkdir bad/sub"));
    assert_int_equal(run_blind("shadewood label forest.ktx2 bad -o fails/whole --resume " OPTIONS).code, 1);
    for (unsigned i = 1; i <= 2; i++)
        run_blind("shadewood label forest.ktx2 bad -o fails/parts --shard %u/2 " OPTIONS, i);
    result = run("shadewood merge-shards fails/parts");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.err, "bad/03.png failed in shard "));
    assert_non_null(strstr(result.out, "5 images of 2 shards of label, 1 failed"));
    assert_same("fails/whole", "fails/parts");
    assert_success(run("cp photos/03.png bad"));
    label_shards("bad", "fails/parts", 2, "");
    assert_success(run("shadewood merge-shards fails/parts --json >told"));
    assert_success(run("grep -q '\"images\": 6' told && grep -q '\"failed\": 0' told"));
}

#define MEASURED                                                                                                       \
    "forest.ktx2 other.ktx2 --data pairs --images '{}.png' --labels '{}_L.png' --palette pairs/palette.json -t cpu "

/* Of several forests, with everything that is counted; but not the time. */
TESTING_CASE(test_shards_of_evaluate)
{
    static const unsigned counts[] = {1, 3, 20};

    assert_success(run_blind("shadewood evaluate --reliability --json " MEASURED "| grep -v seconds >one.json"));
    assert_success(run_blind("shadewood evaluate --reliability --counts -q " MEASURED "| grep -v '^images' >one.txt"));
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        assert_success(run("rm -rf counted && mkdir counted"));
        for (unsigned i = 1; i <= counts[c]; i++)
            assert_success(run_blind("shadewood evaluate --reliability --shard %u/%u -o counted/%u.json -q " MEASURED,
                                     i, counts[c], i));
        assert_success(run("shadewood merge-shards counted/*.json --json | grep -v seconds | cmp - one.json"));
        assert_success(run("shadewood merge-shards counted/*.json --counts | grep -v '^images' | cmp - one.txt"));
        assert_success(run("shadewood merge-shards counted/*.json | grep -q '^images  *%d, '", IMAGES));
    }
    assert_one_line(run("shadewood merge-shards counted/[2-9].json counted/1?.json"), 1,
                    "shards 1 and 20 of 20 are missing", NULL);
    assert_one_line(run("shadewood merge-shards counted/*.json counted/7.json"), 1, "shard 7 of 20 is there twice",
                    NULL);
    assert_success(run_blind("shadewood evaluate --shard 7/20 -o other.json -q " MEASURED));
    assert_one_line(run("shadewood merge-shards counted/1.json other.json"), 1, "other.json is of other options", NULL);
    assert_success(run_blind("shadewood evaluate --reliability --shard 7/20 -o swapped.json other.ktx2 -q " MEASURED));
    assert_one_line(run("shadewood merge-shards counted/1.json swapped.json"), 1, "swapped.json is of other forests",
                    NULL);
    assert_success(run("sed 's/\"images\":[0-9]*/\"images\":99/' counted/3.json >edited.json"));
    assert_one_line(run("shadewood merge-shards counted/1.json edited.json"), 1, "edited.json", "changed", NULL);
    assert_one_line(run("shadewood merge-shards counted/1.json -o x"), 2, "--output", NULL);
    assert_one_line(run("shadewood merge-shards whole --counts"), 2, "--counts", NULL);
    assert_one_line(run_blind("shadewood evaluate --shard 1/2 " MEASURED), 2, "--output", NULL);
    assert_one_line(run_blind("shadewood evaluate --shard 3/2 -o x " MEASURED), 2, "'3/2'", NULL);
    assert_success(run("echo mine >mine.json"));
    assert_one_line(run_blind("shadewood evaluate --shard 1/2 -o mine.json " MEASURED), 1, "mine.json exists", NULL);
}

/* What --plan says, and that it leaves nothing. */
TESTING_CASE(test_plan)
{
    struct run result;
    json_t *plan;
    json_int_t disk;

    assert_success(run("rm -rf planned temporary && mkdir temporary"));
    result =
        run_blind("TMPDIR=temporary shadewood label forest.ktx2 photos -o planned --resume --plan --json " OPTIONS);
    assert_success(result);
    plan = parse_json(result.out);
    assert_int_equal(json_integer_value(json_object_get(plan, "images")), IMAGES);
    assert_int_equal(json_integer_value(json_object_get(plan, "missing")), IMAGES);
    assert_true(json_number_value(json_object_get(plan, "seconds")) > 0);
    assert_true(json_integer_value(json_object_get(plan, "memory_bytes")) > 1 << 20);
    disk = json_integer_value(json_object_get(plan, "disk_bytes"));
    json_decref(plan);
    assert_false(exists("planned"));
    assert_int_equal(entry_count("temporary"), 0);

    assert_success(run_blind("shadewood label forest.ktx2 photos -o planned --shard 1/1 " OPTIONS));
    result = run("cat planned/*.png planned/*.npy | wc -c"); /* most images are of the same kind */
    assert_true(disk > atoi(result.out) * 3 / 4 && disk < atoi(result.out) * 5 / 4);
    assert_success(run("rm planned/0[0-2]_labels.png && cp -r planned before"));
    result =
        run_blind("TMPDIR=temporary shadewood label forest.ktx2 photos -o planned --shard 1/1 --plan -t cpu --objects "
                  "--objects-area 2 -p npy");
    assert_success(result);
    assert_non_null(strstr(result.out, "images      12, of shard 1 of 1\nup to date  9\nmissing     3\ntime "));
    assert_success(run("diff -r planned before"));
    assert_success(run_blind("shadewood label forest.ktx2 photos -o planned --shard 1/1 " OPTIONS));
    result = run_blind("shadewood label forest.ktx2 photos -o planned --shard 1/1 --plan " OPTIONS);
    assert_success(result);
    assert_string_equal(result.out, "images      12, of shard 1 of 1\nup to date  12\nmissing     0\n");
    assert_one_line(run_blind("TMPDIR=nowhere shadewood label forest.ktx2 photos --plan -t cpu"), 1, "nowhere", NULL);
    assert_success(run("mkdir only && echo none >only/00.png"));
    assert_one_line(run_blind("shadewood label forest.ktx2 only --plan -t cpu"), 1, "only/00.png", NULL);
    make_project("field.json", "pairs/00.png");
    assert_one_line(run_blind("shadewood label field.json photos --plan"), 2, "--plan", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 walk.mp4 --plan"), 2, "--plan", NULL);
}

TESTING_CASE(test_usage)
{
    assert_one_line(run_blind("shadewood label forest.ktx2 photos -o never --shard 0/4"), 2, "from 1/1", "'0/4'", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 photos -o photos --shard 1/4"), 2, "another folder", NULL);
    assert_one_line(run_blind("cd photos && shadewood label ../forest.ktx2 00.png 01.png -o . --shard 1/4"), 2,
                    "another folder", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 photos -o never --resume --frames"), 2, "--frames", NULL);
    make_project("meadow.json", "pairs/00.png");
    assert_one_line(run_blind("shadewood label meadow.json photos -o never --shard 1/4"), 2, "--shard", NULL);
    assert_one_line(run_blind("shadewood label meadow.json photos -o never --resume"), 2, "--resume", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 walk.mp4 -o never --resume"), 2, "videos", NULL);
    assert_false(exists("never"));
    /* a table of another call is not ours */
    assert_success(run_blind("shadewood label forest.ktx2 photos/00.png -o mine " OPTIONS));
    assert_one_line(run_blind("shadewood label forest.ktx2 photos/00.png -o mine --resume -t cpu --objects"), 1,
                    "mine/objects.csv exists", NULL);
    /* results among the images, without shards */
    assert_success(
        run_blind("mkdir inside && cp photos/0[0-2].png inside && shadewood label forest.ktx2 inside -o inside "
                  "--resume -t cpu -q"));
    assert_output_begins(run_blind("shadewood label forest.ktx2 inside -o inside --resume -t cpu"),
                         "0 images labelled, 3 were up to date");
}

TESTING_FIXTURE(prepare, NULL)
