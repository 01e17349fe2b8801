/* Vectors of the scenes: metres; x to the right, y up, z away. */
#ifndef SHW_FILES_SYNTH_VECTOR_H
#define SHW_FILES_SYNTH_VECTOR_H

struct synth_vector {
    double x, y, z;
};

static inline struct synth_vector synth_vector(double x, double y, double z)
{
    return (struct synth_vector){x, y, z};
}

static inline struct synth_vector synth_add(struct synth_vector a, struct synth_vector b)
{
    return synth_vector(a.x + b.x, a.y + b.y, a.z + b.z);
}

static inline struct synth_vector synth_subtract(struct synth_vector a, struct synth_vector b)
{
    return synth_vector(a.x - b.x, a.y - b.y, a.z - b.z);
}

static inline struct synth_vector synth_scale(struct synth_vector a, double factor)
{
    return synth_vector(a.x * factor, a.y * factor, a.z * factor);
}

static inline double synth_dot(struct synth_vector a, struct synth_vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct synth_vector synth_cross(struct synth_vector a, struct synth_vector b)
{
    return synth_vector(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

struct synth_vector synth_normalise(struct synth_vector a);

/* Sine and cosine of an angle in turns (1 is a full circle), by polynomials: at most 1e-6 off. */
void synth_sine_cosine(double turns, double *sine, double *cosine);

#endif
