/* `--smooth` of train, label, evaluate and explain: the same by every technique and in tiles, other labels than
 * without, and a project's journal that knows it. */
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
    need_device();
    assert_success(run(LABEL "-t cpu -o plain"));
    assert_success(run(LABEL "-t cpu -o cpu --smooth 9"));
    assert_success(run(LABEL "-t fragment -o fragment --smooth 9 --threads 1"));
    assert_success(run(LABEL "-t compute -o compute --smooth 9"));
    assert_one_line(run(LABEL "-t compute -o no --smooth 9 --max-tile 44x40"), 1, "too small",
                    "a reach of 44 pixels, smoothing included", NULL);
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

/* A forest trained with --smooth differs from one without in what it labels alone. */
TESTING_CASE(forests_keep_their_smoothing)
{
#define TRAIN  "shadewood train -q --data scenes -t cpu --trees 3 --depth 6 --offset 8 "
#define STORED "shadewood label -q smooth.ktx2 scenes/00001_colors.png -p npy "
    need_device();
    assert_success(run_blind(TRAIN "--smooth 9 -o smooth.ktx2"));
    assert_success(run("shadewood inspect smooth.ktx2 | grep 'smooths  *with radius 9, epsilon 7'"));
    assert_success(run(
        "shadewood inspect --json smooth.ktx2 | tr -d ' \\n' | grep -q '\"smoothing\":{\"epsilon\":7,\"radius\":9}'"));
    assert_success(run(STORED "-o stored -t compute"));
    assert_success(run(STORED "-o not --smooth 0"));
    assert_success(run(STORED "-o other --smooth 9 --smooth-epsilon 900"));
    assert_success(run(LABEL "-t cpu -o plain2"));
    assert_success(run(LABEL "-t cpu -o cpu2 --smooth 9"));
    assert_success(run(LABEL "-t cpu -o weaker2 --smooth 9 --smooth-epsilon 900"));
    assert_alike("stored", "cpu2", true);
    assert_alike("not", "plain2", true);
    assert_alike("other", "weaker2", true);
    assert_int_equal(run("shadewood evaluate -q -d scenes smooth.ktx2 > a; "
                         "shadewood evaluate -q -d scenes smooth.ktx2 --smooth 0 > b; cmp -s a b")
                         .code,
                     1);
}

TESTING_CASE(explanations_say_what_smoothing_changed)
{
    const char *text;
    struct run result =
        run("shadewood explain scenes.ktx2 scenes/00001_colors.png 20 20 --smooth 9 --smooth-epsilon 30");

    assert_success(result);
    text = strstr(result.out, "smoothed with radius 9, epsilon 30: ");
    assert_non_null(text);
    assert_non_null(strstr(text, "% "));
    assert_non_null(strstr(text, "smoothed "));
    assert_success(run("shadewood explain scenes.ktx2 scenes/00001_colors.png 20 20 --smooth 9 --json | "
                       "tr -d ' \\n' | grep -q '\"epsilon\":7,\"radius\":9}'"));
    assert_null(strstr(run("shadewood explain scenes.ktx2 scenes/00001_colors.png 20 20").out, "smoothed"));
    assert_one_line(run("shadewood explain scenes.ktx2 scenes/00001_colors.png 2 2 --smooth-epsilon 7"), 2,
                    "--smooth-epsilon needs --smooth", NULL);
}

TESTING_CASE(wrong_values_are_refused)
{
    assert_one_line(run(LABEL "-o no --smooth 121"), 2, "--smooth", NULL);
    assert_one_line(run(LABEL "-o no --smooth 8 --smooth-epsilon 0"), 2, "--smooth-epsilon", NULL);
    assert_one_line(run(LABEL "-o no --smooth-epsilon 7"), 2, "--smooth-epsilon needs --smooth", NULL);
    assert_one_line(run("shadewood evaluate -d scenes scenes.ktx2 --smooth-epsilon 7"), 2,
                    "--smooth-epsilon needs --smooth", NULL);
    assert_one_line(run(TRAIN "-o no.ktx2 --smooth-epsilon 7"), 2, "--smooth-epsilon needs --smooth", NULL);
    assert_one_line(run(TRAIN "-o no.ktx2 --smooth 121"), 2, "--smooth", NULL);
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
