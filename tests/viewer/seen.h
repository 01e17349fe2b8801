/* What is seen after some lines of a script, compared with what is seen after others. */
#ifndef SHW_TESTS_VIEWER_SEEN_H
#define SHW_TESTS_VIEWER_SEEN_H

#include "viewer.h"

#define SEEN_WIDTH  640
#define SEEN_HEIGHT 600

/* A forest of five classes and a picture, which each run opens; made by this group setup. */
extern char seen_forest[FILE_PATH], seen_picture[FILE_PATH];
int seen_open_files(void **state);

/* Lets the next run write what is seen after the lines, from the same state each time; returns the picture's number in
 * that run. */
unsigned seen_after(const char *lines);
void seen_run(void);
const char *seen_path(unsigned number);

/* The number of pixels that differ between two pictures of the last run, from a column on. */
size_t seen_differences(unsigned one, unsigned other, uint32_t from);

/* The next seen_assert_same() will find the same picture after both. */
void seen_same(const char *lines, const char *others);
void seen_assert_same(void);

/* The mouse goes away, so that nothing looks hovered. */
#define AWAY "\nmouse move 600 5\nwait 4\n"

#endif
