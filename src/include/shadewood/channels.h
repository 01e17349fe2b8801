/* Channels: the planes that features read. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A channel is a plane of signed integers of at most 16 bits, made from the inputs by integer arithmetic alone. A
 * channel list has entries, each a channel kind with its parameter, which makes one or more channels. As text:
 * "gauss:1,log:2,position"; the name of one of the five named lists stands for its entries. Entries may read planes by
 * name: "gauss:2@nir", "plane:nir", "ndiff:nir,red"; "range:nir=0..10000" states what the numbers of a plane mean.
 * docs/channels.md specifies every kind, every kernel and every rounding, docs/planes.md planes and their ranges. */
#ifndef SHADEWOOD_CHANNELS_H
#define SHADEWOOD_CHANNELS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/image.h>
#include <shadewood/log.h>
#include <shadewood/version.h>

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

/* How long lists of channels may be, and the sizes of buffers for their names with the final zero. */
#define SHW_CHANNELS_MAX 64u
#define SHW_CHANNEL_ENTRIES_MAX                                                                                        \
    96u /* of lists that the library makes; those of forests have at most a channel each                               \
         */
#define SHW_CHANNEL_NAME_SIZE      72u
#define SHW_CHANNEL_LIST_NAME_SIZE 4096u
#define SHW_INPUT_NAME_SIZE        32u

/* What the values of a channel are. Lists with a channel that lacks its count, or the other way round, are refused. */
enum shw_channel_content {
    SHW_CONTENT_PLAIN = 0,   /* there is one at every pixel */
    SHW_CONTENT_DEPTH = 1,   /* distances in millimetres, 0 where missing; the next channel is its count */
    SHW_CONTENT_HEIGHT = 2,  /* heights in millimetres, 0 where missing; the next channel is its count */
    SHW_CONTENT_COUNT = 3,   /* 1 where the channel before has a value, otherwise 0 */
    SHW_CONTENT_DISTANCE = 4 /* a constant distance in millimetres, for inputs without depth; the next channel is its
                                count */
};

/* How a channel changes when the image is mirrored left to right: training with paired flipping derives the mirrored
 * channel from that of the image. */
enum shw_channel_mirror {
    SHW_MIRRORED_UNKNOWN = 0, /* not stated: paired flipping refuses the channel */
    SHW_MIRRORED_SAME = 1,    /* the same values at mirrored places: colours, depths, symmetric filters */
    SHW_MIRRORED_NEGATED = 2, /* the negated values at mirrored places: derivatives in x */
    SHW_MIRRORED_FIXED = 3    /* the same values at the same places: it depends on the position only, as x does */
};

/* A channel of a list. */
struct shw_channel_info {
    char name[SHW_CHANNEL_NAME_SIZE]; /* "gauss-r-1", "log-2", "dx-4", "abs-dy-2", "x", "log-2@nir", "plane-nir", ... */
    uint32_t max_abs;                 /* no value of the channel exceeds this in magnitude; at most 32767 */
    uint32_t fraction_bits;           /* value / 2^fraction_bits is in units of an 8-bit sample (Lab: of L*, a*, b*) */
    enum shw_channel_content content;
    enum shw_channel_mirror mirrored;
};

struct shw_channel_kind; /* shadewood/channel_kind.h */

#define SHW_CHANNEL_KINDS_MAX 32u

/* Custom channel kinds that a text may name in addition to the library's. Zero: none. The struct is copied; the kinds
 * are borrowed by everything that is created with it. */
struct shw_channel_kinds {
    const struct shw_channel_kind *kinds[SHW_CHANNEL_KINDS_MAX]; /* terminated by NULL if there are fewer */
};

/* An entry of a list: successive channels of a kind. */
struct shw_channel_entry {
    const struct shw_channel_kind *kind;
    uint32_t parameter;
    uint32_t first;  /* number of its first channel */
    uint32_t input;  /* index in the list's inputs of the one read in addition to the first; 0: none */
    uint32_t source; /* of the one read first: 0, the colour image, or a plane that the entry names */
};

/* The numbers of a plane that become 0 and the greatest base value (docs/planes.md). Both 0: not stated, those of
 * samples of 8 and 16 bits are the least and the greatest. */
struct shw_plane_range {
    float low, high;
};

/* Everything follows from the name and the kinds that it was parsed with. May be copied. */
struct shw_channel_list {
    char name[SHW_CHANNEL_LIST_NAME_SIZE]; /* of a named list, or the entries as text */
    uint32_t channel_count;
    struct shw_channel_info channels[SHW_CHANNELS_MAX];
    uint32_t radius; /* pixels farther away than this, in x or in y, do not affect a channel's value */
    uint32_t input_count;
    char inputs[SHW_INPUTS_MAX][SHW_INPUT_NAME_SIZE]; /* names of the inputs that channels are made from
                                                         (shadewood/input.h); SHW_COLOUR first */
    bool is_plane[SHW_INPUTS_MAX];                    /* docs/planes.md; also one that only custom kinds read */
    struct shw_plane_range ranges[SHW_INPUTS_MAX];
    uint32_t entry_count;
    struct shw_channel_entry entries[SHW_CHANNEL_ENTRIES_MAX];
};

/* Parses a list: names of named lists, entries "kind" or "kind:parameter", those that name planes, and ranges of
 * planes, separated by commas; NULL is SHW_CHANNELS_WINN16. A list that equals a named one gets its name. `kinds` may
 * be NULL; the list points to those that it names. Errors: ARGUMENT (the message names the entry and the reason, or the
 * custom kind and what is missing, or says that its name is taken). Any thread. */
SHW_API enum shw_result shw_channel_list_parse_abi(uint32_t abi, const char *text,
                                                   const struct shw_channel_kinds *kinds, const struct shw_log *log,
                                                   struct shw_channel_list *list);
static inline enum shw_result shw_channel_list_parse(const char *text, const struct shw_channel_kinds *kinds,
                                                     const struct shw_log *log, struct shw_channel_list *list)
{
    return shw_channel_list_parse_abi(SHW_ABI, text, kinds, log, list);
}

/* The name of named list `index`, from 0; NULL past the last. Static lifetime; any thread. */
SHW_API const char *shw_channel_list_get_name(uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
