/* The parts of people's bodies: the 25 of the Kinect trees that the Point Cloud Library publishes, with their numbers,
 * so that their forests and ours can be compared. Left and right are the person's own. */
#ifndef SHW_FILES_SYNTH_PART_H
#define SHW_FILES_SYNTH_PART_H

#include <stdint.h>

#include <shadewood/dataset.h>

#include "files/synth/vector.h"

enum synth_part {
    SYNTH_LEFT_FOOT,
    SYNTH_LEFT_LEG,
    SYNTH_LEFT_KNEE,
    SYNTH_LEFT_THIGH,
    SYNTH_RIGHT_FOOT,
    SYNTH_RIGHT_LEG,
    SYNTH_RIGHT_KNEE,
    SYNTH_RIGHT_THIGH,
    SYNTH_RIGHT_HIPS,
    SYNTH_LEFT_HIPS,
    SYNTH_NECK,
    SYNTH_RIGHT_ARM,
    SYNTH_RIGHT_ELBOW,
    SYNTH_RIGHT_FOREARM,
    SYNTH_RIGHT_HAND,
    SYNTH_LEFT_ARM,
    SYNTH_LEFT_ELBOW,
    SYNTH_LEFT_FOREARM,
    SYNTH_LEFT_HAND,
    SYNTH_FACE_LEFT_BOTTOM,
    SYNTH_FACE_RIGHT_BOTTOM,
    SYNTH_FACE_LEFT_TOP,
    SYNTH_FACE_RIGHT_TOP,
    SYNTH_RIGHT_CHEST,
    SYNTH_LEFT_CHEST,
    SYNTH_PART_COUNT
};

/* Names and colours of the parts in the order of their numbers, then of what is no person. */
extern const struct shw_class synth_part_classes[SYNTH_PART_COUNT + 1];

/* The part on the other side of the body; the neck's is itself. */
enum synth_part synth_part_mirrored(enum synth_part part);

/* How planes divide a solid into parts: parts[i][j], where i and j say whether a point is beyond the first and the
 * second plane, dot(normal, point) > at. */
struct synth_parting {
    struct {
        struct synth_vector normal;
        double at;
    } planes[2];
    uint8_t parts[2][2];
};

enum synth_part synth_part_at(const struct synth_parting *parting, struct synth_vector point);

struct synth_parting synth_parting_whole(enum synth_part part);

/* `parts`: parts[0][0], parts[0][1], parts[1][0], parts[1][1]. */
struct synth_parting synth_parting_corner(const enum synth_part parts[4], struct synth_vector first,
                                          struct synth_vector first_normal, struct synth_vector second,
                                          struct synth_vector second_normal);
/* Both planes through one point; left below, left above, right below, right above. */
struct synth_parting synth_parting_quarters(const enum synth_part parts[4], struct synth_vector point,
                                            struct synth_vector right, struct synth_vector up);

#endif
