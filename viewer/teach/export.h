/* Export of forests, and of labels and probabilities of pictures. Computed on the host, with the same bits as in the
 * frames. */
#ifndef VIEW_TEACH_EXPORT_H
#define VIEW_TEACH_EXPORT_H

#include "label/scene.h"
#include "teach/project_file.h"

/* The forest that is shown. Errors: ARGUMENT (there is none), IO, MEMORY. */
enum shw_result view_export_forest(const struct view_scene *scene, const char *path);

/* Labels every picture of the project by the forest that is shown; where no project is open, and where it is not one of
 * the project's, the shown picture. Writes NAME_labels.png or NAME_probabilities.tif, as `shadewood label` does, into
 * the folder, which is made if missing. Errors: ARGUMENT, IO, MEMORY; what can be written is written. */
enum shw_result view_export_pictures(const struct view_scene *scene, const struct view_project *project,
                                     const char *folder, bool probabilities);

#endif
