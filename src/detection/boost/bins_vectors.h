/* Bins by vectors. The file that includes this defines COUNT(), which makes names, WIDTH, the bytes of a vector, and
 * TARGET, the attributes of the function. */
typedef uint16_t COUNT(words) __attribute__((vector_size(WIDTH), may_alias));
typedef int16_t COUNT(signed_words) __attribute__((vector_size(WIDTH)));

TARGET static void COUNT(count)(const uint16_t *first, const uint16_t *second, const int32_t *thresholds,
                                uint32_t count, uint8_t *bins)
{
    const uint32_t lanes = WIDTH / sizeof(uint16_t);

    for (uint32_t i = 0; i < BLOCK; i += lanes) {
        COUNT(words) a = *(const COUNT(words) *)(const void *)(first + i);
        COUNT(words) b = *(const COUNT(words) *)(const void *)(second + i);
        COUNT(signed_words) wrapped = (COUNT(signed_words))(a - b), below = (COUNT(signed_words))(a < b), bin = {0};
        /* The sign of the wrapped difference is wrong where it has overflown. */
        COUNT(signed_words) overflown = below ^ (wrapped < 0), most = below ^ INT16_MAX;
        COUNT(signed_words) response = (wrapped & ~overflown) | (most & overflown);
        for (uint32_t t = 0; t < count; t++)
            bin -= response > (int16_t)thresholds[t];
        for (uint32_t l = 0; l < lanes; l++)
            bins[i + l] = (uint8_t)bin[l];
    }
}

#undef COUNT
#undef WIDTH
#undef TARGET
