/* `train --levels` and what goes with it: the same as level by level, resumed at any level, looked at level by level.
 */
#include "program.h"

#include <stdio.h>
#include <string.h>

#define OPTIONS "-d scenes -t cpu --trees 4 --depth 6 --offset 8 --pixels 200 --channels rgb,log:1 -q "

static int prepare(void **state)
{
    (void)state;
    assert_success(run_blind("shadewood synth -q -o scenes --count 6 --size 48x40"));
    assert_success(run_blind("shadewood train " OPTIONS "--levels 2 --folds 3 -o two.ktx2"));
    return 0;
}

TESTING_CASE(levels_are_trained_one_by_one)
{
    assert_success(run("shadewood train " OPTIONS "--folds 3 -o one.ktx2"));
    assert_success(run("shadewood train " OPTIONS "--below one.ktx2 -o above.ktx2"));
    assert_success(run("cmp two.ktx2 above.ktx2"));
    assert_success(run("shadewood train " OPTIONS "--levels 2 --folds 3 --below-offset 3 --below-size 5 -o near.ktx2"));
    assert_success(run("shadewood train " OPTIONS "--folds 3 --offset 3 --size 5 --overwrite -o one.ktx2"));
    assert_success(run("shadewood train " OPTIONS "--below one.ktx2 --overwrite -o above.ktx2"));
    assert_success(run("cmp near.ktx2 above.ktx2"));
    assert_success(run("shadewood train " OPTIONS "--levels 2 --folds 2 --fold-run 3 -o runs.ktx2"));
    assert_success(run("shadewood inspect runs.ktx2 --level 1 --json | grep -q '\"fold_run\": *3'"));
    assert_success(run("shadewood train " OPTIONS "--folds 2 --levels 2 -o other.ktx2"));
    assert_int_equal(run("cmp -s two.ktx2 other.ktx2").code, 1);
    assert_success(run("shadewood train " OPTIONS "--levels 2 --folds 3 --threads 1 --memory 600M -o again.ktx2"));
    assert_success(run("cmp two.ktx2 again.ktx2"));
}

/* The level that is being trained is in the checkpoint with those below. Training takes longer until there is time to
 * interrupt it at the upper level. */
TESTING_CASE(training_is_resumed_at_its_level)
{
#define LONG "train " OPTIONS "--levels 2 --candidates %u --overwrite "
    uint32_t candidates = 500;

    do {
        candidates *= 4;
        assert_success(run("rm -f part.ktx2; \"$SHADEWOOD_PROGRAM\" " LONG
                           "--checkpoint part.ktx2 --checkpoint-every 0 -o resumed.ktx2 2> out & "
                           "pid=$!; "
                           "while kill -0 $pid 2> none && ! grep -q posterior part.ktx2 2> none; do sleep 0.02; done; "
                           "kill -TERM $pid; wait $pid; true",
                           candidates));
    } while (run("test -f part.ktx2").code != 0);
    assert_success(run("shadewood inspect part.ktx2 | grep -q 'levels  *2'"));
    assert_success(run("shadewood label part.ktx2 scenes/00001_colors.png -t cpu -q -o early"));
    assert_one_line(
        run("shadewood train " OPTIONS "--candidates %u --checkpoint part.ktx2 --resume -o no.ktx2", candidates), 1,
        "it is of level 2, but this training is of level 1", NULL);
    assert_one_line(run("shadewood train " OPTIONS "--below part.ktx2 -o no.ktx2"), 1, "part.ktx2 is a checkpoint",
                    NULL);
    assert_one_line(run("shadewood calibrate part.ktx2 -d scenes -q -o no.ktx2"), 1, "part.ktx2 is a checkpoint", NULL);
    assert_success(run("test ! -e no.ktx2"));
    assert_success(run("shadewood " LONG "--checkpoint part.ktx2 --resume -o resumed.ktx2", candidates));
    assert_success(run("shadewood " LONG "-o whole.ktx2", candidates));
    assert_success(run("cmp whole.ktx2 resumed.ktx2"));
}

TESTING_CASE(a_level_is_looked_at)
{
    assert_success(run("shadewood inspect two.ktx2 --json | grep -q '\"levels\": *2'"));
    assert_success(run("shadewood inspect two.ktx2 --level 1 | grep -q 'channels  *rgb,log:1, 4'"));
    assert_success(run("shadewood explain two.ktx2 scenes/00001_colors.png 9 9 | grep -q posterior-"));
    assert_int_equal(run("shadewood explain --level 1 two.ktx2 scenes/00001_colors.png 9 9 | grep -q posterior-").code,
                     1);
    assert_success(run("shadewood evaluate -d scenes two.ktx2 -t cpu -q"));
    assert_one_line(run("shadewood inspect two.ktx2 --level 3"), 2, "levels 1 to 2", NULL);
    assert_success(run("shadewood train " OPTIONS "-o plain.ktx2"));
    assert_one_line(run("shadewood explain --level 2 plain.ktx2 scenes/00001_colors.png 9 9"), 2, "one level", NULL);
}

TESTING_CASE(levels_are_refused)
{
    assert_one_line(run("shadewood train " OPTIONS "--levels 9 -o no.ktx2"), 2, "--levels", NULL);
    assert_one_line(run("shadewood train " OPTIONS "--levels 2 --folds 5 -o no.ktx2"), 1, "5 folds of 4 trees", NULL);
    assert_one_line(run("shadewood train " OPTIONS "--levels 2 --same-samples -o no.ktx2"), 2, "--same-samples", NULL);
    assert_one_line(run("shadewood train " OPTIONS "--levels 2 --below two.ktx2 -o no.ktx2"), 2, "--below", NULL);
    assert_one_line(run("shadewood train " OPTIONS "--below scenes/palette.json -o no.ktx2"), 1, "not a KTX2 file",
                    NULL);
    assert_one_line(run("shadewood train " OPTIONS "--below no.ktx2 -o no2.ktx2"), 1, "cannot open no.ktx2", NULL);
    assert_one_line(run("shadewood train meadow.json --levels 2 -o no.ktx2"), 2,
                    "a project says itself how many levels", NULL);
    assert_one_line(run("shadewood train -d scenes --channels rgb,posterior:0 -q -o no.ktx2"), 1, "are added", NULL);
}

TESTING_FIXTURE(prepare, NULL)
