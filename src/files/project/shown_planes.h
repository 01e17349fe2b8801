/* Which planes of pictures are shown as colours, and by which ranges: for the viewer, which keeps that in projects. */
#ifndef SHW_FILES_PROJECT_SHOWN_PLANES_H
#define SHW_FILES_PROJECT_SHOWN_PLANES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>

#define SHW_SHOWN_RANGES_MAX 64u

/* Numbers up to `low` are black, those from `high` on are white; low < high. */
struct shw_shown_range {
    char name[SHW_INPUT_NAME_SIZE]; /* of the plane */
    float low, high;
};

/* May be copied and compared bytewise if it was zero-initialised. */
struct shw_shown_planes {
    uint32_t count; /* 3: red, green and blue; 1: grey; 0: colours as they are read */
    char names[3][SHW_INPUT_NAME_SIZE];
    uint32_t range_count; /* those that are chosen, sorted by names */
    struct shw_shown_range ranges[SHW_SHOWN_RANGES_MAX];
};

/* Whether planes may have that range. */
bool shw_shown_range_is_valid(float low, float high);

/* The range that is chosen for a plane; NULL: none. */
const struct shw_shown_range *shw_shown_planes_range(const struct shw_shown_planes *shown, const char *name);

/* Chooses a range, or none (NULL). False: there is no room for more. */
bool shw_shown_planes_set_range(struct shw_shown_planes *shown, const char *name, const float range[2]);

/* The member "shown_planes" of a project file (docs/project-format.md); NULL: out of memory. And back: returns what is
 * wrong, or NULL. */
json_t *shw_shown_planes_pack(const struct shw_shown_planes *shown);
const char *shw_shown_planes_unpack(const json_t *packed, struct shw_shown_planes *shown);

#endif
