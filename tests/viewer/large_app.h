/* Programs and pictures for the tests of large pictures: pictures of a few pixels, of which fewer fit into the overview
 * of these programs, so that they have a detail and cells like large ones. */
#ifndef TESTS_VIEWER_LARGE_APP_H
#define TESTS_VIEWER_LARGE_APP_H

#include "shell/app.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { WIDTH = 90, HEIGHT = 70, OVERVIEW_PIXELS = 500, CELL = 24, CLASSES = 4, OPACITY = 128, STROKES = 179 };

extern const VkExtent2D large_canvas;

/* Random pixels and, if wanted, classes. */
struct view_picture *large_picture_of(uint32_t width, uint32_t height, uint64_t seed, enum shw_pixel_format format,
                                      bool with_truth);
struct view_picture *large_picture(uint64_t seed, enum shw_pixel_format format, bool with_truth);

/* A random one of CLASSES classes. */
struct view_shared_forest *large_forest(uint64_t seed);

/* `complete`: frames have all labels. To be closed with large_close(). */
void large_open(bool complete, struct view_app *app);
void large_close(struct view_app *app);

/* One frame; frames until what is seen has its labels. */
void large_frame(struct view_app *app);
void large_settle(struct view_app *app);

/* The labels of the whole picture. */
struct testing_labelling large_label_all(const struct view_app *app);

/* The step of what is seen at a zoom: one or more labels for each pixel of the canvas, but not more than there are and
 * not more than an image can have side by side. */
uint32_t large_step(const struct view_scene *scene);

/* What a plain program would draw at (x, y) of the canvas. */
void large_draw(struct view_app *app, const struct testing_labelling *labels, const uint16_t *painted, uint32_t x,
                uint32_t y, uint8_t pixel[3]);

/* Compares every pixel of the canvas with that. */
void large_check_canvas(struct view_app *app, const struct testing_labelling *labels, const uint16_t *painted);

/* A zoom from everything to a few pixels, anywhere. */
void large_go_somewhere(struct view_app *app, struct testing_random *random);

#endif
