/* The colours that names of classes suggest. */
#include "teach/class_colours.h"

#include <math.h>
#include <stdio.h>

#include "files/dataset/palette.h"
#include "files/project/project.h"
#include "viewer.h"

/* CIE 1976 L*a*b*, of sRGB. */
static void lab_of(const uint8_t colour[3], double lab[3])
{
    static const double matrix[3][3] = {{0.4124564, 0.3575761, 0.1804375},
                                        {0.2126729, 0.7151522, 0.0721750},
                                        {0.0193339, 0.1191920, 0.9503041}},
                        white[3] = {0.95047, 1.0, 1.08883};
    double linear[3], f[3];

    for (int k = 0; k < 3; k++) {
        const double part = colour[k] / 255.0;
        linear[k] = part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
    }
    for (int k = 0; k < 3; k++) {
        double sum = 0.0;
        for (int i = 0; i < 3; i++)
            sum += matrix[k][i] * linear[i] / white[k];
        f[k] = sum > 216.0 / 24389.0 ? cbrt(sum) : (24389.0 / 27.0 * sum + 16.0) / 116.0;
    }
    lab[0] = 116.0 * f[1] - 16.0;
    lab[1] = 500.0 * (f[0] - f[1]);
    lab[2] = 200.0 * (f[1] - f[2]);
}

/* Twenty is about what a glance tells apart. */
TESTING_CASE(colours_of_names_are_told_apart)
{
    for (const struct view_class_meaning *one = view_class_meanings; one->words != NULL; one++)
        for (const struct view_class_meaning *other = view_class_meanings; other < one; other++) {
            uint8_t colours[2][3];
            double labs[2][3];
            shw_palette_default_colour(one->number, colours[0]);
            shw_palette_default_colour(other->number, colours[1]);
            lab_of(colours[0], labs[0]);
            lab_of(colours[1], labs[1]);
            if (hypot(hypot(labs[0][0] - labs[1][0], labs[0][1] - labs[1][1]), labs[0][2] - labs[1][2]) < 20.0)
                fail_msg("%s and %s look alike", one->words, other->words);
        }
}

static void assert_colour(const char *name, int number)
{
    uint32_t found = UINT32_MAX;
    const bool known = view_class_colour_of(name, &found);

    if (known != (number >= 0) || (known && found != (uint32_t)number))
        fail_msg("%s has the default colour %d", name, known ? (int)found : -1);
}

TESTING_CASE(names_suggest_colours)
{
    assert_colour("grass", 28);
    assert_colour("Sky", 1);
    assert_colour("dry grass", 28);
    assert_colour("grass/road", 7);
    assert_colour("trees 2", 16);
    assert_colour("bus", 13);
    assert_colour("Wiese", 28);
    assert_colour("gras snake", 28);
    assert_colour("grasshopper", -1);
    assert_colour("s", -1);
    assert_colour("", -1);
    assert_colour("as", -1);
    assert_colour("fox", -1);
}

/* One colour per class: the second of a meaning gets another one. */
TESTING_CASE(classes_get_the_colours_of_their_names)
{
    const uint8_t sky[3] = {0x12, 0x34, 0x56};
    struct shw_project *project = NULL;
    uint8_t grass[3];
    char path[512];

    snprintf(path, sizeof path, "%s", testing_path("colours.json"));
    shw_palette_default_colour(28, grass);
    script("project new\nadd-class grass\nadd-class lawn\nadd-class sky #123456\nsave %s", path);
    assert_int_equal(run_script(100, 100, NULL), 0);
    assert_int_equal(shw_project_read(path, NULL, &project), SHW_OK);
    assert_memory_equal(shw_project_get_class(project, 0)->colour, grass, 3);
    assert_memory_not_equal(shw_project_get_class(project, 1)->colour, grass, 3);
    assert_memory_equal(shw_project_get_class(project, 2)->colour, sky, 3);
    shw_project_destroy(&project);
}
