/* Fuzz target: label images of a data set, of every kind that the corpus has, by values and by a palette's colours.
 * Every pixel that is read has a class or is void. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/dataset/dataset.h"
#include "files/image/image_write.h"
#include "fuzz/messages.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "testing/testing.h"

enum { WIDTH = 6, HEIGHT = 5 }; /* of the corpus */

static char root[512], label_path[600];

static void prepare(void)
{
    static const uint8_t pixels[WIDTH * HEIGHT * 3];
    struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};
    char path[600];

    if (root[0] != '\0')
        return;
    snprintf(root, sizeof root, "%s", testing_path("set"));
    mkdir(root, 0700);
    snprintf(path, sizeof path, "%s/%s.png", root, FUZZ_NAME);
    if (shw_png_write(path, &image, NULL) != SHW_OK)
        abort();
    snprintf(label_path, sizeof label_path, "%s/%s_L.png", root, FUZZ_NAME); /* its contents say what it is */
}

static void check_labels(const struct shw_dataset *dataset, const struct shw_labelled_image *example)
{
    if (example->image.width != WIDTH || example->image.height != HEIGHT || example->labels == NULL)
        abort();
    for (uint32_t p = 0; p < WIDTH * HEIGHT; p++)
        if (example->labels[p] >= dataset->class_count && example->labels[p] != SHW_LABEL_VOID)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_dataset_params params = {.images = "{}.png", .labels = "{}_L.png", .log = fuzz_log(&messages)};
    struct shw_dataset dataset = {0};
    struct shw_labelled_image example;
    enum shw_result result;

    prepare();
    params.root = root;
    fuzz_write(label_path, data, size);
    result = shw_dataset_open(&params, &dataset);
    if (result == SHW_OK) {
        result = dataset.read(dataset.user, 0, &example);
        if (result == SHW_OK) {
            check_labels(&dataset, &example);
            dataset.release(dataset.user, &example);
        }
    }
    fuzz_check(result, &messages);
    shw_dataset_close(&dataset);
    return 0;
}
