/* The compression LZF, which point clouds have. */
#ifndef SHW_FILES_CONVERT_LZF_H
#define SHW_FILES_CONVERT_LZF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The most bytes that one byte can stand for: three are up to 264. */
#define SHW_LZF_RATIO_MAX 88u

/* Decompresses into exactly `to_size` bytes. False if the bytes are damaged or of another length. */
bool shw_lzf_decompress(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size);

#endif
