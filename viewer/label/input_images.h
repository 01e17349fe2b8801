/* What is labelled in frames, where a forest reads more than the colour image: its inputs on the device. */
#ifndef VIEW_LABEL_INPUT_IMAGES_H
#define VIEW_LABEL_INPUT_IMAGES_H

#include "gpu/frames.h"
#include "label/shown.h"

struct view_input_images {
    struct shw_input inputs[SHW_INPUTS_MAX];  /* on the host, and on the device; colour first */
    uint32_t first, count;                    /* those from `first` on have images of their own: */
    struct view_image images[SHW_INPUTS_MAX]; /* colour only if the shown one has fewer bits */
    VkDeviceSize size;                        /* of an image in a staging buffer */
    bool wide;                                /* samples of the device have 16 bits */
    bool upload;                              /* the device has not received them yet */
    struct view_buffer staging[VIEW_SLOTS];
};

/* Takes the inputs of a picture that a forest with these channels reads; `shown` are the picture's images. The host's
 * pixels are borrowed until the upload. Errors: ARGUMENT (inputs that do not fit the forest), UNSUPPORTED, MEMORY,
 * DEVICE_MEMORY. */
enum shw_result view_input_images_fit(const struct view_gpu *gpu, struct view_frames *frames,
                                      const struct view_picture *picture, const struct shw_channel_list *list,
                                      const struct view_shown *shown, struct view_input_images *images);
void view_input_images_destroy(const struct view_gpu *gpu, struct view_input_images *images);

/* Copies them to the device; the slot's last frame must be over. */
void view_input_images_upload(struct view_input_images *images, VkCommandBuffer commands, uint32_t slot);

#endif
