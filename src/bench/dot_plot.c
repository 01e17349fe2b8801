/* Dot plots: many settings, one axis. */
#include <math.h>

#include "bench/axis.h"
#include "bench/chart.h"
#include "bench/markup.h"

#define WIDTH       980.0
#define RIGHT       24.0
#define TOP         8.0
#define ROW         24.0
#define BOTTOM      42.0
#define LETTER      7.0
#define LABEL_LEAST 120.0
#define LABEL_MOST  430.0

static double label_room(const struct shw_dot_plot *plot)
{
    double room = LABEL_LEAST;

    for (size_t i = 0; i < plot->row_count; i++)
        room = fmax(room, 14 + LETTER * (double)shw_text_length(plot->rows[i].label));
    return fmin(room, LABEL_MOST);
}

static struct shw_axis make_axis(const struct shw_dot_plot *plot)
{
    double low = plot->reference > 0 ? plot->reference : INFINITY, high = plot->reference;

    for (size_t i = 0; i < plot->row_count; i++)
        for (size_t d = 0; d < plot->rows[i].count; d++) {
            const struct shw_dot *dot = &plot->rows[i].dots[d];
            const double values[] = {dot->value, dot->low, dot->high, dot->ideal};
            for (size_t v = 0; v < 4; v++)
                if (values[v] > 0) {
                    low = fmin(low, values[v]);
                    high = fmax(high, values[v]);
                }
        }
    if (!(high > 0))
        low = high = 1;
    return shw_axis_make(true, low, high, label_room(plot), WIDTH - RIGHT);
}

static void write_axis(FILE *out, const struct shw_dot_plot *plot, const struct shw_axis *axis, double bottom)
{
    for (size_t i = 0; i < axis->tick_count; i++) {
        double place = shw_axis_place(axis, axis->ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", place, TOP, bottom);
        fprintf(out, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">%.6g</text>\n", place,
                bottom + 16, axis->ticks[i]);
    }
    fprintf(out, "<text class=\"axis\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", (axis->from + axis->to) / 2,
            bottom + 34);
    shw_markup_text(out, plot->x_title);
    fputs("</text>\n", out);
    if (plot->reference > 0) {
        double left = shw_axis_place(axis, plot->reference / (1 + plot->beyond));
        double right = shw_axis_place(axis, plot->reference * (1 + plot->beyond));
        fprintf(out, "<rect class=\"band\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", left, TOP,
                right - left, bottom - TOP);
        fprintf(out, "<path class=\"reference\" d=\"M%.1f %.1fV%.1f\"/>\n", shw_axis_place(axis, plot->reference), TOP,
                bottom);
    }
}

static void write_dot(FILE *out, const struct shw_axis *axis, const struct shw_dot *dot, double y, const char *unit)
{
    double x = shw_axis_place(axis, dot->value);

    fprintf(out, "<g class=\"t%u\">", dot->style);
    shw_chart_tip(out, dot->row, dot->value, unit);
    if (dot->ideal > 0)
        fprintf(out, "<path class=\"ideal\" d=\"M%.1f %.1fH%.1f\"/><path class=\"stop\" d=\"M%.1f %.1fv9\"/>",
                shw_axis_place(axis, dot->ideal), y, x, shw_axis_place(axis, dot->ideal), y - 4.5);
    if (dot->low > 0 && dot->high > 0)
        fprintf(out, "<path class=\"range\" d=\"M%.1f %.1fH%.1f\"/>", shw_axis_place(axis, dot->low), y,
                shw_axis_place(axis, dot->high));
    shw_chart_mark(out, dot->style, x, y);
    if (dot->name != NULL) {
        fprintf(out, "<text class=\"more\" x=\"%.1f\" y=\"%.1f\">", x + 8, y - 2);
        shw_markup_text(out, dot->name);
        fputs("</text>", out);
    }
    fputs("</g>\n", out);
}

void shw_dot_plot_write(FILE *out, const struct shw_dot_plot *plot)
{
    struct shw_axis axis = make_axis(plot);
    double bottom = TOP + ROW * (double)plot->row_count;

    fprintf(out,
            "<svg class=\"wide\" viewBox=\"0 0 %.0f %.0f\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\"><title>",
            WIDTH, bottom + BOTTOM);
    shw_markup_text(out, plot->title);
    fputs("</title>\n", out);
    write_axis(out, plot, &axis, bottom);
    for (size_t i = 0; i < plot->row_count; i++) {
        const struct shw_dot_row *row = &plot->rows[i];
        double y = TOP + ROW * ((double)i + 0.5);
        fprintf(out,
                "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/><text class=\"row\" text-anchor=\"end\" x=\"%.1f\" "
                "y=\"%.1f\">",
                axis.from, y, axis.to, axis.from - 10, y + 4);
        shw_markup_text(out, row->label);
        fputs("</text>\n", out);
        for (size_t d = 0; d < row->count; d++)
            write_dot(out, &axis, &row->dots[d], y, plot->unit);
    }
    fputs("</svg>\n", out);
}
