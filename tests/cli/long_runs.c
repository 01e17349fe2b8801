/* Long training runs: killed at any moment, interrupted, resumed; their log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define DATA  "--data pairs --images '{}.png' --labels '{}_L.png' -t cpu --threads 1 "
#define TRAIN "train " DATA "--trees 6 --depth 7 --candidates 1000 --pixels 1000"

/* One that takes more than a minute for its first round. */
#define ENDLESS "train " DATA "--trees 1 --candidates 1048576 --pixels all --size 9 --channels wide"

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", 4);
    assert_success(run("shadewood " TRAIN " -o whole.ktx2 -q"));
    return 0;
}

static void assert_same_forest(const char *name)
{
    assert_success(run("cmp whole.ktx2 %s", name));
}

/* Kills it again and again, after times that grow until it can finish. In the foreground, timeout outlives the process
 * that it kills, and with it its lock. The status is the program's: without, one that ends by itself at the last moment
 * has that of a killed one's timeout. */
TESTING_CASE(test_killed_at_any_moment)
{
    struct testing_random random = {11};
    unsigned killed = 0, resumed = 0, attempts = 0;
    struct run result;

    do {
        unsigned patience = testing_random_below(&random, 40 * ++attempts);
        result = run("timeout --foreground --preserve-status -s KILL %u.%03u \"$SHADEWOOD_PROGRAM\" " TRAIN
                     " -o killed.ktx2 --checkpoint killed.part --checkpoint-every 0 --resume",
                     patience / 1000, patience % 1000 + 1);
        killed += result.code == 137;
        resumed += strstr(result.err, "resuming killed.part") != NULL;
    } while (result.code == 137 && attempts < 300);
    assert_success(result);
    assert_same_forest("killed.ktx2");
    assert_false(exists("killed.part"));
    assert_in_range(killed, 2, 300);
    assert_in_range(resumed, 1, 300);
}

/* The numbers of a member in all lines of one event, which are JSON; `last` becomes the last of them. */
static unsigned count_lines(const char *name, const char *event, const char *member, double *last)
{
    size_t size;
    char *bytes = file_bytes(name, &size);
    unsigned count = 0;

    assert_int_equal(bytes[size - 1], '\n');
    for (char *line = strtok(bytes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        json_t *object = json_loads(line, 0, NULL);
        if (object != NULL && strcmp(json_string_value(json_object_get(object, "event")), event) == 0) {
            count++;
            if (member != NULL)
                *last = json_number_value(json_object_get(object, member));
        }
        json_decref(object);
    }
    free(bytes);
    return count;
}

TESTING_CASE(test_interrupted_and_resumed)
{
    unsigned rounds = 0, ends = 0, interrupted = 0;
    double fraction, responses, seconds;
    struct run result;

    for (unsigned attempts = 1;; attempts++) {
        result = run("timeout --foreground --preserve-status -s INT %u.%03u \"$SHADEWOOD_PROGRAM\" " TRAIN
                     " -o stopped.ktx2 --checkpoint stopped.part --resume --log stopped.jsonl",
                     50 * attempts / 1000, 50 * attempts % 1000);
        if (exists("stopped.ktx2"))
            break;
        assert_true(result.code == 130 || is_for_windows()); /* Wine ends with 0 what has not begun */
        assert_true(attempts < 300);
        if (strstr(result.err, "interrupted; ") !=
            NULL) { /* else there was no round to finish: the images were being read */
            assert_non_null(strstr(result.err, "--resume continues from stopped.part"));
            assert_true(exists("stopped.part"));
            interrupted++;
            assert_success(run("printf '{\"event\": \"rou' >>stopped.jsonl")); /* as a kill might leave it */
        }
    }
    if (interrupted > 0)
        assert_non_null(strstr(result.err, "resuming stopped.part at tree"));
    assert_same_forest("stopped.ktx2");
    assert_false(exists("stopped.part"));
    assert_success(run("shadewood " TRAIN " -o logged.ktx2 --log logged.jsonl"));
    assert_int_equal(count_lines("logged.jsonl", "start", "resumed", &fraction), 1);
    rounds = count_lines("logged.jsonl", "round", "responses", &responses);
    assert_in_range(rounds, 4, 28);
    assert_int_equal(count_lines("logged.jsonl", "round", "fraction", &fraction), rounds);
    assert_true(fraction == 1);
    assert_int_equal(count_lines("logged.jsonl", "round", "seconds", &seconds), rounds);
    assert_int_equal(count_lines("logged.jsonl", "end", NULL, NULL), 1);
    /* Whole rounds were done each time, and so each stands there once. */
    assert_int_equal(count_lines("stopped.jsonl", "round", "responses", &fraction), rounds);
    assert_true(fraction == responses);
    ends = count_lines("stopped.jsonl", "end", NULL, NULL);
    assert_int_equal(ends, interrupted + 1);
    assert_int_equal(count_lines("stopped.jsonl", "checkpoint", NULL, NULL), interrupted);
}

/* The first waits for the round, the second does not. */
TESTING_CASE(test_a_second_signal_ends_at_once)
{
    struct run result =
        run("\"$SHADEWOOD_PROGRAM\" " ENDLESS " -o endless.ktx2 --checkpoint endless.part --log endless.jsonl & "
            "until grep -q start endless.jsonl; do sleep 0.05; done; sleep 0.1; "
            "kill -INT $!; sleep 0.3; kill -0 $! || exit 77; kill -INT $!; wait $!");

    assert_int_equal(result.code, 130);
    assert_false(exists("endless.part"));
    assert_false(exists("endless.ktx2"));
    /* Without a checkpoint there is nothing to wait for. */
    result = run("\"$SHADEWOOD_PROGRAM\" " ENDLESS " -o endless.ktx2 --log unkept.jsonl & "
                 "until grep -q start unkept.jsonl; do sleep 0.05; done; kill -INT $!; wait $!");
    assert_int_equal(result.code, 130);
    assert_success(run("! ls -a | grep endless.ktx2"));
}

TESTING_CASE(test_what_cannot_be_resumed)
{
    assert_int_equal(run("\"$SHADEWOOD_PROGRAM\" " TRAIN
                         " -o other.ktx2 --trees 4000 --checkpoint other.part --checkpoint-every 0 & "
                         "until test -e other.part; do sleep 0.05; done; kill -KILL $!; wait $!")
                         .code,
                     137);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --trees 4000 --checkpoint other.part"), 1,
                    "other.part exists", "--resume", NULL);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --trees 4000 --checkpoint other.part --resume --seed 5"), 1,
                    "other.part", "seed was 0 and is now 5", NULL);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --checkpoint whole.ktx2 --resume"), 1, "whole.ktx2",
                    "not a checkpoint", NULL);
    assert_true(exists("whole.ktx2"));
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --resume"), 2, "--resume needs --checkpoint", NULL);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --checkpoint-every 0"), 2,
                    "--checkpoint-every needs --checkpoint", NULL);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --checkpoint other.ktx2"), 2, "different files", NULL);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --checkpoint missing/other.part"), 1, "missing/other.part",
                    NULL);
    assert_one_line(run("shadewood " TRAIN " -o other.ktx2 --log missing/other.jsonl"), 1, "missing/other.jsonl", NULL);
    assert_success(run("shadewood inspect other.part"));
    assert_false(exists("other.ktx2"));
}

/* The same line as of any other command that reads it, without a word about replacing it; it stays as it is. */
static void refuses_damaged(const char *name, const char *bytes, size_t size, const char *part)
{
    char command[256];
    char *expected, *kept;
    size_t kept_size;
    struct run result;

    make_file(name, bytes, size);
    expected = strdup(run("shadewood inspect %s", name).err);
    snprintf(command, sizeof command, "shadewood " TRAIN " -o damaged.ktx2 --checkpoint %s --resume", name);
    result = run("%s", command);
    assert_one_line(result, 1, name, part, NULL);
    if (strstr(result.err, "not a checkpoint") == NULL) /* of those that are, the damage is reported */
        assert_string_equal(result.err, expected);
    result = run("%s --overwrite", command);
    assert_one_line(result, 1, name, part, NULL);
    kept = file_bytes(name, &kept_size);
    assert_int_equal(kept_size, size);
    assert_memory_equal(kept, bytes, size);
    assert_false(exists("damaged.ktx2"));
    free(kept);
    free(expected);
}

TESTING_CASE(test_damaged_checkpoints)
{
    size_t size;
    char *bytes = file_bytes("other.part", &size);

    refuses_damaged("cut.part", bytes, size / 2, "the file ends after");
    refuses_damaged("head.part", bytes, 100, "ends after");
    refuses_damaged("empty.part", bytes, 0, "ends after 0 bytes");
    bytes[size - 100] ^= 1;
    refuses_damaged("damaged.part", bytes, size, "checksum");
    refuses_damaged("text.part", "mine, and no checkpoint\n", 24, "text.part: this is not a checkpoint");
    free(bytes);
}

TESTING_CASE(test_without_a_checkpoint_training_begins)
{
    struct run result = run("shadewood " TRAIN " -o fresh.ktx2 --checkpoint fresh.part --resume");

    assert_success(result);
    assert_non_null(strstr(result.err, "there is no checkpoint fresh.part: starting from the beginning"));
    assert_same_forest("fresh.ktx2");
}

TESTING_FIXTURE(prepare, NULL)

/* The log of an earlier training stays as it is, and a refused training leaves none. */
TESTING_CASE(a_refused_training_does_not_touch_the_log)
{
    static const char *const refused[] = {"--memory 1K", "--levels 2 --trees 1"};
    struct run before;

    if (!exists("few"))
        make_data("few", 2);
    (void)run("rm -f log.jsonl few.ktx2");
    for (size_t r = 0; r < sizeof refused / sizeof *refused; r++) {
        assert_int_not_equal(run("shadewood train -d few --images {}.png --labels {}_L.png -t cpu -q --log log.jsonl "
                                 "%s -o few.ktx2",
                                 refused[r])
                                 .code,
                             0);
        assert_false(exists("log.jsonl"));
    }
    assert_success(run("shadewood train -d few --images {}.png --labels {}_L.png -t cpu --trees 1 --depth 2 -q "
                       "--log log.jsonl -o few.ktx2"));
    before = run("cat log.jsonl");
    assert_int_not_equal(run("shadewood train -d few --images {}.png --labels {}_L.png -t cpu -q --log log.jsonl "
                             "--memory 1K --overwrite -o few.ktx2")
                             .code,
                         0);
    assert_string_equal(run("cat log.jsonl").out, before.out);
}
