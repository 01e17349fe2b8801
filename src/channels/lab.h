/* The tables of shared/lab.h. */
#ifndef SHW_CHANNELS_LAB_H
#define SHW_CHANNELS_LAB_H

#include <stdint.h>

#define SHW_LAB_PARAMETER const uint32_t *table,
#define SHW_LAB_ARGUMENT  table,

static inline uint32_t shw_lab_table(const uint32_t *table, uint32_t index)
{
    return table[index];
}

#include "shared/lab.h"

/* Fills SHW_LAB_TABLE_COUNT entries, the same on every machine. */
void shw_lab_fill_table(uint32_t *table);

#endif
