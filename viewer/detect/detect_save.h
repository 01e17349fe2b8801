/* Detections of the shown picture as text. */
#ifndef VIEW_DETECT_DETECT_SAVE_H
#define VIEW_DETECT_DETECT_SAVE_H

#include "detect/found_windows.h"
#include "label/scene.h"

/* Prints them to standard output. */
void view_detections_print(const struct view_found_windows *found);

/* Writes a CSV file with the columns of `shadewood detect`; `said` becomes the line about it. Errors: ARGUMENT, IO,
 * MEMORY. */
enum shw_result view_detections_save(const struct view_scene *scene, const struct view_found_windows *found,
                                     const char *path, char *said, size_t size);

#endif
