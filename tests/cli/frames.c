/* Frames of videos on the command line: which one is the previous frame, and what is said if there is none. */
#include <string.h>

#include "program.h"

#define LABEL "shadewood label dt.ktx2 -q --no-overlay "

/* Four frames and a forest of motion. */
static int prepare(void **state)
{
    (void)state;
    assert_success(run("shadewood synth -o clip -n 4 --frames 4 --size 40x30 --scene heads"));
    assert_success(run("shadewood train --data clip --split clip/sequences.txt --channels dt,rgb --trees 2 --depth 5 "
                       "--candidates 50 --pixels all --technique cpu -q -o dt.ktx2"));
    assert_success(run("mkdir a b && cp clip/00000_colors.png a/0.png && cp clip/00001_colors.png a/1.png && "
                       "cp clip/00002_colors.png b/2.png"));
    assert_success(run(LABEL "b/2.png -o alone"));
    assert_success(run(LABEL "--frames clip/*_colors.png -o video"));
    assert_int_equal(run("cmp -s alone/2_labels.png video/00002_colors_labels.png").code, 1);
    return 0;
}

TESTING_CASE(test_folders_are_videos)
{
    assert_success(run(LABEL "--frames a b -o folders"));
    assert_success(run("cmp folders/1_labels.png video/00001_colors_labels.png"));
    assert_success(run("cmp folders/2_labels.png alone/2_labels.png"));
}

/* Depth and labels of CURFIL's layout are no frames. */
TESTING_CASE(test_folders_of_a_data_set_have_other_files)
{
    assert_success(run(LABEL "--frames clip -o layout"));
    assert_success(run("diff -r layout video"));
}

TESTING_CASE(test_training_without_sequences_warns)
{
    static const char train[] = "shadewood train --data clip --channels dt --trees 1 --depth 2 -t cpu -o t.ktx2";
    struct run result = run("%s", train);

    assert_success(result);
    assert_non_null(strstr(result.err, "no example of clip has a previous frame"));
    result = run("%s --split clip/sequences.txt", train);
    assert_success(result);
    assert_null(strstr(result.err, "previous frame"));
    result = run("shadewood evaluate --data clip dt.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.err, "no example of clip has a previous frame"));
}

/* Not the frame before the one that is missing. */
TESTING_CASE(test_an_unreadable_frame_leaves_a_gap)
{
    assert_success(run("mkdir gap && cp a/0.png gap/0.png && head -c 200 a/1.png >gap/1.png && cp b/2.png gap/2.png"));
    assert_one_line(run(LABEL "--frames gap -o out"), 1, "gap/1.png", NULL);
    assert_success(run("cmp out/2_labels.png alone/2_labels.png"));
}

TESTING_CASE(test_another_size_begins_anew)
{
    assert_success(run("shadewood synth -o small -n 2 --frames 2 --size 20x16 --scene heads"));
    assert_success(run("mkdir sizes && cp a/0.png sizes/0.png && cp small/00000_colors.png sizes/1.png && "
                       "cp small/00001_colors.png sizes/2.png"));
    assert_one_line(run(LABEL "--frames sizes -o sized"), 1, "sizes/1.png: the frame has 20 x 16 pixels", "40 x 30",
                    NULL);
    assert_success(run(LABEL "--frames small/*_colors.png -o small_video"));
    assert_success(run("cmp sized/2_labels.png small_video/00001_colors_labels.png"));
}

TESTING_CASE(test_nothing_is_given_twice)
{
    assert_one_line(run(LABEL "--frames --input 'previous=a/0.png' a/1.png"), 2, "given twice", NULL);
}

TESTING_CASE(test_missing_motion_is_told)
{
    struct run result = run("shadewood label dt.ktx2 a/1.png -o still");

    assert_success(result);
    assert_non_null(strstr(result.err, "without --frames all motion is zero"));
    result = run("shadewood explain dt.ktx2 a/1.png 3 4");
    assert_success(result);
    assert_non_null(strstr(result.err, "without --input previous=FILE all motion is zero"));
    result = run("shadewood explain dt.ktx2 a/1.png 3 4 --input previous=a/0.png");
    assert_success(result);
    assert_null(strstr(result.err, "motion"));
}

TESTING_FIXTURE(prepare, NULL)
