#include "files/image/tiff_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "files/image/resolution.h"
#include "files/image/tiff.h"
#include "files/io/image_paths.h"

#define TAG_PIXEL_SCALE   33550
#define TAG_KEY_DIRECTORY 34735
#define KEY_MODEL_TYPE    1024
#define KEY_LINEAR_UNITS  3076
#define MODEL_PROJECTED   1
#define UNITS_METRES      9001
#define CENTIMETRE        1e4 /* in micrometres */

/* The tags of GeoTIFF 1.1 (OGC 19-008r4). */
static const TIFFFieldInfo tags[SHW_TIFF_PLACE_TAGS] = {
    {TAG_PIXEL_SCALE, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1,
     (char *)(uintptr_t) "ModelPixelScale"},
    {33922, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelTiepoint"},
    {34264, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "ModelTransformation"},
    {TAG_KEY_DIRECTORY, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_SHORT, FIELD_CUSTOM, 1, 1,
     (char *)(uintptr_t) "GeoKeyDirectory"},
    {34736, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoDoubleParams"},
    {34737, TIFF_VARIABLE2, TIFF_VARIABLE2, TIFF_ASCII, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "GeoAsciiParams"}};

static size_t size_of(TIFFDataType type)
{
    return type == TIFF_DOUBLE ? sizeof(double) : type == TIFF_SHORT ? sizeof(uint16_t) : 1;
}

/* The values of a tag in the directory, if they are of its type; NULL: it is not there. */
static const void *find_tag(TIFF *tiff, const TIFFFieldInfo *tag, uint32_t *count)
{
    const TIFFField *field = TIFFFindField(tiff, tag->field_tag, TIFF_ANY);
    const void *values = NULL;
    uint16_t few = 0;

    *count = 0;
    if (field == NULL || TIFFFieldDataType(field) != tag->field_type || TIFFFieldPassCount(field) == 0)
        return NULL;
    if (TIFFFieldReadCount(field) == TIFF_VARIABLE2)
        return TIFFGetField(tiff, tag->field_tag, count, &values) != 0 ? values : NULL;
    if (TIFFFieldReadCount(field) != TIFF_VARIABLE || TIFFGetField(tiff, tag->field_tag, &few, &values) == 0)
        return NULL;
    *count = few;
    return values;
}

static void read_tags(TIFF *tiff, struct shw_tiff_place *place)
{
    uint16_t orientation = ORIENTATION_TOPLEFT;

    TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
    if (orientation != ORIENTATION_TOPLEFT || TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &place->width) == 0 ||
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &place->height) == 0)
        return;
    for (uint32_t t = 0; t < SHW_TIFF_PLACE_TAGS; t++) {
        uint32_t count;
        const void *values = find_tag(tiff, &tags[t], &count);
        size_t size = count * size_of(tags[t].field_type);
        if (values == NULL || count == 0)
            continue;
        place->tags[t].values = malloc(size);
        place->tags[t].count = count;
        if (place->tags[t].values != NULL)
            memcpy(place->tags[t].values, values, size);
    }
}

void shw_tiff_place_read(const char *path, struct shw_tiff_place *place)
{
    struct shw_tiff_memory memory = {.stream = NULL};
    uint32_t page, image;
    char *file = shw_image_file_of(path, &page);
    TIFF *tiff = NULL;

    *place = (struct shw_tiff_place){0};
    if (file != NULL && shw_file_open(file, NULL, &memory.stream, &memory.size) == SHW_OK)
        tiff = shw_tiff_open(&memory, path, "rm");
    if (tiff != NULL && shw_tiff_go_to_page(tiff, page > 0 ? page : 1, &image)) {
        read_tags(tiff, place);
        place->micrometres = shw_image_pixel_size(path);
    }
    shw_tiff_close(tiff, &memory);
    if (memory.stream != NULL)
        fclose(memory.stream);
    free(file);
}

void shw_tiff_place_free(struct shw_tiff_place *place)
{
    for (uint32_t t = 0; t < SHW_TIFF_PLACE_TAGS; t++)
        free(place->tags[t].values);
    *place = (struct shw_tiff_place){0};
}

bool shw_tiff_place_write(TIFF *tiff, uint32_t width, uint32_t height, const struct shw_tiff_place *place)
{
    bool fine = true;

    if (place->width != width || place->height != height)
        return true;
    TIFFMergeFieldInfo(tiff, tags, SHW_TIFF_PLACE_TAGS);
    for (uint32_t t = 0; t < SHW_TIFF_PLACE_TAGS && fine; t++)
        if (place->tags[t].values != NULL)
            fine = TIFFSetField(tiff, tags[t].field_tag, place->tags[t].count, place->tags[t].values) != 0;
    if (fine && place->micrometres > 0)
        fine = TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_CENTIMETER) != 0 &&
               TIFFSetField(tiff, TIFFTAG_XRESOLUTION, CENTIMETRE / place->micrometres) != 0 &&
               TIFFSetField(tiff, TIFFTAG_YRESOLUTION, CENTIMETRE / place->micrometres) != 0;
    return fine;
}

double shw_tiff_place_side(TIFF *tiff)
{
    uint32_t count, key_count;
    const double *scale = find_tag(tiff, &tags[0], &count);
    const uint16_t *keys = find_tag(tiff, &tags[3], &key_count);
    uint32_t model = 0, units = UNITS_METRES;

    if (scale == NULL || count < 2 || keys == NULL || !(scale[0] > 0) || scale[0] < scale[1] || scale[0] > scale[1])
        return 0;
    for (uint32_t k = 4; k + 3 < key_count; k += 4) /* key, where its value is, count, value */
        if (keys[k + 1] == 0 && keys[k] == KEY_MODEL_TYPE)
            model = keys[k + 3];
        else if (keys[k + 1] == 0 && keys[k] == KEY_LINEAR_UNITS)
            units = keys[k + 3];
    return model == MODEL_PROJECTED && units == UNITS_METRES ? scale[0] * 1e6 : 0;
}
