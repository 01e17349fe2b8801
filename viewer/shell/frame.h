/* One frame: uploads, labels, overlay, panels. */
#ifndef VIEW_SHELL_FRAME_H
#define VIEW_SHELL_FRAME_H

#include "gpu/offscreen.h"
#include "inspect/channels.h"
#include "inspect/marks.h"
#include "label/scene.h"
#include "teach/painting.h"
#include "ui/ui.h"

struct view_frame {
    struct view_scene *scene;
    struct view_shown *instead;               /* shown instead of everything else; NULL: the picture is shown */
    const struct view_picture *texture;       /* to upload into it; NULL: unchanged */
    struct view_plane *planes[VIEW_LAYERS];   /* shown instead of the picture if the settings say so */
    struct view_painted *painted;             /* over the picture, by layer; NULL: none */
    const struct shw_picture_labels *strokes; /* the painted labels */
    bool strokes_later;                       /* they are not known yet: none are drawn */
    const struct view_mark *marks;            /* drawn over the picture */
    uint32_t mark_count;
    const struct view_borders *borders; /* as the marks, below them; NULL: none */
    bool count;                         /* count the pixels of each class */
    struct view_ui *ui;                 /* drawn over the overlay, or NULL */
    const struct view_offscreen *canvas;
    bool read;  /* copy the canvas to the host */
    void *user; /* for `present`, which may be NULL */
    void (*present)(void *user,
                    VkCommandBuffer commands); /* called at the end; the canvas is in use view_use_copied_from */
    VkSemaphore wait, signal;                  /* around the copies of `present`, or VK_NULL_HANDLE */
};

/* Records and submits a frame. Errors: ARGUMENT, MEMORY, DEVICE_LOST. */
enum shw_result view_frame_render(const struct view_gpu *gpu, struct view_frames *frames,
                                  const struct view_frame *frame);

#endif
