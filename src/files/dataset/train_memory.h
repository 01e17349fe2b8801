/* What --memory of `shadewood train` limits, and how it is divided. */
#ifndef SHW_FILES_DATASET_TRAIN_MEMORY_H
#define SHW_FILES_DATASET_TRAIN_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/technique.h>

struct shw_train_memory {
    uint64_t option; /* bytes of --memory; 0: it was not given */
    bool of_process; /* whether it limits the whole process; otherwise it limits device memory */
    uint64_t cache;  /* of it, for decoded images of the data set; 0: as much as usual, or there is no data set */
};

/* `technique`: the one that trains, not AUTO. `has_cache`: the images are those of a data set in files. */
struct shw_train_memory shw_train_memory_divide(uint64_t option, enum shw_technique technique, bool has_cache);

/* Bytes for training itself, shw_trainer_params.memory: of a process, what is left besides the `occupied` bytes that it
 * has already, the cache, and a reserve for the forest and for what the allocator does not give back. At least 1, which
 * is too little; 0 without --memory. */
uint64_t shw_train_memory_left(const struct shw_train_memory *memory, uint64_t occupied);

/* The least number of MiB for --memory that leaves training by cpu `needed` bytes, also if the process has up to one
 * MiB more by then. */
uint64_t shw_train_memory_least(uint64_t needed, uint64_t occupied, bool has_cache);

#endif
