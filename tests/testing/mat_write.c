#include "testing/mat_write.h"

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define USER_BLOCK 512

static hid_t need(hid_t id)
{
    if (id < 0)
        abort();
    return id;
}

static void write_array(hid_t file, const char *name, int rank, const hsize_t *sizes, hid_t type, const void *values,
                        bool in_chunks)
{
    hid_t space = need(H5Screate_simple(rank, sizes, NULL)), list = need(H5Pcreate(H5P_DATASET_CREATE)), set;
    hsize_t chunk[4];

    for (int d = 0; d < rank; d++)
        chunk[d] = sizes[d] > 2 ? 2 : sizes[d];
    if (in_chunks && (H5Pset_chunk(list, rank, chunk) < 0 || H5Pset_deflate(list, 3) < 0))
        abort();
    set = need(H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT));
    if (H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        abort();
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
}

/* A cell array of texts is a list of references to their letters. */
static void write_names(hid_t file, const char *const *names)
{
    hid_t group = need(H5Gcreate2(file, "#refs#", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hobj_ref_t references[64];
    hsize_t count = 0;

    for (; names[count] != NULL; count++) {
        const hsize_t length[2] = {strlen(names[count]), 1};
        uint16_t letters[256];
        char place[32];

        for (hsize_t i = 0; i < length[0]; i++)
            letters[i] = (uint8_t)names[count][i];
        snprintf(place, sizeof place, "#refs#/%u", (unsigned)count);
        write_array(file, place, 2, length, H5T_NATIVE_UINT16, letters, false);
        if (H5Rcreate(&references[count], file, place, H5R_OBJECT, -1) < 0)
            abort();
    }
    write_array(file, "names", 2, (const hsize_t[]){1, count}, H5T_STD_REF_OBJ, references, false);
    H5Gclose(group);
}

/* What is before the first byte of HDF5. */
static void write_head(const char *path)
{
    char head[129];
    FILE *stream = fopen(path, "r+b");

    if (stream == NULL)
        abort();
    snprintf(head, sizeof head, "%-124s%c%c%c",
             "MATLAB 7.3 MAT-file, Platform: GLNX86, Created on: a day HDF5 schema 1.00 .", 1, 2, 'I');
    fwrite(head, 1, 128, stream);
    fclose(stream);
}

void testing_mat_write(const char *path, const struct testing_mat *mat)
{
    const hsize_t frames = mat->frames, width = mat->width, height = mat->height;
    const hsize_t labels = mat->label_frames > 0 ? mat->label_frames : frames;
    hid_t list = need(H5Pcreate(H5P_FILE_CREATE)), file;

    if (H5Pset_userblock(list, USER_BLOCK) < 0)
        abort();
    file = need(H5Fcreate(path, H5F_ACC_TRUNC, list, H5P_DEFAULT));
    write_array(file, "images", 4, (const hsize_t[]){frames, 3, width, height}, H5T_NATIVE_UINT8, mat->images,
                mat->in_chunks);
    write_array(file, "depths", 3, (const hsize_t[]){frames, width, height}, H5T_NATIVE_FLOAT, mat->depths,
                mat->in_chunks);
    write_array(file, "rawDepths", 3, (const hsize_t[]){frames, width, height}, H5T_NATIVE_FLOAT, mat->raw_depths,
                mat->in_chunks);
    if (mat->labels != NULL)
        write_array(file, "labels", 3, (const hsize_t[]){labels, width, height}, H5T_NATIVE_UINT16, mat->labels,
                    mat->in_chunks);
    if (mat->names != NULL)
        write_names(file, mat->names);
    H5Fclose(file);
    H5Pclose(list);
    write_head(path);
}
