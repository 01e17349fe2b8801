/* Fuzz target: checkpoints, as forests and as what training goes on from. What is accepted must end in a forest. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dense/train/checkpoint.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "testing/examples.h"
#include "testing/forest_seal.h"
#include "testing/training.h"

static struct testing_examples examples;

/* One trainer takes everything that is refused. */
static struct shw_trainer *fresh_trainer(struct shw_trainer *old)
{
    static struct shw_trainer *trainer;

    if (old != NULL)
        shw_trainer_destroy(&trainer);
    if (trainer == NULL) {
        struct shw_trainer_params params = testing_training;
        params.threads = 1;
        if (shw_trainer_create(&params, &examples.dataset, &trainer) != SHW_OK)
            abort();
    }
    return trainer;
}

static void free_all(void)
{
    struct shw_trainer *trainer = fresh_trainer(NULL);

    shw_trainer_destroy(&trainer);
    testing_examples_free(&examples);
}

void fuzz_seal(uint8_t *bytes, size_t size)
{
    testing_forest_seal(bytes, size);
}

static void try_load(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_forest_load_params params = {.log = fuzz_log(&messages)};
    struct shw_forest *forest = NULL;
    struct shw_trainer *trainer = fresh_trainer(NULL);
    enum shw_result result = shw_forest_load_memory(data, size, FUZZ_NAME, &params, &forest);
    bool finished = false;

    fuzz_check(result, &messages);
    if (result != SHW_OK)
        return;
    trainer->params.log = fuzz_log(&messages);
    result = shw_checkpoint_take(trainer, forest, FUZZ_NAME);
    fuzz_check(result, &messages);
    if (result == SHW_OK) {
        while (!finished)
            if (shw_trainer_step(trainer, &finished) != SHW_OK)
                abort();
        fresh_trainer(trainer);
    } else if (trainer->tree_count > 0 || trainer->builder.nodes != NULL) {
        abort();
    }
    trainer = fresh_trainer(NULL);
    trainer->params.log = (struct shw_log){0};
    shw_forest_destroy(&forest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (examples.dataset.count == 0) {
        const struct testing_examples_params params = {.seed = 31, .void_percent = 15};
        testing_examples_make(&params, &examples);
        atexit(free_all);
    }
    try_load(data, size);
    return 0;
}
