/* One frame: uploads, labels, overlay, panels. */
#ifndef VIEW_SHELL_FRAME_H
#define VIEW_SHELL_FRAME_H

#include "gpu/offscreen.h"
#include "inspect/marks.h"
#include "inspect/plane.h"
#include "label/scene.h"
#include "teach/painted.h"
#include "ui/ui.h"

struct view_frame {
    struct view_scene *scene;
    struct view_shown *instead;         /* that is looked at in the place of it all; NULL: the picture is */
    const struct view_picture *texture; /* to be uploaded for it; NULL: the one that is there */
    struct view_plane *plane;           /* that is shown instead of the picture, if the settings say so */
    struct view_painted *painted;       /* over the picture; NULL: nothing is */
    const uint16_t *strokes;            /* the labels that are painted */
    const struct view_mark *marks;      /* that are drawn over the picture */
    uint32_t mark_count;
    bool count;         /* the shares of the classes are wanted */
    struct view_ui *ui; /* that is drawn over the overlay; or NULL */
    const struct view_offscreen *canvas;
    bool read;  /* the canvas back to the host */
    void *user; /* of `present`, which may be NULL */
    void (*present)(void *user,
                    VkCommandBuffer commands); /* after it, the canvas being in the use view_use_copied_from */
    VkSemaphore wait, signal;                  /* around the copies of `present`; VK_NULL_HANDLE: none */
};

/* Records and submits it. Errors: ARGUMENT, MEMORY, DEVICE_LOST. */
enum shw_result view_frame_render(const struct view_gpu *gpu, struct view_frames *frames,
                                  const struct view_frame *frame);

#endif
