/* For lanes_avx2.h and lanes_avx512.h, which define VECTOR: eight rows of eight words, word by word. */
VECTOR void transpose_rows(const uint32_t *from, const uint32_t at[8], __m256i words[8])
{
    __m256i row[8], pairs[8], fours[8];

    for (int i = 0; i < 8; i++)
        row[i] = _mm256_loadu_si256((const __m256i *)(const void *)(from + 8 * (size_t)at[i]));
    for (int i = 0; i < 8; i += 2) {
        pairs[i] = _mm256_unpacklo_epi32(row[i], row[i + 1]);
        pairs[i + 1] = _mm256_unpackhi_epi32(row[i], row[i + 1]);
    }
    for (int i = 0; i < 8; i += 4)
        for (int j = 0; j < 2; j++) {
            fours[i + 2 * j] = _mm256_unpacklo_epi64(pairs[i + j], pairs[i + j + 2]);
            fours[i + 2 * j + 1] = _mm256_unpackhi_epi64(pairs[i + j], pairs[i + j + 2]);
        }
    for (int i = 0; i < 4; i++) {
        words[i] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x20);
        words[i + 4] = _mm256_permute2x128_si256(fours[i], fours[i + 4], 0x31);
    }
}
