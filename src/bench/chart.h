/* Charts as inline SVG. The page defines colours and type: every technique has its own class, t0 to t7, and mark. */
#ifndef SHW_BENCH_CHART_H
#define SHW_BENCH_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#define SHW_CHART_STYLES    8u
#define SHW_CHART_PUBLISHED 8u /* the style of published times */
#define SHW_CHART_LINES_MAX 24u

struct shw_chart_point {
    double x, y;
    double low, high;  /* a range of y; 0: none */
    double ideal;      /* the minimum of y; 0: unknown */
    const json_t *row; /* whose id is the tooltip, or NULL */
};

struct shw_chart_line {
    const char *name, *more; /* more: a second line of the label, or NULL */
    unsigned style;
    struct shw_chart_point *points; /* by x */
    size_t count;
};

struct shw_chart_tick {
    double x;
    const char *label;
};

/* Lines over a numeric x. y is logarithmic and positive; so is x if its values span a factor of eight or more. */
struct shw_chart {
    const char *title, *x_title, *y_title;
    const struct shw_chart_line *lines; /* at most SHW_CHART_LINES_MAX */
    size_t line_count;
    const struct shw_chart_tick *ticks; /* the values of x, one or more, in order */
    size_t tick_count;
};
void shw_chart_write(FILE *out, const struct shw_chart *chart);

/* A mark on a row of a dot plot. */
struct shw_dot {
    double value, low, high, ideal;
    unsigned style;
    const char *name;  /* a letter beside the mark; NULL: none */
    const json_t *row; /* whose id is the tooltip, or NULL */
};

struct shw_dot_row {
    const char *label;
    const struct shw_dot *dots;
    size_t count;
};

/* Dots along a logarithmic axis, one row per setting. Values are positive. */
struct shw_dot_plot {
    const char *title, *x_title;
    const char *unit; /* of values, in tooltips */
    const struct shw_dot_row *rows;
    size_t row_count;
    double reference, beyond; /* a value marked by a line, and a factor around it that is shaded; 0: none */
};
void shw_dot_plot_write(FILE *out, const struct shw_dot_plot *plot);

/* The tooltip of a mark: the id and the value. Nothing without a row. */
void shw_chart_tip(FILE *out, const json_t *row, double value, const char *unit);

/* The mark of a style at a position. */
void shw_chart_mark(FILE *out, unsigned style, double x, double y);

#endif
