/* Sharp's head tracking on rendered sequences: a forest finds the person among figures by motion, and not without. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/dataset/dataset.h"
#include "program.h"

enum { FRAMES = 6, COUNT = 12 * FRAMES };

static int prepare(void **state)
{
    static const char synth[] = "shadewood synth --scene heads --size 80x60 --frames 6 --noise 10 -q";

    (void)state;
    assert_success(run("%s -o scenes --count 360 && %s -o held-out --count %d --seed 5000", synth, synth, COUNT));
    return 0;
}

/* The forest's accuracy on the sequences that it has not seen. */
static json_t *train(const char *forest, const char *channels)
{
    struct run result;

    assert_success(run("shadewood train --data scenes --split scenes/sequences.txt --channels %s --trees 3 --depth 10 "
                       "--pixels 150 --candidates 60 --offset 30 --size 21 --single 50 --score gini "
                       "--weights inverse-root --technique cpu -q -o %s",
                       channels, forest));
    result = run("shadewood evaluate --data held-out --split held-out/sequences.txt %s -t cpu -q --json", forest);
    assert_success(result);
    return parse_json(result.out);
}

static double head_iou(const json_t *accuracy)
{
    const json_t *head = json_array_get(json_object_get(accuracy, "classes"), 1);

    assert_string_equal(json_string_value(json_object_get(head, "name")), "head");
    return json_real_value(json_object_get(head, "iou"));
}

/* The share of frames, in percent, in which scripts/track_heads.py says that the head was found. */
static double tracked(const char *forest, const char *frames, const char *labels)
{
    struct run result;
    const char *share;

    for (int first = 0; first < COUNT; first += FRAMES)
        assert_success(
            run("shadewood label %s %s -t cpu -q --no-overlay -o %s $(seq -f 'held-out/%%05g_colors.png' %d %d)",
                frames, forest, labels, first, first + FRAMES - 1));
    result = run("%s held-out %s --side 12", TRACK_HEADS, labels);
    assert_success(result);
    share = strstr(result.out, "pixels, ");
    assert_non_null(share);
    assert_non_null(strstr(share, " % within the head"));
    return atof(share + strlen("pixels, "));
}

TESTING_CASE(motion_finds_the_head)
{
    json_t *without = train("still.ktx2", "dx:2,dy:2"), *with = train("motion.ktx2", "dx:2,dy:2,dt,dt-gradient");

    assert_true(head_iou(with) > 2 * head_iou(without));
    assert_true(json_real_value(json_object_get(with, "mean_iou")) >
                json_real_value(json_object_get(without, "mean_iou")) + 0.1);
    assert_true(json_real_value(json_object_get(with, "pixel_accuracy")) >
                json_real_value(json_object_get(without, "pixel_accuracy")) + 0.04);
    json_decref(with);
    json_decref(without);
    assert_true(tracked("motion.ktx2", "--frames", "with") > tracked("still.ktx2", "", "without") + 15);
}

/* Each frame comes with the one before it, and the first of a sequence with none. */
TESTING_CASE(no_difference_crosses_a_sequence)
{
    char split[640], root[600];
    const char *splits = split;
    struct testing_log memory = {0};
    struct shw_dataset_params params = {.root = root,
                                        .layout = SHW_DATASET_CURFIL,
                                        .splits = &splits,
                                        .split_count = 1,
                                        .with_previous = true,
                                        .log = testing_log(&memory)};
    struct shw_dataset set = {0};

    snprintf(root, sizeof root, "%s", testing_path("work/held-out"));
    snprintf(split, sizeof split, "%s/sequences.txt", root);
    assert_int_equal(shw_dataset_open(&params, &set), SHW_OK);
    assert_int_equal(set.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct shw_labelled_image frame, before;
        const struct shw_input *previous;

        assert_int_equal(set.read(set.user, i, &frame), SHW_OK);
        previous = shw_inputs_find(&frame.inputs, SHW_PREVIOUS);
        assert_int_equal(previous != NULL, i % FRAMES != 0);
        if (previous != NULL) {
            assert_int_equal(set.read(set.user, i - 1, &before), SHW_OK);
            assert_memory_equal(previous->image.pixels, before.image.pixels, 3 * 80 * 60);
            set.release(set.user, &before);
        }
        set.release(set.user, &frame);
    }
    shw_dataset_close(&set);
}

TESTING_FIXTURE(prepare, NULL)
