#include "dense/train/trees.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "dense/train/fern.h"
#include "dense/train/splitting.h"

void shw_tree_free(struct shw_tree *tree)
{
    free((void *)(uintptr_t)tree->nodes);
    free((void *)(uintptr_t)tree->distributions);
    *tree = (struct shw_tree){0};
}

void shw_trainer_clear(struct shw_trainer *trainer)
{
    while (trainer->tree_count > 0)
        shw_tree_free(&trainer->trees[--trainer->tree_count]);
    shw_tree_builder_free(&trainer->builder);
    shw_splitting_free(&trainer->splitting);
    shw_fern_level_free(&trainer->fern_level);
}

struct shw_class shw_dataset_class(const struct shw_dataset *dataset, uint32_t index, char name[SHW_CLASS_NAME_SIZE])
{
    if (dataset->classes != NULL)
        return dataset->classes[index];
    snprintf(name, SHW_CLASS_NAME_SIZE, "class %u", index);
    /* not the colours of base/class.h: earlier checkpoints have these, and a checkpoint's data set must match in
     * colours, too */
    return (struct shw_class){.name = name,
                              .colour = {(uint8_t)(index * 67), (uint8_t)(index * 151), (uint8_t)(index * 29)}};
}

enum shw_result shw_trainer_make_forest(const struct shw_trainer *trainer, uint32_t tree_count, const char *record,
                                        struct shw_forest **forest)
{
    struct shw_forest_params params = {.info = {.channels = trainer->params.channels,
                                                .kinds = trainer->params.kinds,
                                                .feature = trainer->params.feature,
                                                .class_count = trainer->dataset->class_count,
                                                .tree_count = tree_count,
                                                .combine = trainer->params.combine,
                                                .fill = trainer->params.fill,
                                                .training = record},
                                       .trees = trainer->trees,
                                       .log = trainer->params.log};
    uint32_t class_count = params.info.class_count;
    struct shw_class *classes = calloc(class_count, sizeof *classes);
    char(*names)[SHW_CLASS_NAME_SIZE] = calloc(class_count, sizeof *names);
    enum shw_result result;

    if (classes == NULL || names == NULL) {
        result = shw_fail_memory(&trainer->params.log, "class names");
        goto fail;
    }
    for (uint32_t c = 0; c < class_count; c++)
        classes[c] = shw_dataset_class(trainer->dataset, c, names[c]);
    params.info.classes = classes;
    result = shw_forest_create(&params, forest);

fail:
    free(classes);
    free(names);
    return result;
}

enum shw_result shw_trainer_finish(struct shw_trainer *trainer)
{
    char *record = shw_trainer_get_record(trainer);
    enum shw_result result = record != NULL
                                 ? shw_trainer_make_forest(trainer, trainer->tree_count, record, &trainer->forest)
                                 : shw_fail_memory(&trainer->params.log, "the training record");

    free(record);
    trainer->finished = result == SHW_OK;
    return result;
}
