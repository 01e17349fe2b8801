/* A grey plane on the device, of the picture's size, that the overlay shows instead of the picture. */
#ifndef VIEW_INSPECT_PLANE_H
#define VIEW_INSPECT_PLANE_H

#include "label/shown.h"

struct view_plane {
    struct view_image image; /* R8_UINT */
    struct view_buffer staging[VIEW_SLOTS];
    uint8_t *pixels; /* of the image's extent, without padding */
    bool upload;     /* the image has not received them yet */
    bool filled;     /* the pixels are on the device or will be uploaded with the next frame */
};

/* Makes image and pixels of that size unless they exist. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there are
 * none. */
enum shw_result view_plane_fit(const struct view_gpu *gpu, VkExtent2D extent, struct view_plane *plane);
void view_plane_destroy(const struct view_gpu *gpu, struct view_plane *plane);

/* Uploads the pixels if necessary; returns whether it did. The slot's last frame must have finished. */
bool view_plane_upload(struct view_plane *plane, VkCommandBuffer commands, uint32_t slot);

#endif
