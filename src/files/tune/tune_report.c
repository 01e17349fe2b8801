#include "files/tune/tune_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "files/io/mark.h"
#include "files/tune/preset.h"
#include "files/tune/setting.h"

struct importance {
    const char *name;
    double value;
};

static int compare_importances(const void *a, const void *b)
{
    const struct importance *x = a, *y = b;

    return x->value != y->value ? (x->value < y->value ? 1 : -1) : strcmp(x->name, y->name);
}

/* The greatest first; NaN becomes 0. False if memory is exhausted. */
static bool find_importances(const struct shw_tune_report *report, struct importance *importances)
{
    uint32_t count;
    struct shw_observation *observations =
        shw_trials_observe(report->journal, report->space, report->objective, &count);

    for (uint32_t d = 0; d < report->space->count && observations != NULL; d++) {
        const struct shw_space_dimension *dimension = &report->space->dimensions[d];
        const double value = shw_search_importance(&dimension->range, d, observations, count);
        importances[d] = (struct importance){dimension->name, isnan(value) ? 0 : value};
    }
    qsort(importances, observations != NULL ? report->space->count : 0, sizeof *importances, compare_importances);
    free(observations);
    return observations != NULL;
}

/* How many trials have ended in that way. */
static uint32_t count_ends(const struct shw_tune_report *report, const char *end)
{
    uint32_t count = 0;

    for (uint32_t t = 0; t < report->journal->count; t++) {
        struct shw_trial_state state;
        shw_trial_read(report->journal, t, report->objective, &state);
        count += state.end != NULL && strcmp(state.end, end) == 0;
    }
    return count;
}

static struct shw_trial_state best_of(const struct shw_tune_report *report)
{
    struct shw_trial_state state;

    shw_trial_read(report->journal, shw_trials_best(report->journal, report->objective), report->objective, &state);
    return state;
}

/* The first trial, if it has finished with train's defaults. */
static bool find_defaults(const struct shw_tune_report *report, struct shw_trial_state *state)
{
    if (report->journal->count == 0)
        return false;
    shw_trial_read(report->journal, 0, report->objective, state);
    return state->from != NULL && strcmp(state->from, "defaults") == 0 && state->end != NULL &&
           strcmp(state->end, "finished") == 0;
}

static void print_state(const char *name, const struct shw_trial_state *state)
{
    printf("%-9s loss %.4f, pixels %.1f %%, mean of classes %.1f %%, mean IoU %.1f %%, smoothed by %u\n", name,
           state->loss, 100 * state->figures.pixel, 100 * state->figures.class, 100 * state->figures.iou,
           state->radius);
}

bool shw_tune_report_print(const struct shw_tune_report *report)
{
    const struct shw_trial_state best = best_of(report);
    struct importance importances[SHW_DIMENSIONS_MAX];
    struct shw_trial_state defaults;
    char *options = shw_setting_options(best.setting);

    if (options == NULL || !find_importances(report, importances)) {
        free(options);
        return false;
    }
    printf("%s: %u finished, %u stopped after some folds, %u by the first tree, %u failed\n",
           shw_counted(report->journal->count, "trial", "trials").text, count_ends(report, "finished"),
           count_ends(report, "stopped"), count_ends(report, "screened"), count_ends(report, "failed"));
    if (find_defaults(report, &defaults))
        print_state("defaults", &defaults);
    print_state("best", &best);
    printf("trial %u, %s: %s\n", shw_trials_best(report->journal, report->objective), best.from, options);
    for (uint32_t d = 0; d < report->space->count && importances[d].value > 0; d++)
        printf("%s%s %.0f %%", d == 0 ? "what the loss depends on: " : ", ", importances[d].name,
               100 * importances[d].value);
    printf("%s", importances[0].value > 0 ? "\n" : "");
    free(options);
    return true;
}

static json_t *pack_state(const struct shw_trial_state *state)
{
    json_t *losses = json_array();

    for (uint32_t f = 0; f < state->folds; f++)
        json_array_append_new(losses, json_real(state->losses[f]));
    return json_pack("{s:s, s:s, s:O, s:i, s:o, s:f, s:f, s:f, s:f}", "from", state->from, "end",
                     state->end != NULL ? state->end : "running", "setting", state->setting, "smooth",
                     (int)state->radius, "fold_losses", losses, "pixel_accuracy", state->figures.pixel,
                     "mean_class_accuracy", state->figures.class, "mean_iou", state->figures.iou, "seconds",
                     state->seconds);
}

json_t *shw_tune_report_pack(const struct shw_tune_report *report)
{
    json_t *trials = json_array(), *names = json_object();
    struct importance importances[SHW_DIMENSIONS_MAX];
    const uint32_t best = shw_trials_best(report->journal, report->objective);

    if (!find_importances(report, importances)) {
        json_decref(trials);
        json_decref(names);
        return NULL;
    }
    for (uint32_t t = 0; t < report->journal->count; t++) {
        struct shw_trial_state state;
        json_t *trial;

        shw_trial_read(report->journal, t, report->objective, &state);
        trial = pack_state(&state);
        json_object_set_new(trial, "loss", isnan(state.loss) ? json_null() : json_real(state.loss));
        json_array_append_new(trials, trial);
    }
    for (uint32_t d = 0; d < report->space->count; d++)
        json_object_set_new(names, importances[d].name, json_real(importances[d].value));
    return json_pack("{s:o, s:s, s:i, s:i, s:o, s:o}", "data", shw_json_text(report->data), "objective",
                     shw_tune_objectives[report->objective], "folds", (int)report->folds, "best", (int)best,
                     "importance", names, "trials", trials);
}

/* Real numbers have no place in marked documents. */
static json_t *permille(double value)
{
    return json_sprintf("%.4f", value);
}

json_t *shw_tune_report_preset(const struct shw_tune_report *report, const char *name)
{
    const struct shw_trial_state best = best_of(report);
    json_t *setting = json_copy((json_t *)(uintptr_t)best.setting);
    json_t *found = json_pack("{s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:o}", "data", shw_json_text(report->data),
                              "objective", shw_tune_objectives[report->objective], "folds", (int)report->folds,
                              "trials", (int)report->journal->count, "loss", permille(best.loss), "pixel_accuracy",
                              permille(best.figures.pixel), "mean_class_accuracy", permille(best.figures.class),
                              "mean_iou", permille(best.figures.iou));
    json_t *document;

    if (setting == NULL || json_object_set_new(setting, SHW_SETTING_SMOOTH, json_integer(best.radius)) != 0)
        return NULL;
    document =
        json_pack("{s:o, s:o, s:o}", SHW_PRESET_NAME, shw_json_text(name), SHW_PRESET_SETTING, setting, "found", found);
    if (document == NULL || !shw_mark_json(document, shw_file_preset.name)) {
        json_decref(document);
        return NULL;
    }
    return document;
}

#define BEFORE_MARK "<!DOCTYPE html><!-- shadewood tuning report "
#define AFTER_MARK  " -->"
#define NO_DIGEST   "0000000000000000"

static bool is_our_report(const char *path, const char *name)
{
    (void)name;
    return shw_first_line_is_marked(path, BEFORE_MARK, AFTER_MARK);
}

const struct shw_file_kind shw_file_tuning_report = {"tuning report", "a report of tune", is_our_report, false};

/* Text of HTML. */
static void put_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", stream); break;
        case '>': fputs("&gt;", stream); break;
        case '&': fputs("&amp;", stream); break;
        case '"': fputs("&quot;", stream); break;
        default: fputc(*text, stream);
        }
}

static const char style[] =
    "<meta charset=\"utf-8\"><title>shadewood tune</title>\n<style>\n"
    "body{font:15px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}\n"
    "h2{margin-top:2em}table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:left}\n"
    "td.n{text-align:right}.matrix td{padding:.1em .3em;text-align:right;font-size:11px}\n"
    ".matrix th{font-size:11px;font-weight:normal}tr:nth-child(even){background:#f4f4f4}\n"
    ".matrix tr{background:none!important}svg text{font-size:12px;fill:#444}code{font-size:13px}\n"
    "</style>\n";

#define PLOT_WIDTH  760.0
#define PLOT_HEIGHT 300.0
#define PLOT_LEFT   56.0
#define PLOT_BOTTOM 28.0

struct plot {
    double low, high; /* losses */
    uint32_t count;   /* trials */
};

static double plot_x(const struct plot *plot, uint32_t trial)
{
    return PLOT_LEFT + (trial + 0.5) * (PLOT_WIDTH - PLOT_LEFT) / plot->count;
}

static double plot_y(const struct plot *plot, double loss)
{
    return 8 + (plot->high - loss) / (plot->high - plot->low) * (PLOT_HEIGHT - PLOT_BOTTOM - 8);
}

static struct plot make_plot(const struct shw_tune_report *report)
{
    struct plot plot = {INFINITY, -INFINITY, report->journal->count};

    for (uint32_t t = 0; t < plot.count; t++) {
        struct shw_trial_state state;
        shw_trial_read(report->journal, t, report->objective, &state);
        plot.low = fmin(plot.low, state.loss);
        plot.high = fmax(plot.high, state.loss);
    }
    plot.low = floor(plot.low * 20) / 20;
    plot.high = ceil(plot.high * 20) / 20;
    if (plot.high - plot.low < 0.05)
        plot.high = plot.low + 0.05;
    return plot;
}

static void put_axes(FILE *stream, const struct plot *plot)
{
    for (int i = 0; i <= 5; i++) {
        const double loss = plot->low + (plot->high - plot->low) * i / 5, y = plot_y(plot, loss);
        fprintf(stream,
                "<line x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>"
                "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%.2f</text>\n",
                PLOT_LEFT, PLOT_WIDTH, y, y, PLOT_LEFT - 8, y + 4, loss);
    }
    fprintf(stream,
            "<text x=\"%.0f\" y=\"%.0f\">trial 0</text><text x=\"%.0f\" y=\"%.0f\" text-anchor=\"end\">%u</text>\n",
            PLOT_LEFT, PLOT_HEIGHT - 6, PLOT_WIDTH, PLOT_HEIGHT - 6, plot->count - 1);
}

/* A point per trial, filled if it has finished, and the best loss so far as a line. */
static void put_plot(FILE *stream, const struct shw_tune_report *report)
{
    const struct plot plot = make_plot(report);
    double least = INFINITY;
    struct shw_trial_state state;

    fprintf(stream, "<svg viewBox=\"0 0 %.0f %.0f\" width=\"100%%\" role=\"img\">\n", PLOT_WIDTH, PLOT_HEIGHT);
    put_axes(stream, &plot);
    fputs("<polyline fill=\"none\" stroke=\"#c33\" stroke-width=\"1.5\" points=\"", stream);
    for (uint32_t t = 0; t < plot.count; t++) {
        shw_trial_read(report->journal, t, report->objective, &state);
        if (state.end == NULL || strcmp(state.end, "finished") != 0)
            continue;
        if (!isinf(least))
            fprintf(stream, "%.1f,%.1f ", plot_x(&plot, t), plot_y(&plot, least));
        least = fmin(least, state.loss);
        fprintf(stream, "%.1f,%.1f ", plot_x(&plot, t), plot_y(&plot, least));
    }
    fputs("\"/>\n", stream);
    for (uint32_t t = 0; t < plot.count; t++) {
        shw_trial_read(report->journal, t, report->objective, &state);
        if (isnan(state.loss))
            continue;
        const bool finished = state.end != NULL && strcmp(state.end, "finished") == 0;
        fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" fill=\"%s\" stroke=\"#247\"><title>trial %u, ",
                plot_x(&plot, t), plot_y(&plot, state.loss), finished ? "#247" : "none", t);
        put_text(stream, state.from != NULL ? state.from : "");
        fprintf(stream, ", %s: %.4f</title></circle>\n", state.end != NULL ? state.end : "running", state.loss);
    }
    fputs("</svg>\n<p>Filled: measured on all folds. Hollow: stopped early, or running. The line is the best so "
          "far.</p>\n",
          stream);
}

static void put_importances(FILE *stream, const struct shw_tune_report *report, const struct importance *importances)
{
    const uint32_t count = report->space->count;

    fprintf(stream, "<svg viewBox=\"0 0 %.0f %u\" width=\"100%%\" role=\"img\">\n", PLOT_WIDTH, 20 * count + 4);
    for (uint32_t d = 0; d < count; d++)
        fprintf(stream,
                "<text x=\"110\" y=\"%u\" text-anchor=\"end\">%s</text><rect x=\"120\" y=\"%u\" width=\"%.1f\" "
                "height=\"14\" fill=\"#247\"/><text x=\"%.1f\" y=\"%u\">%.0f %%</text>\n",
                20 * d + 15, importances[d].name, 20 * d + 4, 560 * importances[d].value,
                126 + 560 * importances[d].value, 20 * d + 15, 100 * importances[d].value);
    fputs("</svg>\n<p>The part of the variance of the losses that each setting explains by itself.</p>\n", stream);
}

static void put_value(FILE *stream, const json_t *value)
{
    if (json_is_string(value))
        put_text(stream, json_string_value(value));
    else if (json_is_integer(value))
        fprintf(stream, "%lld", (long long)json_integer_value(value));
}

static void put_figures(FILE *stream, const char *name, const struct shw_trial_state *state)
{
    fprintf(stream,
            "<tr><td>%s</td><td class=n>%.4f</td><td class=n>%.1f</td><td class=n>%.1f</td><td class=n>%.1f</td>"
            "<td class=n>%u</td></tr>\n",
            name, state->loss, 100 * state->figures.pixel, 100 * state->figures.class, 100 * state->figures.iou,
            state->radius);
}

static void put_best(FILE *stream, const struct shw_tune_report *report, const struct shw_trial_state *best)
{
    struct shw_trial_state defaults;
    const char *name;
    json_t *value;

    fputs("<table><tr><th></th><th>loss</th><th>pixels, %</th><th>mean of classes, %</th><th>mean IoU, %</th>"
          "<th>smoothing, radius</th></tr>\n",
          stream);
    if (find_defaults(report, &defaults))
        put_figures(stream, "defaults of train", &defaults);
    put_figures(stream, "best", best);
    fputs("</table>\n<table>\n", stream);
    json_object_foreach((json_t *)(uintptr_t)best->setting, name, value)
    {
        fputs("<tr><td>", stream);
        put_text(stream, name);
        fputs("</td><td>", stream);
        put_value(stream, value);
        fputs("</td></tr>\n", stream);
    }
    fputs("</table>\n", stream);
}

static void put_class(FILE *stream, const struct shw_tune_report *report, uint32_t c)
{
    if (report->classes != NULL && c < report->class_count)
        put_text(stream, report->classes[c].name);
    else
        fprintf(stream, "class %u", c);
}

/* Rows are labels, columns what was found, in percent of the label's pixels. */
static void put_confusion(FILE *stream, const struct shw_tune_report *report, const struct shw_trial_state *best)
{
    const uint32_t count = report->class_count;

    if (best->confusions[0] == NULL || json_array_size(best->confusions[0]) != (size_t)count * count)
        return;
    fputs("<h2>Confusion</h2>\n<p>Percent of the pixels of each class (rows) that were found to be of another one "
          "(columns), over all folds.</p>\n<table class=\"matrix\"><tr><th></th>",
          stream);
    for (uint32_t c = 0; c < count; c++) {
        fputs("<th>", stream);
        put_class(stream, report, c);
        fputs("</th>", stream);
    }
    fputs("</tr>\n", stream);
    for (uint32_t c = 0; c < count; c++) {
        double sum = 0;

        fputs("<tr><th>", stream);
        put_class(stream, report, c);
        fputs("</th>", stream);
        for (uint32_t pass = 0; pass < 2; pass++)
            for (uint32_t p = 0; p < count; p++) {
                double pixels = 0;
                for (uint32_t f = 0; f < best->folds; f++)
                    pixels += json_number_value(json_array_get(best->confusions[f], (size_t)c * count + p));
                if (pass == 0)
                    sum += pixels;
                else
                    fprintf(stream, "<td style=\"background:rgba(%s,%.2f)\">%.0f</td>",
                            p == c ? "40,120,60" : "200,50,50", sum > 0 ? 0.8 * pixels / sum : 0,
                            sum > 0 ? 100 * pixels / sum : 0);
            }
        fputs("</tr>\n", stream);
    }
    fputs("</table>\n", stream);
}

static void put_page(FILE *stream, const struct shw_tune_report *report, const struct importance *importances)
{
    const struct shw_trial_state best = best_of(report);
    char *options = shw_setting_options(best.setting);

    fputs(BEFORE_MARK NO_DIGEST AFTER_MARK "\n<html lang=\"en\">\n", stream);
    fputs(style, stream);
    fputs("<h1>Settings for ", stream);
    put_text(stream, report->data);
    fprintf(stream, "</h1>\n<p>%s, %u folds, objective <code>%s</code>: %u finished, %u stopped after some folds, ",
            shw_counted(report->journal->count, "trial", "trials").text, report->folds,
            shw_tune_objectives[report->objective], count_ends(report, "finished"), count_ends(report, "stopped"));
    fprintf(stream, "%u by the first tree, %u failed.</p>\n", count_ends(report, "screened"),
            count_ends(report, "failed"));
    fputs("<h2>Best settings</h2>\n", stream);
    put_best(stream, report, &best);
    fputs("<p><code>shadewood train ", stream);
    put_text(stream, options != NULL ? options : "");
    fputs("</code></p>\n<h2>Loss over the trials</h2>\n", stream);
    put_plot(stream, report);
    fputs("<h2>Importance of the settings</h2>\n", stream);
    put_importances(stream, report, importances);
    put_confusion(stream, report, &best);
    fputs("</html>\n", stream);
    free(options);
}

enum shw_result shw_tune_report_write(const struct shw_tune_report *report, const char *path, const struct shw_log *log)
{
    struct importance importances[SHW_DIMENSIONS_MAX];
    struct shw_atomic_file file;

    if (!find_importances(report, importances))
        return shw_fail_memory(log, path);
    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    put_page(file.stream, report, importances);
    return shw_mark_first_line(&file, path, sizeof BEFORE_MARK - 1, SHW_OK, log);
}
