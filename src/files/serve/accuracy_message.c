#include "files/serve/accuracy_message.h"

#include <stdlib.h>

#include "files/project/project.h"

static size_t counts_of(const struct shw_accuracy *matrix)
{
    return (size_t)matrix->class_count * matrix->class_count + matrix->class_count; /* with those predicted void */
}

void shw_accuracy_pack(const struct shw_held_out *held_out, struct shw_pack *pack)
{
    const struct shw_accuracy *matrix = &held_out->matrix;

    shw_pack_u32(pack, held_out->class_count);
    shw_pack_u32(pack, held_out->folds);
    shw_pack_u32(pack, held_out->kept_pictures);
    for (uint32_t c = 0; c < held_out->class_count; c++) {
        const struct shw_held_out_class *class = &held_out->classes[c];
        shw_pack_u32(pack, class->by);
        shw_pack_u64(pack, class->pixels);
        shw_pack_u64(pack, class->right);
        shw_pack_u32(pack, class->strokes);
        shw_pack_u32(pack, class->strokes_right);
        shw_pack_u32(pack, class->painted_strokes);
    }
    shw_pack_u64(pack, matrix->void_pixels);
    shw_pack_u64(pack, matrix->void_agreed);
    for (size_t i = 0; i < counts_of(matrix); i++)
        shw_pack_u64(pack, matrix->confusion[i]);
}

static void read_class(struct shw_unpack *unpack, struct shw_held_out_class *class)
{
    const uint32_t by = shw_unpack_u32(unpack);

    unpack->failed = unpack->failed || by > SHW_HELD_OUT_KEPT;
    class->by = (enum shw_held_out_by)by;
    class->pixels = shw_unpack_u64(unpack);
    class->right = shw_unpack_u64(unpack);
    class->strokes = shw_unpack_u32(unpack);
    class->strokes_right = shw_unpack_u32(unpack);
    class->painted_strokes = shw_unpack_u32(unpack);
}

enum shw_result shw_accuracy_unpack(struct shw_unpack *unpack, struct shw_held_out *held_out)
{
    const uint32_t count = shw_unpack_u32(unpack);
    struct shw_held_out made = {.class_count = count};
    struct shw_accuracy *matrix = &made.matrix;

    made.folds = shw_unpack_u32(unpack);
    made.kept_pictures = shw_unpack_u32(unpack);
    if (count < 1 || count > SHW_PROJECT_CLASSES_MAX || unpack->left / count / sizeof(uint64_t) < count)
        return SHW_ERROR_FORMAT;
    made.classes = calloc(count, sizeof *made.classes);
    if (made.classes == NULL || shw_accuracy_create(matrix, count, NULL) != SHW_OK) {
        free(made.classes);
        return SHW_ERROR_MEMORY;
    }
    for (uint32_t c = 0; c < count; c++)
        read_class(unpack, &made.classes[c]);
    matrix->void_pixels = shw_unpack_u64(unpack);
    matrix->void_agreed = shw_unpack_u64(unpack);
    for (size_t i = 0; i < counts_of(matrix) && !unpack->failed; i++)
        matrix->confusion[i] = shw_unpack_u64(unpack);
    if (!shw_unpack_ended(unpack)) {
        shw_held_out_free(&made);
        return SHW_ERROR_FORMAT;
    }
    *held_out = made;
    return SHW_OK;
}
