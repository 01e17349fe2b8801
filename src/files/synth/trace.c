#include "files/synth/scene.h"

#include <math.h>
#include <string.h>

#include "shared/random.h"

#define NEAR 1e-6

struct ray {
    struct synth_vector origin, direction;
    double square, length; /* of the direction */
};

static struct ray make_ray(struct synth_vector origin, struct synth_vector direction)
{
    double square = synth_dot(direction, direction);

    return (struct ray){origin, direction, square, sqrt(square)};
}

/* Whether the ray hits the bounding sphere of a body before `limit`. */
static bool may_meet(const struct synth_body *body, const struct ray *ray, double limit)
{
    struct synth_vector to = synth_subtract(body->centre, ray->origin);
    double along = synth_dot(to, ray->direction), all = synth_dot(to, to), radius = body->radius * body->radius;

    if (all <= radius)
        return true;
    return along > 0 && all * ray->square - along * along <= radius * ray->square &&
           along - body->radius * ray->length < limit * ray->square;
}

/* Rotates a vector into a box's coordinates. */
static struct synth_vector into_box(const struct synth_body *body, struct synth_vector a)
{
    return synth_vector(body->cosine * a.x - body->sine * a.z, a.y, body->sine * a.x + body->cosine * a.z);
}

static struct synth_vector out_of_box(const struct synth_body *body, struct synth_vector a)
{
    return synth_vector(body->cosine * a.x + body->sine * a.z, a.y, body->cosine * a.z - body->sine * a.x);
}

/* The slabs of one axis narrow [*enter, *leave]. */
static void cut(double origin, double direction, double half, int axis, double *enter, double *leave, int *side)
{
    double near, far;

    if (direction == 0) {
        if (origin < -half || origin > half)
            *leave = -1;
        return;
    }
    near = (-half - origin) / direction;
    far = (half - origin) / direction;
    if (near > far) {
        double swap = near;
        near = far;
        far = swap;
    }
    if (near > *enter) {
        *enter = near;
        *side = axis;
    }
    if (far < *leave)
        *leave = far;
}

static bool meet_box(const struct synth_body *body, const struct ray *ray, struct synth_hit *hit)
{
    struct synth_vector o = into_box(body, synth_subtract(ray->origin, body->centre)),
                        d = into_box(body, ray->direction), p, n = {0};
    double enter = NEAR, leave = hit->distance;
    int side = -1;

    cut(o.x, d.x, body->half.x, 0, &enter, &leave, &side);
    cut(o.y, d.y, body->half.y, 1, &enter, &leave, &side);
    cut(o.z, d.z, body->half.z, 2, &enter, &leave, &side);
    if (side < 0 || enter >= leave)
        return false;
    p = synth_add(o, synth_scale(d, enter));
    if (side == 0)
        n.x = d.x > 0 ? -1 : 1;
    else if (side == 1)
        n.y = d.y > 0 ? -1 : 1;
    else
        n.z = d.z > 0 ? -1 : 1;
    hit->distance = enter;
    hit->normal = out_of_box(body, n);
    hit->u = side == 0 ? p.z : p.x;
    hit->v = side == 1 ? p.z : p.y;
    return true;
}

/* A sphere at `centre`. Returns the distance or -1. */
static double meet_sphere(struct synth_vector centre, double radius, const struct ray *ray)
{
    struct synth_vector to = synth_subtract(ray->origin, centre);
    double a = ray->square, b = synth_dot(to, ray->direction), c = synth_dot(to, to) - radius * radius;
    double root = b * b - a * c;

    return root < 0 ? -1 : (-b - sqrt(root)) / a;
}

/* Into the space where a cone's ends are balls. */
static struct synth_vector mapped(const struct synth_body *body, struct synth_vector a)
{
    return synth_vector(synth_dot(body->map[0], a), synth_dot(body->map[1], a), synth_dot(body->map[2], a));
}

/* The direction that is normal to a surface whose normal in that space is `a`. */
static struct synth_vector unmapped_normal(const struct synth_body *body, struct synth_vector a)
{
    return synth_add(synth_add(synth_scale(body->map[0], a.x), synth_scale(body->map[1], a.y)),
                     synth_scale(body->map[2], a.z));
}

static bool meet_capsule(const struct synth_body *body, const struct ray *ray, struct synth_hit *hit)
{
    struct synth_vector to = synth_subtract(ray->origin, body->first), second = synth_add(body->first, body->axis), on,
                        side;
    double axis = synth_dot(body->axis, body->axis), best = hit->distance, along = 0;
    double da = synth_dot(ray->direction, body->axis), oa = synth_dot(to, body->axis);
    double a = axis * ray->square - da * da;
    double b = axis * synth_dot(to, ray->direction) - da * oa;
    double c = axis * synth_dot(to, to) - oa * oa - axis * body->thickness * body->thickness;
    double root = b * b - a * c, t;

    if (a > 0 && root >= 0) {
        t = (-b - sqrt(root)) / a;
        along = (oa + t * da) / axis;
        if (t > NEAR && t < best && along >= 0 && along <= 1) {
            best = t;
        }
    }
    for (int end = 0; end < 2; end++) {
        t = meet_sphere(end == 0 ? body->first : second, body->thickness, ray);
        if (t > NEAR && t < best) {
            best = t;
            along = end;
        }
    }
    if (best >= hit->distance)
        return false;
    on = synth_add(ray->origin, synth_scale(ray->direction, best));
    side = synth_subtract(on, synth_add(body->first, synth_scale(body->axis, along)));
    hit->distance = best;
    hit->normal = synth_normalise(side);
    hit->u = side.x + side.z;
    hit->v = along * sqrt(axis) + side.y;
    return true;
}

/* A rounded cone is the union of the balls around c(t) with radius r(t), t from 0 to 1, after `map`; a point p is on
 * its surface where the least (p - c(t))^2 - r(t)^2 over t is 0. Where that t is inside 0..1, this is a quadric. */
static bool meet_cone(const struct synth_body *body, const struct ray *ray, struct synth_hit *hit)
{
    struct synth_vector o = mapped(body, synth_subtract(ray->origin, body->first)), d = mapped(body, ray->direction),
                        axis = mapped(body, body->axis), side, on;
    double thickness = body->thickness, growth = body->growth, best = hit->distance, along = 0;
    double square = synth_dot(axis, axis) - growth * growth, dd = synth_dot(d, d);
    struct ray local = {o, d, dd, 0};

    if (square > 0) {
        double da = synth_dot(d, axis), oa = synth_dot(o, axis) + thickness * growth;
        double a = dd - da * da / square, b = synth_dot(o, d) - oa * da / square;
        double c = synth_dot(o, o) - thickness * thickness - oa * oa / square, root = b * b - a * c;
        for (int end = -1; a != 0 && root >= 0 && end <= 1; end += 2) {
            double t = (-b + end * sqrt(root)) / a, at = (oa + t * da) / square;
            if (t > NEAR && t < best && at >= 0 && at <= 1) {
                best = t;
                along = at;
            }
        }
    }
    for (int end = 0; end < 2; end++) {
        double t = meet_sphere(synth_scale(axis, end), thickness + end * growth, &local);
        if (t > NEAR && t < best) {
            best = t;
            along = end;
        }
    }
    if (best >= hit->distance)
        return false;
    side = synth_subtract(synth_add(o, synth_scale(d, best)), synth_scale(axis, along));
    hit->distance = best;
    hit->normal = synth_normalise(unmapped_normal(body, side));
    on = synth_add(ray->origin, synth_scale(ray->direction, best));
    on = synth_subtract(on, synth_add(body->first, synth_scale(body->axis, along)));
    hit->u = on.x + on.z;
    hit->v = along * sqrt(synth_dot(body->axis, body->axis)) + on.y;
    return true;
}

/* The distance to the sides of the room across an axis, at 0 and at `size`. */
static double meet_sides(double origin, double direction, double size)
{
    return direction > 0 ? (size - origin) / direction : direction < 0 ? -origin / direction : 1e9;
}

/* The walls, floor and ceiling, from inside. */
static struct synth_hit meet_room(const struct synth_scene *scene, struct synth_vector origin,
                                  struct synth_vector direction)
{
    double tx = meet_sides(origin.x, direction.x, scene->room.x), ty = meet_sides(origin.y, direction.y, scene->room.y),
           tz = meet_sides(origin.z, direction.z, scene->room.z);
    struct synth_hit hit = {.distance = tx < ty ? tx : ty, .class_number = SYNTH_WALL};
    struct synth_vector point;

    hit.distance = tz < hit.distance ? tz : hit.distance;
    point = synth_add(origin, synth_scale(direction, hit.distance));
    hit.u = point.x;
    hit.v = point.y;
    if (hit.distance == ty) {
        hit.class_number = direction.y > 0 ? SYNTH_CEILING : SYNTH_FLOOR;
        hit.material = direction.y > 0 ? &scene->ceiling : &scene->floor;
        hit.normal = synth_vector(0, direction.y > 0 ? -1 : 1, 0);
        hit.v = point.z;
    } else if (hit.distance == tx) {
        hit.material = &scene->walls[direction.x > 0 ? 0 : 1];
        hit.normal = synth_vector(direction.x > 0 ? -1 : 1, 0, 0);
        hit.u = point.z;
    } else {
        hit.material = &scene->walls[direction.z > 0 ? 2 : 3];
        hit.normal = synth_vector(0, 0, direction.z > 0 ? -1 : 1);
    }
    return hit;
}

/* The lowest number in a set from `number`; none: UINT32_MAX. */
static uint32_t next(const struct synth_set *set, uint32_t number)
{
    for (uint32_t word = number / 64; word < sizeof set->words / sizeof *set->words; word++) {
        uint64_t rest = set->words[word];
        if (word == number / 64)
            rest &= ~0ull << number % 64;
        if (rest != 0)
            return 64 * word + (uint32_t)__builtin_ctzll(rest);
    }
    return UINT32_MAX;
}

static bool meet(const struct synth_body *body, const struct ray *ray, struct synth_hit *hit)
{
    if (!may_meet(body, ray, hit->distance))
        return false;
    switch (body->shape) {
    case SYNTH_BOX: return meet_box(body, ray, hit);
    case SYNTH_CAPSULE: return meet_capsule(body, ray, hit);
    default: return meet_cone(body, ray, hit);
    }
}

struct synth_hit synth_trace(const struct synth_scene *scene, const struct synth_set *among, struct synth_vector origin,
                             struct synth_vector direction)
{
    struct synth_hit hit = meet_room(scene, origin, direction);
    struct ray ray = make_ray(origin, direction);

    for (uint32_t i = next(among, 0); i < scene->body_count; i = next(among, i + 1))
        if (meet(&scene->bodies[i], &ray, &hit)) {
            hit.body = &scene->bodies[i];
            hit.class_number = hit.body->class_number;
            hit.material = &hit.body->material;
        }
    hit.point = synth_add(origin, synth_scale(direction, hit.distance));
    return hit;
}

bool synth_blocked(const struct synth_scene *scene, const struct synth_set *among, struct synth_vector from,
                   struct synth_vector to)
{
    struct ray ray = make_ray(from, synth_subtract(to, from));

    for (uint32_t i = next(among, 0); i < scene->body_count; i = next(among, i + 1)) {
        struct synth_hit hit = {.distance = 0.98};
        if (scene->bodies[i].material.glow == 0 && meet(&scene->bodies[i], &ray, &hit))
            return true;
    }
    return false;
}

/* floor() without libm. */
static int32_t floor_of(double value)
{
    int32_t whole = (int32_t)value;

    return value < whole ? whole - 1 : whole;
}

static double lattice(uint32_t key, int32_t x, int32_t y)
{
    return (double)shw_random(key, (uint32_t)x, (uint32_t)y) / 4294967296.0;
}

/* Smooth noise from 0 to 1 with one lattice point per unit. */
static double noise(uint32_t key, double x, double y)
{
    int32_t ix = floor_of(x), iy = floor_of(y);
    double fx = x - ix, fy = y - iy, low, high;

    fx = fx * fx * (3 - 2 * fx);
    fy = fy * fy * (3 - 2 * fy);
    low = lattice(key, ix, iy) * (1 - fx) + lattice(key, ix + 1, iy) * fx;
    high = lattice(key, ix, iy + 1) * (1 - fx) + lattice(key, ix + 1, iy + 1) * fx;
    return low * (1 - fy) + high * fy;
}

/* The share of a pattern's second colour. */
static double second_colour(const struct synth_material *material, double u, double v)
{
    double x = u / material->scale, y = v / material->scale, fx = x - floor_of(x), fy = y - floor_of(y);

    switch (material->pattern) {
    case SYNTH_STRIPES: return fx < 0.5 ? 1 : 0;
    case SYNTH_CHECKS: return ((floor_of(x) ^ floor_of(y)) & 1) != 0 ? 1 : 0;
    case SYNTH_WOOD: return noise(material->key, 9 * x, 0.6 * y);
    case SYNTH_TILES: return fx < 0.06 || fy < 0.06 ? 1 : 0;
    case SYNTH_BRICKS: {
        double shifted = x + ((floor_of(3 * y) & 1) != 0 ? 0.5 : 0), row = 3 * y - floor_of(3 * y);
        return shifted - floor_of(shifted) < 0.06 || row < 0.14 ? 1 : 0;
    }
    case SYNTH_SPOTS: return noise(material->key, 2 * x, 2 * y) > 0.62 ? 1 : 0;
    default: return 0;
    }
}

void synth_colour(const struct synth_material *material, double u, double v, double colour[3])
{
    double share = second_colour(material, u, v);
    double grain = material->grain > 0 ? 1 + material->grain * (noise(material->key + 1, 40 * u, 40 * v) - 0.5) : 1;

    for (int c = 0; c < 3; c++)
        colour[c] = grain * ((1 - share) * material->colours[0][c] + share * material->colours[1][c]);
}

/* Bodies sorted into windows. */

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
