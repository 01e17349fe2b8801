/* The interface of feature types, for C and GLSL. shaders/dense/feature/NAME.h has the arithmetic of one type; all code
 * that computes responses is compiled from it, once per type.
 *
 * The including C file defines, before the type's header:
 *   SHW_CONTEXT_PARAMETER, SHW_CONTEXT  a leading parameter, with its comma (empty in GLSL)
 *   shw_integral()  the sum of a channel over all pixels left of x and above y, modulo 2^32
 *   shw_channel()   the value of a channel at a pixel
 *   SHW_CANDIDATE_PARAMETER, SHW_CANDIDATE  the same as the first two, for drawing
 *   shw_channel_max(), shw_channel_content()  the greatest |value| of a channel, and what its values are
 *
 * Where SHW_PIXELS_AT_HAND is 1, shw_has_pixels() says whether a type that reads integral images can read channels, too
 * (SHW_FEATURE_READS_PIXELS: it does for small regions). A shader defines those of the functions declared below that it
 * calls. SHW_MAY_BRANCH is 1 in C and in shaders where a branch that saves reads is worth it; elsewhere, responses must
 * be computed without branches. */
#ifndef SHW_SHARED_FEATURE_H
#define SHW_SHARED_FEATURE_H

#include "forest_texture.h"
#include "types.h"

#define SHW_READS_INTEGRALS 1
#define SHW_READS_CHANNELS  2

#ifdef SHW_GLSL
/* enum shw_channel_content (shadewood/channels.h) */
#define SHW_CONTENT_PLAIN    0u
#define SHW_CONTENT_DEPTH    1u
#define SHW_CONTENT_HEIGHT   2u
#define SHW_CONTENT_COUNT    3u
#define SHW_CONTENT_DISTANCE 4u
#endif

#ifndef SHW_GLSL
#define SHW_MAY_BRANCH 1
#elif !defined SHW_MAY_BRANCH
#define SHW_MAY_BRANCH 0
#endif

#ifndef SHW_PIXELS_AT_HAND
#define SHW_PIXELS_AT_HAND 0
#endif

/* Stands for an undefined response where responses are stored; no defined response is this small. */
#define SHW_UNDEFINED_RESPONSE (-0x7fffffff - 1)

/* The words of a node that hold a feature. Bit 24 of `head` marks splits and does not belong to the feature. In leaves
 * all words are zero; responses to them are computed but ignored. */
struct shw_feature_words {
    shw_uint head;
    shw_uint4 words;
};

/* A defined response is greater than -2^31; if `undefined`, the value is ignored. */
struct shw_response {
    shw_int value;
    shw_uint undefined; /* 0 or 1 */
};

#ifdef SHW_GLSL
#define SHW_FEATURE  shw_feature_words
#define SHW_RESPONSE shw_response
#define SHW_CONTEXT_PARAMETER
#define SHW_CONTEXT
#define SHW_CANDIDATE_PARAMETER
#define SHW_CANDIDATE
uint shw_integral(uint channel, int x, int y);
uint shw_integral_at(uint place); /* by index in the buffer */
int shw_channel(uint channel, int x, int y);
int shw_channel_at(uint place);
bool shw_has_pixels();
uint shw_channel_max(uint channel);
uint shw_channel_content(uint channel);
#else
#define SHW_FEATURE  struct shw_feature_words
#define SHW_RESPONSE struct shw_response
#endif

SHW_INLINE SHW_FEATURE shw_feature_of(shw_uint head, shw_uint4 words)
{
    SHW_FEATURE feature;
    feature.head = head;
    feature.words = words;
    return feature;
}

SHW_INLINE SHW_RESPONSE shw_defined(shw_int value)
{
    SHW_RESPONSE response;
    response.value = value;
    response.undefined = 0u;
    return response;
}

#endif
