#include "files/convert/nyu.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/api.h>

#include "base/array.h"
#include "base/class.h"
#include "base/log.h"

/* MAT-files of version 7.3, which are HDF5: arrays with the columns one after the other, whose dimensions HDF5 has in
 * the opposite order. */

/* A set of data in the file, with one array per frame. */
struct mat_array {
    hid_t set;
    int rank;
    hsize_t sizes[4]; /* the slowest first: frames, (samples,) columns, rows */
};

#define CHUNK_MAX   ((hsize_t)1 << 28) /* bytes that are decompressed at a time */
#define CACHE_MAX   ((size_t)1 << 29)
#define NAMES_MAX   65534u
#define LETTERS_MAX 255u

static enum shw_result fail(const char *path, const char *name, const char *reason, const struct shw_log *log)
{
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "cannot read %s: \"%s\" %s", path, name, reason);
}

/* Opens an array of the file itself: MATLAB writes neither links nor arrays whose values are in other files, which a
 * file could name to have them read. */
static enum shw_result open_own(hid_t file, const char *path, const char *name, const struct shw_log *log, hid_t *set)
{
    H5L_info_t link;
    hid_t list;
    int files;

    *set = -1;
    if (H5Lget_info(file, name, &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD)
        return fail(path, name, "is a link", log);
    *set = H5Dopen2(file, name, H5P_DEFAULT);
    if (*set < 0)
        return fail(path, name, "is not an array, or is damaged", log);
    list = H5Dget_create_plist(*set);
    files = list >= 0 ? H5Pget_external_count(list) : -1;
    if (list >= 0)
        H5Pclose(list);
    if (files == 0)
        return SHW_OK;
    H5Dclose(*set);
    *set = -1;
    return fail(path, name, "has its values in other files", log);
}

/* Chunks may hold parts of several frames: what a frame needs of them stays in memory, so that none is decompressed
 * once for each frame. Returns the bytes, 0 where the data are not in chunks, or SIZE_MAX where they are too large. */
static size_t find_cache_size(hid_t set, int rank, const hsize_t *sizes, size_t value_size)
{
    hsize_t chunk[4] = {0}, bytes = value_size, count = 1;
    hid_t list = H5Dget_create_plist(set);
    const bool chunked = list >= 0 && H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, 4, chunk) == rank;

    if (list >= 0)
        H5Pclose(list);
    for (int d = 0; chunked && d < rank; d++) {
        if (chunk[d] == 0 || chunk[d] > CHUNK_MAX || (bytes *= chunk[d]) > CHUNK_MAX)
            return SIZE_MAX;
        const hsize_t chunks = d == 0 ? 1 : sizes[d] / chunk[d] + (sizes[d] % chunk[d] > 0);
        if (chunks > CACHE_MAX / count)
            return SIZE_MAX;
        count *= chunks > 0 ? chunks : 1;
    }
    if (!chunked)
        return 0;
    return count * bytes < CACHE_MAX ? (size_t)(count * bytes) : CACHE_MAX;
}

/* How many chunks the file has; the announced number if the library cannot say and there is something. */
static hsize_t count_chunks(hid_t set, hsize_t announced)
{
#if H5_VERSION_GE(1, 10, 5)
    hid_t space = H5Dget_space(set);
    hsize_t count = 0;
    bool fine = space >= 0 && H5Dget_num_chunks(set, space, &count) >= 0;

    (void)announced;
    if (space >= 0)
        H5Sclose(space);
    return fine ? count : 0;
#else
    return H5Dget_storage_size(set) > 0 ? announced : 0;
#endif
}

/* A file of 2 kB can announce terabytes that nobody has written; they would be read as zeros, one by one. */
static enum shw_result check_storage(hid_t set, int rank, const hsize_t *sizes, const char *path, const char *name,
                                     const struct shw_log *log)
{
    hsize_t chunk[4] = {0}, announced = 1, found;
    hid_t list = H5Dget_create_plist(set);
    const bool chunked = list >= 0 && H5Pget_layout(list) == H5D_CHUNKED && H5Pget_chunk(list, 4, chunk) == rank;

    if (list >= 0)
        H5Pclose(list);
    for (int d = 0; chunked && d < rank; d++) {
        const hsize_t chunks = chunk[d] > 0 ? sizes[d] / chunk[d] + (sizes[d] % chunk[d] > 0) : 0;
        if (chunks > UINT64_MAX / (announced > 0 ? announced : 1))
            return fail(path, name, "has too many chunks", log);
        announced *= chunks;
    }
    if (!chunked)
        return H5Dget_storage_size(set) > 0 ? SHW_OK : fail(path, name, "was never written to the file", log);
    found = count_chunks(set, announced);
    return found >= announced ? SHW_OK
                              : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                         "cannot read %s: \"%s\" announces %llu chunks, of which the file has %llu",
                                         path, name, (unsigned long long)announced, (unsigned long long)found);
}

/* Opens the set again with such a cache. */
static hid_t open_cached(hid_t file, const char *name, size_t bytes)
{
    hid_t list = H5Pcreate(H5P_DATASET_ACCESS), set;

    if (list < 0)
        return -1;
    H5Pset_chunk_cache(list, 12421, bytes, 1.0);
    set = H5Dopen2(file, name, list);
    H5Pclose(list);
    return set;
}

static enum shw_result check_type(hid_t set, H5T_class_t wanted, size_t size, const char *path, const char *name,
                                  const struct shw_log *log, size_t *found)
{
    hid_t type = H5Dget_type(set);
    const bool fits = type >= 0 && H5Tget_class(type) == wanted && H5Tget_size(type) > 0 && H5Tget_size(type) <= size;

    *found = type >= 0 ? H5Tget_size(type) : 0;
    if (type >= 0)
        H5Tclose(type);
    return fits ? SHW_OK : fail(path, name, "has values of another type", log);
}

static enum shw_result find_sizes(hid_t set, int rank, const char *path, const char *name, const struct shw_log *log,
                                  hsize_t *sizes)
{
    hid_t space = H5Dget_space(set);
    const bool fits = space >= 0 && H5Sget_simple_extent_ndims(space) == rank &&
                      H5Sget_simple_extent_dims(space, sizes, NULL) == rank;

    if (space >= 0)
        H5Sclose(space);
    return fits ? SHW_OK : fail(path, name, "has another number of dimensions", log);
}

static void mat_close(struct mat_array *array)
{
    if (array->set >= 0)
        H5Dclose(array->set);
    array->set = -1;
}

/* Opens a set of `rank` dimensions whose values are of that class, H5T_INTEGER or H5T_FLOAT, and of at most `size`
 * bytes, all of which must be in the file; -1 in array->set: there is none, which is only fine where it is not
 * `needed`. Errors: FORMAT, LIMIT. */
static enum shw_result mat_open(hid_t file, const char *path, const char *name, int rank, H5T_class_t type, size_t size,
                                bool needed, const struct shw_log *log, struct mat_array *array)
{
    size_t value_size, cache;
    enum shw_result result = SHW_OK;

    *array = (struct mat_array){.set = -1, .rank = rank};
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return needed ? fail(path, name, "is missing", log) : SHW_OK;
    SHW_PROPAGATE(open_own(file, path, name, log, &array->set));
    SHW_TRY(find_sizes(array->set, rank, path, name, log, array->sizes));
    SHW_TRY(check_type(array->set, type, size, path, name, log, &value_size));
    SHW_TRY(check_storage(array->set, rank, array->sizes, path, name, log));
    cache = find_cache_size(array->set, rank, array->sizes, value_size);
    if (cache == SIZE_MAX)
        SHW_TRY(shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                         "cannot read %s: \"%s\" has chunks of more than 256 MiB, or too many", path, name));
    if (cache > 0) {
        H5Dclose(array->set);
        array->set = open_cached(file, name, cache);
        if (array->set < 0)
            SHW_TRY(fail(path, name, "is damaged", log));
    }
fail:
    if (result != SHW_OK)
        mat_close(array);
    return result;
}

/* Reads that of a frame into memory of the type. Errors: FORMAT. */
static enum shw_result mat_read(const struct mat_array *array, uint32_t frame, hid_t type, void *values,
                                const char *path, const char *name, const struct shw_log *log)
{
    const hsize_t first[4] = {frame};
    hsize_t sizes[4];
    hid_t space = H5Dget_space(array->set), memory;
    bool fine;

    memcpy(sizes, array->sizes, sizeof sizes);
    sizes[0] = 1;
    memory = H5Screate_simple(array->rank, sizes, NULL);
    fine = space >= 0 && memory >= 0 && H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, sizes, NULL) >= 0 &&
           H5Dread(array->set, type, memory, space, H5P_DEFAULT, values) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    return fine ? SHW_OK
                : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                           "cannot read %s: \"%s\" of frame %u is damaged or truncated", path, name, frame + 1);
}

/* Letters of 16 bits, of MATLAB, as UTF-8. */
static void encode_text(const uint16_t *letters, size_t count, char *text)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t letter = letters[i];
        if ((letter & 0xfc00) == 0xd800 && i + 1 < count && (letters[i + 1] & 0xfc00) == 0xdc00)
            letter = 0x10000 + ((letter & 0x3ff) << 10) + (letters[++i] & 0x3ffu);
        if (letter < 0x80) {
            *text++ = (char)letter;
            continue;
        }
        if (letter < 0x800) {
            *text++ = (char)(0xc0 | letter >> 6);
        } else {
            if (letter < 0x10000) {
                *text++ = (char)(0xe0 | letter >> 12);
            } else {
                *text++ = (char)(0xf0 | letter >> 18);
                *text++ = (char)(0x80 | (letter >> 12 & 63));
            }
            *text++ = (char)(0x80 | (letter >> 6 & 63));
        }
        *text++ = (char)(0x80 | (letter & 63));
    }
    *text = '\0';
}

/* The text of a cell, to be freed with free(); NULL if it is none that can name a class. */
static char *read_text(hid_t set)
{
    uint16_t letters[LETTERS_MAX];
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    char *text = NULL;

    if (type >= 0 && H5Tget_class(type) == H5T_INTEGER && count > 0 && count <= (hssize_t)LETTERS_MAX &&
        H5Dread(set, H5T_NATIVE_UINT16, H5S_ALL, H5S_ALL, H5P_DEFAULT, letters) >= 0) {
        text = malloc(3 * (size_t)count + 1);
        if (text != NULL)
            encode_text(letters, (size_t)count, text);
    }
    if (text != NULL && !shw_class_name_is_valid(text)) {
        free(text);
        text = NULL;
    }
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return text;
}

static char *read_cell(hid_t file, const hobj_ref_t *reference)
{
    H5O_type_t type;
    hid_t set;
    char *text;

    if (H5Rget_obj_type2(file, H5R_OBJECT, reference, &type) < 0 || type != H5O_TYPE_DATASET)
        return NULL;
    set = H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, reference);
    if (set < 0)
        return NULL;
    text = read_text(set);
    H5Dclose(set);
    return text;
}

static enum shw_result read_cells(hid_t file, hid_t set, const char *path, const char *name, const struct shw_log *log,
                                  struct shw_label_names *names)
{
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t count = space >= 0 ? H5Sget_simple_extent_npoints(space) : -1;
    hobj_ref_t *references = NULL;
    enum shw_result result = SHW_OK;

    if (type < 0 || H5Tequal(type, H5T_STD_REF_OBJ) <= 0 || count <= 0 || count > (hssize_t)NAMES_MAX)
        SHW_TRY(fail(path, name, "is not a list of texts", log));
    references = calloc((size_t)count, sizeof *references);
    if (references == NULL || !SHW_RESERVE(names->list, names->capacity, (size_t)count))
        SHW_TRY(shw_fail_memory(log, path));
    if (H5Dread(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references) < 0)
        SHW_TRY(fail(path, name, "is damaged", log));
    for (uint32_t i = 0; i < (uint32_t)count; i++) {
        char *text = read_cell(file, &references[i]);
        if (text == NULL)
            SHW_TRY(shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                             "cannot read %s: text %u of \"%s\" cannot be the name of a class", path, i + 1, name));
        names->list[names->count++] = (struct shw_label_name){i + 1, text};
    }
fail:
    free(references);
    if (type >= 0)
        H5Tclose(type);
    if (space >= 0)
        H5Sclose(space);
    return result;
}

/* Reads the texts of a list of cells, the first of which names label 1. Errors: FORMAT, LIMIT, MEMORY. */
static enum shw_result mat_read_names(hid_t file, const char *path, const char *name, const struct shw_log *log,
                                      struct shw_label_names *names)
{
    hid_t set;
    enum shw_result result;

    *names = (struct shw_label_names){0};
    if (H5Lexists(file, name, H5P_DEFAULT) <= 0)
        return SHW_OK;
    SHW_PROPAGATE(open_own(file, path, name, log, &set));
    result = read_cells(file, set, path, name, log, names);
    H5Dclose(set);
    if (result != SHW_OK)
        shw_label_names_free(names);
    return result;
}

#define FRAMES_MAX 1000000u
#define PIXELS_MAX (UINT32_C(1) << 24) /* of a frame: what a small file may make us allocate */

/* A frame is held as values of its file, and as a frame, with the columns exchanged for rows. */
struct labelled_set {
    const struct shw_source_params *params;
    hid_t file;
    struct mat_array images, depths, labels;
    const char *depth_name;
    uint32_t count, width, height;
    struct shw_label_names names;
    char (*frame_names)[16];
    void *values; /* of the array of a frame that is being read */
};

static void close_set(void *source)
{
    struct labelled_set *set = source;

    mat_close(&set->images);
    mat_close(&set->depths);
    mat_close(&set->labels);
    if (set->file >= 0)
        H5Fclose(set->file);
    shw_label_names_free(&set->names);
    free(set->frame_names);
    free(set->values);
    free(set);
}

/* Other arrays must have the frames, columns and rows of the images. */
static enum shw_result check_sizes(const struct labelled_set *set, const struct mat_array *array, const char *name)
{
    const struct shw_log *log = &set->params->log;

    if (array->set < 0 ||
        (array->sizes[0] == set->count && array->sizes[1] == set->width && array->sizes[2] == set->height))
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "cannot read %s: \"%s\" has %llu arrays of %llu x %llu, but there are %u images of %u x %u pixels",
                    set->params->path, name, (unsigned long long)array->sizes[0], (unsigned long long)array->sizes[1],
                    (unsigned long long)array->sizes[2], set->count, set->width, set->height);
}

static enum shw_result open_arrays(struct labelled_set *set)
{
    const char *path = set->params->path;
    const struct shw_log *log = &set->params->log;
    const hsize_t *sizes = set->images.sizes;

    SHW_PROPAGATE(mat_open(set->file, path, "images", 4, H5T_INTEGER, 1, true, log, &set->images));
    if (sizes[0] == 0 || sizes[0] > FRAMES_MAX || sizes[1] != 3 || sizes[2] == 0 || sizes[2] > SHW_IMAGE_SIZE_MAX ||
        sizes[3] == 0 || sizes[3] > SHW_IMAGE_SIZE_MAX || sizes[2] * sizes[3] > PIXELS_MAX)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "cannot read %s: \"images\" has the dimensions %llu x %llu x %llu x %llu, which are not rows x "
                        "columns x 3 x frames",
                        path, (unsigned long long)sizes[3], (unsigned long long)sizes[2], (unsigned long long)sizes[1],
                        (unsigned long long)sizes[0]);
    set->count = (uint32_t)sizes[0];
    set->width = (uint32_t)sizes[2];
    set->height = (uint32_t)sizes[3];
    set->depth_name = set->params->raw_depth ? "rawDepths" : "depths";
    SHW_PROPAGATE(mat_open(set->file, path, set->depth_name, 3, H5T_FLOAT, 8, true, log, &set->depths));
    SHW_PROPAGATE(check_sizes(set, &set->depths, set->depth_name));
    SHW_PROPAGATE(mat_open(set->file, path, "labels", 3, H5T_INTEGER, 2, false, log, &set->labels));
    return check_sizes(set, &set->labels, "labels");
}

static enum shw_result open_file(struct labelled_set *set)
{
    const char *path = set->params->path;
    const struct shw_log *log = &set->params->log;

    SHW_PROPAGATE(shw_mat_signature_check(path, log));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its messages are ours */
    set->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (set->file < 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "cannot read %s: it is not a MAT-file of version 7.3 (HDF5), or is truncated", path);
    SHW_PROPAGATE(open_arrays(set));
    if (set->labels.set >= 0)
        SHW_PROPAGATE(mat_read_names(set->file, path, "names", log, &set->names));
    return SHW_OK;
}

/* Frames are numbered from 1, as MATLAB does and lists of them. */
static enum shw_result allocate(struct labelled_set *set)
{
    set->frame_names = malloc(set->count * sizeof *set->frame_names);
    set->values = malloc((size_t)set->width * set->height * sizeof(float));
    if (set->frame_names == NULL || set->values == NULL)
        return shw_fail_memory(&set->params->log, set->params->path);
    for (uint32_t i = 0; i < set->count; i++)
        snprintf(set->frame_names[i], sizeof *set->frame_names, "%04u", i + 1);
    return SHW_OK;
}

static enum shw_result open_set(const struct shw_source_params *params, void **source)
{
    struct labelled_set *set = calloc(1, sizeof *set);
    enum shw_result result;

    if (set == NULL)
        return shw_fail_memory(&params->log, params->path);
    set->params = params;
    set->file = set->images.set = set->depths.set = set->labels.set = -1;
    SHW_TRY(open_file(set));
    SHW_TRY(allocate(set));
    *source = set;
    return SHW_OK;

fail:
    close_set(set);
    return result;
}

static uint32_t count_frames(const void *source)
{
    return ((const struct labelled_set *)source)->count;
}

static bool has_labels(const void *source)
{
    return ((const struct labelled_set *)source)->labels.set >= 0;
}

static const struct shw_label_names *get_names(const void *source)
{
    return &((const struct labelled_set *)source)->names;
}

static const char *frame_name(const void *source, uint32_t index)
{
    return ((const struct labelled_set *)source)->frame_names[index];
}

static void visit_files(const void *source, uint32_t index, void (*visit)(void *user, const char *path), void *user)
{
    (void)index;
    visit(user, ((const struct labelled_set *)source)->params->path);
}

static enum shw_result read_array(const struct labelled_set *set, const struct mat_array *array, uint32_t index,
                                  hid_t type, const char *name, void *values)
{
    return mat_read(array, index, type, values, set->params->path, name, &set->params->log);
}

/* The value of pixel (x, y) in an array of columns. */
static size_t place_of(const struct labelled_set *set, uint32_t x, uint32_t y)
{
    return (size_t)x * set->height + y;
}

static enum shw_result read_colours(const struct labelled_set *set, uint32_t index, uint8_t *colours)
{
    const size_t pixels = (size_t)set->width * set->height;
    uint8_t *values = malloc(3 * pixels), *to = colours;
    enum shw_result result;

    if (values == NULL)
        return shw_fail_memory(&set->params->log, set->params->path);
    result = read_array(set, &set->images, index, H5T_NATIVE_UINT8, "images", values);
    for (uint32_t y = 0; result == SHW_OK && y < set->height; y++)
        for (uint32_t x = 0; x < set->width; x++)
            for (size_t c = 0; c < 3; c++)
                *to++ = values[c * pixels + place_of(set, x, y)];
    free(values);
    return result;
}

static enum shw_result read_depth(const struct labelled_set *set, uint32_t index, uint16_t *depth)
{
    const float *metres = set->values;

    SHW_PROPAGATE(read_array(set, &set->depths, index, H5T_NATIVE_FLOAT, set->depth_name, set->values));
    for (uint32_t y = 0; y < set->height; y++)
        for (uint32_t x = 0; x < set->width; x++)
            *depth++ = shw_millimetres_of_metres((double)metres[place_of(set, x, y)]);
    return SHW_OK;
}

static enum shw_result read_labels(const struct labelled_set *set, uint32_t index, uint32_t *labels)
{
    const uint16_t *values = set->values;

    SHW_PROPAGATE(read_array(set, &set->labels, index, H5T_NATIVE_UINT16, "labels", set->values));
    for (uint32_t y = 0; y < set->height; y++)
        for (uint32_t x = 0; x < set->width; x++)
            *labels++ = values[place_of(set, x, y)];
    return SHW_OK;
}

static enum shw_result read_frame(void *source, uint32_t index, bool labels_only, struct shw_frame *frame)
{
    const struct labelled_set *set = source;
    const size_t pixels = (size_t)set->width * set->height;
    enum shw_result result = SHW_OK;

    *frame = (struct shw_frame){.width = set->width, .height = set->height};
    if (has_labels(set)) {
        frame->labels = malloc(pixels * sizeof *frame->labels);
        SHW_TRY(frame->labels != NULL ? read_labels(set, index, frame->labels)
                                      : shw_fail_memory(&set->params->log, set->params->path));
    }
    if (labels_only)
        return SHW_OK;
    frame->colours = malloc(3 * pixels);
    frame->depth = malloc(pixels * sizeof *frame->depth);
    if (frame->colours == NULL || frame->depth == NULL)
        SHW_TRY(shw_fail_memory(&set->params->log, set->params->path));
    SHW_TRY(read_colours(set, index, frame->colours));
    SHW_TRY(read_depth(set, index, frame->depth));
fail:
    if (result != SHW_OK)
        shw_frame_free(frame);
    return result;
}

static const struct shw_source_kind kind = {
    SHW_NYU_KIND,       .open = open_set,         .count = count_frames,      .has_labels = has_labels,
    .names = get_names, .frame_name = frame_name, .visit_files = visit_files, .read = read_frame,
    .close = close_set};

extern SHW_API const struct shw_nyu_exports shw_nyu_exports;
const struct shw_nyu_exports shw_nyu_exports = {.module = {SHW_MODULE_VERSION}, .kind = &kind};
