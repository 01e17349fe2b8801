#include "testing/colour_distance.h"

#include <math.h>

#define DEGREE (3.14159265358979323846 / 180.0)

static double hue_of(double a, double b)
{
    double hue = a == 0.0 && b == 0.0 ? 0.0 : atan2(b, a) / DEGREE;

    return hue < 0.0 ? hue + 360.0 : hue;
}

static double hue_difference(double h1, double h2)
{
    double difference = h2 - h1;

    if (difference > 180.0)
        return difference - 360.0;
    return difference < -180.0 ? difference + 360.0 : difference;
}

static double mean_hue(double h1, double h2)
{
    if (fabs(h1 - h2) <= 180.0)
        return (h1 + h2) / 2.0;
    return h1 + h2 < 360.0 ? (h1 + h2 + 360.0) / 2.0 : (h1 + h2 - 360.0) / 2.0;
}

/* The square root of chroma^7 / (chroma^7 + 25^7). */
static double saturation(double chroma)
{
    return sqrt(pow(chroma, 7.0) / (pow(chroma, 7.0) + pow(25.0, 7.0)));
}

double testing_ciede2000(const double one[3], const double other[3])
{
    double chroma = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2.0;
    double stretch = 1.0 + 0.5 * (1.0 - saturation(chroma));
    double a1 = stretch * one[1], a2 = stretch * other[1];
    double c1 = hypot(a1, one[2]), c2 = hypot(a2, other[2]);
    double h1 = hue_of(a1, one[2]), h2 = hue_of(a2, other[2]);
    int grey = c1 * c2 == 0.0;
    double turn = grey ? 0.0 : hue_difference(h1, h2), hue = grey ? h1 + h2 : mean_hue(h1, h2);
    double l = (one[0] + other[0]) / 2.0, c = (c1 + c2) / 2.0;
    double t = 1.0 - 0.17 * cos((hue - 30.0) * DEGREE) + 0.24 * cos(2.0 * hue * DEGREE) +
               0.32 * cos((3.0 * hue + 6.0) * DEGREE) - 0.20 * cos((4.0 * hue - 63.0) * DEGREE);
    double angle = 30.0 * exp(-((hue - 275.0) / 25.0) * ((hue - 275.0) / 25.0));
    double rotation = -sin(2.0 * angle * DEGREE) * 2.0 * saturation(c);
    double light = (other[0] - one[0]) / (1.0 + 0.015 * (l - 50.0) * (l - 50.0) / sqrt(20.0 + (l - 50.0) * (l - 50.0)));
    double chromatic = (c2 - c1) / (1.0 + 0.045 * c);
    double hued = 2.0 * sqrt(c1 * c2) * sin(turn / 2.0 * DEGREE) / (1.0 + 0.015 * c * t);

    return sqrt(light * light + chromatic * chromatic + hued * hued + rotation * chromatic * hued);
}

static double linear(uint8_t level)
{
    double part = level / 255.0;

    return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

static double curve(double t)
{
    return t > 216.0 / 24389.0 ? cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0;
}

static void multiply(const double matrix[3][3], const double in[3], double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = matrix[i][0] * in[0] + matrix[i][1] * in[1] + matrix[i][2] * in[2];
}

void testing_lab(const uint8_t colour[3], enum testing_vision vision, double lab[3])
{
    static const double seen_as[TESTING_VISION_COUNT][3][3] = {
        {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
        {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}},
        {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}},
        {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};
    static const double to_xyz[3][3] = {
        {0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}};
    const double full[3] = {linear(colour[0]), linear(colour[1]), linear(colour[2])};
    double seen[3], xyz[3], x, y, z;

    multiply(seen_as[vision], full, seen);
    for (int i = 0; i < 3; i++)
        seen[i] = fmin(fmax(seen[i], 0.0), 1.0);
    multiply(to_xyz, seen, xyz);
    x = curve(xyz[0] / 0.95047);
    y = curve(xyz[1]);
    z = curve(xyz[2] / 1.08883);
    lab[0] = 116.0 * y - 16.0;
    lab[1] = 500.0 * (x - y);
    lab[2] = 200.0 * (y - z);
}

double testing_colour_distance(const uint8_t one[3], const uint8_t other[3], enum testing_vision vision)
{
    double a[3], b[3];

    testing_lab(one, vision, a);
    testing_lab(other, vision, b);
    return testing_ciede2000(a, b);
}
