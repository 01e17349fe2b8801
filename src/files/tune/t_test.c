#include "files/tune/t_test.h"

#include <math.h>

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz's method. */
static double beta_fraction(double a, double b, double x)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), value;

    d = 1 / (fabs(d) < tiny ? tiny : d);
    value = d;
    for (int m = 1; m <= 500; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        double change;

        d = 1 + even * d;
        c = 1 + even / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        value *= d * (fabs(c) < tiny ? tiny : c);
        d = 1 + odd * d;
        c = 1 + odd / c;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        change = d * (fabs(c) < tiny ? tiny : c);
        value *= change;
        if (fabs(change - 1) < 1e-15)
            break;
    }
    return value;
}

/* The regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
    double front;

    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double shw_student_above(double t, double freedom)
{
    const double tail = 0.5 * beta(0.5 * freedom, 0.5, freedom / (freedom + t * t));

    return t > 0 ? tail : 1 - tail;
}

bool shw_t_test_above_zero(const double *numbers, uint32_t count, double significance)
{
    double mean = 0, squares = 0;

    if (count < 2)
        return false;
    for (uint32_t i = 0; i < count; i++)
        mean += numbers[i] / count;
    for (uint32_t i = 0; i < count; i++)
        squares += (numbers[i] - mean) * (numbers[i] - mean);
    if (squares <= 0)
        return mean > 0;
    return shw_student_above(mean / sqrt(squares / (count - 1.0) / count), count - 1.0) < significance;
}
