/* Synthetic indoor scenes with exact labels and depth: rooms with furniture and a person who walks, or who sits and
 * moves before a webcam, or people in many poses before a depth camera, from one seed per scene.
 *
 * Every pixel is the same on every machine: double arithmetic with + - * / and square root alone, compiled without
 * contraction, and random numbers from shared/random.h. */
#ifndef SHW_FILES_SYNTH_SYNTH_H
#define SHW_FILES_SYNTH_SYNTH_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>

enum shw_synth_scene {
    SHW_SYNTH_ROOMS, /* the classes shw_synth_classes */
    SHW_SYNTH_HEADS, /* background, head, body; figures that look like the person but never move are background */
    SHW_SYNTH_BODIES /* the parts of one or two people's bodies in many poses (files/synth/scene.h); all else is void */
};

struct shw_synth_params {
    enum shw_synth_scene scene;
    uint32_t width, height; /* of every image, 1..4096; 0: 320 x 240 */
    uint32_t count;         /* images; 0: 1 */
    uint32_t frames;        /* consecutive images that show one scene in motion, a fifteenth of a second apart; 0: 1 */
    uint64_t seed;          /* of the first scene; scene s has seed + s */
    uint32_t noise;         /* of the sensor: standard deviation in units of 1/10 of a grey level; 0: none */
    bool holes;      /* depth is missing at depth edges, on dark surfaces seen at a slant, and at scattered pixels */
    bool empty;      /* no person */
    bool cut;        /* depth is 0 but for people, as if they had been cut out of the background */
    bool background; /* of bodies: what is no person is a class, the last, instead of void */
    struct shw_log log;
};

/* The classes of every room, in the order of their numbers. Static lifetime. */
extern const struct shw_class shw_synth_classes[];
extern const uint32_t shw_synth_class_count;

/* Renders image `index` of a set: rgb (width * height * 3), labels and depth in millimetres along the viewing axis
 * (width * height each; NULL where not wanted). Any thread. Errors: ARGUMENT, MEMORY. */
enum shw_result shw_synth_render(const struct shw_synth_params *params, uint32_t index, uint8_t *rgb, uint16_t *labels,
                                 uint16_t *depth_mm);

/* The images as a data set; each read renders the image. Errors: ARGUMENT, MEMORY. */
enum shw_result shw_synth_open(const struct shw_synth_params *params, struct shw_dataset *dataset);

/* Accepts NULL, zero-initialised and closed ones. */
void shw_synth_close(struct shw_dataset *dataset);

#endif
