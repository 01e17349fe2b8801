/* The table of CIE Lab: SHW_LAB_ROOT entries are linear light of a base value, 17 fraction bits; then
 * SHW_LAB_ROOT_COUNT entries are the curve f of CIE Lab at steps of 1/4096, 17 fraction bits, the last one twice. */
#ifndef SHW_SHARED_LAB_TABLE_H
#define SHW_SHARED_LAB_TABLE_H

#define SHW_LAB_ROOT        4081u
#define SHW_LAB_ROOT_COUNT  4098u
#define SHW_LAB_TABLE_COUNT (SHW_LAB_ROOT + SHW_LAB_ROOT_COUNT)

#endif
