/* Processes that train one forest together: `mpirun shadewood train --mpi`. */
#include "cli/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAIN_WITH(program)                                                                                            \
    program " train -d data --images {}.png --labels {}_L.png --trees 7 --depth 4 --candidates 12 --pixels 60 "
#define ALONE TRAIN_WITH("shadewood")
#define TRAIN TRAIN_WITH("\"$SHADEWOOD_PROGRAM\"")

static void need_mpi(void)
{
    need_mpirun();
    if (!exists("data"))
        make_data("data", 7);
    (void)run("rm -rf *.ktx2 *.jsonl part other elsewhere");
}

static unsigned count_of(const char *text, const char *word)
{
    unsigned count = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

TESTING_CASE(any_number_of_ranks_trains_the_same_forest)
{
    static const unsigned counts[] = {1, 2, 3, 4, 7};
    static const char *const ways[] = {"", "--divide images --technique cpu", "--divide trees", "--divide images",
                                       "--divide candidates --technique cpu"};

    need_mpi();
    assert_success(run(ALONE "--technique cpu -o alone.ktx2"));
    assert_success(run(TRAIN "--technique cpu --mpi -o single.ktx2")); /* without mpirun */
    same_file("single.ktx2", "alone.ktx2");
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        const struct run said = run(RANKS TRAIN "%s --mpi --device cpu --overwrite -o ranks.ktx2", counts[c], ways[c]);
        assert_int_equal(said.code, 0);
        assert_int_equal(count_of(said.out, "ranks.ktx2: 7 trees"), 1);
        same_file("ranks.ktx2", "alone.ktx2");
    }
    for (unsigned ranks = 3; ranks <= 7; ranks += 4) {
        const char *way = ranks == 3 ? "trees" : "images";
        assert_success(run(RANKS TRAIN "--divide %s --mpi --device cpu --overwrite -q -o ranks.ktx2", ranks, way));
        same_file("ranks.ktx2", "alone.ktx2");
    }
}

TESTING_CASE(each_rank_has_its_device)
{
    need_mpi();
    need_device();
    assert_success(run(ALONE "--technique cpu -o alone.ktx2"));
    for (unsigned way = 0; way < 2; way++) {
        assert_int_equal(run(RANKS TRAIN
                             "--mpi --divide %s --device cpu,0 --overwrite --log log.jsonl -q -o ranks.ktx2",
                             2, way == 0 ? "images" : "candidates")
                             .code,
                         0);
        same_file("ranks.ktx2", "alone.ktx2");
    }
    assert_non_null(strstr(run("cat log.jsonl").out, "\"ranks\":2"));
}

/* Levels, folds, out-of-bag accuracy, parts of forests and the strokes of projects. */
TESTING_CASE(every_kind_of_training_is_the_same)
{
    static const char *const kinds[] = {"--levels 2 --folds 2 --trees 2", "--out-of-bag --images-percent 50 --trees 3",
                                        "--sampling class-uniform --trees 2 --flip paired", "--ferns --trees 2"};

    need_mpi();
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        assert_success(run(ALONE "%s --device cpu --overwrite -o alone.ktx2", kinds[k]));
        for (unsigned way = 0; way < 2; way++) {
            const char *divide = way == 0 ? "images" : "candidates";
            assert_int_equal(
                run(RANKS TRAIN "%s --mpi --divide %s --device cpu --overwrite -q -o ranks.ktx2", 3, kinds[k], divide)
                    .code,
                0);
            same_file("ranks.ktx2", "alone.ktx2");
        }
    }
    assert_success(run(ALONE "--trees 3 --folds 3 --device cpu -o below.ktx2"));
    for (unsigned k = 0; k < 2; k++) {
        const char *of_trees = k == 0 ? "--first-tree 5" : "--below below.ktx2";
        assert_success(run(ALONE "%s --device cpu --overwrite -o alone.ktx2", of_trees));
        assert_int_equal(
            run(RANKS TRAIN "%s --divide trees --mpi --device cpu --overwrite -q -o ranks.ktx2", 3, of_trees).code, 0);
        same_file("ranks.ktx2", "alone.ktx2");
    }
    make_project("taught.json", "data/00.png");
    assert_success(run("shadewood train taught.json --device cpu --overwrite -o alone.ktx2"));
    for (unsigned way = 0; way < 2; way++) {
        assert_int_equal(run(RANKS
                             "\"$SHADEWOOD_PROGRAM\" train taught.json --mpi --divide %s --device cpu --overwrite "
                             "-q -o ranks.ktx2",
                             2, way == 0 ? "candidates" : "trees")
                             .code,
                         0);
        same_file("ranks.ktx2", "alone.ktx2");
    }
    assert_int_equal(
        run(RANKS "\"$SHADEWOOD_PROGRAM\" train taught.json --mpi --divide images --device cpu -q -o no.ktx2", 2).code,
        1); /* strokes are parts of pictures */
    assert_false(exists("no.ktx2"));
}

/* Forests of records, by all ranks, with a checkpoint of another number of them. */
TESTING_CASE(records_are_trained_by_ranks)
{
    struct testing_random random = {3};
    char table[9000];
    size_t length = (size_t)snprintf(table, sizeof table, "a,b,c,d,class\n");

    need_mpi();
    for (uint32_t r = 0; r < 300; r++) {
        const uint32_t a = testing_random_below(&random, 100), b = testing_random_below(&random, 100);
        length += (size_t)snprintf(table + length, sizeof table - length, "%u,%u,%u,%u,%s\n", a, b,
                                   testing_random_below(&random, 9), testing_random_below(&random, 5),
                                   a + b > 90 ? "much" : "little");
    }
    make_file("table.csv", table, length);
    assert_success(run("shadewood train-records table.csv --trees 5 --attributes all --technique cpu -o alone.ktx2"));
    for (unsigned ranks = 1; ranks <= 4; ranks++) {
        const struct run said = run(RANKS "\"$SHADEWOOD_PROGRAM\" train-records table.csv --trees 5 --attributes all "
                                          "--technique cpu --mpi -o ranks.ktx2",
                                    ranks);
        if (said.code != 0)
            fail_msg("%u ranks: %s", ranks, said.err);
        assert_int_equal(count_of(said.out, "ranks.ktx2: 5 trees"), 1);
        same_file("ranks.ktx2", "alone.ktx2");
    }
    assert_int_equal(run(RANKS "\"$SHADEWOOD_PROGRAM\" train-records table.csv -q -o refused.ktx2", 2).code, 2);
    assert_int_equal(run(RANKS "\"$SHADEWOOD_PROGRAM\" train-records - --mpi -q -o refused.ktx2 <table.csv", 2).code,
                     2);
    assert_false(exists("refused.ktx2"));
}

/* What a rank sends to each other in a round, by docs/ranks.md: of training with 3 classes, 32 bins and 12 candidates,
 * which are one block. */
static json_int_t bytes_of_round(const json_t *round, bool images, json_int_t ranks)
{
    const json_int_t opens = json_integer_value(json_object_get(round, "open_nodes"));
    const json_int_t classes = json_integer_value(json_object_get(round, "open_classes"));
    const json_int_t values = (2 * opens * 12 + ranks - 1) / ranks, share = (12 + ranks - 1) / ranks;
    json_int_t bytes = 56 + 40 * opens;

    if (images)
        bytes += 2 * (16 + 4 * values) + 16 + 4 * share * 32 * classes + 16 + 4 * 2 * opens * 3;
    return bytes;
}

/* Before the first round, of 7 images; and at the root of each of 7 trees. */
static json_int_t bytes_of_beginnings(json_int_t ranks)
{
    const json_int_t images = (7 + ranks - 1) / ranks, of_image = 88;

    return 16 + 20 + 16 + 8 * 3 + images * (of_image + 4) + 7 * (16 + 4 * 3);
}

/* What each rank sends is what docs/ranks.md says. */
TESTING_CASE(as_many_bytes_are_sent_as_the_manual_says)
{
    need_mpi();
    for (unsigned turn = 0; turn < 5; turn++) {
        const bool images = turn > 0;
        const unsigned ranks = turn < 2 ? 2 : turn + 1 + turn / 4 * 2; /* 2, 2, 3, 4, 7 */
        json_int_t expected = images ? bytes_of_beginnings(ranks) : 0, counted = 0;
        struct run log;
        assert_int_equal(run(RANKS TRAIN "--mpi --divide %s --device cpu --log log.jsonl --overwrite -q -o ranks.ktx2",
                             ranks, images ? "images" : "candidates")
                             .code,
                         0);
        log = run("cat log.jsonl; rm log.jsonl");
        for (char *line = strtok(log.out, "\n"); line != NULL; line = strtok(NULL, "\n")) {
            json_t *object = parse_json(line);
            if (strcmp(json_string_value(json_object_get(object, "event")), "round") == 0)
                expected += bytes_of_round(object, images, ranks);
            counted += json_integer_value(json_object_get(object, "rank_bytes"));
            json_decref(object);
        }
        if (expected != counted)
            fail_msg("%u ranks that divide %s: %lld bytes, not %lld", ranks, images ? "images" : "candidates",
                     (long long)counted, (long long)expected);
    }
}

static void refuse(unsigned ranks, const char *options, int code, const char *words)
{
    const struct run said = run(RANKS TRAIN "%s -q -o refused.ktx2", ranks, options);

    if (said.code != code || count_of(said.err, words) != 1)
        fail_msg("%d, not %d and once '%s': %s", said.code, code, words, said.err);
    assert_false(exists("refused.ktx2"));
}

TESTING_CASE(what_ranks_cannot_do_is_refused_once)
{
    need_mpi();
    refuse(2, "--device cpu", 2, "let them train together with --mpi");
    refuse(3, "--mpi --device cpu --candidates 2", 2, "--candidates 2 is fewer");
    refuse(3, "--mpi --device cpu --divide trees --trees 2", 1, "3 ranks divide the trees, and there are 2");
    refuse(8, "--mpi --device cpu --divide images", 1, "7 images cannot be divided among 8 workers");
    refuse(2, "--mpi --divide trees --out-of-bag --images-percent 50", 2, "exclude each other");
    refuse(3, "--mpi --device cpu -d nowhere", 1, "nowhere");
}

/* A shell line that changes what rank 1 does. */
#define RANK_1_FIRST(line) "sh -c 'if [ $OMPI_COMM_WORLD_RANK = 1 ]; then " line "; fi; exec \"$@\"' sh "

/* Only one rank fails; it says why, and all end. */
TESTING_CASE(a_rank_that_fails_ends_all)
{
    struct run said;

    need_mpi();
    assert_success(run("cp -r data other && rm -r other/00.png && cp other/01.png other/00.png && mkdir elsewhere"));
    said = run("here=$PWD; " RANKS RANK_1_FIRST("cd elsewhere") TRAIN "--mpi --device cpu -q -o $here/failed.ktx2", 3);
    assert_int_not_equal(said.code, 0);
    assert_int_equal(count_of(said.err, "rank 1: shadewood: "), 1);
    assert_int_equal(count_of(said.err, "rank 2: "), 0);
    said = run("mkdir elsewhere/data && cp other/* elsewhere/data; here=$PWD; " RANKS RANK_1_FIRST("cd elsewhere") TRAIN
               "--mpi --device cpu -q -o $here/failed.ktx2",
               3);
    assert_int_not_equal(said.code, 0);
    assert_non_null(strstr(said.err, "trains another forest"));
    assert_false(exists("failed.ktx2"));
}

/* Waits until the log has so many rounds of training, or mpirun, `$m`, has ended. */
#define AFTER_ROUNDS                                                                                                   \
    "until [ $(grep -c round log.jsonl 2>/dev/null || true) -ge %u ] || ! kill -0 $m 2>/dev/null; do sleep 0.02; "     \
    "done; "

/* Ends at a round and continues with other ranks, another technique, or none: always the same forest. */
TESTING_CASE(ranks_are_killed_and_others_continue)
{
    static const char *const signals[] = {"KILL", "KILL", "TERM"};
    const unsigned turns = testing_is_slow() ? 30 : 3;
    struct testing_random random = {11};
    unsigned broken = 0;

    need_mpi();
    assert_success(run(ALONE "--depth 8 --trees 12 --candidates 300 --device cpu -o alone.ktx2"));
    for (unsigned turn = 0; turn < turns; turn++) {
        const unsigned ranks = 2 + testing_random_below(&random, 3), victim = testing_random_below(&random, ranks);
        const unsigned rounds = 1 + testing_random_below(&random, 40), next = testing_random_below(&random, 5);
        const char *before = testing_random_below(&random, 2) == 0 ? "images" : "candidates";
        const char *after = testing_random_below(&random, 2) == 0 ? "images" : "candidates";
        struct run said =
            run("rm -f log.jsonl ranks.ktx2; " RANKS TRAIN "--depth 8 --trees 12 --candidates 300 --mpi --divide %s "
                "--device cpu --checkpoint part --checkpoint-every 0 "
                "--resume --log log.jsonl -o ranks.ktx2 & m=$!; " AFTER_ROUNDS
                "kill -%s $(pgrep -P $m | sed -n %up) 2>/dev/null; wait $m",
                ranks, before, rounds, signals[turn % 3], victim + 1);
        broken += said.code != 0;
        if (said.code != 0 && said.err[0] == '\0')
            fail_msg("%u of %u ended without a message", victim, ranks);
        if (said.code == 0)
            same_file("ranks.ktx2", "alone.ktx2");
        if (next == 0)
            said = run(ALONE "--depth 8 --trees 12 --candidates 300 --device cpu --checkpoint part --resume "
                             "--overwrite -o ranks.ktx2");
        else
            said =
                run(RANKS TRAIN
                    "--depth 8 --trees 12 --candidates 300 --mpi --divide %s --device cpu --checkpoint part --resume "
                    "--overwrite -o ranks.ktx2",
                    next, after);
        if (said.code != 0)
            fail_msg("turn %u: %s", turn, said.err);
        same_file("ranks.ktx2", "alone.ktx2");
        assert_false(exists("part"));
    }
    assert_true(broken > 0);
}

/* Rank 0 is told to end while another one does not answer: the checkpoint is there, and continues alone. */
TESTING_CASE(an_interruption_leaves_a_checkpoint)
{
    struct run said;

    need_mpi();
    assert_success(run(ALONE "--depth 8 --trees 60 --candidates 300 --device cpu -o alone.ktx2"));
    said = run(RANKS TRAIN "--depth 8 --trees 60 --candidates 300 --mpi --device cpu --checkpoint part --log log.jsonl "
                           "-o ranks.ktx2 & m=$!; " AFTER_ROUNDS
                           "kill -STOP $(pgrep -P $m | sed -n 2p); kill -TERM $(pgrep -P $m | sed -n 1p); wait $m",
               3, 2);
    assert_int_not_equal(said.code, 0);
    assert_int_equal(count_of(said.err, "interrupted; the same command with --resume continues from part"), 1);
    assert_true(exists("part"));
    assert_false(exists("ranks.ktx2"));
    assert_success(
        run(ALONE "--depth 8 --trees 60 --candidates 300 --device cpu --checkpoint part --resume -o ranks.ktx2"));
    same_file("ranks.ktx2", "alone.ktx2");
}
