/* Frames of videos: planes of luma and chroma (Y'CbCr) become R, G and B. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Video decoders give a plane of luma and one or two of chroma, which often have half the width and height: NV12, P010,
 * I420 and so on. What is made of them is an image like any other, an input of labellers, trainers and detectors. On
 * the host and on every device it has the same bits: everything is calculated in integers, as docs/channels.md defines
 * it, and no sampler converts anything. */
#ifndef SHADEWOOD_YCBCR_H
#define SHADEWOOD_YCBCR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/image.h>
#include <shadewood/log.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What luma is the sum of; with constant luminance it is none of these. */
enum shw_ycbcr_matrix {
    SHW_YCBCR_BT709 = 0, /* high definition */
    SHW_YCBCR_BT601 = 1, /* standard definition, and JPEG files */
    SHW_YCBCR_BT2020 = 2 /* ultra-high definition; non-constant luminance */
};

/* Where a chroma sample is that stands for two or four pixels. */
enum shw_ycbcr_siting {
    SHW_YCBCR_LEFT = 0,    /* with the left pixel, between the rows: MPEG-2, H.264 */
    SHW_YCBCR_CENTRE = 1,  /* between the columns and between the rows: JPEG, MPEG-1 */
    SHW_YCBCR_TOP_LEFT = 2 /* with the upper left pixel: BT.2020 */
};

/* What samples mean. Zero: 8 bits, BT.709, limited range, sited left. */
struct shw_ycbcr {
    enum shw_ycbcr_matrix matrix;
    enum shw_ycbcr_siting siting;
    bool full_range;  /* luma and chroma use all codes, as in JPEG files; otherwise those of studios: with 8 bits luma
                         from 16 to 235, chroma from 16 to 240 */
    uint32_t bits;    /* of a sample: 8 (or 0), or 10, 12 or 16 in words of 16 bits */
    bool in_low_bits; /* with 10 or 12 bits, where they are in their words: false, the upper bits (P010); true, the
                         lower ones (planar formats of FFmpeg) */
};

/* A frame in the caller's memory. Chroma has the width of the frame or half of it, rounded up, and likewise in height.
 * Samples of more than 8 bits are in native byte order, and addresses and strides of them are even. */
struct shw_ycbcr_image {
    struct shw_ycbcr encoding;
    uint32_t width, height, chroma_width, chroma_height; /* samples, 1..SHW_IMAGE_SIZE_MAX */
    const void *luma, *cb, *cr;                          /* row 0 is the top row */
    size_t luma_stride, chroma_stride;                   /* bytes from one row to the next; 0: rows have no padding */
    bool interleaved; /* `cb` has a Cr after each Cb, as in NV12 and P010, and `cr` is not used */
};

/* Converts a frame. Its R, G and B are codes of 8 bits if `bits` is 8, otherwise of 16 bits, full range; alpha is
 * opaque. `format` is SHW_PIXEL_RGB8, RGBA8 or BGRA8, or SHW_PIXEL_RGB16 or RGBA16. `stride` is that of `pixels` in
 * bytes; 0: rows have no padding. `log` may be NULL. Errors: ARGUMENT. Any thread. */
SHW_API enum shw_result shw_ycbcr_convert(const struct shw_ycbcr_image *image, enum shw_pixel_format format,
                                          void *pixels, size_t stride, const struct shw_log *log);

/* The same on a device. */
struct shw_ycbcr_converter_params {
    struct shw_device *device; /* borrowed */
    struct shw_ycbcr encoding;
    uint32_t width, height; /* of the largest frame, pixels */
    uint32_t slots;         /* recordings that may be in flight at once, at most SHW_SLOTS_MAX; 0 means 1 */
    struct shw_log log;
};

struct shw_ycbcr_converter;

/* Allocates all memory and pipelines that recording needs: a buffer of 4 bytes per pixel and slot, of 8 with more than
 * 8 bits. Errors: ARGUMENT, LIMIT (that buffer exceeds maxStorageBufferRange), UNSUPPORTED, MEMORY, DEVICE_MEMORY. Any
 * thread. */
SHW_API enum shw_result shw_ycbcr_converter_create_abi(uint32_t abi, const struct shw_ycbcr_converter_params *params,
                                                       struct shw_ycbcr_converter **converter);
static inline enum shw_result shw_ycbcr_converter_create(const struct shw_ycbcr_converter_params *params,
                                                         struct shw_ycbcr_converter **converter)
{
    return shw_ycbcr_converter_create_abi(SHW_ABI, params, converter);
}

/* Destroys *converter and sets it to NULL; accepts NULL and a pointer to NULL. Nothing that was recorded may still be
 * running. */
SHW_API void shw_ycbcr_converter_destroy(struct shw_ycbcr_converter **converter);

/* A frame on the device: a plane of luma and one or two of chroma, as large as in struct shw_ycbcr_image. Views are 2D
 * and sampled. Luma is R8_UNORM, or with more bits R16_UNORM; chroma is one plane of R8G8_UNORM or R16G16_UNORM with a
 * null `cr.view`, or two like luma.
 *
 * Planes of one image of several planes, such as VK_FORMAT_G8_B8R8_2PLANE_420_UNORM, have a view each, with the aspect
 * of the plane and one of these formats; `luma.image` is used as a whole, and `cb.image` and `cr.image` are null: the
 * barrier of the luma is theirs, and their uses before and after are ignored. Such an image needs
 * VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT, must not be disjoint, and has no VkSamplerYcbcrConversion. */
struct shw_ycbcr_planes {
    struct shw_image_use luma, cb, cr;
};

/* Records the conversion into the caller's command buffer, outside a render pass. The target is an image of the luma's
 * size, of R8G8B8A8_UNORM or _SRGB, or with more than 8 bits of R16G16B16A16_UNORM, usable as TRANSFER_DST; as an input
 * of a labeller it is also sampled. It is none of the planes. Stages before and after are of the device's queue family.
 * Does not submit, wait or allocate. A slot may be recorded again when its previous
 * recording has finished on the device. The device waits for what the uses of the images state. Afterwards the compute
 * pipeline, its descriptor set 0 and push constants are undefined. Errors: ARGUMENT; nothing is recorded then. One
 * thread at a time per converter. */
SHW_API enum shw_result shw_ycbcr_converter_record(struct shw_ycbcr_converter *converter, VkCommandBuffer commands,
                                                   uint32_t slot, const struct shw_ycbcr_planes *planes,
                                                   const struct shw_image_use *target);

#ifdef __cplusplus
}
#endif
#endif
