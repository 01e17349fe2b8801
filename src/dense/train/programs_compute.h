/* The compute shaders of training rounds (shaders/train), and the buffers that they read and write. */
#ifndef SHW_DENSE_TRAIN_PROGRAMS_COMPUTE_H
#define SHW_DENSE_TRAIN_PROGRAMS_COMPUTE_H

#include "vulkan/memory.h"

struct shw_train_compute;

enum shw_training_program {
    SHW_PROGRAM_CANDIDATES,
    SHW_PROGRAM_PROBES,
    SHW_PROGRAM_THRESHOLDS,
    SHW_PROGRAM_HISTOGRAM,
    SHW_PROGRAM_SPLIT,
    SHW_PROGRAM_WINNERS,
    SHW_PROGRAM_SIDES,
    SHW_PROGRAM_SCAN,
    SHW_PROGRAM_MOVE,
    SHW_PROGRAM_COUNT
};

/* Specialisation constants of the shaders that compute responses (shaders/dense/train/respond.glsl), and of
 * histogram.comp.
 */
#define SHW_TRAIN_CONSTANTS 7u
struct shw_train_specialization {
    uint32_t words[SHW_TRAIN_CONSTANTS]; /* [constant_id] */
    VkSpecializationMapEntry entries[SHW_TRAIN_CONSTANTS];
    VkSpecializationInfo info;
};
void shw_train_specialize(const struct shw_train_compute *training, struct shw_train_specialization *specialization);

/* The storage buffers that a shader needs which reads planes in windows. */
uint32_t shw_compute_count_bindings(void);

/* Creates the programs. Errors: those of Vulkan. */
enum shw_result shw_compute_programs_create(struct shw_train_compute *training);
void shw_compute_programs_destroy(struct shw_train_compute *training);

/* Creates descriptor sets for each place of integral images. */
enum shw_result shw_compute_sets_create(struct shw_train_compute *training);
void shw_compute_sets_destroy(struct shw_train_compute *training);

/* The buffer of a binding (shared/train_push.h) for a place of integral images. */
const struct shw_buffer *shw_compute_buffer(const struct shw_train_compute *training, uint32_t binding, uint32_t place);

/* Points the descriptor sets to the current buffers. */
void shw_compute_bind_buffers(struct shw_train_compute *training);

/* Makes a buffer at least that large. Its contents are lost if it has to grow. Nothing that uses it may be running. */
enum shw_result shw_compute_need(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                 enum shw_memory_kind kind, const char *name);

#endif
