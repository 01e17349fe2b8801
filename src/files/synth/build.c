#include "files/synth/build.h"

/* Lengths of bones as shares of the body's height are those of anthropometric tables (Winter, "Biomechanics and motor
 * control of human movement", 1990). */
static void make_bones(struct synth_build *build, struct synth_stream *stream, double child, double female)
{
    double h = build->height, legs = synth_uniform(stream, 0.95, 1.04) * (1 - 0.06 * child), trunk;

    build->ankle = 0.043 * h;
    build->shin = 0.243 * h * legs * synth_uniform(stream, 0.97, 1.03);
    build->thigh = 0.243 * h * legs * synth_uniform(stream, 0.97, 1.03);
    build->head = (0.5 * 0.155 + 0.021 * h) * synth_uniform(stream, 0.96, 1.05);
    build->neck = 0.037 * h * synth_uniform(stream, 0.85, 1.2);
    trunk = h - build->ankle - build->shin - build->thigh - build->neck - 1.86 * build->head;
    build->belly = 0.32 * trunk;
    build->back = 0.36 * trunk;
    build->chest = 0.32 * trunk;
    build->hips = 0.052 * h * (1 + 0.06 * female) * synth_uniform(stream, 0.95, 1.06);
    build->shoulders = 0.108 * h * (1 - 0.09 * female - 0.05 * child) * synth_uniform(stream, 0.95, 1.06);
    build->upper_arm = 0.176 * h * synth_uniform(stream, 0.95, 1.05);
    build->forearm = 0.146 * h * synth_uniform(stream, 0.95, 1.05);
    build->palm = 0.056 * h * synth_uniform(stream, 0.93, 1.08);
    build->foot = 0.15 * h * synth_uniform(stream, 0.94, 1.06);
}

/* Half axes grow with the height, and with `stout` from -1 to 1.3. */
static void make_trunk(struct synth_build *build, struct synth_stream *stream, double female, double stout)
{
    double h = build->height, fat = stout > 0 ? stout : 0, jacket = 0;

    if (synth_below(stream, 3) == 0)
        jacket = synth_uniform(stream, 0.005, 0.022);
    build->hip_size.wide = h * (0.093 + 0.006 * female + 0.012 * stout) + jacket;
    build->hip_size.deep = h * (0.062 + 0.007 * stout + 0.008 * fat) + jacket;
    build->waist_size.wide = h * (0.079 - 0.008 * female + 0.013 * stout + 0.014 * fat) + jacket;
    build->waist_size.deep = h * (0.054 + 0.009 * stout + 0.016 * fat) + jacket;
    build->chest_size.wide = h * (0.092 - 0.005 * female + 0.009 * stout) + jacket;
    build->chest_size.deep = h * (0.063 - 0.003 * female + 0.009 * stout) + jacket;
    build->paunch = h * fat * synth_uniform(stream, 0.004, 0.03);
    build->bust = h * (female > 0.5 ? synth_uniform(stream, 0.004, 0.014) : 0.002 + 0.004 * fat);
    build->seat = h * (0.005 + 0.004 * female + 0.004 * stout) * synth_uniform(stream, 0.7, 1.3);
    build->blouse = synth_below(stream, 2) == 0 ? synth_uniform(stream, 0.0, 0.025) : -1;
}

static void make_limbs(struct synth_build *build, struct synth_stream *stream, double female, double stout)
{
    double h = build->height, arms = h * (1 + 0.16 * stout - 0.08 * female) * synth_uniform(stream, 0.92, 1.08),
           legs = h * (1 + 0.15 * stout) * synth_uniform(stream, 0.93, 1.08);

    build->neck_radius = h * (0.033 - 0.004 * female + 0.003 * stout);
    build->head_size.wide = build->head * synth_uniform(stream, 0.66, 0.72);
    build->head_size.deep = build->head * synth_uniform(stream, 0.82, 0.88);
    build->shoulder_radius = 0.032 * arms;
    build->elbow_radius = 0.0235 * arms;
    build->wrist_radius = 0.0165 * arms;
    build->thigh_radius = 0.05 * legs;
    build->knee_radius = 0.0335 * legs;
    build->calf_radius = 0.0335 * legs;
    build->ankle_radius = 0.021 * legs;
}

static void make_clothes(struct synth_build *build, struct synth_stream *stream, double female)
{
    build->shirt = synth_cloth(stream);
    build->cloth = synth_cloth(stream);
    build->shoe = synth_cloth(stream);
    build->skin = synth_skin(stream);
    build->hair_colour = build->skin;
    build->bare_arms = synth_below(stream, 3) == 0;
    build->bare_legs = synth_below(stream, 6) == 0;
    build->sleeve = build->bare_arms ? 0 : synth_uniform(stream, 0.002, 0.014);
    build->trousers = build->bare_legs ? 0 : synth_uniform(stream, 0, 0.03);
    build->skirt = female > 0.5 && synth_below(stream, 4) == 0 ? synth_uniform(stream, 0.55, 1.1) : 0;
    build->hair = (enum synth_hair)synth_below(stream, SYNTH_HAIR_COUNT);
    if (female > 0.5 && (build->hair == SYNTH_BALD || build->hair == SYNTH_SHORT_HAIR))
        build->hair = SYNTH_LONG_HAIR;
    else if (female <= 0.5 && build->hair >= SYNTH_BOB && build->hair <= SYNTH_TAIL && synth_below(stream, 8) != 0)
        build->hair = SYNTH_SHORT_HAIR;
    build->hair_depth = synth_uniform(stream, 0.06, 0.24) * build->head;
    for (int c = 0; c < 3; c++) {
        build->shoe.colours[0][c] *= 0.4;
        build->hair_colour.colours[0][c] = build->skin.colours[0][c] * synth_uniform(stream, 0.1, 0.8);
    }
    if (build->hair == SYNTH_CAP)
        build->hair_colour = build->shoe;
}

struct synth_build synth_build_make(struct synth_stream *stream)
{
    bool is_child = synth_below(stream, 5) == 0;
    struct synth_build build = {.height = is_child ? synth_uniform(stream, 1.1, 1.5) : 0};
    double female = synth_uniform(stream, 0, 1), stout = synth_uniform(stream, -1, 1), child;

    if (!is_child) {
        build.height = 1.8 - 0.12 * female + synth_uniform(stream, -0.13, 0.13);
        build.height += synth_uniform(stream, -0.12, 0.12);
    }
    child = build.height < 1.5 ? (1.5 - build.height) / 0.4 : 0;
    if (is_child)
        female *= 0.5;
    stout = stout > 0 ? 1.3 * stout * stout : 0.9 * stout;
    make_bones(&build, stream, child, female);
    make_trunk(&build, stream, female, stout);
    make_limbs(&build, stream, female, stout);
    make_clothes(&build, stream, female);
    return build;
}

double synth_build_leg(const struct synth_build *build)
{
    return build->ankle + build->shin + build->thigh;
}

double synth_build_arm(const struct synth_build *build)
{
    return build->upper_arm + build->forearm;
}
