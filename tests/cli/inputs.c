/* Sequences and other inputs besides the image, and synthetic data, from `synth` to `label`. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUICK "--trees 2 --depth 3 --candidates 20 --pixels 100 --offset 10 --size 9"

/* Frames of scenes are sequences, so that forests of motion can be trained on them. */
static int prepare(void **state)
{
    (void)state;
    make_data("data", 1);
    return 0;
}

TESTING_CASE(test_frames_are_sequences)
{
    static const char train[] = "shadewood train --data clips --channels dt,rgb --trees 1 --depth 3 --candidates 20 "
                                "--technique cpu";
    char *first, *second;
    size_t first_size, second_size;

    assert_success(run("shadewood synth -o clips -n 5 --frames 3 --size 40x30"));
    assert_success(run("printf -- '---\\n00000\\n00001\\n00002\\n---\\n00003\\n00004\\n' >expected; grep -v '^#' "
                       "clips/sequences.txt | diff expected -"));
    assert_success(run("%s --split clips/sequences.txt -o moving.ktx2", train));
    assert_success(run("%s -o still.ktx2", train));
    first = file_bytes("moving.ktx2", &first_size);
    second = file_bytes("still.ktx2", &second_size);
    assert_true(first_size != second_size || memcmp(first, second, first_size) != 0);
    free(first);
    free(second);
}

/* Other inputs by pattern, and the frame before from the order of the images. */
TESTING_CASE(test_inputs_are_read)
{
    static const char pairs[] = "--images '{}_colors.png' --labels '{}_ground_truth.png' --data clips";
    static const char colours[] = "clips/00000_colors.png clips/00001_colors.png clips/00002_colors.png -q";
    static const char few[] = "--trees 1 --depth 3 --candidates 20 --technique cpu -q";

    assert_success(run("shadewood synth -o clips -n 5 --frames 3 --size 40x30"));
    assert_success(
        run("shadewood train --data clips --channels dt,rgb %s --split clips/sequences.txt -o moving.ktx2", few));
    assert_success(
        run("shadewood train %s --input 'depth={}_depth.png' --channels depth,rgb %s -o pairs.ktx2 && "
            "shadewood train --data clips --channels depth,rgb %s -o curfil.ktx2 && cmp pairs.ktx2 curfil.ktx2",
            pairs, few, few));
    assert_success(run("shadewood evaluate moving.ktx2 --data clips --split clips/sequences.txt -q"));
    assert_success(run("shadewood label moving.ktx2 %s -o still --no-overlay", colours));
    assert_success(run("shadewood label moving.ktx2 %s -o frames --no-overlay --frames", colours));
    assert_success(run("cmp still/00000_colors_labels.png frames/00000_colors_labels.png"));
    assert_int_equal(run("cmp -s still/00001_colors_labels.png frames/00001_colors_labels.png").code, 1);
    assert_success(run("mkdir before && cp clips/00000_colors.png before/00001_colors.png"));
    assert_success(
        run("shadewood label moving.ktx2 clips/00001_colors.png -o named --input 'previous=before/{}.png' -q && "
            "cmp named/00001_colors_labels.png frames/00001_colors_labels.png"));
    assert_success(
        run("shadewood explain moving.ktx2 clips/00001_colors.png 3 4 --input previous=before/00001_colors.png"));
    assert_one_line(run("shadewood label moving.ktx2 clips/00001_colors.png --input 'infrared=before/{}.png'"), 1,
                    "infrared is not read", NULL);
    assert_one_line(run("shadewood label moving.ktx2 clips/00001_colors.png --input 'previous=after/{}.png'"), 1,
                    "after/00001_colors.png", NULL);
    assert_one_line(run("shadewood explain moving.ktx2 clips/00001_colors.png 3 4 --input previous=data/00.png"), 1,
                    "40 x 30 pixels, but its previous image data/00.png has 48 x 40", NULL);
    assert_one_line(run("shadewood label moving.ktx2 clips/00001_colors.png --input depth"), 2, "NAME=PATTERN", NULL);
    assert_one_line(run("shadewood label moving.ktx2 clips/00001_colors.png --input nir=a.png --input NIR=b.png"), 2,
                    "--input nir: there are two of this name", NULL);
    assert_one_line(run("shadewood train %s --input 'depth={}_depth.pgm' --channels depth %s -o x.ktx2", pairs, few), 1,
                    "_depth.pgm", NULL);
    assert_one_line(run("shadewood train %s --input 'depth={}_colors.png' --channels depth %s -o x.ktx2", pairs, few),
                    1, "16-bit grey", NULL);
    assert_success(
        run("shadewood train --data clips --input 'depth={}_depth.png' --channels depth,rgb %s -o named.ktx2 && "
            "cmp named.ktx2 curfil.ktx2",
            few));
}

/* In training and in evaluation, before the data set is opened: nothing is there. */
TESTING_CASE(test_unread_inputs_are_refused)
{
    assert_one_line(run("shadewood train --data nowhere --input 'ir={}_ir.png' --channels rgb -o x.ktx2"), 1,
                    "the input ir is not read by the channels rgb", NULL);
    assert_one_line(run("shadewood train --data nowhere --input 'depth={}_depth.png' -o x.ktx2"), 1,
                    "the input depth is not read by the channels winn16", NULL);
    assert_success(run("shadewood synth -o read -n 2 --size 40x30 && shadewood train -d read --channels rgb --trees 1 "
                       "--depth 2 -t cpu -q -o rgb.ktx2 && shadewood train -d read --channels depth --trees 1 "
                       "--depth 2 -t cpu -q -o depth.ktx2"));
    assert_one_line(run("shadewood evaluate -d nowhere --input 'depth={}_depth.png' rgb.ktx2"), 1,
                    "the input depth is not read by the forest", NULL);
    assert_one_line(run("shadewood evaluate -d nowhere --input 'ir={}_depth.png' rgb.ktx2 depth.ktx2"), 1,
                    "the input ir is not read by any of the forests", NULL);
    assert_success(run("shadewood evaluate -d read --input 'depth={}_depth.png' rgb.ktx2 depth.ktx2 -t cpu -q"));
}

/* Inputs that are not read are refused before any image is. */
TESTING_CASE(test_inputs_are_many)
{
    char inputs[4096] = "";

    assert_success(run("shadewood synth -o film -n 3 --frames 3 --size 40x30"));
    assert_success(run("shadewood train --data film --channels dt --trees 1 --depth 2 --technique cpu -q -o dt.ktx2"));
    for (uint32_t i = 0; i < 64; i++)
        snprintf(inputs + strlen(inputs), sizeof inputs - strlen(inputs), " --input 'plane%u=film/{}.png'", i);
    assert_one_line(run("shadewood label dt.ktx2 film/0000?_colors.png -o many --frames%s", inputs), 1,
                    "the input plane0 is not read by the forest", NULL);
    assert_one_line(run("shadewood label dt.ktx2 film/00000_colors.png%s --input 'another=film/{}.png'", inputs), 2,
                    "--input may be given 64 times at most", NULL);
}

TESTING_CASE(test_synth_trains)
{
    struct run result =
        run("shadewood synth -o new/folders/scenes/ -n 3 --size 40x30 --seed 5 --noise 20 --holes --json");
    json_t *document;

    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_integer_value(json_object_get(document, "images")), 3);
    json_decref(document);
    assert_int_equal(entry_count("new/folders/scenes"), 3 * 3 + 1);
    assert_success(run("shadewood train -d new/folders/scenes " QUICK " -o scenes.ktx2"));
    assert_success(run("shadewood evaluate -d new/folders/scenes scenes.ktx2 -t cpu"));
    assert_success(run("shadewood synth -o again -n 3 --size 40x30 --seed 5 --noise 20 --holes --threads 1 && diff -r "
                       "new/folders/scenes again"));
    assert_success(
        run("shadewood synth -o many -n 3 --size 40x30 --seed 5 --noise 20 --holes --threads 5 && diff -r again many"));
}

/* The palette says what is void, and the threads change nothing. */
TESTING_CASE(test_synth_bodies)
{
    assert_success(run("shadewood synth -o people -n 4 --size 40x30 --scene bodies --cut --threads 1 && "
                       "shadewood synth -o people4 -n 4 --size 40x30 --scene bodies --cut --threads 4 && "
                       "diff -r people people4"));
    assert_success(run("grep -q '\"FaceLB\"' people/palette.json && grep -q '\"void\": true' people/palette.json && "
                       "! grep -q background people/palette.json"));
    assert_success(run("shadewood synth -o parts -n 4 --size 40x30 --scene bodies --background class && "
                       "grep -q '\"background\"' parts/palette.json && "
                       "! grep -q '\"void\": true' parts/palette.json && "
                       "cmp people/00000_colors.png parts/00000_colors.png && "
                       "! cmp -s people/00000_depth.png parts/00000_depth.png"));
    assert_success(run("shadewood train -d people " QUICK " -o people.ktx2 | grep -q '25 classes'"));
    assert_success(run("shadewood train -d parts " QUICK " -o parts.ktx2 | grep -q '26 classes'"));
}

TESTING_FIXTURE(prepare, NULL)
