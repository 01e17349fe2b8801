#include "files/project/project_data.h"

#include "base/log.h"

enum shw_result shw_project_data_make(struct shw_project *project, const struct shw_log *log,
                                      struct shw_trainer_params *params, struct shw_project_data *data)
{
    struct shw_trainer_params taught;
    enum shw_result result;

    *data = (struct shw_project_data){0};
    SHW_PROPAGATE(shw_project_check_pictures(project, log)); /* the file alone does not list its pictures */
    SHW_PROPAGATE(shw_training_set_make(project, log, &data->set));
    taught = shw_training_set_level_params(data->set);
    params->levels = taught.levels;
    params->channels = params->channels != NULL ? params->channels : taught.channels;
    params->tree_count = params->tree_count > 0 ? params->tree_count : taught.tree_count;
    params->depth = params->depth > 0 ? params->depth : taught.depth;
    params->candidates = params->candidates > 0 ? params->candidates : taught.candidates;
    params->seed = taught.seed;
    params->offset_min = params->offset_min > 0 ? params->offset_min : taught.offset_min;
    params->offset_max = params->offset_max > 0 ? params->offset_max : taught.offset_max;
    params->smoothing = params->smoothing.radius > 0 ? params->smoothing : taught.smoothing;
    params->pixels_per_image = taught.pixels_per_image;
    params->weighting = taught.weighting;
    params->notes = taught.notes;
    if (taught.feature != NULL)
        params->feature = taught.feature;
    params->kinds = taught.kinds;
    result = shw_training_tiles_make(data->set, shw_level_margin(params), NULL, NULL, &data->tiles);
    if (result == SHW_OK && params->levels > 1) {
        result = shw_level_examples_make(data->tiles, NULL, params, &data->levels);
        data->dataset = &data->levels.dataset;
    } else if (result == SHW_OK) {
        result = shw_training_choice_make(data->tiles, NULL, &data->all);
        data->dataset = &data->all.dataset;
    }
    return result;
}

void shw_project_data_free(struct shw_project_data *data)
{
    shw_training_choice_free(&data->all);
    shw_level_examples_free(&data->levels);
    shw_training_tiles_release(&data->tiles);
    shw_training_set_destroy(&data->set);
}
