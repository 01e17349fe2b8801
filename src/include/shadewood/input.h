/* Inputs: the named images that are labelled and trained on. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Every forest reads SHW_COLOUR. Its channels determine which others it reads (shw_forest_get_input()); each must have
 * the size of the colour image:
 * - SHW_PREVIOUS, the previous frame, with as many bits per sample as the colour image. The caller keeps it; if there
 *   is none, as for a first frame, it is omitted, and the colour image is used instead;
 * - SHW_DEPTH, 16-bit grey: millimetres, 0 where missing; or anything that a struct shw_depth turns into that;
 * - SHW_HEIGHT, 16-bit grey: the height above ground in millimetres, plus one; 0 where missing;
 * - up to 64 planes of grey, with names of 1 to 31 lower-case letters, digits and '-'. Those that the channel list
 *   names ("gauss:2@nir", docs/planes.md) have 8 or 16 bits, or are floats whose range the list states. So have those
 *   of custom channel kinds; if nothing else reads one, a struct shw_depth may also convert it to millimetres.
 * Channels read depth as stored, and so do custom kinds their planes, unless a range is stated: 8 or 16 bits, on the
 * device those of the first component.
 */
#ifndef SHADEWOOD_INPUT_H
#define SHADEWOOD_INPUT_H

#include <stdbool.h>
#include <string.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The names of the inputs that are not planes of grey. */
#define SHW_COLOUR   "colour"
#define SHW_PREVIOUS "previous"
#define SHW_DEPTH    "depth"
#define SHW_HEIGHT   "height"

/* What the values in a depth image mean. */
enum shw_depth_kind {
    SHW_DEPTH_MILLIMETRES = 0, /* integers of 16 bits (of planes, 8 bits): they are read as stored */
    SHW_DEPTH_LINEAR,          /* distance along the optical axis in another unit, 0 where missing */
    SHW_DEPTH_PERSPECTIVE,     /* what a perspective projection gives a depth test: 0 at the near plane, 1 at the far */
    SHW_DEPTH_REVERSED,        /* the same with reversed Z: 1 at the near plane, 0 at the far one */
    SHW_DEPTH_RANGE /* of planes, no depth: numbers of any kind, from near_plane, which becomes 0, to far_plane,
                       which becomes 65535, instead of the range that the channel list states */
};

/* How stored values become millimetres: pass on what a camera or a renderer produces, without a conversion pass.
 * Zero: they are millimetres already. The result is the nearest integer, or 0, missing: where nothing was drawn (at
 * the far plane), for NaN, infinities and negative numbers, and beyond 65535 mm, which 16 bits do not hold. It is
 * calculated in integers, so that every technique and device gives the same; docs/channels.md defines it.
 *
 * Floats are values. Of integers, a linear depth is the stored code, and a depth between planes is the code divided by
 * the greatest one. Halves below 2^-14 are 0. Members that `kind` does not name are 0. */
struct shw_depth {
    enum shw_depth_kind kind;
    float unit;       /* LINEAR: millimetres per unit, 1e-6 to 1e9: 1000 for metres, 0.2 for a 5000th of a metre */
    float near_plane; /* PERSPECTIVE, REVERSED: distances in millimetres; near from 1 to 65535, */
    float far_plane;  /* far beyond near, or INFINITY. RANGE: the ends of the range, near_plane below far_plane */
};

/* How missing depth is filled before channels are computed: in SHW_DEPTH only, once its struct shw_depth has converted
 * it to millimetres. Other inputs are used as they are. */
enum shw_fill {
    SHW_FILL_DEFAULT = 0, /* of a new forest, not at all; of a file or a labeller, as the forest says */
    SHW_FILL_NONE = 1,    /* not at all */
    SHW_FILL_SIMPLE = 2   /* a missing pixel becomes the nearest depth to the right in its row, otherwise the nearest to
                             the left; a row without any becomes the nearest row above that has some, otherwise the
                             nearest below (Waldvogel 2013, 5.1). It reads the whole image, also of a part */
};

/* On the host or on the device, depending on the function. */
struct shw_input {
    const char *name; /* NULL: SHW_COLOUR */
    struct shw_image image;
    struct shw_image_use use;
    struct shw_depth depth; /* of SHW_DEPTH and planes; on the host and on the device */
};

/* The inputs of an image: at least SHW_COLOUR. */
struct shw_inputs {
    uint32_t count;
    const struct shw_input *inputs; /* in any order */
};

/* The colour image alone, as an argument: shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling). The image's
 * description is copied where the macro stands, and that copy lives until the end of the block around it, in C++ until
 * the end of the full expression, thus during the call. */
#ifdef __cplusplus
struct shw_colour_input {
    struct shw_input input;
    struct shw_inputs inputs;
    explicit shw_colour_input(const struct shw_image &image) : input(), inputs()
    {
        input.image = image;
        point();
    }
    explicit shw_colour_input(const struct shw_image_use &use) : input(), inputs()
    {
        input.use = use;
        point();
    }
    shw_colour_input(const shw_colour_input &) = delete;
    shw_colour_input &operator=(const shw_colour_input &) = delete;

  private:
    void point()
    {
        inputs.count = 1;
        inputs.inputs = &input;
    }
};
#define SHW_COLOUR_IMAGE(image_) (&static_cast<const struct shw_inputs &>(shw_colour_input(image_).inputs))
#define SHW_COLOUR_USE(use_)     (&static_cast<const struct shw_inputs &>(shw_colour_input(use_).inputs))
#else
#define SHW_COLOUR_IMAGE(image_) (&(const struct shw_inputs){1, &(const struct shw_input){.image = image_}})
#define SHW_COLOUR_USE(use_)     (&(const struct shw_inputs){1, &(const struct shw_input){.use = use_}})
#endif

/* A format of inputs on the device, and how it is read. All techniques read all formats, every input may have its
 * own, and the values are those of an image on the host in the format `pixel` with the same texels.
 *
 * Views of sRGB formats are decoded by the device, and the stored code is recovered: the nearest one in the encoded
 * scale, so that it is exact even if the device decodes with an error of almost half a code. A view of the same image
 * as UNORM, with VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, reads the stored codes without that detour. Devices may read half
 * floats, and those of 10 and 11 bits, below 2^-14 as 0, where the technique `cpu` reads up to 4. Other formats are
 * refused: docs/channels.md.
 *
 * Formats of more than 16 bits are for SHW_DEPTH and planes only, and need a struct shw_depth. With a format that has
 * stencil, views and `aspect` are of depth only, but barriers include the stencil, in the same layouts as depth. */
struct shw_source_format {
    VkFormat format;
    const char *name;            /* without VK_FORMAT_ */
    VkImageAspectFlags aspect;   /* of the view */
    uint32_t bits;               /* per sample that is read: 8 or 16; 24 or 32 of depth */
    bool grey;                   /* there is one component, R = G = B */
    enum shw_pixel_format pixel; /* the same on the host */
};

/* The formats, from index 0 on; NULL from their number on. Any thread. */
SHW_API const struct shw_source_format *shw_source_format_get(uint32_t index);

/* NULL: no input can have that format. Any thread. */
SHW_API const struct shw_source_format *shw_source_format_find(VkFormat format);

/* The input of that name, or NULL. */
static inline const struct shw_input *shw_inputs_find(const struct shw_inputs *inputs, const char *name)
{
    for (uint32_t i = 0; inputs != NULL && name != NULL && inputs->inputs != NULL && i < inputs->count; i++)
        if (strcmp(inputs->inputs[i].name != NULL ? inputs->inputs[i].name : SHW_COLOUR, name) == 0)
            return &inputs->inputs[i];
    return NULL;
}

#ifdef __cplusplus
}
#endif
#endif
