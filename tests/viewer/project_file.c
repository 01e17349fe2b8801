/* The file of a project: what others have changed since it was read is kept. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/io/output_files.h"
#include "teach/autosave_project.h"
#include "teach/project_file.h"
#include "testing/testing.h"

static const uint8_t grey[3] = {90, 90, 90};

static void write_with_class(const char *path, const char *class)
{
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_create(NULL, &project), SHW_OK);
    assert_int_equal(shw_project_add_class(project, class, grey), SHW_OK);
    assert_int_equal(shw_project_write(project, path), SHW_OK);
    shw_project_destroy(&project);
}

static const char *first_class(const char *path)
{
    static char name[64];
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_read(path, NULL, &project), SHW_OK);
    snprintf(name, sizeof name, "%s", shw_project_get_class(project, 0)->name);
    shw_project_destroy(&project);
    return name;
}

static enum shw_result save(struct view_project *project, const char *path, bool overwrite, struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);
    struct shw_output_files files = {.overwrite = overwrite, .hint = "the word", .log = log};
    enum shw_result result = view_project_write(project, path, &files, &log);

    shw_output_files_free(&files);
    return result;
}

TESTING_CASE(changes_of_others_are_kept)
{
    char path[512], other[512], link[512];
    struct view_project project;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    snprintf(path, sizeof path, "%s", testing_path("shared.json"));
    snprintf(other, sizeof other, "%s", testing_path("other.json"));
    snprintf(link, sizeof link, "%s", testing_path("link.json"));
    write_with_class(path, "first");
    assert_int_equal(symlink(path, link), 0);
    assert_int_equal(view_project_read(path, &log, &project), SHW_OK);
    assert_int_equal(save(&project, NULL, false, &memory), SHW_OK); /* nobody has changed it */
    assert_int_equal(save(&project, path, false, &memory), SHW_OK); /* but we */

    write_with_class(path, "of another program");
    assert_true(view_project_is_changed_elsewhere(&project));
    assert_int_equal(save(&project, NULL, false, &memory), SHW_ERROR_IO);
    assert_non_null(strstr(memory.last, "shared.json was changed by another program"));
    assert_non_null(strstr(memory.last, "the word"));
    assert_int_equal(save(&project, link, false, &memory), SHW_ERROR_IO);
    assert_string_equal(first_class(path), "of another program");

    assert_int_equal(save(&project, other, false, &memory), SHW_OK); /* it is the project's file from then on */
    assert_string_equal(first_class(other), "first");
    assert_string_equal(first_class(path), "of another program");
    write_with_class(other, "again");
    assert_int_equal(save(&project, NULL, true, &memory), SHW_OK); /* on purpose */
    assert_string_equal(first_class(other), "first");
    assert_int_equal(unlink(other), 0);
    assert_int_equal(save(&project, NULL, false, &memory), SHW_OK);
    view_project_close(&project);
}

/* A project file with a stroke on each of these pictures. */
static void write_pictures(const char *path, const char *const *names, uint32_t count)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    fputs(
        "{\"format\": \"shadewood-project\", \"version\": 1, \"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}], "
        "\"pictures\": [",
        file);
    for (uint32_t p = 0; p < count; p++)
        fprintf(file,
                "%s{\"name\": \"%s\", \"width\": 8, \"height\": 8, \"strokes\": [{\"class\": 0, \"radius\": 1, "
                "\"points\": [2, 3]}]}",
                p > 0 ? ", " : "", names[p]);
    fputs("]}", file);
    assert_int_equal(fclose(file), 0);
}

static bool is_same_file(const char *folder, const char *name, const char *file)
{
    struct stat one, other;
    char path[1100];

    snprintf(path, sizeof path, "%s%s", name[0] == '/' ? "" : folder, name);
    return stat(path, &one) == 0 && stat(file, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Writes work/ph/p.png, of which work/link and far are links, and elsewhere/. */
static void make_tree(char work[512], char far[512], char elsewhere[512])
{
    char command[4096];

    snprintf(work, 512, "%s/", testing_path("work"));
    snprintf(far, 512, "%s/", testing_path("far"));
    snprintf(elsewhere, 512, "%s/", testing_path("elsewhere"));
    snprintf(command, sizeof command,
             "mkdir -p '%sph' '%s' && cd '%s' && ln -sfn ph link && ln -sfn work ../far && echo p >ph/p.png && ln -sf "
             "p.png ph/same.png",
             work, elsewhere, work);
    assert_int_equal(system(command), 0);
}

/* A picture is known under all paths of its file, and can be saved whatever it is called. */
TESTING_CASE(pictures_are_known_by_all_paths)
{
    const char *const forms[] = {"ph/p.png",   "./ph/p.png",       "ph//p.png",       "link/../ph/p.png",
                                 "link/p.png", "../work/ph/p.png", "../far/ph/p.png", "%sph/p.png"};
    char work[512], far[512], elsewhere[512], path[600], other[600], given[3][600];
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    make_tree(work, far, elsewhere);
    snprintf(path, sizeof path, "%sp.json", work);
    snprintf(other, sizeof other, "%sp.json", elsewhere);
    snprintf(given[0], sizeof given[0], "%sph/p.png", work);
    snprintf(given[1], sizeof given[1], "%sph/p.png", far);
    snprintf(given[2], sizeof given[2], "%slink/p.png", work);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char form[600];
        const char *stored = form;
        struct view_project project;
        snprintf(form, sizeof form, forms[i], work);
        write_pictures(path, &stored, 1);
        assert_int_equal(view_project_read(path, &log, &project), SHW_OK);
        for (uint32_t g = 0; g < 3; g++) {
            char *name = view_project_picture_name(&project, given[g]);
            if (strcmp(name, form) != 0)
                fail_msg("%s is called %s, not %s", given[g], name, form);
            free(name);
        }
        assert_int_equal(save(&project, NULL, false, &memory), SHW_OK);
        assert_string_equal(shw_project_get_picture(project.data, 0).name, form[0] == '/' ? "ph/p.png" : form);
        assert_int_equal(save(&project, other, false, &memory), SHW_OK);
        assert_true(is_same_file(elsewhere, shw_project_get_picture(project.data, 0).name, given[0]));
        view_project_close(&project);
        assert_int_equal(unlink(other), 0);
    }
}

/* Of a file that has several names in a project, all can be saved. */
TESTING_CASE(several_names_of_a_file_are_kept)
{
    char work[512], far[512], elsewhere[512], path[600], other[600], absolute[600];
    const char *const names[] = {"./ph/p.png", "ph/p.png", absolute, "link/p.png", "ph/same.png"};
    enum { COUNT = sizeof names / sizeof *names };
    struct view_project project;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    make_tree(work, far, elsewhere);
    snprintf(path, sizeof path, "%stwice.json", work);
    snprintf(other, sizeof other, "%stwice.json", elsewhere);
    snprintf(absolute, sizeof absolute, "%sph/p.png", work);
    write_pictures(path, names, COUNT);
    for (int again = 0; again < 2; again++) {
        const char *folder = again == 0 ? work : elsewhere;
        assert_int_equal(view_project_read(path, &log, &project), SHW_OK);
        assert_int_equal(save(&project, again == 0 ? NULL : other, false, &memory), SHW_OK);
        view_project_close(&project);
        assert_int_equal(view_project_read(again == 0 ? path : other, &log, &project), SHW_OK);
        assert_int_equal(shw_project_get_picture_count(project.data), COUNT);
        for (uint32_t p = 0; p < COUNT; p++)
            assert_true(is_same_file(folder, shw_project_get_picture(project.data, p).name, absolute));
        view_project_close(&project);
    }
}

/* Which project is open is written into the lock for other viewers once, however its path was given. */
TESTING_CASE(open_projects_are_noted_once)
{
    const struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    char copies[512], pattern[600], noted[600] = "";
    struct view_autosave *autosave = NULL;
    struct view_project project;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct stat status;
    glob_t locks;
    FILE *lock;

    snprintf(copies, sizeof copies, "%s", testing_path("copies"));
    snprintf(pattern, sizeof pattern, "%s/*/lock", copies);
    assert_int_equal(chdir(testing_path(".")), 0);
    write_with_class("relative.json", "first");
    assert_int_equal(view_project_read("relative.json", &log, &project), SHW_OK);
    assert_int_equal(view_autosave_create(&view_project_autosave, copies, &log, &autosave), SHW_OK);
    view_autosave_update(autosave, &project, 1.0);
    assert_int_equal(glob(pattern, 0, NULL, &locks), 0);
    assert_int_equal(utimensat(AT_FDCWD, locks.gl_pathv[0], past, 0), 0);
    view_autosave_update(autosave, &project, 2.0);
    assert_int_equal(stat(locks.gl_pathv[0], &status), 0);
    assert_int_equal(status.st_mtime, 1000);
    lock = fopen(locks.gl_pathv[0], "r");
    assert_non_null(lock);
    assert_non_null(fgets(noted, sizeof noted, lock));
    fclose(lock);
    assert_true(noted[0] == '/' && strstr(noted, "relative.json") != NULL);
    globfree(&locks);
    view_project_close(&project);
    view_autosave_update(autosave, &project, 3.0);
    view_autosave_destroy(&autosave, false);
}
