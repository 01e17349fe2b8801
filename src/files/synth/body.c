/* The bodies of a scene, and the random numbers that place them. */
#include <math.h>
#include <stddef.h>

#include "files/synth/scene.h"
#include "shared/random.h"

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
