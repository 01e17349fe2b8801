/* The objects of exported pictures: outlines and numbers of each, and one table. */
#ifndef VIEW_EXPORT_EXPORT_OBJECTS_H
#define VIEW_EXPORT_EXPORT_OBJECTS_H

#include <shadewood/label.h>

#include "files/objects/object_files.h"
#include "files/output/label_files.h"
#include "object/objects.h"

#define VIEW_EXPORT_OBJECT_OUTPUTS (SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION) /* that they are found in */

/* The files of a picture. The last takes the place of the second if there are too many objects for it. */
enum { VIEW_EXPORT_OUTLINES, VIEW_EXPORT_INSTANCES, VIEW_EXPORT_MANY_INSTANCES, VIEW_EXPORT_OBJECT_FILES };
extern const struct shw_file_kind *const view_export_object_kinds[VIEW_EXPORT_OBJECT_FILES];

struct view_export_objects {
    bool wanted;
    struct shw_object_settings settings;
    bool *classes; /* memory of settings.classes */
    char *table_path;
    bool has_table; /* it is open */
    struct shw_object_table table;
};

/* Takes the settings of the panel. Errors: ARGUMENT (the forest lacks the class), MEMORY. */
enum shw_result view_export_objects_take(struct view_export_objects *export, const struct view_objects *objects,
                                         const struct shw_forest_info *info, const struct shw_log *log);
void view_export_objects_free(struct view_export_objects *export);

/* The paths for a picture, whose files begin with `place`; free them in either case. Errors: MEMORY. */
struct view_export_object_paths {
    char *paths[VIEW_EXPORT_OBJECT_FILES];
};
enum shw_result view_export_object_paths_make(const char *place, const struct shw_log *log,
                                              struct view_export_object_paths *made);
void view_export_object_paths_free(struct view_export_object_paths *paths);

/* Finds the objects of a labelled picture, and adds them to the table, if it is open, and to the files of `paths` that
 * are not NULL; `files`: what the names of the picture's files begin with, from the folder. Errors: those of
 * shw_objects_find() and shw_object_files_write(). */
enum shw_result view_export_objects_write(struct view_export_objects *export, const char *name, const char *files,
                                          const struct shw_label_results *results, const struct shw_forest_info *info,
                                          const struct shw_object_paths *paths, const struct shw_log *log);

#endif
