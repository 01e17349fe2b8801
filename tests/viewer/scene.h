/* Two scenes, a forest that labels them, and screenshots that are compared with what should be seen. */
#ifndef SHW_TESTS_VIEWER_SCENE_H
#define SHW_TESTS_VIEWER_SCENE_H

#include "files/dataset/dataset.h"
#include "viewer.h"

enum { SCENE_CLASSES = 20, SCENE_WIDTH = 48, SCENE_HEIGHT = 40, SCENE_CANVAS_WIDTH = 150, SCENE_CANVAS_HEIGHT = 110 };

/* A data set of two scenes, a forest for its classes, and what `cpu` makes of the first scene. */
struct scene {
    char folder[512], forest_path[512];
    struct shw_dataset dataset;
    struct shw_labelled_image example;
    struct shw_forest *forest;
    struct testing_labelling labels;
    uint8_t colours[SCENE_CLASSES][3];
};
extern struct scene scene;

/* For cmocka_run_group_tests(). */
int scene_open(void **state);
int scene_close(void **state);

/* A forest, and the same in a file. */
struct shw_forest *scene_make_forest(const char *path, uint32_t classes);

/* What `cpu` makes of an image by a forest. */
struct testing_labelling scene_label(const struct shw_forest *forest, const struct shw_image *image);

/* The first scene as it is shown at first. */
struct view scene_view(void);
/* The same, and the lines that lead there. */
struct view scene_first_view(void);

/* Adds a screenshot to the script, which must show the view. */
void scene_shoot(const struct view *view);
/* Runs the script, and compares. */
void scene_compare(void);

/* Values of a channel as doubles between black and white, from whole channels. Integral images count their last row and
 * column. `high` 0: what the picture has. To be freed with free(). */
double *scene_plane(const struct shw_image *image, const char *set, uint32_t channel, bool integral, double low,
                    double high);

#endif
