/* What teaching and the program write beside an export. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "teach/teaching.h"

enum shw_result view_teaching_begin_output(const struct view_teaching *teaching, const char *path,
                                           const struct shw_file_kind *kind, struct shw_output_files *files)
{
    view_outputs_begin(teaching->scene, files);
    view_project_list_files(&teaching->project, true, files);
    shw_output_files_write(files, path, kind);
    return shw_output_files_check(files);
}

enum shw_result view_teaching_check_output(const struct view_teaching *teaching, const char *path,
                                           const struct shw_file_kind *kind)
{
    struct shw_output_files files;
    enum shw_result result = view_teaching_begin_output(teaching, path, kind, &files);

    shw_output_files_free(&files);
    return result;
}

/* For the project's file; without memory, it is not known there. */
static void note_shown(struct view_teaching *teaching)
{
    const struct view_picture *picture = teaching->scene->picture;

    free(teaching->project.shown);
    teaching->project.shown = picture != NULL && picture->name != NULL ? strdup(picture->name) : NULL;
}

enum shw_result view_teaching_save(struct view_teaching *teaching, const char *path, bool replace)
{
    struct shw_output_files files;
    enum shw_result result;

    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    view_teaching_end_stroke(teaching);
    view_outputs_begin(teaching->scene, &files);
    files.overwrite = files.overwrite || replace;
    view_project_list_files(&teaching->project, false, &files);
    note_shown(teaching);
    result = view_project_write(&teaching->project, path, &files, &teaching->scene->log);
    shw_output_files_free(&files);
    return result;
}
