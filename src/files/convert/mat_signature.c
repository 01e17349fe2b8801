#include "files/convert/mat_signature.h"

#include <string.h>

#include "base/log.h"
#include "files/io/file_bytes.h"
#include "files/io/image_name.h"

#define USER_BLOCK 512u

static bool has_text(const struct shw_file_bytes *head, size_t at, const char *text, size_t length)
{
    return head->size >= at + length && memcmp(head->bytes + at, text, length) == 0;
}

bool shw_mat_signature_recognise(const char *path)
{
    struct shw_file_bytes head = {0};
    bool found = shw_file_bytes_read_start(path, USER_BLOCK, NULL, &head) == SHW_OK &&
                 (has_text(&head, 0, "MATLAB ", 7) ||
                  (has_text(&head, 0, "\x89HDF\r\n\x1a\n", 8) && shw_name_ends_with(path, ".mat")));

    shw_file_bytes_free(&head);
    return found;
}

enum shw_result shw_mat_signature_check(const char *path, const struct shw_log *log)
{
    struct shw_file_bytes head = {0};
    enum shw_result result = shw_file_bytes_read_start(path, USER_BLOCK, log, &head);

    if (result == SHW_OK && has_text(&head, 0, "MATLAB ", 7) && !has_text(&head, 0, "MATLAB 7.3", 10))
        result =
            shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                     "cannot read %s: it is a MAT-file of version 5, not 7.3; in MATLAB, save('NAME.mat', '-v7.3') "
                     "writes that",
                     path);
    shw_file_bytes_free(&head);
    return result;
}
