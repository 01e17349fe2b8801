/* Settings of training that are short for others, and how trees are combined, by the program. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define PATTERNS "--images '{}.png' --labels '{}_L.png'"
#define TRAIN    "shadewood train -d data " PATTERNS " -t cpu --trees 3 --depth 5 --pixels 150 --offset 10 --size 9 -q "

static int prepare(void **state)
{
    (void)state;
    make_data("data", 3);
    return 0;
}

static json_t *inspected(const char *forest)
{
    return parse_json(run("shadewood inspect %s --json", forest).out);
}

TESTING_CASE(extremely_random_is_short_for_its_settings)
{
    assert_success(run(TRAIN "--extremely-random -o one.ktx2"));
    assert_success(run(TRAIN "--candidates 1 --thresholds random --bins 2 -o two.ktx2"));
    assert_success(run("cmp one.ktx2 two.ktx2"));
    assert_success(run(TRAIN "--extremely-random --candidates 5 -o more.ktx2"));
    assert_success(run(TRAIN "--candidates 5 --thresholds random --bins 2 -o two.ktx2 --overwrite"));
    assert_success(run("cmp more.ktx2 two.ktx2"));
    assert_int_not_equal(run("cmp -s one.ktx2 more.ktx2").code, 0);
    assert_one_line(run(TRAIN "--extremely-random --thresholds random -o x.ktx2"), 2, "exclude each other", NULL);
    assert_one_line(run(TRAIN "--extremely-random --bins 8 -o x.ktx2"), 2, "exclude each other", NULL);
    assert_false(exists("x.ktx2"));
}

/* Of two sizes, sides of 9 pixels at most are of 2 and 8; the labels are those of every technique. */
TESTING_CASE(shapes_are_squares_of_few_sizes)
{
    json_t *inspection;

    assert_success(run(TRAIN "--shapes 2 -o few.ktx2"));
    inspection = inspected("few.ktx2");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(inspection, "training"), "shapes")), 2);
    json_decref(inspection);
    assert_int_equal(run("shadewood inspect few.ktx2 | grep -q 'sides up to 8;'").code, 0);
    assert_one_line(run(TRAIN "--shapes 65 -o x.ktx2"), 2, "--shapes", "64", NULL);
    assert_false(exists("x.ktx2"));
    need_device();
    assert_success(run("shadewood label few.ktx2 data/00.png -q -t cpu -o by-cpu -p npy"));
    assert_success(run("shadewood label few.ktx2 data/00.png -q -t fragment -o by-fragment -p npy"));
    assert_success(run("diff -r -x '*.json' by-cpu by-fragment"));
    assert_success(run(TRAIN "--shapes 2 -t compute -o by-compute.ktx2 && cmp few.ktx2 by-compute.ktx2"));
}

TESTING_CASE(flip_says_how_images_are_mirrored)
{
    const json_t *mirror;
    json_t *inspection;

    assert_success(run(TRAIN "--mirror -o mirror.ktx2"));
    assert_success(run(TRAIN "--flip images -o images.ktx2"));
    assert_success(run("cmp mirror.ktx2 images.ktx2"));
    assert_success(run(TRAIN "--flip paired -o paired.ktx2"));
    assert_int_not_equal(run("cmp -s paired.ktx2 images.ktx2").code, 0);
    inspection = inspected("paired.ktx2");
    mirror = json_object_get(json_object_get(inspection, "training"), "mirror");
    assert_string_equal(json_string_value(mirror), "paired");
    json_decref(inspection);
    assert_one_line(run(TRAIN "--flip paired --mirror -o x.ktx2"), 2, "exclude each other", NULL);
    assert_one_line(run(TRAIN "--flip both -o x.ktx2"), 2, "--flip", NULL);
    assert_false(exists("x.ktx2"));
}

/* What the trees say, one by one, at a pixel: the votes are those of their leaves. */
static void count_votes(const json_t *explained, json_int_t *votes)
{
    size_t t, c;
    json_t *tree, *value;

    json_array_foreach(json_object_get(explained, "trees"), t, tree)
    {
        size_t best = 0;
        json_t *distribution = json_object_get(tree, "distribution");
        json_array_foreach(distribution, c, value) if (json_integer_value(value) >
                                                       json_integer_value(json_array_get(distribution, best))) best = c;
        votes[best]++;
    }
}

TESTING_CASE(trees_vote_if_the_forest_or_the_option_says_so)
{
    json_t *mean, *vote;

    assert_success(run(TRAIN "-o mean.ktx2"));
    assert_success(run(TRAIN "--combine vote -o vote.ktx2"));
    mean = inspected("mean.ktx2");
    vote = inspected("vote.ktx2");
    assert_string_equal(json_string_value(json_object_get(mean, "combine")), "mean");
    assert_string_equal(json_string_value(json_object_get(vote, "combine")), "vote");
    assert_false(json_equal(json_object_get(mean, "hash"), json_object_get(vote, "hash")));
    assert_non_null(strstr(run("shadewood inspect vote.ktx2").out, "combined by   vote"));
    json_decref(mean);
    json_decref(vote);
    assert_success(run("shadewood label -q -t cpu -p npy --no-overlay mean.ktx2 data/00.png -o by-mean"));
    assert_success(run("shadewood label -q -t cpu -p npy --no-overlay vote.ktx2 data/00.png -o by-vote"));
    assert_success(
        run("shadewood label -q -t cpu -p npy --no-overlay --combine vote mean.ktx2 data/00.png -o as-vote"));
    assert_success(
        run("shadewood label -q -t cpu -p npy --no-overlay --combine mean vote.ktx2 data/00.png -o as-mean"));
    assert_success(run("diff -r by-vote as-vote && diff -r by-mean as-mean"));
    assert_int_not_equal(run("diff -rq by-vote by-mean").code, 0);
    for (int x = 3; x < 48; x += 9) {
        json_int_t votes[3] = {0};
        struct run result = run("shadewood explain --json --combine vote mean.ktx2 data/00.png %d 17", x);
        json_t *explained = parse_json(result.out);
        count_votes(explained, votes);
        for (size_t c = 0; c < 3; c++)
            assert_int_equal(json_integer_value(json_array_get(json_object_get(explained, "distribution"), c)),
                             votes[c] * 65535 / 3);
        json_decref(explained);
    }
    mean = parse_json(run("shadewood evaluate -q -d data " PATTERNS " -t cpu --json --combine vote mean.ktx2").out);
    vote = parse_json(run("shadewood evaluate -q -d data " PATTERNS " -t cpu --json vote.ktx2").out);
    assert_non_null(json_object_get(mean, "confusion"));
    assert_true(json_equal(json_object_get(mean, "confusion"), json_object_get(vote, "confusion")));
    json_decref(mean);
    json_decref(vote);
}

TESTING_CASE(ferns_are_trained_and_recognised)
{
    json_t *ferns, *trees, *explained;

    assert_success(run(TRAIN "--ferns -o ferns.ktx2"));
    assert_success(run(TRAIN "--pool round -o trees.ktx2"));
    ferns = inspected("ferns.ktx2");
    trees = inspected("trees.ktx2");
    assert_true(json_is_true(json_object_get(ferns, "ferns")));
    assert_true(json_is_true(json_object_get(json_object_get(ferns, "training"), "ferns")));
    assert_string_equal(json_string_value(json_object_get(json_object_get(ferns, "training"), "pool")), "round");
    assert_true(json_is_boolean(json_object_get(trees, "ferns"))); /* a tree with a split per level is one, too */
    assert_null(json_object_get(json_object_get(trees, "training"), "ferns"));
    assert_non_null(strstr(run("shadewood inspect ferns.ktx2").out, "ferns: one test per level"));
    json_decref(ferns);
    json_decref(trees);
    explained = parse_json(run("shadewood explain --json ferns.ktx2 data/00.png 20 17").out);
    assert_int_equal(json_array_size(json_object_get(explained, "trees")), 3);
    json_decref(explained);
    assert_success(run("shadewood label -q -t cpu ferns.ktx2 data/00.png -o by-ferns"));
    assert_one_line(run("shadewood export --to curfil ferns.ktx2 -o out"), 1, "mean-difference", NULL);
}

TESTING_CASE(projects_do_not_vote)
{
    make_project("meadow.json", "data/00.png");
    assert_one_line(run("shadewood label --combine vote meadow.json data/00.png"), 2, "--combine is for forests", NULL);
}

TESTING_FIXTURE(prepare, NULL)
