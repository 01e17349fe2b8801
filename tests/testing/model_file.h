/* Files of forests, cascades and record forests, to be looked at, loaded again and damaged. */
#ifndef SHW_TESTING_MODEL_FILE_H
#define SHW_TESTING_MODEL_FILE_H

#include "testing/testing.h"

/* Where things are in a file, by the KTX2 specification. */
enum { LEVEL_AT = 80, DFD_AT = 104, KVD_AT = 196, KVD_LENGTH = 60 };

struct model_kind {
    const char *name;
    enum shw_log_item item; /* of messages about bad metadata */
    enum shw_result (*load)(const void *bytes, size_t size, const char *name, const struct shw_log *log, void **model);
    enum shw_result (*load_file)(const char *path, const struct shw_log *log, void **model);
    enum shw_result (*save)(const void *model, void **bytes, size_t *size);
    enum shw_result (*save_file)(const void *model, const char *path, const struct shw_log *log);
    uint64_t (*hash)(const void *model);
    void (*destroy)(void **model);
};
extern const struct model_kind model_forest, model_cascade, model_record_forest;

struct model_file {
    const struct model_kind *kind;
    void *model;
    uint8_t *bytes;
    size_t size;
};

/* Takes the model over. */
struct model_file model_file_open(const struct model_kind *kind, void *model);
void model_file_close(struct model_file *file);

/* At a byte. */
uint32_t model_file_get_word(const struct model_file *file, size_t at);
void model_file_set_word(struct model_file *file, size_t at, uint32_t value);

size_t model_file_texels_at(const struct model_file *file);
char *model_file_metadata(const struct model_file *file);
void model_file_seal(struct model_file *file); /* with a right checksum */

/* Both end with a right checksum. Other text must not be longer; the metadata is filled up with spaces. */
void model_file_set_texel(struct model_file *file, size_t texel, size_t word, uint32_t value);
void model_file_replace(struct model_file *file, const char *from, const char *to);

/* Fails the test unless the first `size` bytes are refused with one error that contains these words. */
void model_file_refuse(const struct model_file *file, size_t size, enum shw_result result, enum shw_log_item item,
                       const char *words);

/* The file, from memory and from a folder, gives the same model, and that the same file. */
void model_file_check_again(const struct model_file *file, void (*assert_same)(const void *a, const void *b));

/* Every truncation, one byte more, and every wrong bit is refused. */
void model_file_check_damage(struct model_file *file);

/* Every bit of the texture, changed behind a right checksum, is refused or gives a model with another hash; the last
 * one, which has no meaning, is refused with these words. */
void model_file_check_bits(struct model_file *file, const char *words);

/* The other models' loaders refuse it and say what it is. */
void model_file_check_others(const struct model_file *file, const char *what);

#endif
