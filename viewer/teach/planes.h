/* Planes of pictures: their names, and teaching on all of them. */
#ifndef VIEW_TEACH_PLANES_H
#define VIEW_TEACH_PLANES_H

#include "teach/teaching.h"

/* The planes that a picture has besides colours: those of its file, then those of other files. NULL: there are no more.
 * `text` is for one without a name. */
const char *view_plane_name(const struct view_picture *picture, uint32_t number, char text[SHW_INPUT_NAME_SIZE]);

/* When another picture is shown: once it has come with all its planes, teaches on them if that was wanted. Errors:
 * MEMORY. */
enum shw_result view_planes_follow(struct view_teaching *teaching);

#endif
