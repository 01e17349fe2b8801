/* Export of forests, and of labels and probabilities of pictures. Computed on the host; results equal those in frames.
 */
#ifndef VIEW_TEACH_EXPORT_H
#define VIEW_TEACH_EXPORT_H

#include "label/scene.h"
#include "teach/project_file.h"

/* Both check what they write, by the rule of output/output_files.h, before they begin. */

/* Writes the shown forest. Errors: ARGUMENT (there is none, or it would replace what is read), IO, MEMORY. */
enum shw_result view_export_forest(const struct view_scene *scene, const struct view_project *project,
                                   const char *path);

/* Labels the pictures of the project with the shown forest, then those of the source that do not belong to the project:
 * all images of a folder, otherwise the shown picture. Writes NAME_labels.png or NAME_probabilities.tif, as `shadewood
 * label` does, into the folder, which is created if missing. Errors: ARGUMENT, IO, MEMORY; pictures without errors are
 * written. */
enum shw_result view_export_pictures(const struct view_scene *scene, const struct view_project *project,
                                     const char *folder, bool probabilities);

#endif
