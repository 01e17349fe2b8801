/* Fuzz target: project files. What is read must write and read back as the same, and be trained on. */
#include <stdlib.h>
#include <string.h>

#include "files/project/project.h"
#include "files/project/training_tiles.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

enum { SIDE_MAX = 300, CANDIDATES_MAX = 20 };

static void write_and_read(const struct shw_project *project, const struct shw_log *log)
{
    struct shw_project *again = NULL;
    char *first = shw_project_encode(project), *second;

    if (first == NULL || shw_project_decode(first, strlen(first), "again", log, &again) != SHW_OK)
        abort();
    second = shw_project_encode(again);
    if (second == NULL || strcmp(first, second) != 0)
        abort();
    free(first);
    free(second);
    shw_project_destroy(&again);
}

/* Gives the pictures pixels; false if they are too large for that. */
static bool paint(struct shw_project *project)
{
    static uint8_t pixels[SIDE_MAX * SIDE_MAX];

    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++) {
        struct shw_project_picture picture = shw_project_get_picture(project, p);
        struct shw_image image = {pixels, picture.width, picture.height, 0, SHW_PIXEL_GREY8};
        static uint16_t labels[SIDE_MAX * SIDE_MAX];
        if (picture.width > SIDE_MAX || picture.height > SIDE_MAX)
            return false;
        for (uint32_t i = 0; i < picture.width * picture.height; i++)
            pixels[i] = (uint8_t)(i * 2654435761u >> 24);
        if (shw_project_set_pixels(project, p, SHW_COLOUR_IMAGE(image)) != SHW_OK ||
            shw_project_copy_labels(project, p, 0, 0, picture.width, picture.height, 1, labels) != SHW_OK)
            abort();
        for (uint32_t i = 0; i < picture.width * picture.height; i++)
            if (labels[i] >= shw_project_get_class_count(project) && labels[i] != SHW_LABEL_VOID)
                abort();
    }
    return true;
}

/* A round. Without labels there is nothing to train on. */
static void train(struct shw_project *project)
{
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;
    struct shw_training_choice all;
    struct shw_trainer *trainer = NULL;
    struct shw_trainer_params params;
    bool finished;

    if (!paint(project) || shw_training_set_make(project, NULL, &set) != SHW_OK)
        return;
    params = shw_training_set_params(set);
    params.technique = SHW_TECHNIQUE_CPU;
    params.threads = 1;
    if (params.candidates == 0 || params.candidates > CANDIDATES_MAX)
        params.candidates = CANDIDATES_MAX;
    if (shw_training_tiles_make(set, shw_trainer_params_get_reach(&params), NULL, NULL, &tiles) != SHW_OK ||
        shw_training_choice_make(tiles, NULL, &all) != SHW_OK ||
        shw_trainer_create(&params, &all.dataset, &trainer) != SHW_OK || shw_trainer_step(trainer, &finished) != SHW_OK)
        abort();
    shw_trainer_destroy(&trainer);
    shw_training_choice_free(&all);
    shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_project *project = NULL;
    enum shw_result result = shw_project_decode(data, size, FUZZ_NAME, &log, &project);

    fuzz_check(result, &messages);
    if (result == SHW_OK) {
        write_and_read(project, &log);
        train(project);
    }
    shw_project_destroy(&project);
    return 0;
}
