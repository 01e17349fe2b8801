/* The tables of shared/lab.h. */
#ifndef SHW_DENSE_CHANNELS_LAB_H
#define SHW_DENSE_CHANNELS_LAB_H

#include <stdint.h>

/* Equal on all machines. Static lifetime; any thread. */
const uint32_t *shw_lab_get_table(uint32_t *count);

#endif
