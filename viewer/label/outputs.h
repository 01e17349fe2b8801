/* What the program writes: the rule of the commands of shadewood (files/io/output_files.h). */
#ifndef VIEW_LABEL_OUTPUTS_H
#define VIEW_LABEL_OUTPUTS_H

#include "files/io/output_files.h"

struct view_scene;

struct view_outputs {
    bool overwrite;                                       /* files that Shadewood did not write may be replaced */
    const char *script, *settings, *cascade, *rectangles; /* read by the program, borrowed; or NULL */
};

/* Begins a list of outputs: with the files of the scene's source, the file of the shown forest, and those above as
 * inputs. Release it with shw_output_files_free(). */
void view_outputs_begin(const struct view_scene *scene, struct shw_output_files *files);

/* Adds an input; for functions that list files. `files`: a struct shw_output_files. */
void view_outputs_read(void *files, const char *path);

#endif
