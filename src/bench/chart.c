#include "bench/chart.h"

#include <math.h>

#include "bench/axis.h"
#include "bench/markup.h"

#define WIDTH       560.0
#define HEIGHT      340.0
#define LEFT        58.0
#define RIGHT_LEAST 70.0 /* space for the names of lines */
#define RIGHT_MOST  190.0
#define NAME_LETTER 8.4
#define MORE_LETTER 6.3
#define TOP         14.0
#define BOTTOM      46.0
#define LABEL_GAP   15.0
#define LETTER      6.9 /* about the width of one in a tick's label */
#define SPAN_OF_LOG 8.0
#define FAR         60.0 /* a name further from the end of its line gets a fainter leader */

struct frame {
    struct shw_axis x, y;
};

void shw_chart_mark(FILE *out, unsigned style, double x, double y)
{
    switch (style) {
    case 0: fprintf(out, "<circle class=\"m\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.8\"/>", x, y); break;
    case 1: fprintf(out, "<rect class=\"m\" x=\"%.1f\" y=\"%.1f\" width=\"7\" height=\"7\"/>", x - 3.5, y - 3.5); break;
    case 2: fprintf(out, "<path class=\"m\" d=\"M%.1f %.1fl4.6 8h-9.2z\"/>", x, y - 5); break;
    case 3: fprintf(out, "<path class=\"m\" d=\"M%.1f %.1fl4.8 4.8-4.8 4.8-4.8-4.8z\"/>", x, y - 4.8); break;
    case 4: fprintf(out, "<path class=\"m\" d=\"M%.1f %.1fl4.6-8h-9.2z\"/>", x, y + 5); break;
    case 5: fprintf(out, "<path class=\"m\" d=\"M%.1f %.1fh8v2.4h-8z\"/>", x - 4, y - 1.2); break;
    case 6: fprintf(out, "<path class=\"m\" d=\"M%.1f %.1fv8h2.4v-8z\"/>", x - 1.2, y - 4); break;
    case 7: fprintf(out, "<circle class=\"m\" cx=\"%.1f\" cy=\"%.1f\" r=\"2.2\"/>", x, y); break;
    default: fprintf(out, "<path class=\"m\" d=\"M%.1f %.1fl5.5 5.5-5.5 5.5-5.5-5.5z\"/>", x, y - 5.5); break;
    }
}

void shw_chart_tip(FILE *out, const json_t *row, double value, const char *unit)
{
    char number[SHW_NUMBER_SIZE];

    if (row == NULL)
        return;
    fputs("<title>", out);
    shw_markup_text(out, shw_text_member(row, "id"));
    fprintf(out, ": %s %s</title>", shw_number(number, value), unit);
}

static void open_svg(FILE *out, double width, double height, const char *title)
{
    fprintf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" xmlns=\"http://www.w3.org/2000/svg\"><title>", width,
            height);
    shw_markup_text(out, title);
    fputs("</title>\n", out);
}

static void widen(double value, double range[2])
{
    if (value > 0) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

static double names_room(const struct shw_chart *chart)
{
    double room = RIGHT_LEAST;

    for (size_t i = 0; i < chart->line_count; i++) {
        room = fmax(room, 20 + NAME_LETTER * (double)shw_text_length(chart->lines[i].name));
        if (chart->lines[i].more != NULL)
            room = fmax(room, 20 + MORE_LETTER * (double)shw_text_length(chart->lines[i].more));
    }
    return fmin(room, RIGHT_MOST);
}

static struct frame make_frame(const struct shw_chart *chart)
{
    double low = chart->ticks[0].x, high = chart->ticks[chart->tick_count - 1].x, y[2] = {INFINITY, 0};
    bool logarithmic = low > 0 && high / low >= SPAN_OF_LOG;

    for (size_t i = 0; i < chart->line_count; i++)
        for (size_t p = 0; p < chart->lines[i].count; p++) {
            const struct shw_chart_point *point = &chart->lines[i].points[p];
            widen(point->y, y);
            widen(point->low, y);
            widen(point->high, y);
            widen(point->ideal, y);
        }
    if (!(y[1] > 0))
        y[0] = y[1] = 1;
    return (struct frame){.x = shw_axis_make(logarithmic, low, high, LEFT, WIDTH - names_room(chart)),
                          .y = shw_axis_make(true, y[0], y[1], HEIGHT - BOTTOM, TOP)};
}

/* A label that would touch the previous one is omitted, except the last. */
static void write_x_axis(FILE *out, const struct shw_chart *chart, const struct shw_axis *axis)
{
    const struct shw_chart_tick *last = &chart->ticks[chart->tick_count - 1];
    double free_from = 0, last_place = shw_axis_place(axis, last->x),
           last_from = last_place - LETTER * (double)shw_text_length(last->label) / 2;

    for (size_t i = 0; i < chart->tick_count; i++) {
        double place = shw_axis_place(axis, chart->ticks[i].x),
               half = LETTER * (double)shw_text_length(chart->ticks[i].label) / 2;
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>", place, TOP, HEIGHT - BOTTOM + 4);
        if (i + 1 < chart->tick_count && (place - half < free_from || place + half + LETTER > last_from))
            continue;
        free_from = place + half + LETTER;
        fprintf(out, "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", place, HEIGHT - BOTTOM + 18);
        shw_markup_text(out, chart->ticks[i].label);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text class=\"axis\" text-anchor=\"middle\" x=\"%.1f\" y=\"%.1f\">", (axis->from + axis->to) / 2,
            HEIGHT - 8);
    shw_markup_text(out, chart->x_title);
    fputs("</text>\n", out);
}

static void write_y_axis(FILE *out, const struct shw_chart *chart, const struct frame *frame)
{
    char number[SHW_NUMBER_SIZE];

    for (size_t i = 0; i < frame->y.tick_count; i++) {
        double place = shw_axis_place(&frame->y, frame->y.ticks[i]);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %.1fH%.1f\"/>", frame->x.from, place, frame->x.to);
        snprintf(number, sizeof number, "%.6g", frame->y.ticks[i]);
        fprintf(out, "<text class=\"tick\" text-anchor=\"end\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", frame->x.from - 7,
                place + 3.5, number);
    }
    fprintf(out, "<text class=\"axis\" text-anchor=\"middle\" transform=\"translate(13 %.1f)rotate(-90)\">",
            (HEIGHT - BOTTOM + TOP) / 2);
    shw_markup_text(out, chart->y_title);
    fputs("</text>\n", out);
}

static void write_polyline(FILE *out, const struct frame *frame, const struct shw_chart_line *line, bool ideal)
{
    bool drawing = false;

    fprintf(out, "<path class=\"%s\" d=\"", ideal ? "ideal" : "line");
    for (size_t i = 0; i < line->count; i++) {
        double y = ideal ? line->points[i].ideal : line->points[i].y;
        if (y > 0)
            fprintf(out, "%c%.1f %.1f", drawing ? 'L' : 'M', shw_axis_place(&frame->x, line->points[i].x),
                    shw_axis_place(&frame->y, y));
        drawing = y > 0;
    }
    fputs("\"/>\n", out);
}

static void write_point(FILE *out, const struct frame *frame, const struct shw_chart_point *point, unsigned style)
{
    double x = shw_axis_place(&frame->x, point->x), y = shw_axis_place(&frame->y, point->y);

    fputs("<g>", out);
    shw_chart_tip(out, point->row, point->y, "ms");
    if (point->low > 0 && point->high > 0)
        fprintf(out, "<path class=\"range\" d=\"M%.1f %.1fV%.1f\"/>", x, shw_axis_place(&frame->y, point->low),
                shw_axis_place(&frame->y, point->high));
    shw_chart_mark(out, style, x, y);
    fputs("</g>\n", out);
}

static void write_line(FILE *out, const struct frame *frame, const struct shw_chart_line *line)
{
    fprintf(out, "<g class=\"t%u\">", line->style);
    write_polyline(out, frame, line, true);
    write_polyline(out, frame, line, false);
    for (size_t i = 0; i < line->count; i++)
        write_point(out, frame, &line->points[i], line->style);
    fputs("</g>\n", out);
}

struct name {
    const struct shw_chart_line *line;
    double end_x, end_y, height, y; /* y: of its first line of text */
};

/* Moves names apart until they do not overlap, within the chart. */
static void place_names(struct name *names, size_t count)
{
    double floor_y = HEIGHT - BOTTOM + 6;

    for (size_t i = 1; i < count; i++) /* by height of the lines' ends */
        for (size_t k = i; k > 0 && names[k].end_y < names[k - 1].end_y; k--) {
            struct name swap = names[k];
            names[k] = names[k - 1];
            names[k - 1] = swap;
        }
    for (size_t i = 0; i < count; i++) {
        double least = i > 0 ? names[i - 1].y + names[i - 1].height : TOP + 4;
        names[i].y = fmax(names[i].end_y + 4, least);
    }
    for (size_t i = count; i-- > 0;) {
        double most = i + 1 < count ? names[i + 1].y - names[i].height : floor_y - names[i].height + LABEL_GAP;
        names[i].y = fmin(names[i].y, most);
    }
}

static void write_names(FILE *out, const struct shw_chart *chart, const struct frame *frame)
{
    struct name names[SHW_CHART_LINES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < chart->line_count && count < SHW_CHART_LINES_MAX; i++) {
        const struct shw_chart_line *line = &chart->lines[i];
        const struct shw_chart_point *end = line->count > 0 ? &line->points[line->count - 1] : NULL;
        if (end != NULL)
            names[count++] = (struct name){.line = line,
                                           .end_x = shw_axis_place(&frame->x, end->x),
                                           .end_y = shw_axis_place(&frame->y, end->y),
                                           .height = line->more != NULL ? 2 * LABEL_GAP - 2 : LABEL_GAP};
    }
    place_names(names, count);
    for (size_t i = 0; i < count; i++) {
        double x = frame->x.to + 14;
        fprintf(out,
                "<g class=\"t%u\"><path class=\"leader%s\" d=\"M%.1f %.1fL%.1f %.1f\"/><text class=\"name\" x=\"%.1f\" "
                "y=\"%.1f\">",
                names[i].line->style, names[i].end_x < frame->x.to - FAR ? " far" : "", names[i].end_x + 6,
                names[i].end_y, x - 3, names[i].y - 4, x, names[i].y);
        shw_markup_text(out, names[i].line->name);
        fputs("</text>", out);
        if (names[i].line->more != NULL) {
            fprintf(out, "<text class=\"more\" x=\"%.1f\" y=\"%.1f\">", x, names[i].y + LABEL_GAP - 3);
            shw_markup_text(out, names[i].line->more);
            fputs("</text>", out);
        }
        fputs("</g>\n", out);
    }
}

void shw_chart_write(FILE *out, const struct shw_chart *chart)
{
    struct frame frame = make_frame(chart);

    open_svg(out, WIDTH, HEIGHT, chart->title);
    write_x_axis(out, chart, &frame.x);
    write_y_axis(out, chart, &frame);
    for (size_t i = 0; i < chart->line_count; i++)
        write_line(out, &frame, &chart->lines[i]);
    write_names(out, chart, &frame);
    fputs("</svg>\n", out);
}
