/* Projects and what comes of them, in files; and what is reported. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was saved is opened again, trains to the same forest elsewhere, and counts the same. */
TESTING_CASE(projects_are_kept_in_files)
{
    struct testing_random random = {21};
    struct shw_project *read = NULL;
    struct view view;
    char expected[64];
    uint64_t counts[CLASSES];

    begin(taught.folder);
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
    assert_true(testing_paint_train(read) == testing_paint_train(taught.project));
    shw_project_destroy(&read);

    script("open %s\noverlay none", file("kept.json")); /* at the picture that was shown */
    view = picture_view(1);
    shoot(&view, 1, true);
    script("step back");
    view = picture_view(0);
    shoot(&view, 0, true);
    script("wait trained\nexport forest %s\nlabels", file("kept.ktx2"));
    run_and_compare();
    assert_true(load_hash(file("kept.ktx2"), NULL) == testing_paint_train(taught.project));
    for (uint32_t c = 0; c < CLASSES; c++) {
        uint64_t all = 0;
        for (uint32_t p = 0; p < 2; p++) {
            assert_int_equal(shw_project_count_labels(taught.project, p, counts), SHW_OK);
            all += counts[c];
        }
        snprintf(expected, sizeof expected, "%s: %u pixels", names[c], (unsigned)all);
        assert_non_null(strstr(script_output(), expected));
    }
    end();
}

TESTING_CASE(label_images_are_taken_over)
{
    struct testing_random random = {5};
    struct view view = picture_view(0);

    begin(taught.folder);
    script("teach off\noverlay none");
    testing_paint_stroke(taught.project, 0, &random);
    testing_paint_stroke(taught.project, 0, &random);
    testing_write_labels(taught.project, 0, testing_path("labels.png"));
    script("import %s", testing_path("labels.png"));
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* Pictures that are no files are written beside the project. */
TESTING_CASE(pictures_without_files_are_kept)
{
    struct shw_project *read = NULL;
    char command[2048], folder[512];
    struct shw_project_picture picture;

    snprintf(folder, sizeof folder, "%s", testing_path("scenes"));
    snprintf(command, sizeof command, "'%s' synth -q -o '%s' --count 1 --size 40x30 >/dev/null",
             getenv("SHADEWOOD_PROGRAM"), folder);
    assert_int_equal(system(command), 0);
    begin(taught.folder);
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

/* Two pictures of one name that are no files are two files; and a project that cannot be written is as it was
 * before. */
TESTING_CASE(pictures_of_one_name_are_kept_apart)
{
    struct shw_project *read = NULL;
    struct shw_image_file kept[2];
    char command[2048], folder[512];
    const char *said;

    snprintf(folder, sizeof folder, "%s", testing_path("alike"));
    for (int i = 0; i < 2; i++) {
        snprintf(command, sizeof command, "'%s' synth -q -o '%s/%d' --count 1 --size 40x30 --seed %d >/dev/null",
                 getenv("SHADEWOOD_PROGRAM"), folder, i, i);
        assert_int_equal(system(command), 0);
    }
    snprintf(command, sizeof command, "mkdir -p '%s/taken.json'", taught.folder); /* no file can be put there */
    assert_int_equal(system(command), 0);
    script("project new\nadd-class one\nteach off");
    for (int i = 0; i < 2; i++)
        script("open camera:%s/%d/00000_colors.png\nstroke one 2 %d 3", folder, i, 3 + i);
    script("save %s", file("alike.json"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_int_equal(shw_project_read(file("alike.json"), NULL, &read), SHW_OK);
    assert_int_equal(shw_project_get_picture_count(read), 2);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(shw_image_file_read(file(shw_project_get_picture(read, i).name), NULL, NULL, &kept[i]),
                         SHW_OK);
    assert_memory_not_equal(kept[0].pixels, kept[1].pixels, 40 * 30 * 3);
    for (uint32_t i = 0; i < 2; i++)
        shw_image_file_free(&kept[i]);
    shw_project_destroy(&read);

    /* the same after they were saved, also in another session; the first one is known again */
    script("project new\nadd-class one\nteach off\nopen camera:%s/0/00000_colors.png\nstroke one 2 3 3\nsave %s",
           folder, file("later.json"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    script("project %s\nteach off", file("later.json"));
    for (int i = 0; i < 4; i++)
        script("open camera:%s/%d/00000_colors.png\nstroke one 2 %d 9\nsave", folder, (i + 1) % 2, 3 + i);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_int_equal(shw_project_read(file("later.json"), NULL, &read), SHW_OK);
    assert_int_equal(shw_project_get_picture_count(read), 2);
    for (uint32_t i = 0; i < 2; i++) {
        struct shw_image_file here;
        snprintf(command, sizeof command, "%s/%u/00000_colors.png", folder, i);
        assert_int_equal(shw_image_file_read(command, NULL, NULL, &here), SHW_OK);
        assert_int_equal(shw_image_file_read(file(shw_project_get_picture(read, i).name), NULL, NULL, &kept[i]),
                         SHW_OK);
        assert_memory_equal(kept[i].pixels, here.pixels, 40 * 30 * 3);
        assert_int_equal(shw_project_get_picture(read, i).stroke_count, i == 0 ? 3 : 2);
        shw_image_file_free(&kept[i]);
        shw_image_file_free(&here);
    }
    shw_project_destroy(&read);

    script("open %s\nlabels\nsave %s", file("alike.json"), file("taken.json"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    assert_non_null(strstr(said, "taken.json"));
}

/* Numbers with a # are never names. */
TESTING_CASE(classes_may_be_called_by_numbers)
{
    script("project new\nopen %s\nadd-class 1\nadd-class 0\nteach off\nstroke #1 0 2 3\nclass #0\nlabels",
           taught.paths[0]);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_string_equal(script_output(), "1: 0 pixels\n0: 1 pixels\n");
}

/* The same files as `shadewood label` writes. */
TESTING_CASE(everything_can_be_exported)
{
    char command[4096], out[512], other[512];

    begin(taught.folder);
    paint_areas(0, 30);
    snprintf(out, sizeof out, "%s", testing_path("exported"));
    snprintf(other, sizeof other, "%s", testing_path("labelled"));
    script("wait trained\nexport forest %s\nexport labels %s\nexport probabilities %s", file("e.ktx2"), out, out);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    snprintf(command, sizeof command,
             "'%s' label -q '%s' '%s' '%s' -o '%s' --no-overlay --probabilities tiff --technique cpu >/dev/null && "
             "diff -r -x .shadewood-export.jsonl '%s' '%s'",
             getenv("SHADEWOOD_PROGRAM"), file("e.ktx2"), taught.paths[0], taught.paths[1], other, out, other);
    assert_int_equal(system(command), 0);
    end();
}

static void assert_refused(const char *before, const char *line, const char *message)
{
    const char *said;

    script("%s\n%s", before, line);
    if (run_script(64, 64, &said) != 1 || strstr(said, message) == NULL)
        fail_msg("%s: %s", line, said);
}

TESTING_CASE(what_cannot_be_done_is_told)
{
    char project[1024];

    snprintf(project, sizeof project, "project new\nopen %s\nadd-class one", taught.paths[0]);
    assert_refused("", "stroke 0 1 2 3", "no project is open");
    assert_refused("project new\nadd-class one", "stroke 0 1 2 3", "there is no picture to paint on");
    assert_refused(project, "stroke two 1 2 3", "is not a class or `eraser`");
    assert_refused(project, "stroke one 1 2", "is not a list of points");
    assert_refused(project, "stroke one 9999 2 3", "is not a class, a radius up to 1024");
    assert_refused(project, "add-class one", "one");
    assert_refused(project, "colour one green", "green is not a colour");
    assert_refused(project, "training channels many", "there is no channel kind 'many'");
    assert_refused(project, "training trees 100000", "trees");
    assert_refused(project, "training offset 100000", "offset");
    assert_refused(project, "smoothing 121", "121 is not on, off, toggle or a radius");
    assert_refused(project, "smoothing much", "much is not on, off, toggle or a radius");
    assert_refused(project, "wait small", "there is no forest to wait for");
    assert_refused(project, "teach off\nstroke one 1 2 3\nwait small", "training is paused");
    assert_refused(project, "restore", "there is no previous forest");
    assert_refused(project, "save", "the project has no file yet");
    assert_refused(project, "save picture", "project files must end with .json");
    assert_refused(project, "class #7", "there are only 1 classes");
    assert_refused(project, "uncertain", "there is no forest");
    assert_refused(project, "save /nowhere/at/all.json", "there is no such folder");
    assert_refused(project, "export forest x.ktx2", "there are no strokes of two classes");
    assert_refused("", "project /nowhere/at/all.json", "/nowhere/at/all.json");
}

TESTING_FIXTURE(open_taught, close_taught)
