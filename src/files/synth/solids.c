/* Vectors, the parts of bodies, and the solids of a scene with the random numbers that place them. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "files/synth/scene.h"
#include "shared/random.h"

struct synth_vector synth_normalise(struct synth_vector a)
{
    return synth_scale(a, 1 / sqrt(synth_dot(a, a)));
}

void synth_sine_cosine(double turns, double *sine, double *cosine)
{
    double whole = (double)(int64_t)turns, angle, square;
    int quarter;

    turns -= whole;
    if (turns < 0)
        turns += 1;
    quarter = (int)(turns * 4 + 0.5);
    angle = (turns - 0.25 * quarter) * 6.283185307179586; /* at most an eighth of a turn */
    square = angle * angle;
    *sine = angle * (1 - square / 6 * (1 - square / 20 * (1 - square / 42)));
    *cosine = 1 - square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56)));
    for (; quarter > 0; quarter--) { /* a quarter turn further */
        double kept = *sine;
        *sine = *cosine;
        *cosine = -kept;
    }
}

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

double synth_uniform(struct synth_stream *stream, double low, double high)
{
    return low + (high - low) * ((double)shw_random(stream->key, stream->next++, 0) / 4294967296.0);
}

uint32_t synth_below(struct synth_stream *stream, uint32_t bound)
{
    return shw_random_below(shw_random(stream->key, stream->next++, 0), bound);
}

static struct synth_body *append(struct synth_scene *scene)
{
    return scene->body_count < scene->body_limit ? &scene->bodies[scene->body_count++] : NULL;
}

void synth_box_add(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                   struct synth_vector centre, struct synth_vector half, double sine, double cosine)
{
    struct synth_body *body = append(scene);

    if (body != NULL)
        *body = (struct synth_body){.shape = SYNTH_BOX,
                                    .class_number = class_number,
                                    .material = *material,
                                    .centre = centre,
                                    .radius = sqrt(synth_dot(half, half)),
                                    .half = half,
                                    .sine = sine,
                                    .cosine = cosine};
}

void synth_capsule_add(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                       struct synth_vector first, struct synth_vector second, double thickness)
{
    struct synth_body *body = append(scene);
    struct synth_vector axis = synth_subtract(second, first);

    if (body != NULL)
        *body = (struct synth_body){.shape = SYNTH_CAPSULE,
                                    .class_number = class_number,
                                    .material = *material,
                                    .centre = synth_add(first, synth_scale(axis, 0.5)),
                                    .radius = 0.5 * sqrt(synth_dot(axis, axis)) + thickness,
                                    .axis = axis,
                                    .first = first,
                                    .thickness = thickness};
}

void synth_cone_add(struct synth_scene *scene, enum synth_class class_number, const struct synth_material *material,
                    const struct synth_cone *cone, const struct synth_parting *parting)
{
    struct synth_body *body = append(scene);
    struct synth_vector axis = synth_subtract(cone->second, cone->first);
    double thickest = cone->radii[0] > cone->radii[1] ? cone->radii[0] : cone->radii[1], most = 0;

    if (body == NULL)
        return;
    for (int i = 0; i < 3; i++)
        most = cone->stretches[i] > most ? cone->stretches[i] : most;
    *body = (struct synth_body){.shape = SYNTH_CONE,
                                .class_number = class_number,
                                .material = *material,
                                .centre = synth_add(cone->first, synth_scale(axis, 0.5)),
                                .radius = 0.5 * sqrt(synth_dot(axis, axis)) + thickest * most,
                                .axis = axis,
                                .first = cone->first,
                                .thickness = cone->radii[0],
                                .growth = cone->radii[1] - cone->radii[0],
                                .has_parts = parting != NULL};
    for (int i = 0; i < 3; i++) {
        body->spans[i] = synth_scale(cone->directions[i], cone->stretches[i]);
        body->map[i] = synth_scale(cone->directions[i], 1 / cone->stretches[i]);
    }
    if (parting != NULL)
        body->parting = *parting;
}
