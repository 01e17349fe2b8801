/* Channels: what an image is turned into before features look at it. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A channel is one plane of signed integers of at most 16 bits, made from the inputs by integer arithmetic alone. Which
 * channels there are is a list of entries, each a channel kind with its parameter, which makes one or more channels. As
 * text: "gauss:1,log:2,position", or the name of one of the five named lists. docs/channels.md gives every kind, every
 * kernel and every rounding. */
#ifndef SHADEWOOD_CHANNELS_H
#define SHADEWOOD_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/image.h>
#include <shadewood/log.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The named lists. */
#define SHW_CHANNELS_WINN16 "winn16" /* Winn's bank without the largest Laplacian (Sharp 2008, 2.3); the default */
#define SHW_CHANNELS_WINN17                                                                                            \
    "winn17" /* Winn's bank (Winn, Criminisi, Minka 2005): Gaussians on R, G, B at sigma 1, 2, 4; Laplacians of        \
                Gaussian at 1, 2, 4, 8 and x- and y-derivatives at 2, 4 on luma */
#define SHW_CHANNELS_WIDE "wide" /* winn17, the absolute values of its Laplacians and derivatives, positions */
#define SHW_CHANNELS_RGB  "rgb"  /* R, G, B */
#define SHW_CHANNELS_LAB  "lab"  /* CIE L*, a*, b* of sRGB, white D65 */

#define SHW_CHANNELS_MAX           64u
#define SHW_CHANNEL_NAME_SIZE      24u
#define SHW_CHANNEL_LIST_NAME_SIZE 1792u

struct shw_channel_info {
    char name[SHW_CHANNEL_NAME_SIZE]; /* "gauss-r-1", "log-2", "dx-4", "abs-dy-2", "x", ... */
    uint32_t max_abs;                 /* no value of the channel exceeds this in magnitude; at most 32767 */
    uint32_t fraction_bits;           /* value / 2^fraction_bits is in units of an 8-bit sample (Lab: of L*, a*, b*) */
};

struct shw_channel_kind; /* shadewood/channel_kind.h */

#define SHW_CHANNEL_KINDS_MAX 32u

/* Channel kinds of the caller's, which a text may name beside the library's. Zero: none. The struct is copied; the
 * kinds are borrowed by everything that is made with it. */
struct shw_channel_kinds {
    const struct shw_channel_kind *kinds[SHW_CHANNEL_KINDS_MAX]; /* as many as there are, then NULL */
};

struct shw_channel_entry {
    const struct shw_channel_kind *kind;
    uint32_t parameter;
    uint32_t first; /* its first channel */
    uint32_t input; /* of the list's, what it reads beside the colour; 0: nothing */
};

/* Everything in it follows from its name and from the kinds that the name was read with. May be copied. */
struct shw_channel_list {
    char name[SHW_CHANNEL_LIST_NAME_SIZE]; /* of a named list, or the entries as text */
    uint32_t channel_count;
    struct shw_channel_info channels[SHW_CHANNELS_MAX];
    uint32_t radius; /* pixels farther away than this, in x or in y, have no influence on a channel's value */
    uint32_t input_count;
    const char *inputs[SHW_INPUTS_MAX]; /* that they are made from, by name (shadewood/input.h); SHW_COLOUR first */
    uint32_t entry_count;
    struct shw_channel_entry entries[SHW_CHANNELS_MAX];
};

/* Reads a list: the name of a named list, or entries "kind" or "kind:parameter" with commas between them; NULL is
 * SHW_CHANNELS_WINN16. A list that equals a named one gets its name. `kinds` may be NULL; the list points to those that
 * it names. Errors: ARGUMENT (the message names the entry and what is wrong with it, or the kind of the caller's and
 * what it lacks, or says that its name is taken). Any thread. */
SHW_API enum shw_result shw_channel_list_parse(const char *text, const struct shw_channel_kinds *kinds,
                                               const struct shw_log *log, struct shw_channel_list *list);

/* The name of the named list `index`, from 0; NULL past the last. Static lifetime; any thread. */
SHW_API const char *shw_channel_list_get_name(uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
