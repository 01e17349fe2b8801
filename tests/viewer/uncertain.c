/* Where a forest is most uncertain, and how uncertain it is, compared with what plain loops find. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "files/project/project.h"
#include "teach/uncertain.h"

enum { SIDE = 70, CLASSES = 3 };

/* A picture with labels, and distributions of some of its pixels. */
struct scene {
    uint32_t width, height;
    uint16_t labels[SIDE * SIDE];
    uint16_t planes[CLASSES * SIDE * SIDE];
    struct shw_project *project;
    struct shw_picture_labels *painted;
    struct view_distributions of;
};

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void make(struct scene *scene, struct testing_random *random, uint32_t percent)
{
    struct shw_part *part = &scene->of.part;
    uint32_t picture, levels = 1 + testing_random_below(random, 5);

    memset(scene, 0, sizeof *scene);
    scene->width = 1 + testing_random_below(random, SIDE);
    scene->height = 1 + testing_random_below(random, SIDE);
    for (uint32_t p = 0; p < scene->width * scene->height; p++)
        scene->labels[p] = testing_random_below(random, 100) < percent ? 1 : SHW_LABEL_VOID;
    part->step = 1 + testing_random_below(random, 3);
    part->x = testing_random_below(random, scene->width);
    part->y = testing_random_below(random, scene->height);
    if (testing_random_below(random, 2) == 0)
        part->x = part->y = 0;
    part->width = (scene->width - part->x + part->step - 1) / part->step;
    part->height = (scene->height - part->y + part->step - 1) / part->step;
    for (uint32_t p = 0; p < part->width * part->height; p++) {
        uint32_t a = testing_random_below(random, levels + 1), b = testing_random_below(random, levels + 1 - a);
        const uint32_t shares[CLASSES] = {a, b, levels - a - b};

        for (uint32_t c = 0; c < CLASSES; c++)
            scene->planes[c * part->width * part->height + p] = (uint16_t)(65535 * shares[c] / levels);
    }
    assert_int_equal(shw_project_create(NULL, &scene->project), SHW_OK);
    for (int c = 0; c < 2; c++)
        assert_int_equal(shw_project_add_class(scene->project, c == 0 ? "a" : "b", (uint8_t[3]){0}), SHW_OK);
    assert_int_equal(shw_project_find_picture(scene->project, "p", scene->width, scene->height, &picture), SHW_OK);
    assert_int_equal(shw_project_import_labels(scene->project, picture, scene->labels), SHW_OK);
    assert_int_equal(shw_project_share_labels(scene->project, picture, &scene->painted), SHW_OK);
    scene->of.planes = scene->planes;
    scene->of.class_count = CLASSES;
    scene->of.labels = scene->painted;
}

static void drop(struct scene *scene)
{
    shw_picture_labels_release(&scene->painted);
    shw_project_destroy(&scene->project);
}

static bool is_painted(const struct scene *scene, uint32_t i, uint32_t j)
{
    const struct shw_part *part = &scene->of.part;

    return scene->of.labels != NULL &&
           scene->labels[(part->y + j * part->step) * scene->width + part->x + i * part->step] != SHW_LABEL_VOID;
}

/* Sum of squares as a real number; 1 where it is painted, and outside. */
static double certainty(const struct scene *scene, int64_t i, int64_t j)
{
    const struct shw_part *part = &scene->of.part;
    double sum = 0;

    if (i < 0 || j < 0 || i >= part->width || j >= part->height || is_painted(scene, (uint32_t)i, (uint32_t)j))
        return 1;
    for (uint32_t c = 0; c < CLASSES; c++) {
        double share = scene->planes[(c * part->height + (uint32_t)j) * part->width + (uint32_t)i] / 65535.0;
        sum += share * share;
    }
    return sum;
}

/* The smallest sum around a pixel that is not painted; *any: there is one. */
static double smallest(const struct scene *scene, uint32_t margin, bool *any)
{
    const struct shw_part *part = &scene->of.part;
    int64_t reach = least((8 + part->step - 1) / part->step, least(part->width, part->height) / 8);
    double best = INFINITY;

    *any = false;
    for (uint32_t j = margin; j + margin < part->height; j++)
        for (uint32_t i = margin; i + margin < part->width; i++) {
            double sum = 0;
            if (is_painted(scene, i, j))
                continue;
            for (int64_t v = (int64_t)j - reach; v <= (int64_t)j + reach; v++)
                for (int64_t u = (int64_t)i - reach; u <= (int64_t)i + reach; u++)
                    sum += certainty(scene, u, v);
            best = fmin(best, sum);
            *any = true;
        }
    return best;
}

/* That the place found has the smallest sum. */
static void check(struct scene *scene, uint32_t margin)
{
    const struct shw_part *part = &scene->of.part;
    uint32_t border = least((margin + part->step - 1) / part->step, least(part->width, part->height) / 4), x, y;
    bool any, found = view_find_uncertain(&scene->of, margin, &x, &y);
    double best = smallest(scene, border, &any), sum = 0;
    int64_t reach = least((8 + part->step - 1) / part->step, least(part->width, part->height) / 8), i, j;

    if (!any)
        best = smallest(scene, border = 0, &any);
    assert_int_equal(found, any);
    if (!found)
        return;
    assert_true((x - part->x) % part->step == 0 && (y - part->y) % part->step == 0);
    i = (x - part->x) / part->step;
    j = (y - part->y) / part->step;
    assert_true(i >= border && j >= border && i + border < part->width && j + border < part->height);
    assert_false(is_painted(scene, (uint32_t)i, (uint32_t)j));
    for (int64_t v = j - reach; v <= j + reach; v++)
        for (int64_t u = i - reach; u <= i + reach; u++)
            sum += certainty(scene, u, v);
    assert_true(fabs(sum - best) < 1e-6 * sum);
}

TESTING_CASE(the_most_uncertain_place_is_found)
{
    static const uint32_t percents[] = {0, 30, 95, 100};
    struct testing_random random = {2};
    static struct scene scene;

    for (uint32_t run = 0; run < 160; run++) {
        make(&scene, &random, percents[run % 4]);
        check(&scene, testing_random_below(&random, 3) == 0 ? 0 : testing_random_below(&random, 40));
        scene.of.labels = NULL;
        check(&scene, 5);
        drop(&scene);
    }
}

TESTING_CASE(the_mean_is_of_what_is_not_painted)
{
    struct testing_random random = {7};
    static struct scene scene;

    for (uint32_t run = 0; run < 100; run++) {
        double sum = 0;
        uint32_t count = 0;

        make(&scene, &random, run % 5 == 0 ? 100 : 40);
        for (uint32_t j = 0; j < scene.of.part.height; j++)
            for (uint32_t i = 0; i < scene.of.part.width; i++)
                if (!is_painted(&scene, i, j)) {
                    sum += (1 - certainty(&scene, i, j)) / (1 - 1.0 / CLASSES);
                    count++;
                }
        assert_true(fabs(view_mean_uncertainty(&scene.of) - (count > 0 ? sum / count : 0)) < 1e-9);
        drop(&scene);
    }
}
