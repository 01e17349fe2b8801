/* Folders of small images, each of which tells its number, for tests of sources. */
#ifndef SHW_TESTS_VIEWER_SOURCE_FOLDER_H
#define SHW_TESTS_VIEWER_SOURCE_FOLDER_H

#include "source/source.h"
#include "testing/testing.h"

#define WIDTH  7
#define HEIGHT 5

/* An image file whose samples tell `number`. */
void write_image(const char *path, unsigned bits, unsigned samples, unsigned number);

char *folder_path(const char *folder, const char *name);

void write_in(const char *folder, const char *name, unsigned bits, unsigned samples, unsigned number);

void write_text(const char *folder, const char *name, const char *text);

void make_folder(const char *path);

/* The next picture must be the image with that number. */
void check_next(struct view_source *source, unsigned number);

void check_info(struct view_source *source, enum view_source_kind kind, uint32_t count, uint32_t index, bool at_end);

#endif
