/* A project that is painted by scripts and, for comparison, here. */
#ifndef SHW_TESTS_TEACHING_H
#define SHW_TESTS_TEACHING_H

#include "viewer.h"

#include "files/image/image_file.h"
#include "files/project/project.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36, CLASSES = 3, CANVAS_WIDTH = 150, CANVAS_HEIGHT = 110 };

extern const char *const names[CLASSES];

/* Two pictures in a folder, and a project that gets the strokes that the program gets. */
struct taught {
    char folder[400], paths[2][512];
    struct shw_image_file files[2];
    struct shw_project *project;
};
extern struct taught taught;

int open_taught(void **state);
int close_taught(void **state);

/* A new project on the first picture, in the script and here; and its end here. */
void begin(const char *source);
void end(void);

/* A random stroke in the project, and the line that paints it. */
void paint(struct testing_random *random, uint32_t picture);

/* Short strokes of every class in its area. */
void paint_areas(uint32_t picture, uint32_t place);

struct view picture_view(uint32_t picture);

/* A view to be compared once the script has run; what is painted is copied. */
void shoot(const struct view *view, uint32_t picture, bool painted);
void run_and_compare(void);

/* A forest's hash; *kept (or NULL) becomes the forest. */
uint64_t load_hash(const char *path, struct shw_forest **kept);

/* A path in the folder, valid until the fourth next call. */
const char *file(const char *name);

#endif
