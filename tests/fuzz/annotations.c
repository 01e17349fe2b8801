/* Fuzz target: files of annotated rectangles. */
#include <stdlib.h>

#include "files/dataset/annotations.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_annotations annotations = {0};
    enum shw_result result = shw_annotations_decode(data, size, FUZZ_NAME, "folder", NULL, &log, &annotations);
    uint32_t objects = 0;

    fuzz_check(result, &messages);
    for (uint32_t i = 0; i < annotations.image_count; i++) {
        const struct shw_annotated_image *image = &annotations.images[i];

        if (image->first_object != objects || image->name[0] == '\0')
            abort();
        objects += image->object_count;
    }
    for (uint32_t i = 0; i < annotations.object_count; i++) {
        const struct shw_annotated_object *object = &annotations.objects[i];

        if (object->width == 0 || object->width > SHW_ANNOTATION_MAX || object->height == 0 ||
            object->height > SHW_ANNOTATION_MAX ||
            (object->label != SHW_NO_OBJECT_LABEL && object->label >= annotations.label_count))
            abort();
    }
    if (objects != annotations.object_count)
        abort();
    shw_annotations_free(&annotations);
    return 0;
}
