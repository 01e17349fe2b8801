/* The viewer as a user's script runs it, and what a plain program would draw. */
#ifndef SHW_TESTS_VIEWER_H
#define SHW_TESTS_VIEWER_H

#include "testing/labelling.h"

/* Adds a line to the script that the next run will run. */
void script(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Runs the script without a display, under the validation layers (TESTING_VALIDATION) where they are installed, on a
 * canvas of that size. Returns the exit status; what was said on standard error is in *messages until the next run. The
 * next script is empty. */
int run_script(uint32_t width, uint32_t height, const char **messages);

/* The same with more options. */
int run_script_with(const char *options, uint32_t width, uint32_t height, const char **messages);

/* The same by a copy of the program. */
int run_script_by(const char *program, uint32_t width, uint32_t height, const char **messages);

/* Starts the script in a program without a display, and does not wait for it: the process, to be killed and waited for.
 */
int start_script(const char *options, uint32_t width, uint32_t height);

/* What the last run has printed on standard output. */
const char *script_output(void);

/* The same in a window, on a display of its own; skips the test where there is no Xvfb. The script must end with
 * `quit`. The program remembers windows from one call to the next; 0 x 0: as the last one was. */
int run_script_in_window(uint32_t width, uint32_t height, const char **messages);

/* A rectangle that is drawn over the picture: its outline in a colour, and black around. */
struct outline {
    uint32_t x0, y0, x1, y1; /* pixels of the picture, the last ones excluded */
    uint8_t colour[3];
};

/* Room for the path of a file in the test's folder. */
#define FILE_PATH 512

/* Writes a random forest of 2 trees and 5 classes, and a random picture of that size, and tells where they are. */
void write_forest_and_picture(uint32_t width, uint32_t height, char forest_path[FILE_PATH],
                              char picture_path[FILE_PATH]);

/* What is seen, in plain words. */
struct view {
    const struct shw_image *image;
    const struct testing_labelling *labels; /* or NULL */
    const uint16_t *truth;                  /* or NULL */
    const double *plane;                    /* of `channel` and `integral`: 0 black, 1 white; or NULL */
    uint32_t classes;
    uint8_t (*colours)[3];
    const bool *hidden; /* or NULL */
    uint32_t low, high; /* of 16-bit images: what is black and white */
    const char *mode;   /* the overlay's name */
    uint32_t chosen;    /* class of `heat` */
    uint32_t opacity;   /* percent */
    uint32_t wipe;      /* percent */
    bool contours;
    const uint16_t *painted;        /* class numbers, SHW_LABEL_VOID where nothing is painted; or NULL */
    const struct outline *outlines; /* or NULL */
    uint32_t outline_count;
    uint32_t width, height;           /* of the canvas */
    int64_t offset_x, offset_y, zoom; /* in 1/256 pixels of the canvas */
};

/* The place that `zoom fit` gives. */
void view_fit(struct view *view);
/* `zoom` to that many 256ths. */
void view_zoom(struct view *view, int64_t zoom);

/* Fails the test at the first pixel of the PNG file that is not what the view says. */
void assert_view(const char *path, const struct view *view);

#endif
