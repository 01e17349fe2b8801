/* The channels stage on the engine's device: channels of the engine's images, read back. */
#ifndef SHW_EMBED_CHANNEL_RIG_H
#define SHW_EMBED_CHANNEL_RIG_H

#include "dense/channels/channels_stage.h"
#include "scene.h"

struct channel_rig {
    struct scene *scene;
    const struct shw_channel_list *list;
    enum shw_planes_form form;
    uint32_t width, height;
    struct shw_planes planes;
    struct shw_buffer back;
    struct shw_channels_stage *stage;
};

/* `list` is borrowed; it reads two inputs. */
void channel_rig_open(struct scene *scene, const struct shw_channel_list *list, enum shw_planes_form form,
                      uint32_t width, uint32_t height, struct channel_rig *rig);
void channel_rig_close(struct channel_rig *rig);

/* The channels of two parts of that size, by a technique with that form of planes; afterwards the parts are in
 * GENERAL. `depth`: of the second one. To be freed with free(). */
int16_t *channel_rig_run(struct channel_rig *rig, const struct shw_image_use parts[2], const struct shw_depth *depth);

#endif
