/* `--smooth` of label and evaluate: the same by every technique and in tiles, other labels than without, and a
 * project's journal that knows it. */
#include "program.h"

#include <stdio.h>
#include <string.h>

static int prepare(void **state)
{
    (void)state;
    assert_success(run_blind("shadewood synth -q -o scenes --count 6 --size 48x40"));
    assert_success(run_blind("shadewood train -q --data scenes -t cpu --trees 3 --depth 6 --offset 8 -o scenes.ktx2"));
    return 0;
}

static void assert_alike(const char *one, const char *other, bool alike)
{
    assert_int_equal(run("cmp -s %s/00001_colors_labels.png %s/00001_colors_labels.png && "
                         "cmp -s %s/00001_colors_probabilities.npy %s/00001_colors_probabilities.npy",
                         one, other, one, other)
                         .code,
                     alike ? 0 : 1);
}

#define LABEL "shadewood label -q scenes.ktx2 scenes/00001_colors.png -p npy "

TESTING_CASE(labels_are_smoothed_by_every_technique)
{
    assert_success(run(LABEL "-t cpu -o plain"));
    assert_success(run(LABEL "-t cpu -o cpu --smooth 9"));
    assert_success(run(LABEL "-t fragment -o fragment --smooth 9 --threads 1"));
    assert_success(run(LABEL "-t compute -o compute --smooth 9 --max-tile 44x40"));
    assert_success(run(LABEL "-t cpu -o weaker --smooth 9 --smooth-epsilon 900"));
    assert_success(run(LABEL "-t cpu -o zero --smooth 0"));
    assert_alike("plain", "zero", true);
    assert_alike("plain", "cpu", false);
    assert_alike("cpu", "fragment", true);
    assert_alike("cpu", "compute", true);
    assert_alike("cpu", "weaker", false);
}

TESTING_CASE(evaluation_counts_smoothed_labels)
{
    char plain[128];
    struct run result = run("shadewood evaluate -q -d scenes scenes.ktx2 -t cpu | grep '^mean IoU'");

    assert_success(result);
    snprintf(plain, sizeof plain, "%s", result.out);
    result =
        run("shadewood evaluate -q -d scenes scenes.ktx2 -t cpu --smooth 12 --smooth-epsilon 20 | grep '^mean IoU'");
    assert_success(result);
    assert_string_not_equal(plain, result.out);
}

TESTING_CASE(wrong_values_are_refused)
{
    assert_one_line(run(LABEL "-o no --smooth 121"), 2, "--smooth", NULL);
    assert_one_line(run(LABEL "-o no --smooth 8 --smooth-epsilon 0"), 2, "--smooth-epsilon", NULL);
    assert_one_line(run(LABEL "-o no --smooth-epsilon 7"), 2, "--smooth-epsilon needs --smooth", NULL);
    assert_one_line(run("shadewood evaluate -d scenes scenes.ktx2 --smooth-epsilon 7"), 2,
                    "--smooth-epsilon needs --smooth", NULL);
}

/* Images are labelled again if smoothing was another one. */
TESTING_CASE(a_project_is_labelled_again)
{
    make_data("pairs", 2);
    make_project("meadow.json", "pairs/00.png");
    assert_success(run_blind("rm -f pairs/*_L.png && shadewood label -q -t cpu meadow.json pairs -o meadow"));
    assert_non_null(strstr(run("shadewood label -t cpu meadow.json pairs -o meadow 2>&1").out, "2 were up to date"));
    assert_null(strstr(run("shadewood label -t cpu meadow.json pairs -o meadow --smooth 4 2>&1").out, "up to date"));
    assert_non_null(
        strstr(run("shadewood label -t cpu meadow.json pairs -o meadow --smooth 4 2>&1").out, "2 were up to date"));
}

TESTING_FIXTURE(prepare, NULL)
