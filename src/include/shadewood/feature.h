/* Feature types: how tests compute responses from a pixel's surroundings. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A forest has one feature type. The library has the types below; a program can add its own, compiled from one header
 * by the CMake function shadewood_feature() (docs/extending.md). */
#ifndef SHADEWOOD_FEATURE_H
#define SHADEWOOD_FEATURE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/channels.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The parameters of a response; their meaning depends on the type. Bit 24 of the first word is always zero. */
struct shw_feature {
    uint32_t words[5];
};

/* Pixels (px + x0 .. px + x1 - 1) x (py + y0 .. py + y1 - 1) around the classified pixel (px, py); x0 < x1 and y0 < y1.
 * For evaluation it is clipped to the image so that at least the nearest border pixel remains. */
struct shw_rectangle {
    int16_t x0, y0, x1, y1;
};

/* A region that a feature reads, for display. */
struct shw_feature_region {
    uint32_t channel;
    struct shw_rectangle rectangle;
    bool subtracted;          /* its value is subtracted from the response, not added */
    struct shw_feature alone; /* the feature whose response is the value of this region */
};
#define SHW_FEATURE_REGIONS_MAX 4u

/* How far a feature reads: its response depends only on pixels from (px + x0, py + y0) to (px + x1 - 1, py + y1 - 1).
 * -SHW_REACH_ALL <= x0, y0 <= 0 <= x1, y1 <= SHW_REACH_ALL. */
struct shw_reach {
    int32_t x0, y0, x1, y1;
};
#define SHW_REACH_ALL 0x10000 /* for -x0, -y0, x1 and y1: the whole image, which is then never tiled */

/* The planes that a type reads: integral images, or single pixels of channels. Integral images are made only if the
 * forest's type reads them. */
enum shw_feature_reads { SHW_FEATURE_READS_INTEGRALS = 1, SHW_FEATURE_READS_CHANNELS = 2 };

/* The size of the buffers for a reason, with the final zero. */
#define SHW_WHY_SIZE 256

/* Of what training draws: pixels from the classified one to the farthest, and the longest side of a rectangle. */
struct shw_draw_limits {
    uint32_t offset_max, size_max;
};

/* The version of struct shw_feature_type, for its member `version`. */
#define SHW_FEATURE_TYPE_VERSION 8u

struct shw_feature_code;
struct shw_feature_vectors;

/* A feature type. Immutable; must outlive all forests and trainers that use it. All functions may be called from any
 * thread. */
struct shw_feature_type {
    uint32_t version;  /* SHW_FEATURE_TYPE_VERSION */
    const char *name;  /* in files, options and messages: 1 to 31 lower-case letters, digits and '-', not those of
                          another type */
    const char *label; /* for display: "mean difference" */
    enum shw_feature_reads reads;
    bool may_be_undefined; /* responses may be undefined; such pixels go right */
    bool reads_depth;      /* the depth at the classified pixel: the first channel, of content SHW_CONTENT_DEPTH or
                              SHW_CONTENT_DISTANCE. Pixels without it are void: SHW_LEAF_NONE and SHW_LABEL_VOID in
                              results, and not trained on */
    bool labels_all;       /* with reads_depth: in results pixels without depth are not void, but have a leaf and a
                              label */
    /* Whether the words are a feature of this type over these channels; if not, writes the reason. */
    bool (*check)(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE]);
    /* Whether training can draw features of these channels that differ from pixel to pixel and pass check() and
       get_bound(); if not, writes the reason. `limits` are those of training, or NULL: a proposer has its own. NULL: of
       any channels. */
    bool (*can_draw)(const struct shw_channel_list *channels, const struct shw_draw_limits *limits,
                     char why[SHW_WHY_SIZE]);
    /* An upper bound of the magnitude of all sums over regions; must be less than 2^30. */
    uint64_t (*get_bound)(const struct shw_feature *feature, const struct shw_channel_list *channels);
    struct shw_reach (*get_reach)(const struct shw_feature *feature);
    /* Fills in the regions and returns their number, at most SHW_FEATURE_REGIONS_MAX. */
    uint32_t (*get_regions)(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);
    /* The same where the depth is `depth` > 0 mm; NULL: the same at every depth. get_regions() is for one metre. */
    uint32_t (*get_regions_at)(const struct shw_feature *feature, uint32_t depth,
                               struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);
    const struct shw_feature_code *code;    /* shw_feature_code_NAME, compiled from the type's header */
    const struct shw_feature_vectors *fast; /* for built-in types; NULL: none */
    const char *text; /* from which it was made while the program runs, for files of forests; NULL: there is none */
};

/* mean(R0, c0) - mean(R1, c1) over the clipped areas; each mean is rounded towards zero. */
SHW_API extern const struct shw_feature_type shw_feature_mean_difference;
/* sum(R0, c0) - sum(R1, c1) (Sharp 2008, 2.1). */
SHW_API extern const struct shw_feature_type shw_feature_sum_difference;
/* A channel at one pixel minus a channel at another (Sharp 2008, 2.5): equals the sum difference with rectangles of one
 * pixel, but needs no integral images. */
SHW_API extern const struct shw_feature_type shw_feature_pixel_difference;

/* The mean of a channel over a region minus that of another, or the former alone, with offsets and sizes divided by the
 * depth at the pixel (CURFIL, Eq. 2 and 5). Undefined where a region has no pixel in the image, or none with a value.
 * Words: shaders/dense/feature/depth_mean_difference.h. */
SHW_API extern const struct shw_feature_type shw_feature_depth_mean_difference;
/* The depth at one position minus that at another, with offsets divided by the depth at the pixel (Shotton et al. 2011,
 * Eq. 1). Undefined where a position is outside the image, or has no depth. Words: shaders/shared/depth_pixels.h. */
SHW_API extern const struct shw_feature_type shw_feature_depth_pixel_difference;
/* The same as Kinect's forests compute it: offsets are rounded towards minus infinity, positions are moved into the
 * image, and missing depth is 32767. Always defined. */
SHW_API extern const struct shw_feature_type shw_feature_kinect_difference;
/* The difference of sums or, of depths, means over two regions, as CURFIL's programs compute it for its own forests
 * (docs/exchange.md). Undefined where a region is not inside the image, or has no depth. Words:
 * shaders/dense/feature/curfil_difference.h. */
SHW_API extern const struct shw_feature_type shw_feature_curfil_difference;

/* Type `index` of the library, from 0; NULL past the last. The first is the default. Any thread. */
SHW_API const struct shw_feature_type *shw_feature_type_get(uint32_t index);

/* The library's type with that name, or NULL. Any thread. */
SHW_API const struct shw_feature_type *shw_feature_type_by_name(const char *name);

/* A feature of the types above; for pixel differences both rectangles must have one pixel. */
struct shw_rectangle_difference {
    struct shw_rectangle rectangle[2];
    uint16_t channel[2]; /* less than 4096 */
    bool single;         /* rectangle 1 is unused (its fields must still be valid) */
};

/* Conversion to and from words. Any thread. */
SHW_API struct shw_feature shw_rectangle_difference_pack(const struct shw_rectangle_difference *difference);
SHW_API struct shw_rectangle_difference shw_rectangle_difference_unpack(const struct shw_feature *feature);

/* The functions of the difference types, for types of your own whose words are such: check, get_bound, get_reach and
 * get_regions. Without a feature, channels or an array, they say false, 0 or nothing. Any thread. */
SHW_API bool shw_rectangle_difference_check(const struct shw_feature *feature, const struct shw_channel_list *channels,
                                            char why[SHW_WHY_SIZE]);
SHW_API uint64_t shw_rectangle_difference_bound(const struct shw_feature *feature,
                                                const struct shw_channel_list *channels);
SHW_API struct shw_reach shw_rectangle_difference_reach(const struct shw_feature *feature);
SHW_API uint32_t shw_rectangle_difference_regions(const struct shw_feature *feature,
                                                  struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX]);

/* The function that a shared object for the option --plugin of programs exports under this name. It returns `*count`
 * types, which must be valid as long as the object is loaded. */
#define SHW_FEATURE_TYPES_SYMBOL "shadewood_feature_types"
typedef const struct shw_feature_type *const *(*shw_feature_types_function)(uint32_t *count);

#ifdef __cplusplus
}
#endif
#endif
