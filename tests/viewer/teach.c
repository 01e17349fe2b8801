/* Teaching in the program: what is painted is seen, what is learned is what the project's strokes make, and files keep both. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/image_file.h"
#include "project/project.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36, CLASSES = 3, CANVAS_WIDTH = 150, CANVAS_HEIGHT = 110, STROKES_MAX = 16 };

static const char *const names[CLASSES] = {"left", "middle", "right"};
static uint8_t colours[CLASSES][3] = {{230, 159, 0}, {86, 180, 233}, {0, 158, 115}};

/* Two pictures, and a project that gets the strokes that the program gets. */
static struct {
    char folder[400], paths[2][512];
    struct shw_image_file files[2];
    struct shw_project *project;
} scene;

static int open_scene(void **state)
{
    (void)state;
    snprintf(scene.folder, sizeof scene.folder, "%s", testing_path("pictures"));
    mkdir(scene.folder, 0777);
    for (int i = 0; i < 2; i++) {
        snprintf(scene.paths[i], sizeof scene.paths[i], "%s/%c.png", scene.folder, 'a' + i);
        free(testing_paint_scene(scene.paths[i], WIDTH, HEIGHT, 3 + (uint64_t)i));
        assert_int_equal(shw_image_file_read(scene.paths[i], NULL, NULL, &scene.files[i]), SHW_OK);
    }
    return 0;
}

static int close_scene(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++)
        shw_image_file_free(&scene.files[i]);
    return 0;
}

/* A new project on the first picture, in the script and here. */
static void begin(const char *source)
{
    struct shw_project_training training = {SHW_CHANNELS_RGB, 3, 5, 20, 11};
    uint32_t picture;

    assert_int_equal(shw_project_create(NULL, &scene.project), SHW_OK);
    assert_int_equal(shw_project_set_folder(scene.project, scene.folder), SHW_OK);
    assert_int_equal(shw_project_set_training(scene.project, &training), SHW_OK);
    script("project new\nopen %s\ntraining channels rgb\ntraining trees 3\ntraining depth 5\ntraining candidates 20\n"
           "training seed 11",
           source);
    for (uint32_t c = 0; c < CLASSES; c++) {
        assert_int_equal(shw_project_add_class(scene.project, names[c], colours[c]), SHW_OK);
        script("add-class %s #%02x%02x%02x", names[c], colours[c][0], colours[c][1], colours[c][2]);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(shw_project_find_picture(scene.project, i == 0 ? "a.png" : "b.png", WIDTH, HEIGHT, &picture), SHW_OK);
}

static void end(void)
{
    shw_project_destroy(&scene.project);
}

/* A random stroke in the project, and the line that paints it. */
static void paint(struct testing_random *random, uint32_t picture)
{
    char line[512];
    const struct shw_stroke *stroke;
    struct shw_project_picture painted;
    int length;

    testing_paint_stroke(scene.project, picture, random);
    painted = shw_project_get_picture(scene.project, picture);
    stroke = &painted.strokes[painted.stroke_count - 1];
    length = snprintf(line, sizeof line, "stroke %s %u", stroke->class_id < CLASSES ? names[stroke->class_id] : "eraser",
                      stroke->radius);
    for (uint32_t p = 0; p < stroke->point_count; p++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %d %d", stroke->points[p].x, stroke->points[p].y);
    script("%s", line);
}

/* Short strokes of every class in its area. */
static void paint_areas(uint32_t picture, uint32_t place)
{
    int32_t y = (int32_t)(HEIGHT * place / 100);

    for (uint32_t c = 0; c < CLASSES; c++) {
        int32_t left = (int32_t)(WIDTH * c / 3);
        testing_paint_area(scene.project, picture, c, place);
        script("stroke %u 1 %d %d %d %d", c, left + 2, y, left + WIDTH / 3 - 3, y);
    }
}

static struct view picture_view(uint32_t picture)
{
    struct view view = {.image = &scene.files[picture].image,
                        .classes = CLASSES,
                        .colours = colours,
                        .mode = "none",
                        .opacity = 50,
                        .width = CANVAS_WIDTH,
                        .height = CANVAS_HEIGHT};

    view_fit(&view);
    return view;
}

/* Views to be compared once the script has run; what is painted is copied. */
static struct {
    char path[512];
    struct view view;
    uint16_t painted[WIDTH * HEIGHT];
} shots[STROKES_MAX];
static unsigned shot_count;

static void shoot(const struct view *view, uint32_t picture, bool painted)
{
    const uint16_t *labels = NULL;
    char name[32];

    assert_true(shot_count < STROKES_MAX);
    if (painted)
        assert_int_equal(shw_project_get_labels(scene.project, picture, &labels, NULL), SHW_OK);
    snprintf(name, sizeof name, "shot-%u.png", shot_count);
    snprintf(shots[shot_count].path, sizeof shots[shot_count].path, "%s", testing_path(name));
    remove(shots[shot_count].path);
    shots[shot_count].view = *view;
    if (painted) {
        memcpy(shots[shot_count].painted, labels, sizeof shots[shot_count].painted);
        shots[shot_count].view.painted = shots[shot_count].painted;
    }
    script("screenshot %s", shots[shot_count++].path);
}

static void run_and_compare(void)
{
    unsigned count = shot_count;

    shot_count = 0;
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    for (unsigned i = 0; i < count; i++)
        assert_view(shots[i].path, &shots[i].view);
}

static void strokes_lie_over_the_picture(void **state)
{
    struct testing_random random = {8};
    struct view view;
    uint32_t undone;

    (void)state;
    begin(scene.folder);
    view = picture_view(0);
    script("overlay none\nteach off");
    for (uint32_t i = 0; i < 6; i++) {
        paint(&random, 0);
        if (i % 2 == 1)
            shoot(&view, 0, true);
    }
    script("undo\nundo");
    shw_project_undo(scene.project, &undone);
    shw_project_undo(scene.project, &undone);
    shoot(&view, 0, true);
    script("redo\nlock middle on");
    shw_project_redo(scene.project, &undone);
    shw_project_lock_class(scene.project, 1, true);
    paint(&random, 0);
    shoot(&view, 0, true);
    script("strokes off");
    shoot(&view, 0, false);
    script("strokes on\nstep forward");
    view = picture_view(1);
    shoot(&view, 1, false);
    paint(&random, 1);
    shoot(&view, 1, true);
    script("step back");
    view = picture_view(0);
    script("wipe 40");
    view.wipe = 40;
    shoot(&view, 0, true);
    script("wipe 0\ndelete-class right");
    view.wipe = 0;
    view.classes = 2;
    assert_int_equal(shw_project_delete_class(scene.project, 2), SHW_OK);
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* Places of the canvas are those of the picture's pixels. */
static void the_mouse_paints(void **state)
{
    struct view view = picture_view(0);
    int64_t zoom = view.zoom;

    (void)state;
    begin(scene.folder);
    script("overlay none\nteach off\nclass left\nkey Q\nradius 2");
    for (uint32_t i = 0; i < 3; i++) {
        const int32_t points[3][2] = {{5 + 3 * (int32_t)i, 4}, {20, 9 + 5 * (int32_t)i}, {44, 30}};
        for (uint32_t p = 0; p < 3; p++) {
            script("mouse move %d %d", (int)((points[p][0] * zoom + zoom / 2 + view.offset_x) / 256),
                   (int)((points[p][1] * zoom + zoom / 2 + view.offset_y) / 256));
            if (p == 0)
                script("mouse press %s", i == 1 ? "right" : "left");
            if (p == 0)
                assert_int_equal(shw_project_begin_stroke(scene.project, 0, i == 1 ? SHW_LABEL_VOID : 1, 2 + i,
                                                          (struct shw_point){points[p][0], points[p][1]}),
                                 SHW_OK);
            else
                assert_int_equal(shw_project_extend_stroke(scene.project, (struct shw_point){points[p][0], points[p][1]}),
                                 SHW_OK);
            if (p == 1)
                script("wait 1"); /* a frame in the middle of a stroke */
        }
        script("mouse release %s\nradius +1", i == 1 ? "right" : "left");
        shw_project_end_stroke(scene.project);
        shoot(&view, 0, true);
    }
    run_and_compare();
    end();
}

static uint64_t load_hash(const char *path, struct shw_forest **kept)
{
    struct shw_forest *forest = NULL;
    uint64_t hash;

    assert_int_equal(shw_forest_load(path, NULL, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    if (kept != NULL)
        *kept = forest;
    else
        shw_forest_destroy(&forest);
    return hash;
}

static const char *file(const char *name)
{
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, 512, "%s/%s", scene.folder, name);
    return path;
}

/* By either way of training: the overlay is what the forest of the strokes gives. */
static void learn(const char *trainer)
{
    struct shw_labeller_params params = {
        .channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU, .threads = 1};
    struct view view = picture_view(1);
    struct testing_labelling labels;
    struct shw_forest *forest;

    begin(scene.folder);
    script("trainer %s", trainer);
    paint_areas(0, 20);
    script("wait small\nstep forward");
    paint_areas(1, 50);
    script("wait trained\nexport forest %s", file("first.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("first.ktx2"), &forest) == testing_paint_train(scene.project));
    params.forest = forest;
    labels = testing_label(&params, view.image);
    end();

    /* painted in another order, the same */
    begin(scene.folder);
    script("trainer %s\nstep forward", trainer);
    paint_areas(1, 50);
    script("step back");
    paint_areas(0, 20);
    script("wait trained\nstep forward\noverlay argmax");
    view.mode = "argmax";
    view.labels = &labels;
    shoot(&view, 1, true);
    script("overlay entropy\nstrokes off");
    view.mode = "entropy";
    shoot(&view, 1, false);
    run_and_compare();
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
    end();
}

static void the_overlay_follows(void **state)
{
    (void)state;
    learn("cpu");
    learn("device");
}

static void forests_before_come_back(void **state)
{
    uint64_t first;

    (void)state;
    begin(scene.folder);
    paint_areas(0, 20);
    first = testing_paint_train(scene.project);
    script("wait judged\naccuracy");
    paint_areas(0, 70);
    script("wait trained\nexport forest %s\nrestore\nwait 1\nexport forest %s\nrestore\nwait 1\nexport forest %s",
           file("new.ktx2"), file("old.ktx2"), file("again.ktx2"));
    script("wait 1\nlabels\nlatency");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("new.ktx2"), NULL) == testing_paint_train(scene.project));
    assert_true(load_hash(file("again.ktx2"), NULL) == testing_paint_train(scene.project));
    assert_true(load_hash(file("old.ktx2"), NULL) == first);
    assert_non_null(strstr(script_output(), "left: too few strokes to tell"));
    assert_non_null(strstr(script_output(), "from the end of the stroke to its overlay: "));
    end();
}

/* What was saved is opened again, trains to the same forest elsewhere, and counts the same. */
static void projects_are_kept_in_files(void **state)
{
    struct testing_random random = {21};
    struct shw_project *read = NULL;
    struct view view;
    char expected[64];
    uint64_t counts[CLASSES];

    (void)state;
    begin(scene.folder);
    script("teach off");
    for (uint32_t i = 0; i < 5; i++)
        paint(&random, 0);
    script("save %s\nstep forward", file("kept.json"));
    paint(&random, 1);
    paint_areas(1, 50);
    script("save\nundo");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_int_equal(shw_project_read(file("kept.json"), NULL, &read), SHW_OK);
    assert_string_equal(shw_project_get_picture(read, 0).name, "a.png");
    assert_true(testing_paint_train(read) == testing_paint_train(scene.project));
    shw_project_destroy(&read);

    script("project %s\noverlay none", file("kept.json"));
    view = picture_view(0);
    shoot(&view, 0, true);
    script("step forward");
    view = picture_view(1);
    shoot(&view, 1, true);
    script("wait trained\nexport forest %s\nlabels", file("kept.ktx2"));
    run_and_compare();
    assert_true(load_hash(file("kept.ktx2"), NULL) == testing_paint_train(scene.project));
    for (uint32_t c = 0; c < CLASSES; c++) {
        uint64_t all = 0;
        for (uint32_t p = 0; p < 2; p++) {
            assert_int_equal(shw_project_count_labels(scene.project, p, counts), SHW_OK);
            all += counts[c];
        }
        snprintf(expected, sizeof expected, "%s: %u pixels", names[c], (unsigned)all);
        assert_non_null(strstr(script_output(), expected));
    }
    end();
}

static void label_images_are_taken_over(void **state)
{
    struct testing_random random = {5};
    struct view view = picture_view(0);

    (void)state;
    begin(scene.folder);
    script("teach off\noverlay none");
    testing_paint_stroke(scene.project, 0, &random);
    testing_paint_stroke(scene.project, 0, &random);
    assert_int_equal(shw_project_export_labels(scene.project, 0, testing_path("labels.png")), SHW_OK);
    script("import %s", testing_path("labels.png"));
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* Pictures that are no files are written beside the project. */
static void pictures_without_files_are_kept(void **state)
{
    struct shw_project *read = NULL;
    char command[2048], folder[512];
    struct shw_project_picture picture;

    (void)state;
    snprintf(folder, sizeof folder, "%s", testing_path("scenes"));
    snprintf(command, sizeof command, "'%s' synth -q -o '%s' --count 1 --size 40x30 >/dev/null", getenv("SHADEWOOD_PROGRAM"),
             folder);
    assert_int_equal(system(command), 0);
    begin(scene.folder);
    script("open camera:%s/00000_colors.png\nstroke left 2 3 3 9 9\nstroke right 2 20 20 30 22\nsave %s\nwait trained\n"
           "export forest %s",
           folder, file("live.json"), file("live.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_int_equal(shw_project_read(file("live.json"), NULL, &read), SHW_OK);
    picture = shw_project_get_picture(read, 0);
    assert_true(strncmp(picture.name, "live-frames/", 12) == 0);
    assert_true(load_hash(file("live.ktx2"), NULL) == testing_paint_train(read));
    shw_project_destroy(&read);
    end();
}

/* The same files as `shadewood label` writes. */
static void everything_can_be_exported(void **state)
{
    char command[4096], out[512], other[512];

    (void)state;
    begin(scene.folder);
    paint_areas(0, 30);
    snprintf(out, sizeof out, "%s", testing_path("exported"));
    snprintf(other, sizeof other, "%s", testing_path("labelled"));
    script("wait trained\nexport forest %s\nexport labels %s\nexport probabilities %s\nuncertain", file("e.ktx2"), out, out);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    snprintf(
        command, sizeof command,
        "'%s' label -q '%s' '%s' '%s' -o '%s' --no-overlay --probabilities tiff --technique cpu >/dev/null && diff -r '%s' '%s'",
        getenv("SHADEWOOD_PROGRAM"), file("e.ktx2"), scene.paths[0], scene.paths[1], other, out, other);
    assert_int_equal(system(command), 0);
    end();
}

/* Everything by mouse and keys. */
static void the_panel_teaches(void **state)
{
    struct shw_project *read = NULL;
    const uint16_t *labels;
    uint64_t counts[2];

    (void)state;
    script("panels on\npanel overlay off\nopen %s\nwait 2\nclick New project\nwait 4", scene.paths[0]);
    for (int c = 0; c < 2; c++)
        script("click ##class\nwait 4\ntype %s\nkey Enter\nwait 4", c == 0 ? "grass" : "sky");
    script("mouse move 500 300\nmouse press left\nmouse move 540 300\nmouse release left\nclick grass\nwait 4\nradius 1\n"
           "mouse move 500 400\nmouse press left\nmouse move 540 400\nmouse release left\nwait trained\nclick ##file\nwait 4\n"
           "type %s\nkey Enter\nwait 4",
           file("clicked"));
    assert_int_equal(run_script(800, 700, NULL), 0);
    assert_int_equal(shw_project_read(file("clicked.json"), NULL, &read), SHW_OK);
    assert_int_equal(shw_project_get_class_count(read), 2);
    assert_string_equal(shw_project_get_class(read, 1)->name, "sky");
    assert_int_equal(shw_project_get_labels(read, 0, &labels, NULL), SHW_OK);
    assert_int_equal(shw_project_count_labels(read, 0, counts), SHW_OK);
    assert_true(counts[0] > 0 && counts[1] > counts[0]);
    shw_project_destroy(&read);
}

static void what_is_not_saved_is_told_once(void **state)
{
    const char *said;

    (void)state;
    script("project new\nopen %s\nadd-class one\nkey Ctrl+Q\nlabels", scene.paths[0]); /* nothing is painted: this ends it */
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_null(strstr(script_output(), "one: "));
    script("project new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3\nkey Ctrl+Q\nlabels\nkey Ctrl+Q\nlabels",
           scene.paths[0]);
    assert_int_equal(run_script(64, 64, &said), 0);
    assert_non_null(strstr(said, "the project is not saved"));
    assert_string_equal(script_output(), "one: 1 pixels\n");
    script("panels on\nproject new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3\nproject new\nlabels\nsave %s\n"
           "project new\nlabels",
           scene.paths[0], file("told.json"));
    assert_int_equal(run_script(64, 64, &said), 0);
    assert_non_null(strstr(said, "the project is not saved"));
    assert_string_equal(script_output(), "one: 1 pixels\n");
}

static void assert_refused(const char *before, const char *line, const char *message)
{
    const char *said;

    script("%s\n%s", before, line);
    if (run_script(64, 64, &said) != 1 || strstr(said, message) == NULL)
        fail_msg("%s: %s", line, said);
}

static void what_cannot_be_done_is_told(void **state)
{
    char project[1024];

    (void)state;
    snprintf(project, sizeof project, "project new\nopen %s\nadd-class one", scene.paths[0]);
    assert_refused("", "stroke 0 1 2 3", "no project is open");
    assert_refused("project new\nadd-class one", "stroke 0 1 2 3", "there is no picture to paint on");
    assert_refused(project, "stroke two 1 2 3", "is not a class or `eraser`");
    assert_refused(project, "stroke one 1 2", "is not a list of points");
    assert_refused(project, "stroke one 9999 2 3", "is not a class, a radius up to 1024");
    assert_refused(project, "add-class one", "one");
    assert_refused(project, "colour one green", "green is not a colour");
    assert_refused(project, "training channels many", "many is not the name of a channel set");
    assert_refused(project, "training trees 100000", "trees");
    assert_refused(project, "wait small", "there is no forest to wait for");
    assert_refused(project, "teach off\nstroke one 1 2 3\nwait small", "teaching is stopped");
    assert_refused(project, "restore", "there is no forest before this one");
    assert_refused(project, "save", "the project has no file yet");
    assert_refused(project, "save /nowhere/at/all.json", "there is no such folder");
    assert_refused(project, "export forest x.ktx2", "there is no forest");
    assert_refused("", "project /nowhere/at/all.json", "/nowhere/at/all.json");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(strokes_lie_over_the_picture),
        cmocka_unit_test(the_mouse_paints),
        cmocka_unit_test(the_overlay_follows),
        cmocka_unit_test(forests_before_come_back),
        cmocka_unit_test(projects_are_kept_in_files),
        cmocka_unit_test(label_images_are_taken_over),
        cmocka_unit_test(pictures_without_files_are_kept),
        cmocka_unit_test(everything_can_be_exported),
        cmocka_unit_test(the_panel_teaches),
        cmocka_unit_test(what_is_not_saved_is_told_once),
        cmocka_unit_test(what_cannot_be_done_is_told),
    };

    return cmocka_run_group_tests(tests, open_scene, close_scene);
}
