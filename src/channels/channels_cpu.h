/* What the parts of the `cpu` technique share. */
#ifndef SHW_CHANNELS_CHANNELS_CPU_H
#define SHW_CHANNELS_CHANNELS_CPU_H

#include "channels/channels.h"
#include "channels/filter_bank.h"

struct shw_channels_job {
    const struct shw_filter_bank *bank;
    const struct shw_image *image;
    struct shw_region region;
    int16_t *planes;
    const uint32_t *lab_table; /* or NULL: made for this job */
};

enum shw_result shw_filter_bank_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool);
enum shw_result shw_lab_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool);

#endif
