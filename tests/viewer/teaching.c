#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define STROKES_MAX 16

const char *const names[CLASSES] = {"left", "middle", "right"};
static uint8_t colours[CLASSES][3] = {{230, 159, 0}, {86, 180, 233}, {0, 158, 115}};

struct taught taught;

int open_taught(void **state)
{
    (void)state;
    snprintf(taught.folder, sizeof taught.folder, "%s", testing_path("pictures"));
    mkdir(taught.folder, 0777);
    for (int i = 0; i < 2; i++) {
        snprintf(taught.paths[i], sizeof taught.paths[i], "%s",
                 testing_path(i == 0 ? "pictures/a.png" : "pictures/b.png"));
        free(testing_paint_scene(taught.paths[i], WIDTH, HEIGHT, 3 + (uint64_t)i));
        assert_int_equal(shw_image_file_read(taught.paths[i], NULL, NULL, &taught.files[i]), SHW_OK);
    }
    return 0;
}

int close_taught(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        shw_image_file_free(&taught.files[i]);
    return 0;
}

/* A new project on the first picture, in the script and here. */
void begin(const char *source)
{
    struct shw_project_training training = {SHW_CHANNELS_RGB, 3, 5, 20, 11, 0, 0, 0};
    uint32_t picture;

    assert_int_equal(shw_project_create(NULL, &taught.project), SHW_OK);
    assert_int_equal(shw_project_set_folder(taught.project, taught.folder), SHW_OK);
    assert_int_equal(shw_project_set_training(taught.project, &training), SHW_OK);
    script("project new\nopen %s\ntraining channels rgb\ntraining trees 3\ntraining depth 5\ntraining candidates 20\n"
           "training seed 11",
           source);
    for (uint32_t c = 0; c < CLASSES; c++) {
        assert_int_equal(shw_project_add_class(taught.project, names[c], colours[c]), SHW_OK);
        script("add-class %s #%02x%02x%02x", names[c], colours[c][0], colours[c][1], colours[c][2]);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(shw_project_find_picture(taught.project, i == 0 ? "a.png" : "b.png", WIDTH, HEIGHT, &picture),
                         SHW_OK);
}

void end(void)
{
    shw_project_destroy(&taught.project);
}

/* A random stroke in the project, and the line that paints it. */
void paint(struct testing_random *random, uint32_t picture)
{
    char line[512];
    const struct shw_stroke *stroke;
    struct shw_project_picture painted;
    int length;

    testing_paint_stroke(taught.project, picture, random);
    painted = shw_project_get_picture(taught.project, picture);
    stroke = &painted.strokes[painted.stroke_count - 1];
    length = snprintf(line, sizeof line, "stroke %s %u",
                      stroke->class_id < CLASSES ? names[stroke->class_id] : "eraser", stroke->radius);
    for (uint32_t p = 0; p < stroke->point_count; p++)
        length +=
            snprintf(line + length, sizeof line - (size_t)length, " %d %d", stroke->points[p].x, stroke->points[p].y);
    script("%s", line);
}

/* Short strokes of every class in its area. */
void paint_areas(uint32_t picture, uint32_t place)
{
    int32_t y = (int32_t)(HEIGHT * place / 100);

    for (uint32_t c = 0; c < CLASSES; c++) {
        int32_t left = (int32_t)(WIDTH * c / 3);
        testing_paint_area(taught.project, picture, c, place);
        script("stroke %u 1 %d %d %d %d", c, left + 2, y, left + WIDTH / 3 - 3, y);
    }
}

struct view picture_view(uint32_t picture)
{
    struct view view = {.image = &taught.files[picture].image,
                        .classes = CLASSES,
                        .colours = colours,
                        .mode = "none",
                        .opacity = 50,
                        .width = CANVAS_WIDTH,
                        .height = CANVAS_HEIGHT};

    view_fit(&view);
    return view;
}

/* Views to be compared once the script has run; what is painted is copied. */
static struct {
    char path[512];
    struct view view;
    uint16_t painted[WIDTH * HEIGHT];
} shots[STROKES_MAX];
static unsigned shot_count;

void shoot(const struct view *view, uint32_t picture, bool painted)
{
    const uint16_t *labels = NULL;
    char name[32];

    assert_true(shot_count < STROKES_MAX);
    if (painted)
        labels = testing_labels(taught.project, picture);
    snprintf(name, sizeof name, "shot-%u.png", shot_count);
    snprintf(shots[shot_count].path, sizeof shots[shot_count].path, "%s", testing_path(name));
    remove(shots[shot_count].path);
    shots[shot_count].view = *view;
    if (painted) {
        memcpy(shots[shot_count].painted, labels, sizeof shots[shot_count].painted);
        shots[shot_count].view.painted = shots[shot_count].painted;
    }
    script("screenshot %s", shots[shot_count++].path);
}

void run_and_compare(void)
{
    unsigned count = shot_count;

    shot_count = 0;
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    for (unsigned i = 0; i < count; i++)
        assert_view(shots[i].path, &shots[i].view);
}

uint64_t load_hash(const char *path, struct shw_forest **kept)
{
    struct shw_forest *forest = NULL;
    uint64_t hash;

    assert_int_equal(shw_forest_load(path, NULL, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    if (kept != NULL)
        *kept = forest;
    else
        shw_forest_destroy(&forest);
    return hash;
}

const char *file(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, 512, "%s/%s", taught.folder, name);
    return path;
}
