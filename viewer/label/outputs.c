#include "label/outputs.h"

#include "label/scene.h"

void view_outputs_read(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

void view_outputs_begin(const struct view_scene *scene, struct shw_output_files *files)
{
    *files = (struct shw_output_files){
        .overwrite = scene->outputs.overwrite, .hint = "`overwrite on` or the option --overwrite", .log = scene->log};
    if (scene->player->source != NULL &&
        view_source_list_files(scene->player->source, view_outputs_read, files) != SHW_OK)
        files->incomplete = true;
    if (scene->forest != NULL)
        shw_output_files_read(files, scene->forest->path);
    shw_output_files_read(files, scene->outputs.script);
    shw_output_files_read(files, scene->outputs.settings);
    shw_output_files_read(files, scene->outputs.cascade);
    shw_output_files_read(files, scene->outputs.rectangles);
}
