/* Pages of image files in lists of pictures. */
#ifndef VIEW_SOURCE_PAGES_H
#define VIEW_SOURCE_PAGES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "files/io/image_paths.h"

/* Adds the further pages of files after each: FILE, which is the first, FILE#2, FILE#3, and so on. Files that cannot be
 * read stay as they are. False if memory is exhausted. Reads the files that are TIFF; `stop` (or NULL) ends that. */
bool view_add_pages(struct shw_image_paths *paths, const atomic_bool *stop);

/* Which page of its file an image of the list is, and how many are in the list; both 0 if it is the only one and names
 * no page. */
void view_find_page(const struct shw_image_paths *paths, uint32_t index, uint32_t *page, uint32_t *count);

#endif
