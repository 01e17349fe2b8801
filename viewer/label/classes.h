/* How classes are shown: their colours, and their shares of the picture. */
#ifndef VIEW_LABEL_CLASSES_H
#define VIEW_LABEL_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/gpu.h"
#include "label/shown.h"

/* The colour in which a class is shown: its own one, `stored`, or with `colour_blind` another one in place of each of
 * the first 24 default colours (base/class.h). Under simulated protanopia, deuteranopia and tritanopia (Machado,
 * Oliveira and Fernandes 2009), as in normal vision, any two of the first 12 differ by at least 15.3 (CIEDE2000), any
 * two of the 24 by at least 8.4. Colours that people have chosen stay. */
void view_shown_colour(bool colour_blind, const uint8_t stored[3], uint8_t shown[3]);

/* Each class's share of the picture's labels, counted on the device as part of the frames and available some frames
 * later. For the main thread. */
struct view_class_shares {
    VkSampler sampler;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorPool pool;
    VkDescriptorSet sets[VIEW_SLOTS];
    struct view_buffer counts[VIEW_SLOTS];
    uint64_t recorded[VIEW_SLOTS]; /* number of the count, from 1; 0: none */
    uint64_t number;               /* of the count that was recorded last */
    uint64_t known;                /* of the count that `shares` come from; 0: none */
    bool stale;                    /* the labels are not those counted last */
    uint32_t classes;              /* capacity */
    float *shares;                 /* 0..1 of the picture's pixels */
};

/* Makes room for that many classes. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED;
 * then there is none. */
enum shw_result view_class_shares_create(const struct view_gpu *gpu, uint32_t classes,
                                         struct view_class_shares *shares);
/* Accepts zero-initialised and destroyed ones. */
void view_class_shares_destroy(const struct view_gpu *gpu, struct view_class_shares *shares);

/* Records a count of the labels in an image, whose use is view_use_shown before and after, if they have changed since
 * the last count; reads the count of the slot's last frame, which must have finished. `argmax` NULL: only reads. */
void view_class_shares_record(const struct view_gpu *gpu, struct view_class_shares *shares, VkCommandBuffer commands,
                              uint32_t slot, const struct view_image *argmax, bool changed);

/* Whether the shares of the current labels are unknown, so that more frames are needed. */
bool view_class_shares_pending(const struct view_class_shares *shares);

#endif
