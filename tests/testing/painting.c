#include "testing/painting.h"

#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "files/project/training_tiles.h"

uint8_t *testing_paint_scene(const char *path, uint32_t width, uint32_t height, uint64_t seed)
{
    static const uint8_t colours[3][3] = {{200, 60, 50}, {60, 180, 60}, {50, 70, 200}};
    struct testing_random random = {seed};
    uint8_t *pixels = malloc((size_t)width * height * 3);
    struct shw_image image = {.pixels = pixels, .width = width, .height = height, .format = SHW_PIXEL_RGB8};

    assert_non_null(pixels);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (uint32_t c = 0; c < 3; c++)
                pixels[(y * width + x) * 3 + c] =
                    (uint8_t)(colours[x * 3 / width][c] + testing_random_range(&random, -40, 40));
    if (path != NULL)
        assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    return pixels;
}

void testing_paint_stroke(struct shw_project *project, uint32_t picture, struct testing_random *random)
{
    struct shw_project_picture info = shw_project_get_picture(project, picture);
    uint32_t classes = shw_project_get_class_count(project), number = testing_random_below(random, classes + 1);
    uint32_t points = 1 + testing_random_below(random, 5);
    struct shw_point point;

    for (uint32_t p = 0; p < points; p++) {
        point.x = testing_random_range(random, -9, (int32_t)info.width + 9);
        point.y = testing_random_range(random, -9, (int32_t)info.height + 9);
        if (p == 0)
            assert_int_equal(shw_project_begin_stroke(project, picture, number < classes ? number : SHW_LABEL_VOID,
                                                      testing_random_below(random, 6), point),
                             SHW_OK);
        else
            assert_int_equal(shw_project_extend_stroke(project, point), SHW_OK);
    }
    shw_project_end_stroke(project);
}

void testing_paint_area(struct shw_project *project, uint32_t picture, uint32_t number, uint32_t place)
{
    struct shw_project_picture info = shw_project_get_picture(project, picture);
    int32_t y = (int32_t)(info.height * place / 100), left = (int32_t)(info.width * number / 3);

    assert_int_equal(shw_project_begin_stroke(project, picture, number, 1, (struct shw_point){left + 2, y}), SHW_OK);
    assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){left + (int32_t)info.width / 3 - 3, y}),
                     SHW_OK);
    shw_project_end_stroke(project);
}

void testing_paint_areas(struct shw_project *project, uint32_t rows)
{
    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t c = 0; c < 3; c++)
            for (uint32_t row = 0; row < rows; row++)
                testing_paint_area(project, p, c, 15 + row * 70 / rows);
}

/* Whether a pixel belongs to a stroke, by distances in floating point: coordinates here are small enough to be
 * exact. */
static bool covers(const struct shw_stroke *stroke, double x, double y)
{
    double reach = stroke->radius + 0.5;

    for (uint32_t p = stroke->area ? 1 : 0; p < stroke->point_count; p += stroke->area ? 2 : 1) {
        struct shw_point a = stroke->points[p > 0 ? p - 1 : 0], b = stroke->points[p];
        double dx = b.x - a.x, dy = b.y - a.y, vx = x - a.x, vy = y - a.y, length = dx * dx + dy * dy,
               along = dx * vx + dy * vy;
        double wx = x - b.x, wy = y - b.y, across = dx * vy - dy * vx;

        if (along <= 0        ? vx * vx + vy * vy <= reach * reach
            : along >= length ? wx * wx + wy * wy <= reach * reach
                              : across * across <= reach * reach * length)
            return true;
    }
    return false;
}

static bool is_locked(const struct shw_stroke *stroke, uint32_t class_id)
{
    for (uint32_t i = 0; i < stroke->locked_count; i++)
        if (stroke->locked[i] == class_id)
            return true;
    return false;
}

const uint16_t *testing_labels(struct shw_project *project, uint32_t picture)
{
    static uint16_t *kept[8];
    static uint32_t next;
    struct shw_project_picture info = shw_project_get_picture(project, picture);
    uint16_t **labels = &kept[next++ % 8];

    *labels = realloc(*labels, (size_t)info.width * info.height * sizeof **labels);
    assert_non_null(*labels);
    assert_int_equal(shw_project_copy_labels(project, picture, 0, 0, info.width, info.height, 1, *labels), SHW_OK);
    return *labels;
}

/* Counts of strokes and classes against the labels of all pixels. */
static void check_counts(struct shw_project *project, uint32_t picture, const struct shw_picture_labels *labels)
{
    uint32_t classes = shw_project_get_class_count(project);
    uint64_t *seen = calloc(labels->stroke_count + 1u, sizeof *seen),
             *of_class = calloc(classes + 1u, sizeof *of_class);
    uint64_t *counted = calloc(classes + 1u, sizeof *counted), all = 0;

    assert_non_null(seen);
    assert_non_null(of_class);
    assert_non_null(counted);
    for (uint32_t y = 0; y < labels->height; y++)
        for (uint32_t x = 0; x < labels->width; x++) {
            uint32_t owner = shw_top_strokes_get(&labels->top, x, y);

            seen[owner]++;
            if (owner > 0)
                of_class[shw_picture_labels_get(labels, x, y)]++;
            all += owner > 0;
        }
    for (uint32_t s = 0; s < labels->stroke_count; s++)
        assert_true(labels->visible[s] == seen[s + 1]);
    assert_true(labels->count == all);
    assert_int_equal(shw_project_count_labels(project, picture, counted), SHW_OK);
    assert_memory_equal(counted, of_class, classes * sizeof *counted);
    free(seen);
    free(of_class);
    free(counted);
}

void testing_check_labels(struct shw_project *project, uint32_t picture)
{
    struct shw_project_picture info = shw_project_get_picture(project, picture);
    struct shw_picture_labels *labels = NULL;

    assert_int_equal(shw_project_share_labels(project, picture, &labels), SHW_OK);
    check_counts(project, picture, labels);
    for (uint32_t y = 0; y < info.height; y++)
        for (uint32_t x = 0; x < info.width; x++) {
            uint32_t owner = 0;

            for (uint32_t s = 0; s < info.stroke_count; s++)
                if (covers(&info.strokes[s], x, y) &&
                    (owner == 0 || !is_locked(&info.strokes[s], info.strokes[owner - 1].class_id)))
                    owner = info.strokes[s].class_id == SHW_STROKE_ERASER ? 0 : s + 1;
            assert_int_equal(shw_top_strokes_get(&labels->top, x, y), owner);
            /* no class was deleted, so that ids are numbers */
            assert_int_equal(shw_picture_labels_get(labels, x, y),
                             owner > 0 ? info.strokes[owner - 1].class_id : SHW_LABEL_VOID);
        }
    shw_picture_labels_release(&labels);
}

struct shw_project *testing_paint_project(uint32_t width, uint32_t height, const struct shw_log *log)
{
    static const char *const names[] = {"left", "middle", "right"};
    struct shw_project_training training = {SHW_CHANNELS_RGB, 3, 5, 20, 11, 0, 0, 0};
    struct shw_project *project = NULL;
    uint32_t picture;

    free(testing_paint_scene(testing_path("a.png"), width, height, 1));
    free(testing_paint_scene(testing_path("b.png"), width, height, 2));
    assert_int_equal(shw_project_create(log, &project), SHW_OK);
    assert_int_equal(shw_project_set_folder(project, testing_path("")), SHW_OK);
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    for (uint8_t c = 0; c < 3; c++)
        assert_int_equal(shw_project_add_class(project, names[c], (uint8_t[]){c, c, c}), SHW_OK);
    assert_int_equal(shw_project_find_picture(project, "b.png", width, height, &picture), SHW_OK);
    assert_int_equal(shw_project_find_picture(project, "a.png", width, height, &picture), SHW_OK);
    return project;
}

uint64_t testing_paint_train(struct shw_project *project)
{
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;
    struct shw_training_choice all;
    struct shw_trainer_params params;
    struct shw_forest *forest = NULL;
    uint64_t hash;

    assert_int_equal(shw_training_set_make(project, NULL, &set), SHW_OK);
    params = shw_training_set_params(set);
    params.technique = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_training_tiles_make(set, shw_trainer_params_get_reach(&params), NULL, NULL, &tiles), SHW_OK);
    assert_int_equal(shw_training_choice_make(tiles, NULL, &all), SHW_OK);
    assert_int_equal(shw_train(&params, &all.dataset, &forest), SHW_OK);
    assert_string_equal(shw_forest_get_info(forest)->classes[0].name, shw_project_get_class(project, 0)->name);
    hash = shw_forest_hash(forest);
    shw_forest_destroy(&forest);
    shw_training_choice_free(&all);
    shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
    return hash;
}

void testing_write_labels(struct shw_project *project, uint32_t picture, const char *path)
{
    static uint8_t indices[1 << 16], colours[256][3];
    struct shw_project_picture shown = shw_project_get_picture(project, picture);
    uint32_t classes = shw_project_get_class_count(project);
    size_t pixels = (size_t)shown.width * shown.height;
    struct shw_image image = {.width = shown.width, .height = shown.height, .format = SHW_PIXEL_GREY16};
    const uint16_t *labels = testing_labels(project, picture);

    image.pixels = labels;
    if (classes > 255) {
        assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
        return;
    }
    assert_true(pixels <= sizeof indices);
    for (size_t p = 0; p < pixels; p++)
        indices[p] = (uint8_t)(labels[p] != SHW_LABEL_VOID ? labels[p] : classes);
    for (uint32_t c = 0; c < classes; c++)
        memcpy(colours[c], shw_project_get_class(project, c)->colour, 3);
    assert_int_equal(shw_png_write_indexed(path, indices, shown.width, shown.height, (const uint8_t(*)[3])colours,
                                           classes + 1, NULL),
                     SHW_OK);
}
