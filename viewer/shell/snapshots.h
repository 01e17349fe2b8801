/* Snapshots: pictures under their overlays and strokes as files, in their full size. Composed and written in the
 * background, on a device of their own, of what was shown at the moment of the request.
 *
 * For the main thread. */
#ifndef VIEW_SHELL_SNAPSHOTS_H
#define VIEW_SHELL_SNAPSHOTS_H

#include "files/io/output_files.h"
#include "gpu/canvas.h"
#include "inspect/channels.h"
#include "inspect/marks.h"
#include "job/job.h"
#include "label/scene.h"
#include "teach/painting.h"
#include "ui/ui.h"

/* One frame: uploads, labels, overlay, panels. */

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

#define VIEW_SNAPSHOT_PIXELS_MAX ((uint64_t)1 << 26)

/* What is composed: shares and copies. */
struct view_snapshot {
    char *path;
    struct shw_output_files files; /* what must not be written over */
    struct view_picture *picture;
    struct view_shared_forest *forest;  /* or NULL */
    struct shw_picture_labels *strokes; /* or NULL */
    struct view_overlay_settings settings;
    struct view_display display;
    struct shw_class *classes; /* or NULL */
    uint32_t class_count;
    bool *hidden; /* [hidden_count] */
    uint32_t hidden_count;
    bool colour_blind;
    enum shw_technique techniques[SHW_STAGE_COUNT];
    uint32_t channel;
    enum view_levels levels;
    int64_t low, high; /* of the levels */
    double scale_side; /* of a pixel in micrometres, for a scale bar; 0: none is drawn */

    struct view_snapshot *next;
    struct view_job *job; /* with the lock of what follows */
    bool done;
    enum shw_result result;
    char trouble[512];
};

struct view_snapshots {
    struct view_gpu_params gpu;
    const struct shw_calibration *calibration; /* or NULL */
    uint64_t memory;                           /* as in struct view_labelling_params */
    uint32_t tile;                             /* pixels of a side of what is composed at once; 0: as many as suit */
    struct shw_log log;
    struct view_job job;
    struct view_snapshot *first; /* under the lock, as the next two: of those that are not finished, and those that have
                                    not been polled */
    bool ended;                  /* the work begins no other one */
    unsigned messages;           /* of the validation layers */
};

/* `params`, without extensions, and `calibration` must stay. */
void view_snapshots_init(const struct view_gpu_params *params, const struct shw_calibration *calibration,
                         uint64_t memory, struct view_snapshots *snapshots);
/* Waits until all are written and frees the list; what was not polled is reported to the log, `said` to standard
 * output. Returns the number of messages of the validation layers. */
unsigned view_snapshots_end(struct view_snapshots *snapshots);

/* Copies what is shown. `path` and `files` become the snapshot's; `strokes` is shared, NULL: none. NULL, logged, if out
 * of memory. */
struct view_snapshot *view_snapshot_make(const struct view_scene *scene, const struct view_channels *channels,
                                         struct shw_picture_labels *strokes, char *path,
                                         const struct shw_output_files *files);

/* Begins to compose it, after those before, and takes ownership. Errors: MEMORY. */
enum shw_result view_snapshots_begin(struct view_snapshots *snapshots, struct view_snapshot *snapshot);

/* Waits for all of them. */
void view_snapshots_wait(struct view_snapshots *snapshots);

bool view_snapshots_are_busy(const struct view_snapshots *snapshots);
/* Whether one of them is going to be written there. */
bool view_snapshots_have(const struct view_snapshots *snapshots, const char *path);

/* Takes the next finished one: its result, which is logged if it failed; otherwise `said` becomes the line about it.
 * SHW_OK, and `said` as it was: there is none. */
enum shw_result view_snapshots_poll(struct view_snapshots *snapshots, char *said, size_t size);

#endif
