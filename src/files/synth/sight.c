/* Bodies sorted into windows. */
#include "files/synth/sight.h"

#include <math.h>
#include <string.h>

#define CELLS SYNTH_SIGHT_CELLS

/* Much larger than the rounding errors of rays, much too small to include more bodies. */
#define MARGIN 1e-6

/* A body as a Minkowski sum: the segment between two points, three symmetric spans, and a ball. Of cones, the ends are
 * ellipsoids instead, whose half axes are their radii times the spans. */
struct outline {
    struct synth_vector ends[2], spans[3];
    double radius, radii[2];
    bool is_cone;
};

static struct outline outline_of(const struct synth_body *body, struct synth_vector from)
{
    struct outline outline = {.radius = body->thickness};

    if (body->shape != SYNTH_BOX) {
        outline.is_cone = body->shape == SYNTH_CONE;
        outline.ends[0] = synth_subtract(body->first, from);
        outline.ends[1] = synth_add(outline.ends[0], body->axis);
        if (!outline.is_cone)
            return outline;
        outline.radius = 0;
        outline.radii[0] = body->thickness;
        outline.radii[1] = body->thickness + body->growth;
        memcpy(outline.spans, body->spans, sizeof outline.spans);
        return outline;
    }
    outline.ends[0] = outline.ends[1] = synth_subtract(body->centre, from);
    outline.spans[0] = synth_vector(body->cosine * body->half.x, 0, -body->sine * body->half.x);
    outline.spans[1] = synth_vector(0, body->half.y, 0);
    outline.spans[2] = synth_vector(body->sine * body->half.z, 0, body->cosine * body->half.z);
    return outline;
}

static double size_of(double value)
{
    return value < 0 ? -value : value;
}

/* A conservative range of a body's points along a direction; `length` is at least the direction's. */
static void range(const struct outline *outline, struct synth_vector direction, double length, double *low,
                  double *high)
{
    double a = synth_dot(outline->ends[0], direction), b = synth_dot(outline->ends[1], direction);
    double spread = (outline->radius + MARGIN) * length, spreads[2], square = 0;

    for (int i = 0; i < 3; i++) {
        double span = synth_dot(outline->spans[i], direction);
        spread += outline->is_cone ? 0 : size_of(span);
        square += span * span;
    }
    for (int i = 0; i < 2; i++)
        spreads[i] = spread + outline->radii[i] * sqrt(square);
    *low = a - spreads[0] < b - spreads[1] ? a - spreads[0] : b - spreads[1];
    *high = a + spreads[0] > b + spreads[1] ? a + spreads[0] : b + spreads[1];
}

/* Lists the strips of a window that a body touches. The planes between strips contain `along` and the directions
 * forward + slope * across, with slopes from -most to most; `sign` makes their normals point along `across`. Returns
 * whether there are any. */
static bool touch(const struct outline *outline, struct synth_vector forward, struct synth_vector across,
                  struct synth_vector along, double sign, double most, bool strips[CELLS])
{
    bool beyond = false, any = false; /* of the previous plane */

    for (uint32_t i = 0; i <= CELLS; i++) {
        double slope = most * (2.0 * i / CELLS - 1), low, high;
        struct synth_vector normal = synth_cross(along, synth_add(forward, synth_scale(across, slope)));
        range(outline, synth_scale(normal, sign), 1.001 + size_of(slope), &low, &high);
        if (i > 0) {
            strips[i - 1] = beyond && low <= 0;
            any = any || strips[i - 1];
        }
        beyond = high >= 0;
        if (!beyond && i == 0)
            return false;
    }
    return any;
}

static void add(struct synth_window *window, const struct synth_body *body, uint32_t number)
{
    struct outline outline = outline_of(body, window->from);
    bool columns[CELLS], rows[CELLS];
    double low, high;

    range(&outline, window->forward, 1.001, &low, &high);
    if (high < 0 || !touch(&outline, window->forward, window->right, window->up, 1, window->wide, columns) ||
        !touch(&outline, window->forward, window->up, window->right, -1, window->tall, rows))
        return;
    for (uint32_t row = 0; row < CELLS; row++)
        for (uint32_t column = 0; rows[row] && column < CELLS; column++)
            if (columns[column])
                window->cells[row][column].words[number / 64] |= 1ull << number % 64;
}

void synth_sight_make(const struct synth_scene *scene, double aspect, struct synth_sight *sight)
{
    static const struct synth_vector axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    memset(sight, 0, sizeof *sight);
    sight->eye = (struct synth_window){.from = scene->eye,
                                       .forward = scene->forward,
                                       .right = scene->right,
                                       .up = scene->up,
                                       .wide = scene->field,
                                       .tall = scene->field * aspect};
    for (uint32_t i = 0; i < scene->body_count; i++)
        add(&sight->eye, &scene->bodies[i], i);
    for (uint32_t light = 0; light < scene->light_count; light++)
        for (uint32_t face = 0; face < 6; face++) {
            struct synth_window *window = &sight->lights[light][face];
            double sign = face % 2 == 0 ? -1 : 1;
            window->from = scene->lights[light].position;
            window->forward = synth_scale(axes[face / 2], sign);
            window->right = synth_scale(axes[(face / 2 + 1) % 3], sign);
            window->up = axes[(face / 2 + 2) % 3];
            window->wide = window->tall = 1;
            for (uint32_t i = 0; i < scene->body_count; i++)
                if (scene->bodies[i].material.glow == 0)
                    add(window, &scene->bodies[i], i);
        }
}

const struct synth_set *synth_sight_of_pixel(const struct synth_sight *sight, uint32_t x, uint32_t y, uint32_t width,
                                             uint32_t height)
{
    uint32_t from_below = height - 1 - y;

    return &sight->eye.cells[(2 * from_below + 1) * CELLS / (2 * height)][(2 * x + 1) * CELLS / (2 * width)];
}

/* The cell of a slope from -1 to 1. */
static uint32_t cell(double slope)
{
    double at = (slope + 1) * (CELLS / 2.0);

    return at <= 0 ? 0 : at >= CELLS ? CELLS - 1 : (uint32_t)at;
}

const struct synth_set *synth_sight_of_light(const struct synth_sight *sight, uint32_t light, struct synth_vector point)
{
    struct synth_vector to = synth_subtract(point, sight->lights[light][0].from);
    double x = size_of(to.x), y = size_of(to.y), z = size_of(to.z);

    if (x >= y && x >= z)
        return &sight->lights[light][to.x > 0].cells[cell(to.z / x)][cell(to.y / to.x)];
    if (y >= z)
        return &sight->lights[light][2 + (to.y > 0)].cells[cell(to.x / y)][cell(to.z / to.y)];
    return &sight->lights[light][4 + (to.z > 0)].cells[cell(to.y / z)][cell(to.x / to.z)];
}
