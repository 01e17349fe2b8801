/* Feature types and channel kinds of a project's own are compiled and run by the trainer, if it may. */
#include "serving.h"

#include <stdlib.h>
#include <string.h>

#include "files/code/code.h"
#include "files/project/project_texts.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36 };

static const char text[] = "//!CHANNEL darkness\n//!OUTPUT darkness\n//!REACH 0\n//!MAXIMUM 4080\n"
                           "int darkness()\n{\n    return 4080 - luma(0, 0);\n}\n";

/* Code of the project's own runs where that was allowed. */
TESTING_CASE(code_of_the_project)
{
    const struct shw_log log = heard_log();
    const struct shw_teacher_watch watch = {NULL};
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote;
    struct shw_training_set *set;
    struct shw_forest *forest = NULL;
    struct shw_code_made made;
    struct shw_teacher teacher;

    setenv("XDG_CACHE_HOME", testing_path("cache"), 1);
    assert_int_equal(shw_code_make("darkness.glsl", text, sizeof text - 1, SHW_CODE_RUN, &log, &made), SHW_OK);
    assert_int_equal(shw_project_put_text(project, "darkness.glsl", &made), SHW_OK);
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, 20);
    remote = connect_to(serve_command("--trust-code"));
    assert_same_forests(remote, project, true);
    shw_remote_destroy(&remote, 5);

    remote = connect_to(serve_command(""));
    teacher = shw_remote_teacher(remote);
    set = set_of(project);
    heard.errors = 0;
    assert_int_equal(shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, &forest, NULL), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(heard.last, "--trust-code"));
    assert_true(shw_remote_is_connected(remote)); /* and goes on without it */
    shw_project_remove_text(project, 0);
    assert_same_forests(remote, project, false);
    shw_training_set_destroy(&set);
    shw_remote_destroy(&remote, 5);
    shw_project_destroy(&project);
}
