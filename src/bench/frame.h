/* A frame of the bench: an image, a forest, and the results of the technique cpu, with which all others are compared.
 */
#ifndef SHW_BENCH_FRAME_H
#define SHW_BENCH_FRAME_H

#include "bench/resident.h"
#include "bench/setting.h"

struct shw_bench_frame {
    struct shw_bench *bench;
    const struct shw_bench_setting *setting;
    struct shw_forest *forest; /* the setting's, or random; likewise the inputs */
    struct shw_input inputs[SHW_BENCH_INPUTS_MAX];
    struct shw_inputs all;
    struct shw_bench_source sources[SHW_BENCH_INPUTS_MAX]; /* the same, if there is a device */
    /* by cpu, for comparison */
    struct shw_pipeline cpu;
    struct shw_labelling labels;
    struct shw_labelling other; /* memory for the results of others: the output of the setting */
    const struct shw_stage_technique
        *custom; /* the current one, instead of the built-in one of its stage; NULL: none */
};

/* Initialises a frame whose bench and setting are set. On failure it only needs to be destroyed. Errors: MEMORY,
 * DEVICE_MEMORY, LIMIT, DEVICE_LOST. */
enum shw_result shw_bench_frame_create(struct shw_bench_frame *frame);
void shw_bench_frame_destroy(struct shw_bench_frame *frame);

/* The stages by cpu, for shw_bench_work: `user` is the frame. Each reads the result of the previous one. */
enum shw_result shw_bench_cpu_channels(void *user);
enum shw_result shw_bench_cpu_integrate(void *user);
enum shw_result shw_bench_cpu_evaluate(void *user);
enum shw_result shw_bench_cpu_whole(void *user);

/* The stage of a custom technique on the host: writes to the same memory as cpu, labels to `other`. */
enum shw_result shw_bench_custom_stage(void *user);

/* Before it: clears the memory, so that old contents cannot be mistaken for its result. */
void shw_bench_custom_spoil(struct shw_bench_frame *frame);

/* Whether its result equals that of cpu, which is restored afterwards. Errors: MEMORY. */
enum shw_result shw_bench_custom_equals(struct shw_bench_frame *frame, bool *equal);

/* What cpu has made in a stage. */
const void *shw_bench_frame_result(const struct shw_bench_frame *frame, enum shw_stage stage);

/* The planes of the setting's output, and their bytes. */
const void *shw_bench_labels(const struct shw_bench_setting *setting, const struct shw_labelling *labels);
size_t shw_bench_label_bytes(const struct shw_bench_setting *setting);

#endif
