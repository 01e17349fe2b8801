/* Ground-truth rectangles and detections in the viewer: what the mouse draws, what files have and what is found are
 * what a plain program makes of it, and no rectangle is lost. */
#include "teaching.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <shadewood/detect.h>

#include "testing/cascades.h"

#define MINUTES 3 /* to wait for a copy, on a busy machine */

/* Writes what the mouse does with the canvas at pixels of the picture, which is shown at `zoom 4`. */
static void mouse_at(double x, double y, const char *then)
{
    struct view view = {.image = &taught.files[0].image, .width = 300, .height = 200};

    view_fit(&view);
    view_zoom(&view, 4 * 256);
    script("mouse move %d %d\n%s", (int)((x * (double)view.zoom + (double)view.offset_x) / 256),
           (int)((y * (double)view.zoom + (double)view.offset_y) / 256), then);
}

static void drag(double x0, double y0, double x1, double y1)
{
    mouse_at(x0, y0, "mouse press left");
    mouse_at(x1, y1, "mouse release left");
}

static void begin_drawing(void)
{
    script("open %s\nwait 2\nzoom 4\nhand rectangle", taught.paths[0]);
}

TESTING_CASE(rectangles_are_drawn)
{
    begin_drawing();
    drag(5, 6, 20, 16);
    script("rectangles-list");
    drag(10, 10, 14, 13); /* moved */
    script("rectangles-list");
    drag(24, 19, 30, 30); /* by its lower right corner */
    script("rectangles-list");
    drag(9, 19.5, 40, 25); /* the left side beyond the right one: across only */
    script("rectangles-list\nundo\nundo\nrectangles-list\nredo\nrectangles-list");
    drag(45, 2, 60, -9); /* out of the picture */
    script("rectangles-list");
    mouse_at(46, 1, "mouse press right\nmouse release right");
    mouse_at(2, 30, "mouse press left\nmouse release left"); /* a click draws nothing */
    script("mouse hold shift");
    mouse_at(12, 12, "mouse press left"); /* inside another one */
    mouse_at(15, 18, "mouse release left\nmouse hold nothing");
    script("rectangles-list\nrectangle-undo\nkey Ctrl+Y\nrectangle-choose 1\nkey Delete\nrectangles-list");
    mouse_at(3, 3, "mouse press left"); /* given up */
    mouse_at(9, 9, "key Escape\nmouse release left\nrectangles-list\nquit");
    assert_int_equal(run_script(300, 200, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 5 6 15 10 object\n"
                                         "rectangle 1: 9 9 15 10 object\n"
                                         "rectangle 1: 9 9 21 21 object\n"
                                         "rectangle 1: 30 9 10 21 object\n"
                                         "rectangle 1: 9 9 15 10 object\n"
                                         "rectangle 1: 9 9 21 21 object\n"
                                         "rectangle 1: 9 9 21 21 object\nrectangle 2: 45 0 3 2 object\n"
                                         "rectangle 1: 9 9 21 21 object\nrectangle 2: 12 12 3 6 object\n"
                                         "rectangle 1: 12 12 3 6 object\n"
                                         "rectangle 1: 12 12 3 6 object\n");
}

static char *contents(const char *path)
{
    static char text[4096];
    FILE *stream = fopen(path, "rb");

    assert_non_null(stream);
    text[fread(text, 1, sizeof text - 1, stream)] = '\0';
    fclose(stream);
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "wb");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

#define HEADER "image,x,y,width,height,label\r\n"

TESTING_CASE(files_are_read_and_written)
{
    const char *said;

    script("open %s\nrectangle 1 2 30 30 a \"big\", one\nrectangle 4 4 4 4 small\nopen %s\nrectangle-delete all",
           taught.paths[1], taught.paths[0]);
    script("rectangles-save %s\nrectangle-label none\nrectangles %s\nrectangles-list", file("first.csv"),
           file("first.csv"));
    script("open %s\nrectangles-list\nrectangles-save\nrectangles-save %s\nquit", taught.paths[1], file("second.csv"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 1 2 30 30 a \"big\", one\nrectangle 2: 4 4 4 4 small\n");
    for (int i = 0; i < 2; i++)
        assert_string_equal(contents(file(i == 0 ? "first.csv" : "second.csv")),
                            HEADER "b.png,1,2,30,30,\"a \"\"big\"\", one\"\r\n"
                                   "b.png,4,4,4,4,small\r\na.png,,,,,\r\n");

    write_text(file("third.csv"), "# by hand\na.png,-3,2,10,5\nmissing.png\n\nb.png,1,1,2,2,x\n./b.png,3,3,2,2,x\n");
    script("open %s\nopen %s\nrectangles-list\nrectangle-choose 1\nrectangle-change -4 2 10 5\nrectangles-save\nquit",
           taught.paths[0], file("third.csv"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: -3 2 10 5 \n");
    assert_string_equal(contents(file("third.csv")),
                        HEADER "a.png,-4,2,10,5,\r\nmissing.png,,,,,\r\nb.png,1,1,2,2,x\r\nb.png,3,3,2,2,x\r\n");

    write_text(file("wrong.csv"), "a.png,1,2,3\n");
    script("open %s\nrectangle 1 1 5 5 kept\nrectangles %s\nquit", taught.paths[0], file("wrong.csv"));
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "wrong.csv, line 1"));
    write_text(file("foreign.csv"), "something else\n");
    script("open %s\nrectangle 1 1 5 5\nrectangles-save %s\nquit", taught.paths[0], file("foreign.csv"));
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "foreign.csv exists"));
    assert_string_equal(contents(file("foreign.csv")), "something else\n");
    script("open %s\nrectangle 48 1 5 5\nquit", taught.paths[0]);
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "has no pixel of the picture"));
}

/* With panels, people are asked before anything is lost; a project comes first. */
TESTING_CASE(questions_are_asked)
{
    script("panels on\nopen %s\nrectangle 1 1 5 5\nkey Ctrl+Q\nwait 3\nrectangles-list\nkey Escape\nwait 2",
           taught.paths[0]);
    script("rectangles new\nwait 2\nrectangles-answer cancel\nrectangles-list\nproject new\nadd-class one\nteach off\n"
           "stroke one 0 2 3\nkey Ctrl+Q\nwait 3\nclick Discard\nwait 4\nrectangles-list\nclick ##answer\nwait 6");
    script("type %.*s\nkey Enter\nwait 4\nrectangles-list", (int)strlen(file("asked.csv")) - 4, file("asked.csv"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 1 1 5 5 object\nrectangle 1: 1 1 5 5 object\n"
                                         "rectangle 1: 1 1 5 5 object\n");
    assert_string_equal(contents(file("asked.csv")), HEADER "a.png,1,1,5,5,object\r\n");

    script("panels on\nopen %s\nrectangles %s\nrectangles-save-as\nwait 6\ntype %s\nkey Enter\nwait 4", taught.paths[0],
           file("asked.csv"), file("asked-too.csv"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(contents(file("asked-too.csv")), HEADER "a.png,1,1,5,5,object\r\n");

    write_text(file("other.csv"), "b.png,1,1,2,2,x\n");
    script("panels on\nopen %s\nrectangles %s\nrectangle 2 2 6 6\nrectangles-save %s\nwait 3\nkey Escape\nwait 3",
           taught.paths[0], file("asked.csv"), file("other.csv"));
    script("rectangles-save %s\nwait 3\nclick Replace\nwait 3\nquit", file("other.csv"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(contents(file("other.csv")), HEADER "a.png,1,1,5,5,object\r\na.png,2,2,6,6,object\r\n");
}

/* Whether a file in the folder ends so. */
static bool has_file(const char *folder, const char *ending)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    bool found = false;

    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL) {
        size_t length = strlen(entry->d_name);
        found = found || (length > strlen(ending) && strcmp(entry->d_name + length - strlen(ending), ending) == 0);
    }
    if (open_folder != NULL)
        closedir(open_folder);
    return found;
}

TESTING_CASE(killed_rectangles_are_recovered)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    const time_t end = time(NULL) + MINUTES * 60;
    char options[700];
    int child;

    write_text(file("work.csv"), "a.png,1,1,2,2,x\n");
    snprintf(options, sizeof options, "--recovery '%s'", file("copies"));
    script("open %s\nrectangles %s\nrectangle 3 3 4 4 y\nrectangles-recover keep\nwait 1000000", taught.paths[0],
           file("work.csv"));
    child = start_script(options, 64, 64);
    while (!has_file(file("copies"), ".csv") && time(NULL) < end)
        nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(has_file(file("copies"), ".csv"));
    script("open %s\nrectangles-recover 1\nrectangles-list\nrectangles-save\nwait 2\nquit", taught.paths[0]);
    assert_int_equal(run_script_with(options, 64, 64, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 1 1 2 2 x\nrectangle 2: 3 3 4 4 y\n");
    assert_string_equal(contents(file("work.csv")), HEADER "a.png,1,1,2,2,x\r\na.png,3,3,4,4,y\r\n");
    assert_false(has_file(file("copies"), ".csv"));
}

static struct shw_cascade *cascades[2];
static const char *const cascade_names[2] = {"pixels.ktx2", "scaled.ktx2"};

static int make_cascades(void **state)
{
    const struct random_cascade_params params[2] = {
        {.seed = 4, .kind = SHW_CASCADE_PIXELS, .window_width = 6, .window_height = 6, .stages = 4, .pass_percent = 40},
        {.seed = 9, .kind = SHW_CASCADE_SCALED, .stages = 5, .pass_percent = 40}};

    open_taught(state);
    for (int c = 0; c < 2; c++) {
        cascades[c] = random_cascade(&params[c]);
        assert_int_equal(shw_cascade_save(cascades[c], file(cascade_names[c]), NULL), SHW_OK);
    }
    return 0;
}

static int destroy_cascades(void **state)
{
    for (int c = 0; c < 2; c++)
        shw_cascade_destroy(&cascades[c]);
    return close_taught(state);
}

/* What a cascade finds in a picture. */
static struct shw_detections find(int cascade, int picture, const struct shw_scan *scan,
                                  const struct shw_group_params *group, uint32_t *windows)
{
    const struct shw_detector_params params = {
        .cascade = cascades[cascade], .technique = SHW_TECHNIQUE_CPU, .scan = *scan, .threads = 1};
    struct shw_detector *detector = NULL;
    struct shw_detections found = {0};

    assert_int_equal(shw_detector_create(&params, &detector), SHW_OK);
    assert_int_equal(shw_detector_run(detector, &taught.files[picture].image, &found), SHW_OK);
    *windows = found.count;
    assert_int_equal(shw_detections_group(&found, shw_cascade_get_info(cascades[cascade])->kind, group, NULL), SHW_OK);
    shw_detector_destroy(&detector);
    return found;
}

/* Fails unless the text goes on with what `detect-list` prints of detections from number `first`; returns the rest. */
static const char *assert_found_from(const char *text, const struct shw_detections *found, uint32_t windows,
                                     uint32_t first)
{
    char line[256];

    snprintf(line, sizeof line, "detections: %u of %u windows\n", found->count, windows);
    assert_memory_equal(text, line, strlen(line));
    text += strlen(line);
    for (uint32_t g = 0; g < found->count; g++) {
        const struct shw_detection *item = &found->items[g];

        snprintf(line, sizeof line, "detection %u: %d %d %u %u score ", first + g, item->x, item->y, item->width,
                 item->height);
        assert_memory_equal(text, line, strlen(line));
        text = strstr(text, " level ");
        snprintf(line, sizeof line, " level %u angle %u neighbours %u\n", item->level, item->angle, item->neighbours);
        assert_memory_equal(text, line, strlen(line));
        text += strlen(line);
    }
    return text;
}

static const char *assert_found(const char *text, const struct shw_detections *found, uint32_t windows)
{
    return assert_found_from(text, found, windows, 1);
}

TESTING_CASE(detections_are_the_librarys)
{
    static const uint32_t turned[] = {0, 8, 16, 24};
    const struct shw_scan scans[] = {{0},
                                     {.min_size = 14, .max_size = 30},
                                     {.levels_per_octave = 4, .step = 2, .angle_count = 4, .angles = turned},
                                     {.min_size = 12},
                                     {.min_size = 12, .scale_factor = 1.4, .stride = 0.25}};
    const struct shw_group_params groups[] = {{0},
                                              {.method = SHW_GROUP_NONE},
                                              {.method = SHW_GROUP_CLUSTER, .min_neighbours = 2},
                                              {.method = SHW_GROUP_SUPPRESS, .overlap = 0.5},
                                              {.min_score = 0, .has_min_score = true}};
    const char *text;
    uint32_t sum = 0;

    script("detect-open %s\nopen %s\ndetect-list", file(cascade_names[0]), taught.paths[0]);
    script("detect-min 40\ndetect-max 30\ndetect-min 14\ndetect-group none\ndetect-list");
    script("detect-min 0\ndetect-max 0\ndetect-levels 4\ndetect-step 2\ndetect-angles 4\ndetect-group cluster\n"
           "detect-neighbours 2\ndetect-list");
    script("open %s\ndetect-min 12\ndetect-group suppress\ndetect-group-overlap 50\ndetect-list",
           file(cascade_names[1]));
    script("detect-group default\ndetect-group-overlap 0\ndetect-factor 1.4\ndetect-step 0.25\ndetect-score 0\n"
           "detect-list\ndetect-technique compute\ndetect-list\nquit");
    assert_int_equal(run_script(64, 64, NULL), 0);
    text = script_output();
    for (int i = 0; i < 6; i++) { /* on the device as on the host */
        const int last = i < 5 ? i : 4;
        uint32_t windows;
        struct shw_detections found = find(i > 2, 0, &scans[last], &groups[last], &windows);

        text = assert_found(text, &found, windows);
        sum += found.count;
        free(found.items);
    }
    assert_string_equal(text, "");
    assert_true(sum > 5);
}

/* Where nothing is, nothing becomes a rectangle. */
TESTING_CASE(accepting_nothing_is_refused)
{
    static const char *const lines[] = {"detect-accept 900", "false-alarm 900", "detect-score 1e9\ndetect-accept 5 5",
                                        "detect-score 1e9\nfalse-alarm 5 5"};
    const char *messages;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        script("open %s\ndetect-open %s\n%s\nquit", taught.paths[0], file(cascade_names[0]), lines[i]);
        assert_int_equal(run_script(64, 64, &messages), 1);
        assert_non_null(strstr(messages, "there is no detection "));
    }
}

/* Detections become rectangles, which they are compared with, and rows of a table. */
TESTING_CASE(detections_are_accepted)
{
    uint32_t windows, others = 0;
    struct shw_detections found =
        find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){.method = SHW_GROUP_SUPPRESS}, &windows);
    const char *text;
    char line[128];

    assert_true(found.count > 1);
    script("open %s\ndetect-open %s\ndetect-accept 1\nrectangles-list\ndetect-list\ndetect-accept all\n"
           "detect-accept all\ndetect-list\nrectangle-undo\nrectangles-list\ndetect-save %s\nquit",
           taught.paths[0], file(cascade_names[0]), file("detections.csv"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    snprintf(line, sizeof line, "rectangle 1: %d %d %u %u thing\n", found.items[0].x, found.items[0].y,
             found.items[0].width, found.items[0].height);
    text = script_output();
    assert_memory_equal(text, line, strlen(line));
    text = assert_found(text + strlen(line), &found, windows);
    snprintf(line, sizeof line, "found 1, false %u, missed 0\n", found.count - 1);
    assert_memory_equal(text, line, strlen(line));
    text = assert_found(text + strlen(line), &found, windows);
    snprintf(line, sizeof line, "found %u, false 0, missed 0\n", found.count);
    assert_memory_equal(text, line, strlen(line));
    text += strlen(line); /* what was accepted together is one step of the history */
    snprintf(line, sizeof line, "rectangle 1: %d %d", found.items[0].x, found.items[0].y);
    assert_memory_equal(text, line, strlen(line));
    assert_null(strstr(text, "rectangle 2"));
    text = contents(file("detections.csv"));
    assert_memory_equal(text, "image,x,y,width,height,score,angle,neighbours\r\n", 47);
    for (const char *row = text; (row = strstr(row, "\r\n")) != NULL; row += 2)
        others++;
    assert_int_equal(others, found.count + 1);
    snprintf(line, sizeof line, "/a.png,%d,%d,%u,%u,", found.items[0].x, found.items[0].y, found.items[0].width,
             found.items[0].height);
    assert_non_null(strstr(text, line));
    free(found.items);
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        count++;
    return count;
}

/* What was clicked away is neither listed nor counted, written, followed or chosen. */
TESTING_CASE(dismissed_detections_are_gone)
{
    uint32_t windows;
    struct shw_detections found =
        find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){.method = SHW_GROUP_SUPPRESS}, &windows);
    const struct shw_detections others = {.items = found.items + 1, .count = found.count - 1};
    const char *text;
    char line[128];

    assert_true(found.count > 1);
    script("open %s\ndetect-open %s\ntrack on\ntrack-least 1\nwait 3\nfalse-alarm 1\ndetect-list\ndetect-save %s\n"
           "wait 3\ntrack-list\nfalse-alarm all\ndetect-list\nwait 3\ntrack-list\nrectangles-list\nquit",
           taught.paths[0], file(cascade_names[0]), file("others.csv"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    text = assert_found(script_output(), &others, windows);
    snprintf(line, sizeof line, "found 0, false %u, missed 0\n%u detections written to ", others.count, others.count);
    assert_memory_equal(text, line, strlen(line));
    assert_int_equal(count_of(text, "track "), others.count);
    snprintf(line, sizeof line, "detections: 0 of %u windows\nfound 0, false 0, missed 0\nrectangle 1: ", windows);
    assert_non_null(strstr(text, line));
    assert_int_equal(count_of(text, " false-alarm\n"), found.count);
    assert_int_equal(count_of(contents(file("others.csv")), "\r\n"), found.count);
    free(found.items);
}

/* Rectangles of a data set belong to the image files of its colours, whose table any tool reads. */
TESTING_CASE(rectangles_are_of_the_files_of_a_data_set)
{
    char command[3 * FILE_PATH], set[FILE_PATH], table[2 * FILE_PATH];

    snprintf(set, sizeof set, "%s", testing_path("scenes"));
    snprintf(table, sizeof table, "%s/heads.csv", set);
    snprintf(command, sizeof command, "'%s' synth -q -o '%s' --count 2 --size 80x60 >/dev/null",
             getenv("SHADEWOOD_PROGRAM"), set);
    assert_int_equal(system(command), 0);
    write_text(table, HEADER "00001_colors.png,1,2,3,4,head\r\n");
    script("open %s\nrectangles %s\nrectangles-list\ngo 2\nrectangles-list\ngo 1\nrectangle 5 6 7 8 head\n"
           "go 2\nrectangle 9 9 9 9 head\ngo 1\nrectangle-undo\nrectangles-list\nrectangle-redo\nrectangles-save\n"
           "quit",
           set, table);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 1 2 3 4 head\nundone on 00001_colors.png\n"
                                         "rectangle 1: 1 2 3 4 head\n");
    assert_string_equal(contents(table), HEADER "00001_colors.png,1,2,3,4,head\r\n00001_colors.png,9,9,9,9,head\r\n"
                                                "00000_colors.png,5,6,7,8,head\r\n");
    assert_false(has_file(set, "heads-frames"));

    /* As earlier versions have saved them: with copies of the pictures. */
    snprintf(command, sizeof command, "cd '%s' && mkdir old-frames && cp 00000_colors.png old-frames/00000.png", set);
    assert_int_equal(system(command), 0);
    snprintf(table, sizeof table, "%s/old.csv", set);
    write_text(table, HEADER "old-frames/00000.png,5,6,7,8,head\r\n");
    script("open %s\nrectangles %s\nrectangles-list\nquit", set, table);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_string_equal(script_output(), "rectangle 1: 5 6 7 8 head\n");
}

/* The next line of a text is `line`; returns the rest. */
static const char *assert_line(const char *text, const char *line)
{
    const size_t length = strlen(line);

    if (strncmp(text, line, length) != 0)
        fail_msg("'%.60s' is not '%s'", text, line);
    return text + length;
}

/* Each has its class, settings and colour; detections are numbered through all, and counted apart. */
TESTING_CASE(several_cascades_are_open)
{
    const struct shw_scan scans[2] = {{0}, {.min_size = 12}};
    const struct shw_group_params groups[2] = {{.method = SHW_GROUP_SUPPRESS}, {0}};
    struct shw_detections found[2];
    uint32_t windows[2];
    const char *text;
    char line[FILE_PATH + 100];

    for (int c = 0; c < 2; c++)
        found[c] = find(c, 0, &scans[c], &groups[c], &windows[c]);
    assert_true(found[0].count > 1 && found[1].count > 1);
    script("open %s\ndetect-open %s\ndetect-add %s\ndetect-class other\ndetect-min 12\ndetect-colour #102030\n"
           "detect-list\ndetect-cascades\ndetect-accept 1\ndetect-accept %u\nrectangles-list\ndetect-list",
           taught.paths[0], file(cascade_names[0]), file(cascade_names[1]), found[0].count + 1);
    script("detect-cascade thing\ndetect-with off\ndetect-list\ndetect-with on\nrectangles-save %s\n"
           "detect-save %s\npanels on\npanel detect on\nwait 3\npanels off\ndetect-open none\nrectangle-delete all\n"
           "detect-list\nquit",
           file("both.csv"), file("labels.csv"));
    assert_int_equal(run_script(300, 300, NULL), 0);
    text = assert_line(script_output(), "cascade 1: thing\n");
    text = assert_found(text, &found[0], windows[0]);
    text = assert_line(text, "cascade 2: other\n");
    text = assert_found_from(text, &found[1], windows[1], found[0].count + 1);
    snprintf(line, sizeof line, "cascade 1: thing, on, #56b4e9, score any, %s\n", file(cascade_names[0]));
    text = assert_line(text, line);
    snprintf(line, sizeof line, "cascade 2: other, on, #102030, score any, %s, chosen\n", file(cascade_names[1]));
    text = assert_line(text, line);
    for (int c = 0; c < 2; c++) {
        snprintf(line, sizeof line, "rectangle %d: %d %d %u %u %s\n", c + 1, found[c].items[0].x, found[c].items[0].y,
                 found[c].items[0].width, found[c].items[0].height, c == 0 ? "thing" : "other");
        text = assert_line(text, line);
    }
    for (int c = 0; c < 2; c++) { /* each is compared with its own rectangle */
        text = assert_line(text, c == 0 ? "cascade 1: thing\n" : "cascade 2: other\n");
        text = assert_found_from(text, &found[c], windows[c], c == 0 ? 1 : found[0].count + 1);
        snprintf(line, sizeof line, "found 1, false %u, missed 0\n", found[c].count - 1);
        text = assert_line(text, line);
    }
    text = assert_line(text, "cascade 2: other\n"); /* the rectangle of the other one is nobody's: it is missed */
    text = assert_found(text, &found[1], windows[1]);
    snprintf(line, sizeof line, "found 1, false %u, missed 1\n", found[1].count - 1);
    text = assert_line(text, line);
    snprintf(line, sizeof line, "%u detections written to %s\n", found[0].count + found[1].count, file("labels.csv"));
    text = assert_line(text, line);
    text = assert_found(text, &found[1], windows[1]); /* the first one was closed */
    snprintf(line, sizeof line, "found 0, false %u, missed 0\n", found[1].count);
    assert_string_equal(text, line);
    text = assert_line(contents(file("labels.csv")), "image,x,y,width,height,score,angle,neighbours,label\r\n");
    for (int c = 0; c < 2; c++)
        for (uint32_t g = 0; g < found[c].count; g++) {
            snprintf(line, sizeof line, "/a.png,%d,%d,%u,%u,", found[c].items[g].x, found[c].items[g].y,
                     found[c].items[g].width, found[c].items[g].height);
            text = strstr(text, line);
            assert_non_null(text);
            text = strstr(text, "\r\n");
            assert_non_null(text);
            assert_memory_equal(text - 6, c == 0 ? ",thing" : ",other", 6);
        }
    for (int c = 0; c < 2; c++)
        free(found[c].items);
}

TESTING_CASE(so_many_cascades_and_no_more_are_open)
{
    const char *said;

    script("open %s\ndetect-open %s", taught.paths[0], file(cascade_names[0]));
    for (int i = 1; i < 8; i++)
        script("detect-add %s", file(cascade_names[0]));
    script("detect-cascade 9\nquit");
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "9 is not the number of an open cascade, or the class that it finds"));
    script("open %s", taught.paths[0]);
    for (int i = 0; i < 9; i++)
        script("detect-add %s", file(cascade_names[0]));
    script("quit");
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "8 cascades are open, and no more can be"));
    script("detect-class some\nquit");
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "there is no cascade"));
    script("detect-open %s\ndetect-class false-alarm\nquit", file(cascade_names[0]));
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "false-alarm"));
}

/* The keys show the panel of what they switch on, and V says why nothing is found. */
TESTING_CASE(keys_open_panels)
{
    const char *said;

    script("panels on\nopen %s\npanel detect off\nkey V\nkey V\nwait 3\nclick Open...\nwait 3\nkey Escape\nwait 3\n"
           "detect-open %s\npanel detect off\nkey V\nkey V\nwait 3\nclick Close\nwait 3\ndetect-cascades\n"
           "key Ctrl+J\nwait 3\nclick Fill all holes\nwait 3\nquit",
           taught.paths[0], file(cascade_names[0]));
    assert_int_equal(run_script(640, 1200, &said), 0);
    assert_non_null(strstr(said, "there is no cascade to detect with: open one, or train one"));
    assert_null(strstr(script_output(), "cascade 1: ")); /* it was closed by the panel's button */
}

/* The colour of a screenshot where a place of the picture is, shown as mouse_at() assumes. */
static const uint8_t *colour_at(const struct shw_image_file *seen, int32_t x, double y)
{
    struct view view = {.image = &taught.files[0].image, .width = 300, .height = 200};
    int64_t column, row;

    view_fit(&view);
    view_zoom(&view, 4 * 256);
    column = (x * (int64_t)view.zoom + view.offset_x + 128) / 256;
    row = (int64_t)(y * (double)view.zoom + (double)view.offset_y) / 256;
    assert_in_range(column, 0, 299);
    assert_in_range(row, 0, 199);
    return (const uint8_t *)seen->image.pixels + (row * 300 + column) * 3;
}

/* Without panels, too, a screenshot has what was found and what was drawn, and nothing of what is switched off. */
TESTING_CASE(rectangles_need_no_panels)
{
    static const char *const shots[5] = {"bare.png", "found.png", "without.png", "drawn.png", "hidden.png"};
    static const uint8_t blue[3] = {86, 180, 233};
    uint32_t windows, seen_differ = 0;
    struct shw_detections found =
        find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){.method = SHW_GROUP_SUPPRESS}, &windows);
    const struct shw_detection *item = &found.items[found.count - 1]; /* it is drawn over the others */
    struct shw_image_file seen[5];

    script("open %s\nwait 2\nzoom 4\nscreenshot %s\ndetect-open %s\nscreenshot %s", taught.paths[0], file(shots[0]),
           file(cascade_names[0]), file(shots[1]));
    /* closing another one does not switch it on again */
    script("detect-add %s\ndetect off\ndetect-open none\nwait 2\nscreenshot %s", file(cascade_names[1]),
           file(shots[2]));
    script("rectangle 20 10 12 14\nscreenshot %s\nkey H\nscreenshot %s\nquit", file(shots[3]), file(shots[4]));
    assert_int_equal(run_script(300, 200, NULL), 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(shw_image_file_read(file(shots[i]), NULL, NULL, &seen[i]), SHW_OK);
    assert_memory_equal(colour_at(&seen[1], item->x, item->y + item->height / 2.0), blue, 3);
    assert_memory_equal(seen[0].image.pixels, seen[2].image.pixels, (size_t)300 * 200 * 3);
    assert_memory_equal(seen[0].image.pixels, seen[4].image.pixels, (size_t)300 * 200 * 3);
    for (int y = 11; y < 24; y++)
        seen_differ += memcmp(colour_at(&seen[0], 20, y), colour_at(&seen[3], 20, y), 3) != 0;
    assert_int_equal(seen_differ, 13);
    for (int i = 0; i < 5; i++)
        shw_image_file_free(&seen[i]);
    free(found.items);
}

/* Unless another overlap is chosen, what counts as found is what the command counts: 0.65 or more. */
TESTING_CASE(detections_match_as_in_the_command)
{
    uint32_t windows;
    struct shw_detections found =
        find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){.method = SHW_GROUP_SUPPRESS}, &windows);
    const struct shw_detection *item = &found.items[0];
    const uint32_t height = item->height * 5 / 3; /* of a rectangle that the detection overlaps by 0.6 or a bit more */
    char lines[128];

    assert_in_range(100 * item->height / height, 55, 64);
    script("open %s\ndetect-open %s\nrectangle %d %d %u %u thing\ndetect-list\ndetect-overlap 55\ndetect-list\nquit",
           taught.paths[0], file(cascade_names[0]), item->x, item->y, item->width, height);
    assert_int_equal(run_script(64, 64, NULL), 0);
    snprintf(lines, sizeof lines, "\nfound 0, false %u, missed 1\n", found.count);
    assert_non_null(strstr(script_output(), lines));
    snprintf(lines, sizeof lines, "\nfound 1, false %u, missed 0\n", found.count - 1);
    assert_non_null(strstr(script_output(), lines));
    free(found.items);
}

/* A click with the tool for rectangles accepts, one with Move chooses; and what is drawn is there to be seen. */
TESTING_CASE(detections_are_clicked)
{
    uint32_t windows;
    struct shw_detections found =
        find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){.method = SHW_GROUP_SUPPRESS}, &windows);
    const struct shw_detection *item = &found.items[found.count - 1];
    struct shw_image_file seen[3];

    script("open %s\nwait 2\nzoom 4\npanels on\npanels off\nscreenshot %s\ndetect-open %s\npanels on\nscale 0.5\n"
           "wait 3\nscreenshot %s\ndetect off\nwait 3\nscreenshot %s\npanels off\ndetect on\nhand rectangle\nwait 3",
           taught.paths[0], file("none.png"), file(cascade_names[0]), file("some.png"), file("off.png"));
    mouse_at(item->x + item->width / 2.0, item->y + item->height / 2.0,
             "mouse press left\nmouse release left\nwait 2\nrectangles-list\nquit");
    assert_int_equal(run_script(300, 200, NULL), 0);
    assert_non_null(strstr(script_output(), "rectangle 1: "));
    assert_null(strstr(script_output(), "rectangle 2: "));
    for (int i = 0; i < 3; i++)
        assert_int_equal(shw_image_file_read(file(i == 0   ? "none.png"
                                                  : i == 1 ? "some.png"
                                                           : "off.png"),
                                             NULL, NULL, &seen[i]),
                         SHW_OK);
    assert_memory_not_equal(seen[1].image.pixels, seen[2].image.pixels, (size_t)300 * 200 * 3);
    for (int i = 0; i < 3; i++)
        shw_image_file_free(&seen[i]);
    free(found.items);
}

/* Each of these actions changes what is drawn. */
TESTING_CASE(detections_are_drawn_as_wanted)
{
    uint32_t windows;
    struct shw_detections found =
        find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){.method = SHW_GROUP_SUPPRESS}, &windows);
    const struct shw_detection *item = &found.items[found.count - 1];
    char at[64];
    const char *const lines[] = {"detect-colour #00ff00", at,
                                 "detect-windows on",     "rectangle 1 1 9 9",
                                 "detect-compare off",    "rectangles-shown off"};
    enum { LINES = sizeof lines / sizeof *lines };
    struct shw_image_file seen[LINES + 1];

    snprintf(at, sizeof at, "detection-at %d %d", item->x + (int)item->width / 2, item->y + (int)item->height / 2);
    script("open %s\nwait 2\nzoom 4\npanels on\nscale 0.5\ndetect-open %s\npanels left off\npanels right off\nwait 4\n"
           "screenshot %s",
           taught.paths[0], file(cascade_names[0]), file("drawn-0.png"));
    for (int i = 0; i < LINES; i++) {
        char name[32];
        snprintf(name, sizeof name, "drawn-%d.png", i + 1);
        script("%s\nwait 4\nscreenshot %s", lines[i], file(name));
    }
    script("quit");
    assert_int_equal(run_script(300, 200, NULL), 0);
    for (int i = 0; i <= LINES; i++) {
        char name[32];
        snprintf(name, sizeof name, "drawn-%d.png", i);
        assert_int_equal(shw_image_file_read(file(name), NULL, NULL, &seen[i]), SHW_OK);
        if (i > 0 && memcmp(seen[i].image.pixels, seen[i - 1].image.pixels, (size_t)300 * 200 * 3) == 0)
            fail_msg("%s changes nothing", lines[i - 1]);
    }
    for (int i = 0; i <= LINES; i++)
        shw_image_file_free(&seen[i]);
    free(found.items);
}

/* While a source plays in a window, pictures come with what is found in them, and the window goes on. */
TESTING_CASE(detection_is_live)
{
    uint32_t windows;
    struct shw_detections found =
        find(1, 0, &(struct shw_scan){.min_size = 12}, &(struct shw_group_params){0}, &windows);
    const char *text;

    script("open %s\ndetect-open %s\ndetect-min 12\nspeed 50\nplay on\nwait 40\nplay off\ngo first\nwait labels\n"
           "detect-list\nquit",
           taught.folder, file(cascade_names[1]));
    assert_int_equal(run_script_in_window(300, 200, NULL), 0);
    text = assert_found(script_output(), &found, windows);
    assert_string_equal(text, "");
    free(found.items);
}

/* A cascade that takes the place of another one does not wait for it, and what that one found is not shown. */
TESTING_CASE(cascades_are_replaced)
{
    uint32_t windows;
    struct shw_detections found = find(1, 0, &(struct shw_scan){0}, &(struct shw_group_params){0}, &windows);
    const char *text;

    script("open %s\nwait 2", taught.paths[0]);
    for (int i = 0; i < 6; i++)
        script("detect-open %s\nwait %d\ndetect-open %s\nwait %d", file(cascade_names[0]), i % 3,
               file(cascade_names[1]), i % 2);
    script("detect-list\nquit");
    assert_int_equal(run_script_in_window(300, 200, NULL), 0);
    text = assert_found(script_output(), &found, windows);
    assert_string_equal(text, "");
    free(found.items);
}

/* The least score of a file is where the viewer begins; any and default go from it and back to it. */
TESTING_CASE(files_have_a_least_score)
{
    struct shw_group_params group = {.has_min_score = true};
    struct shw_cascade_info info = *shw_cascade_get_info(cascades[0]);
    struct shw_cascade *strict = NULL;
    struct shw_detections all, some;
    uint32_t windows;
    const char *text;

    all = find(0, 0, &(struct shw_scan){0}, &(struct shw_group_params){0}, &windows);
    info.has_min_score = true;
    info.min_score = group.min_score = all.items[0].score; /* the best one */
    some = find(0, 0, &(struct shw_scan){0}, &group, &windows);
    assert_true(some.count < all.count);
    assert_int_equal(shw_cascade_create(&info, NULL, &strict), SHW_OK);
    assert_int_equal(shw_cascade_save(strict, file("strict.ktx2"), NULL), SHW_OK);
    script("detect-open %s\nopen %s\ndetect-list\ndetect-score any\ndetect-list\ndetect-score default\ndetect-list\n"
           "detect-open %s\ndetect-list\nquit",
           file("strict.ktx2"), taught.paths[0], file(cascade_names[0]));
    assert_int_equal(run_script(64, 64, NULL), 0);
    text = assert_found(script_output(), &some, windows);
    text = assert_found(text, &all, windows);
    text = assert_found(text, &some, windows);
    text = assert_found(text, &all, windows);
    assert_string_equal(text, "");
    shw_cascade_destroy(&strict);
    free(all.items);
    free(some.items);
}

TESTING_FIXTURE(make_cascades, destroy_cascades)
