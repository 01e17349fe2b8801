/* Detection: the cascade, which windows are tested, how they are grouped, what was found, and the scores over the
 * picture. */
#include "ui/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "detect/learning.h"
#include "detection/cascade/cascade.h"
#include "detection/detect/group.h"
#include "files/io/image_paths.h"
#include "files/output/detection_text.h"

#define LABEL_WIDTH 92.0f /* points */
#define LIST_HEIGHT 110.0f
#define SLIDER_SIZE 640 /* pixels */

/* The cascades that are open, as a list. */
struct listing {
    struct view_panel_context *context;
    struct view_detecting *detecting;
};

static void show_row(void *user, uint32_t row)
{
    const struct listing *listing = user;
    const struct view_detecting *detecting = listing->detecting;
    const struct view_detector *detector = &detecting->list[row];
    const struct view_found_windows *found = view_detecting_found(detecting, row);
    char value[24] = "";

    view_ui_push_id(row);
    switch (view_ui_named_row(detector->label, row == detecting->hand, detector->on, detector->colour, -1.0f,
                              "search with it, or leave it out",
                              detector->cascade->path[0] != '\0' ? detector->cascade->path : "not saved")) {
    case VIEW_UI_SWATCH_CLICKED:
        view_panel_run(listing->context, "detect-cascade %u", row + 1);
        view_panel_run(listing->context, "detect-with toggle");
        break;
    case VIEW_UI_ROW_CLICKED: view_panel_run(listing->context, "detect-cascade %u", row + 1); break;
    default: break;
    }
    if (found != NULL)
        snprintf(value, sizeof value, "%u", view_detecting_count_of(detecting, row));
    view_ui_row_value(value);
    view_ui_pop_id();
}

static void show_cascades(struct view_panel_context *context, struct view_detecting *detecting)
{
    static const char *const titles[] = {"cascade", "found"}, *const widest[] = {NULL, "found"};
    static const struct view_panel_item items[] = {
        {"Add...##cascade", "browse another-cascade", "open a cascade beside those that are open", false, false},
        {"Close##cascade", "detect-open none", "close the chosen cascade", false, false}};
    struct listing listing = {context, detecting};
    const struct view_ui_rows rows = {.label = "##cascades",
                                      .columns = 2,
                                      .titles = titles,
                                      .widest = widest,
                                      .height = LIST_HEIGHT,
                                      .count = detecting->count,
                                      .show = UINT32_MAX,
                                      .row = show_row,
                                      .user = &listing};

    if (detecting->count > 1)
        view_ui_rows(&rows);
    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

static void show_cascade(struct view_panel_context *context, const struct view_detecting *detecting)
{
    const struct view_detector *detector = &detecting->list[detecting->hand];
    const struct shw_cascade_info *info = view_detector_info(detector);
    char shown[300];

    snprintf(shown, sizeof shown, "%s (%s)",
             detector->cascade->path[0] != '\0' ? shw_path_last(detector->cascade->path) : "not saved",
             detector->label);
    view_ui_name(shown, detector->cascade->path);
    if (info->window_width > 0)
        view_ui_dim_text("%s, %u stages, %u trees, %u x %u", shw_cascade_kind_name(info->kind), info->stage_count,
                         info->tree_count, info->window_width, info->window_height);
    else
        view_ui_dim_text("%s, %u stages, %u trees", shw_cascade_kind_name(info->kind), info->stage_count,
                         info->tree_count);
    view_panel_toggle(context, "Detect", detecting->on, "detect",
                      "find the objects of the open cascades, in videos and cameras live");
    view_ui_same_line(LABEL_WIDTH);
    view_panel_toggle(context, "Windows", detecting->windows, "detect-windows",
                      "show the windows that were found before they were grouped, too");
}

/* A slider for a number; 0 means the default, `otherwise`, whose value is shown. */
static void show_real(struct view_panel_context *context, const char *label, double value, double otherwise, float high,
                      const char *help)
{
    float shown = (float)(value > 0.0 ? value : otherwise);

    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_float_slider(label, &shown, high > 2.0f ? 1.02f : 0.02f, high, "%.2f"))
        view_panel_run(context, "%s %.3f", high > 2.0f ? "detect-factor" : "detect-step", (double)shown);
    view_panel_tip(context, help, NULL);
}

static void show_scan(struct view_panel_context *context, const struct view_detector *detector)
{
    const struct shw_scan *scan = &detector->settings.scan;
    const struct shw_cascade_info *info = view_detector_info(detector);
    const struct shw_cascade_traits *traits = shw_cascade_get_traits(info->kind);

    view_panel_slider(context, "smallest##detect", LABEL_WIDTH, (int)scan->min_size, 0, SLIDER_SIZE, 65535,
                      scan->min_size == 0 ? "default" : "%d px", "detect-min", "the smallest size of windows");
    view_panel_slider(context, "largest##detect", LABEL_WIDTH, (int)scan->max_size, 0, SLIDER_SIZE, 65535,
                      scan->max_size == 0 ? "any" : "%d px", "detect-max", "the largest size of windows");
    if (traits->has_pyramid)
        view_panel_slider(context, "levels/octave", LABEL_WIDTH,
                          (int)(scan->levels_per_octave > 0 ? scan->levels_per_octave : info->levels_per_octave), 1, 16,
                          16, "%d", "detect-levels", "each level is 2^(1/N) smaller than the one before");
    else
        show_real(context, "factor##detect", scan->scale_factor, info->scale_factor, 2.5f,
                  "the ratio of successive sizes of windows");
    if (traits->is_relative)
        show_real(context, "step##detect", scan->stride, 0.1, 1.0f, "from window to window, as a part of their size");
    else
        view_panel_slider(context, "step##detect", LABEL_WIDTH, (int)scan->step, 0, 8, 64,
                          scan->step == 0 ? "default" : "%d px", "detect-step",
                          "from window to window, in pixels of the level");
    if (traits->has_angles)
        view_panel_slider(context, "angles##detect", LABEL_WIDTH,
                          detector->settings.angles > 1 ? (int)detector->settings.angles : 1, 1, VIEW_DETECT_ANGLES,
                          VIEW_DETECT_ANGLES, "%d", "detect-angles",
                          "angles to try, equally spaced over a full turn; 1: upright alone");
}

/* The range of the scores that were found, and the threshold. */
static void show_score(struct view_panel_context *context, const struct view_detector *detector,
                       const struct view_found_windows *found)
{
    const struct shw_group_params *group = &detector->settings.group;
    const int bits = (int)view_detector_info(detector)->fraction_bits;
    int32_t low = group->has_min_score ? group->min_score : INT32_MAX, high = low == INT32_MAX ? INT32_MIN : low;
    float score, ends[2];

    for (uint32_t w = 0; found != NULL && w < found->windows.count; w++) {
        low = found->windows.items[w].score < low ? found->windows.items[w].score : low;
        high = found->windows.items[w].score > high ? found->windows.items[w].score : high;
    }
    for (uint32_t g = 0; found != NULL && g < found->groups.count; g++) /* those of clusters are sums */
        high = found->groups.items[g].score > high ? found->groups.items[g].score : high;
    ends[0] = low <= high ? (float)ldexp(low, -bits) : 0.0f;
    ends[1] = low <= high ? fmaxf((float)ldexp(high, -bits), ends[0] + 1e-3f) : 1.0f;
    score = group->has_min_score ? (float)ldexp(group->min_score, -bits) : ends[0];
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_float_slider("score##detect", &score, ends[0], ends[1], group->has_min_score ? "%.2f" : "any"))
        view_panel_run(context, score <= ends[0] ? "detect-score any" : "detect-score %.6f", (double)score);
    view_panel_tip(context, "drop detections with a lower score", NULL);
}

static void show_technique(struct view_panel_context *context, const struct view_detector *detector)
{
    static const char *const names[] = {"auto", "cpu", "compute", "fragment"};
    uint32_t chosen = 0;

    for (uint32_t n = 1; n < sizeof names / sizeof *names; n++)
        if (strcmp(shw_technique_name(detector->settings.technique), names[n]) == 0)
            chosen = n;
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("search##detect", &chosen, names, sizeof names / sizeof *names))
        view_panel_run(context, "detect-technique %s", names[chosen]);
    view_panel_tip(context, "who searches; auto: the device, unless it is a CPU itself", NULL);
}

static void show_grouping(struct view_panel_context *context, const struct view_detector *detector)
{
    const struct shw_group_params *group = &detector->settings.group;
    uint32_t chosen = (uint32_t)group->method;

    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_combo("grouping##detect", &chosen, shw_group_names, SHW_GROUP_METHOD_COUNT))
        view_panel_run(context, "detect-group %s", shw_group_names[chosen]);
    view_panel_tip(context,
                   "how windows that show the same object become one: mean of similar ones, cluster of those that\n"
                   "overlap, or suppress all that overlap a better one; default: by the cascade's kind",
                   NULL);
    view_panel_slider(context, "neighbours", LABEL_WIDTH, (int)group->min_neighbours, 0, 20, 10000,
                      group->min_neighbours == 0 ? "default" : "%d", "detect-neighbours",
                      "drop groups of fewer windows");
    view_panel_slider(context, "overlap##group", LABEL_WIDTH, (int)lround(group->overlap * 100.0), 0, 90, 99,
                      group->overlap > 0.0 ? "%d %%" : "default", "detect-group-overlap",
                      "intersection over union above which windows belong together (cluster, suppress)");
}

static int bits_of(const struct view_detection *detection)
{
    return (int)shw_cascade_get_info(detection->found->cascade->cascade)->fraction_bits;
}

/* What is before a detection's score: its class, where several cascades are open. */
static const char *class_of(const struct view_detecting *detecting, const struct view_detection *detection)
{
    return detecting->count > 1 ? detecting->list[detection->detector].label : "";
}

static const char *row_text(void *user, uint32_t index)
{
    const struct view_detecting *detecting = user;
    struct view_detection detection = {0};
    static char text[VIEW_LABEL_SIZE + 120];
    const char *name;

    if (!view_detecting_item(detecting, index, &detection))
        return "";
    name = class_of(detecting, &detection);
    snprintf(text, sizeof text, "%u: %s%s%.2f, %u x %u at %d, %d", index + 1, name, name[0] != '\0' ? " " : "",
             ldexp(detection.item->score, -bits_of(&detection)), detection.item->width, detection.item->height,
             detection.item->x, detection.item->y);
    return text;
}

static void describe(const struct view_detecting *detecting)
{
    const uint32_t chosen = view_detecting_chosen(detecting);
    struct view_detection detection;
    const struct shw_detection *item;
    char score[SHW_SCORE_TEXT_SIZE], angle[SHW_SCORE_TEXT_SIZE];

    if (chosen == VIEW_NO_DETECTION || !view_detecting_item(detecting, chosen, &detection)) {
        view_ui_dim_text("Click on a detection with Move (P),");
        view_ui_dim_text("or with Rectangle (D) to accept it;");
        view_ui_dim_text("its right button: a false alarm.");
        return;
    }
    item = detection.item;
    shw_score_text(item->score, (uint32_t)bits_of(&detection), score);
    shw_angle_text(item->angle, angle);
    view_ui_text("%u: score %.12s, %u x %u", chosen + 1, score, item->width, item->height);
    view_ui_dim_text("level %u, %s degrees, %u neighbour%s", item->level, angle, item->neighbours,
                     item->neighbours == 1 ? "" : "s");
}

/* How the detections agree with rectangles, of each cascade. */
static void show_counts(struct view_panel_context *context, const struct view_detecting *detecting)
{
    view_panel_slider(context, "overlap##truth", LABEL_WIDTH, (int)detecting->overlap, 1, 100, 100, "%d %%",
                      "detect-overlap", "the overlap with a ground-truth rectangle at which it counts as found");
    for (uint32_t d = 0; d < detecting->count; d++) {
        if (view_detecting_found(detecting, d) == NULL)
            continue;
        if (detecting->count > 1)
            view_ui_dim_text("%s:", detecting->list[d].label);
        view_ui_coloured_text(view_detect_right, "%u found", detecting->matches.counts[d].right);
        view_ui_same_line(0.0f);
        view_ui_coloured_text(view_detect_wrong, "%u false", detecting->matches.counts[d].wrong);
        view_ui_same_line(0.0f);
        view_ui_coloured_text(view_detect_missed, "%u missed", detecting->matches.counts[d].missed);
    }
}

static void show_found(struct view_panel_context *context, struct view_detecting *detecting)
{
    const uint32_t count = view_detecting_count(detecting), chosen = view_detecting_chosen(detecting);
    const char *name = detecting->scene->picture->name;
    char base[SHW_BASE_NAME_SIZE], save[SHW_BASE_NAME_SIZE + 40], dismiss[40];
    const struct view_panel_item items[] = {
        {"Accept", "detect-accept all", "add all detections of this picture to the ground-truth rectangles", false,
         count == 0},
        {"False alarm", dismiss,
         "the chosen detection is none: it is not shown any more, and the next training learns from it; or click on "
         "it\n"
         "with the right button of the tool Rectangle (D)",
         false, chosen == VIEW_NO_DETECTION},
        {"Save CSV", save,
         "write the detections of this picture to NAME_detections.csv; the action detect-save FILE has other names",
         false, false},
        {"Compare", "detect-compare toggle", "tell true from false detections where there are rectangles",
         detecting->compared, false}};
    uint32_t clicked;

    snprintf(dismiss, sizeof dismiss, "false-alarm %u", chosen + 1);
    snprintf(save, sizeof save, "detect-save %s_detections.csv",
             shw_image_base_name(name != NULL ? name : "picture", base));
    clicked = view_ui_long_list("##detections", LIST_HEIGHT, count, chosen, row_text, detecting);
    if (clicked != UINT32_MAX)
        view_panel_run(context, "detection %u", clicked + 1);
    describe(detecting);
    view_panel_buttons(context, items, sizeof items / sizeof *items);
    if (view_detecting_compare(detecting))
        show_counts(context, detecting);
}

/* Training with the rectangles in progress. */
static void show_progress(struct view_panel_context *context, struct view_learning *learning)
{
    bool reads;
    uint32_t pictures;
    const struct shw_learn_progress progress = view_learning_progress(learning, &reads, &pictures);
    char text[80];

    if (reads)
        snprintf(text, sizeof text, "reading %u of %u", pictures, learning->count);
    else if (progress.part + 1 < progress.part_count)
        snprintf(text, sizeof text, "held out: %u of %u", progress.part + 1, progress.part_count - 1);
    else
        snprintf(text, sizeof text, progress.measures ? "measuring" : "all pictures");
    view_ui_progress((float)progress.done, text);
    view_panel_button(context, "Cancel##training", "detect-train-cancel", "stop training", 0.0f, false);
}

static float found_of(const struct shw_detection_curve *curve, uint32_t point)
{
    return curve->objects > 0 ? (float)curve->points[point].right / (float)curve->objects : 0.0f;
}

#define CURVE_POINTS 64u
#define CURVE_HEIGHT 60.0f
#define CURVE_WRONG  1.0 /* false alarms per picture at the right end */

/* The part of the objects that are found, over false alarms per picture. */
static void show_curve(const struct shw_detection_curve *curve)
{
    float values[CURVE_POINTS];
    uint32_t point = 0;
    float best = 0.0f;

    for (uint32_t v = 0; v < CURVE_POINTS; v++) {
        const double wrong = CURVE_WRONG * v / (CURVE_POINTS - 1) * (double)curve->images;

        for (; point < curve->count && (double)curve->points[point].wrong <= wrong; point++)
            best = fmaxf(best, found_of(curve, point));
        values[v] = 100.0f * best;
    }
    view_ui_plot("##held-out", values, CURVE_POINTS, 0, 0.0f, 100.0f, CURVE_HEIGHT);
    view_ui_tooltip(
        "objects found, 0 to 100 %%, over false alarms per picture, 0 to 1, in pictures that were held out");
}

/* The least score as a place on the curve. */
static void show_curve_slider(struct view_panel_context *context, const struct view_detector *detector)
{
    const struct shw_detection_curve *curve = &detector->learned.curve;
    const struct shw_group_params *group = &detector->settings.group;
    const int bits = (int)view_detector_info(detector)->fraction_bits;
    const uint32_t at = group->has_min_score ? shw_learn_point_at(curve, group->min_score) : curve->count - 1;
    int chosen = at != UINT32_MAX ? (int)at : 0;

    if (at != UINT32_MAX)
        view_ui_text("finds %.0f %%, %.2f false per picture", 100.0 * (double)found_of(curve, at),
                     (double)curve->points[at].wrong / (double)curve->images);
    else
        view_ui_text("finds nothing that was held out");
    view_ui_next_width(-LABEL_WIDTH);
    if (view_ui_int_slider("more##curve", &chosen, 0, (int)curve->count - 1, (int)curve->count - 1, ""))
        view_panel_run(context, "detect-score %.20f", ldexp(curve->points[chosen].score, -bits));
    view_panel_tip(
        context, "the least score, as a place on the curve: to the right more objects are found, and more false alarms",
        NULL);
}

static void show_learned(struct view_panel_context *context, const struct view_detector *detector)
{
    if (detector->learned.curve.count > 0) {
        show_curve(&detector->learned.curve);
        show_curve_slider(context, detector);
    } else {
        view_ui_dim_text("too few pictures to hold some out");
    }
    view_panel_button(context, "Save cascade...", "cascade-save",
                      "write the cascade to a file, with the least score in use", 0.0f, false);
}

static void show_learning(struct view_panel_context *context, struct view_learning *learning)
{
    const struct view_boxes *boxes = &learning->annotating->work.boxes;
    uint32_t pictures, count = view_boxes_count(boxes, &pictures);

    if (learning->running) {
        show_progress(context, learning);
        return;
    }
    if (count == 0) {
        view_ui_wrapped_text(
            "Draw rectangles (D) around objects in some pictures, 40 or more, and train to find them.");
    } else {
        view_ui_dim_text("%u rectangle%s on %u picture%s", count, count == 1 ? "" : "s", pictures,
                         pictures == 1 ? "" : "s");
    }
    view_ui_disabled_begin(count == 0);
    view_panel_button(
        context, "Train##cascade", "detect-train",
        "train a cascade with the rectangles of the class of new ones, and detect with it; all objects of\n"
        "a picture with rectangles must have some",
        0.0f, false);
    view_ui_disabled_end();
    if (view_learning_detector(learning) != NULL)
        show_learned(context, view_learning_detector(learning));
}

static const char *track_text(void *user, uint32_t index)
{
    const struct view_tracking *tracking = user;
    const uint32_t number = view_tracking_row(tracking, index);
    const struct shw_track *track = &tracking->tracker.tracks[number];
    static char text[120];

    snprintf(text, sizeof text, "%u: %u pictures, %.1f to %.1f, %.0f px", number + 1, track->count,
             track->points[0].seconds, track->points[track->count - 1].seconds, shw_track_length(track));
    return text;
}

static void show_tracks(struct view_panel_context *context, struct view_tracking *tracking)
{
    const uint32_t rows = view_tracking_rows(tracking);
    const struct view_panel_item items[] = {
        {"Save tracks", "track-save tracks.csv",
         "write a line for each picture of each track to tracks.csv; the action track-save FILE has other names", false,
         rows == 0},
        {"Forget", "track-clear", "forget all tracks", false, tracking->tracker.count == 0}};
    uint32_t chosen = UINT32_MAX, clicked;

    view_panel_toggle(context, "Track", tracking->on, "track",
                      "follow detections through a video that plays: each object keeps its number");
    if (!tracking->on)
        return;
    for (uint32_t r = 0; r < rows && chosen == UINT32_MAX; r++)
        chosen = view_tracking_row(tracking, r) == tracking->chosen ? r : UINT32_MAX;
    view_panel_slider(context, "pictures##track", LABEL_WIDTH, (int)tracking->least, 1, 50, 100000, "%d or more",
                      "track-least", "shorter tracks are not listed, nor saved");
    clicked = view_ui_long_list("##tracks", LIST_HEIGHT, rows, chosen, track_text, tracking);
    if (clicked != UINT32_MAX)
        view_panel_run(context, "track-choose %u", view_tracking_row(tracking, clicked) + 1);
    view_panel_buttons(context, items, sizeof items / sizeof *items);
}

/* How the cascade in hand is used. */
static void show_detector(struct view_panel_context *context, struct view_detecting *detecting)
{
    const struct view_detector *detector = view_detecting_hand(detecting);
    const struct view_found_windows *found = view_detecting_found(detecting, detecting->hand);
    uint8_t colour[3] = {detector->colour[0], detector->colour[1], detector->colour[2]};

    show_cascade(context, detecting);
    if (found != NULL)
        view_ui_dim_text("%u (%u windows) in %.1f ms, %s", view_detecting_count_of(detecting, detecting->hand),
                         found->windows.count, found->milliseconds, shw_technique_name(found->technique));
    else
        view_ui_dim_text(detecting->on && detector->on ? "searching" : "off");
    if (view_ui_colour("##detection-colour", colour))
        view_panel_run(context, "detect-colour #%02x%02x%02x", colour[0], colour[1], colour[2]);
    view_panel_tip(context, "the colour of detections", NULL);
    show_scan(context, detector);
    show_technique(context, detector);
    show_grouping(context, detector);
    show_score(context, detector, found);
}

void view_panel_detect(struct view_panel_context *context, void *user)
{
    struct view_learning *learning = user;
    struct view_detecting *detecting = learning->detecting;

    show_learning(context, learning);
    if (detecting->list[0].cascade == NULL) {
        view_ui_wrapped_text("Or open a cascade (.ktx2, or OpenCV's .xml) to find its objects, such as faces.");
        view_panel_button(context, "Open...##cascade", "browse cascade", "open a cascade", 0.0f, false);
        return;
    }
    view_ui_separator();
    show_cascades(context, detecting);
    show_detector(context, detecting);
    if (view_detecting_is_there(detecting))
        show_found(context, detecting);
    view_ui_separator();
    show_tracks(context, learning->tracking);
}

#define WAY_POINTS 60u /* the last ones, which are drawn */

/* Where an object has been. */
static void draw_way(const struct view_tracking *tracking, uint32_t number)
{
    const struct shw_track *track = &tracking->tracker.tracks[number];
    const struct view_place *place = &tracking->scene->place;
    const uint32_t most = number == tracking->chosen ? track->count : WAY_POINTS;
    const uint32_t first = track->count > most ? track->count - most : 0;
    uint8_t colour[3];
    float before[2] = {0.0f, 0.0f};

    view_tracking_colour(tracking, number, colour);
    for (uint32_t p = first; p < track->count; p++) {
        const struct shw_track_point *point = &track->points[p];
        const double x = point->x + point->width / 2.0, y = point->y + point->height / 2.0;
        const float now[2] = {(float)((x * place->zoom + place->offset_x) / VIEW_ZOOM_ONE),
                              (float)((y * place->zoom + place->offset_y) / VIEW_ZOOM_ONE)};

        if (p > first)
            view_ui_canvas_line(before[0], before[1], now[0], now[1], colour, 0.8f, 2.0f);
        before[0] = now[0];
        before[1] = now[1];
    }
}

void view_detections_captions(void *user)
{
    const struct view_learning *learning = user;
    struct view_detecting *detecting = learning->detecting;
    struct view_detection detection = {0};
    bool compared;

    if (!view_detecting_is_drawn(detecting))
        return;
    compared = view_detecting_compare(detecting);
    while (view_detecting_next(detecting, &detection)) {
        const struct shw_detection *item = detection.item;
        const char *name = class_of(detecting, &detection);
        const uint32_t track = view_tracking_of(learning->tracking, &detection);
        uint8_t colour[3];
        char text[VIEW_LABEL_SIZE + 60], number[16] = "";

        view_detecting_colour(detecting, compared, &detection, colour);
        if (track != SHW_NO_TRACK) {
            view_tracking_colour(learning->tracking, track, colour);
            snprintf(number, sizeof number, "%u: ", track + 1);
            draw_way(learning->tracking, track);
        }
        snprintf(text, sizeof text, "%s%s%s%.2f", number, name, name[0] != '\0' ? " " : "",
                 ldexp(item->score, -bits_of(&detection)));
        view_panel_caption(detecting->scene, item->x, item->y, item->width, item->height, colour, text);
    }
}
