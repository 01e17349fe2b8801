/* What was found in files that are listed as images: whether they are results, and how many pages they have. Journals
 * keep it (result_journal.h), so that files which are as they were need not be opened to be listed again. A file is
 * known by its name and what the system says of it; one that was changed just now is not known. */
#ifndef SHW_FILES_OUTPUT_LISTED_FILES_H
#define SHW_FILES_OUTPUT_LISTED_FILES_H

#include <stdbool.h>
#include <stdint.h>

struct shw_listed_file {
    uint64_t key[2];
    uint32_t pages; /* 0: the file is a result */
    bool is_used, is_asked;
};

/* Zero-initialise it, and free it. A hash table; slots that are not used are free. */
struct shw_listed_files {
    struct shw_listed_file *slots;
    uint32_t count, capacity;
};

/* Whether a file is a result (shw_is_result()), and its number of pages, or 1 if it cannot be read. What is not known
 * is found out, and known from then on. `files` may be NULL: nothing is known. */
bool shw_listed_files_is_result(struct shw_listed_files *files, const char *path);
uint32_t shw_listed_files_count_pages(struct shw_listed_files *files, const char *path);

/* Adds one that was written down, or all of others. What does not fit into memory is not known. */
void shw_listed_files_add(struct shw_listed_files *files, const uint64_t key[2], uint32_t pages);
void shw_listed_files_add_all(struct shw_listed_files *files, const struct shw_listed_files *others);

bool shw_listed_files_have(const struct shw_listed_files *files, const uint64_t key[2]);

/* Accepts zero-initialised and freed ones. */
void shw_listed_files_free(struct shw_listed_files *files);

#endif
