/* Channel sets: what an image is turned into before features look at it. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A channel is one plane of signed integers of at most 16 bits, made from the image by integer arithmetic alone.
 * docs/channels.md gives every kernel and every rounding. */
#ifndef SHADEWOOD_CHANNELS_H
#define SHADEWOOD_CHANNELS_H

#include <stdint.h>

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stored in forests and never change their meaning. */
enum shw_channel_set {
    SHW_CHANNELS_DEFAULT = 0, /* as a parameter: SHW_CHANNELS_WINN16 */
    SHW_CHANNELS_WINN16 = 1,  /* Winn's bank without the largest Laplacian (Sharp 2008, 2.3) */
    SHW_CHANNELS_WINN17 = 2,  /* Winn's bank (Winn, Criminisi, Minka 2005): Gaussians on R, G, B at sigma 1, 2, 4;
                                 Laplacians of Gaussian at 1, 2, 4, 8 and x- and y-derivatives at 2, 4 on luma */
    SHW_CHANNELS_WIDE = 3,    /* WINN17, the absolute values of its Laplacians and derivatives, normalised x and y */
    SHW_CHANNELS_RGB = 4,     /* R, G, B */
    SHW_CHANNELS_LAB = 5      /* CIE L*, a*, b* of sRGB, white D65 */
};

#define SHW_CHANNELS_MAX 64u

struct shw_channel_info {
    const char *name;       /* "gauss-r-1", "log-2", "dx-4", "abs-dy-2", "x", ... */
    uint32_t max_abs;       /* no value of the channel exceeds this in magnitude; at most 32767 */
    uint32_t fraction_bits; /* value / 2^fraction_bits is in units of an 8-bit sample (Lab: of L*, a*, b*) */
};

struct shw_channel_set_info {
    const char *name; /* as on the command line: "winn16", "winn17", "wide", "rgb", "lab" */
    uint32_t channel_count;
    const struct shw_channel_info *channels;
    uint32_t radius; /* pixels farther away than this, in x or in y, have no influence on a channel's value */
};

/* Describes `set`; NULL if there is none with that number. Static lifetime; any thread. */
SHW_API const struct shw_channel_set_info *shw_channel_set_get(enum shw_channel_set set);

/* The set with that name, or 0. Any thread. */
SHW_API enum shw_channel_set shw_channel_set_by_name(const char *name);

#ifdef __cplusplus
}
#endif
#endif
