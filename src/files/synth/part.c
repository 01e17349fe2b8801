#include "files/synth/part.h"

/* Left is light and right is dark, and what meets on a body differs in hue. */
const struct shw_class synth_part_classes[SYNTH_PART_COUNT + 1] = {
    [SYNTH_LEFT_FOOT] = {"Lfoot", {223, 128, 255}},
    [SYNTH_LEFT_LEG] = {"Lleg", {128, 202, 255}},
    [SYNTH_LEFT_KNEE] = {"Lknee", {255, 234, 128}},
    [SYNTH_LEFT_THIGH] = {"Lthigh", {128, 255, 212}},
    [SYNTH_RIGHT_FOOT] = {"Rfoot", {132, 9, 173}},
    [SYNTH_RIGHT_LEG] = {"Rleg", {9, 105, 173}},
    [SYNTH_RIGHT_KNEE] = {"Rknee", {173, 146, 9}},
    [SYNTH_RIGHT_THIGH] = {"Rthigh", {9, 173, 118}},
    [SYNTH_RIGHT_HIPS] = {"Rhips", {173, 77, 9}},
    [SYNTH_LEFT_HIPS] = {"Lhips", {255, 181, 128}},
    [SYNTH_NECK] = {"Neck", {245, 245, 245}},
    [SYNTH_RIGHT_ARM] = {"Rarm", {77, 173, 9}},
    [SYNTH_RIGHT_ELBOW] = {"Relbow", {173, 9, 9}},
    [SYNTH_RIGHT_FOREARM] = {"Rforearm", {173, 173, 9}},
    [SYNTH_RIGHT_HAND] = {"Rhand", {173, 9, 146}},
    [SYNTH_LEFT_ARM] = {"Larm", {181, 255, 128}},
    [SYNTH_LEFT_ELBOW] = {"Lelbow", {255, 128, 128}},
    [SYNTH_LEFT_FOREARM] = {"Lforearm", {255, 255, 128}},
    [SYNTH_LEFT_HAND] = {"Lhand", {255, 128, 234}},
    [SYNTH_FACE_LEFT_BOTTOM] = {"FaceLB", {255, 159, 128}},
    [SYNTH_FACE_RIGHT_BOTTOM] = {"FaceRB", {173, 50, 9}},
    [SYNTH_FACE_LEFT_TOP] = {"FaceLT", {128, 244, 255}},
    [SYNTH_FACE_RIGHT_TOP] = {"FaceRT", {9, 160, 173}},
    [SYNTH_RIGHT_CHEST] = {"Rchest", {9, 64, 173}},
    [SYNTH_LEFT_CHEST] = {"Lchest", {128, 170, 255}},
    [SYNTH_PART_COUNT] = {"background", {90, 90, 90}},
};

enum synth_part synth_part_mirrored(enum synth_part part)
{
    static const enum synth_part mirrored[SYNTH_PART_COUNT] = {
        [SYNTH_LEFT_FOOT] = SYNTH_RIGHT_FOOT,
        [SYNTH_LEFT_LEG] = SYNTH_RIGHT_LEG,
        [SYNTH_LEFT_KNEE] = SYNTH_RIGHT_KNEE,
        [SYNTH_LEFT_THIGH] = SYNTH_RIGHT_THIGH,
        [SYNTH_RIGHT_FOOT] = SYNTH_LEFT_FOOT,
        [SYNTH_RIGHT_LEG] = SYNTH_LEFT_LEG,
        [SYNTH_RIGHT_KNEE] = SYNTH_LEFT_KNEE,
        [SYNTH_RIGHT_THIGH] = SYNTH_LEFT_THIGH,
        [SYNTH_RIGHT_HIPS] = SYNTH_LEFT_HIPS,
        [SYNTH_LEFT_HIPS] = SYNTH_RIGHT_HIPS,
        [SYNTH_NECK] = SYNTH_NECK,
        [SYNTH_RIGHT_ARM] = SYNTH_LEFT_ARM,
        [SYNTH_RIGHT_ELBOW] = SYNTH_LEFT_ELBOW,
        [SYNTH_RIGHT_FOREARM] = SYNTH_LEFT_FOREARM,
        [SYNTH_RIGHT_HAND] = SYNTH_LEFT_HAND,
        [SYNTH_LEFT_ARM] = SYNTH_RIGHT_ARM,
        [SYNTH_LEFT_ELBOW] = SYNTH_RIGHT_ELBOW,
        [SYNTH_LEFT_FOREARM] = SYNTH_RIGHT_FOREARM,
        [SYNTH_LEFT_HAND] = SYNTH_RIGHT_HAND,
        [SYNTH_FACE_LEFT_BOTTOM] = SYNTH_FACE_RIGHT_BOTTOM,
        [SYNTH_FACE_RIGHT_BOTTOM] = SYNTH_FACE_LEFT_BOTTOM,
        [SYNTH_FACE_LEFT_TOP] = SYNTH_FACE_RIGHT_TOP,
        [SYNTH_FACE_RIGHT_TOP] = SYNTH_FACE_LEFT_TOP,
        [SYNTH_RIGHT_CHEST] = SYNTH_LEFT_CHEST,
        [SYNTH_LEFT_CHEST] = SYNTH_RIGHT_CHEST,
    };

    return mirrored[part];
}

enum synth_part synth_part_at(const struct synth_parting *parting, struct synth_vector point)
{
    int beyond[2];

    for (int i = 0; i < 2; i++)
        beyond[i] = synth_dot(parting->planes[i].normal, point) > parting->planes[i].at;
    return (enum synth_part)parting->parts[beyond[0]][beyond[1]];
}

struct synth_parting synth_parting_corner(const enum synth_part parts[4], struct synth_vector first,
                                          struct synth_vector first_normal, struct synth_vector second,
                                          struct synth_vector second_normal)
{
    struct synth_parting parting = {
        .planes = {{first_normal, synth_dot(first_normal, first)}, {second_normal, synth_dot(second_normal, second)}}};

    for (int i = 0; i < 4; i++)
        parting.parts[i / 2][i % 2] = (uint8_t)parts[i];
    return parting;
}

struct synth_parting synth_parting_quarters(const enum synth_part parts[4], struct synth_vector point,
                                            struct synth_vector right, struct synth_vector up)
{
    return synth_parting_corner(parts, point, right, point, up);
}

struct synth_parting synth_parting_whole(enum synth_part part)
{
    const enum synth_part parts[4] = {part, part, part, part};
    const struct synth_vector none = {0, 0, 0};

    return synth_parting_quarters(parts, none, none, none);
}
