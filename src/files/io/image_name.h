/* Names of image files and videos, for listing folders. The format of a file is recognised by its contents only. */
#ifndef SHW_FILES_IO_IMAGE_NAME_H
#define SHW_FILES_IO_IMAGE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a name ends so, ignoring case, with something before it. */
bool shw_name_ends_with(const char *name, const char *ending);

/* Whether a name has the extension of a supported image format. */
bool shw_is_image_name(const char *name);

/* Whether a name has one of the usual endings of videos. */
bool shw_is_video_name(const char *name);

/* Whether a name has the ending of a container that can be written: .mkv, .mp4, .mov or .avi. */
bool shw_video_can_be_written(const char *name);

/* The path of an image may name a page of its file: "scans/stack.tif#3" is page 3 of scans/stack.tif, counted from 1.
 * Returns the length of the file's path; *page becomes 0 if none is named. Looks at the text alone. */
size_t shw_image_page_of(const char *path, uint32_t *page);

/* The path of the image's file, to be freed with free(), and its page; 0 if none is named. A file that has all of the
 * path as its name is no page of another. NULL if memory is exhausted. */
char *shw_image_file_of(const char *path, uint32_t *page);

/* Whether the image's file is a regular file. */
bool shw_image_has_file(const char *path);

/* The path of a page, to be freed with free(). NULL if memory is exhausted. */
char *shw_image_page_path(const char *file, uint32_t page);

/* The name of an image for the files that are made from it: that of its file without folders and extension, with
 * "_page3" if it names a page. Written to `name`, cut off at the end, and returned. */
#define SHW_BASE_NAME_SIZE 1024u
const char *shw_image_base_name(const char *path, char name[SHW_BASE_NAME_SIZE]);

#endif
