/* Saving of objects, on a thread. */
#ifndef VIEW_OBJECT_SAVE_H
#define VIEW_OBJECT_SAVE_H

#include "job/job.h"
#include "label/scene.h"
#include "object/found.h"

/* Zero-initialise it. */
struct view_objects_saving {
    char *folder;   /* wanted, or being written, or written last; NULL: none */
    bool wanted;    /* but not begun */
    bool under_way; /* `found` must stay */
    bool written;
    struct view_job job;

    char *stem; /* of the files: FOLDER/NAME */
    const char *picture;
    const struct view_found *found;
    const struct shw_forest_info *info;
    struct shw_output_files files;
};

/* Checks what is to be written, and begins: NAME_objects.csv, NAME_objects.geojson and NAME_instances.png into the
 * folder. Everything must stay until it is collected. Errors: ARGUMENT, IO, MEMORY. */
enum shw_result view_objects_save(struct view_objects_saving *saving, const struct view_scene *scene,
                                  const struct view_found *found, const char *picture,
                                  const struct shw_forest_info *info);

/* Whether it has ended; then *result is how. */
bool view_objects_saved(struct view_objects_saving *saving, enum shw_result *result);

/* Waits for the end. */
void view_objects_saving_destroy(struct view_objects_saving *saving);

#endif
