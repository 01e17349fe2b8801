#include "painted_project.h"

#include <string.h>

const uint8_t grey[3] = {128, 128, 128};

struct shw_project *make_project(uint32_t classes)
{
    static struct testing_log memory;
    static const char *const names[] = {"sky", "grass", "road", "tree", "sea"};
    struct shw_log log = testing_log(&memory);
    struct shw_project *project = NULL;

    log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_project_create(&log, &project), SHW_OK);
    for (uint32_t c = 0; c < classes; c++)
        assert_int_equal(shw_project_add_class(project, names[c], grey), SHW_OK);
    return project;
}

uint32_t add_picture(struct shw_project *project, const char *name, uint32_t width, uint32_t height)
{
    uint32_t picture = UINT32_MAX;

    assert_int_equal(shw_project_find_picture(project, name, width, height, &picture), SHW_OK);
    return picture;
}

uint64_t hash_all(struct shw_project *project)
{
    uint64_t hash = 7;

    for (uint32_t i = 0; i < shw_project_get_picture_count(project); i++) {
        struct shw_project_picture info = shw_project_get_picture(project, i);
        const uint16_t *labels;

        labels = testing_labels(project, i);
        hash = hash * 31 + testing_hash(labels, (size_t)info.width * info.height * sizeof *labels);
    }
    for (uint32_t c = 0; c < shw_project_get_class_count(project); c++) {
        const struct shw_project_class *shown = shw_project_get_class(project, c);

        hash = hash * 31 + testing_hash(shown->name, strlen(shown->name));
        hash = hash * 31 + testing_hash(shown->colour, 3);
    }
    return hash;
}
