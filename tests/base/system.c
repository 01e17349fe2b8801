/* What the code asks of the system, which is POSIX or, on Windows, src/base/windows: both must do the same. */
#include "testing/testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/atomic_file.h"
#include "base/machine.h"
#include "base/process.h"

#define NAME "F\xc3\xb6hre \xe6\xa3\xae \xf0\x9f\x8c\xb2" /* with letters of 2, 3 and 4 bytes */

/* "": there is no such file. */
static const char *text_of(const char *path)
{
    static char text[4096];
    FILE *stream = fopen(path, "rb");

    text[0] = '\0';
    if (stream != NULL) {
        text[fread(text, 1, sizeof text - 1, stream)] = '\0';
        assert_int_equal(fclose(stream), 0);
    }
    return text;
}

static void write_text(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    assert_int_equal(fputs(text, stream) >= 0, 1);
    assert_int_equal(fclose(stream), 0);
}

static bool has_entry(const char *folder, const char *name)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool found = false;

    assert_non_null(entries);
    while ((entry = readdir(entries)) != NULL)
        found = found || strcmp(entry->d_name, name) == 0;
    assert_int_equal(closedir(entries), 0);
    return found;
}

TESTING_CASE(names_are_utf8)
{
    char folder[512], path[1024];
    struct stat status;

    snprintf(folder, sizeof folder, "%s", testing_path(NAME));
    snprintf(path, sizeof path, "%s/" NAME ".txt", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_true(mkdir(folder, 0777) != 0 && errno == EEXIST);
    write_text(path, "a\nb\r\n");
    assert_string_equal(text_of(path), "a\nb\r\n"); /* no line end changes */
    assert_true(has_entry(folder, NAME ".txt") && has_entry(folder, "..") && !has_entry(folder, "other"));
    assert_int_equal(stat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode) && status.st_size == 5);
    assert_int_equal(stat(folder, &status), 0);
    assert_true(S_ISDIR(status.st_mode));
    assert_true(rmdir(folder) != 0 && (errno == ENOTEMPTY || errno == EEXIST));
    assert_int_equal(unlink(path), 0);
    assert_true(unlink(path) != 0 && errno == ENOENT);
    assert_int_equal(rmdir(folder), 0);
    assert_true(opendir(folder) == NULL && errno == ENOENT);
}

/* Longer than the 260 letters that Windows has long allowed. */
TESTING_CASE(paths_are_long)
{
    char path[2048];
    size_t length;

    snprintf(path, sizeof path, "%s", testing_path("long"));
    assert_int_equal(mkdir(path, 0777), 0);
    for (int i = 0; i < 6; i++) {
        length = strlen(path);
        snprintf(
            path + length, sizeof path - length, "/%.*s", 100,
            "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789");
        assert_int_equal(mkdir(path, 0777), 0);
    }
    length = strlen(path);
    snprintf(path + length, sizeof path - length, "/file");
    write_text(path, "deep");
    assert_string_equal(text_of(path), "deep");
}

TESTING_CASE(opening_says_why_it_fails)
{
    char folder[512];
    int descriptor;

    assert_true(fopen(testing_path("none"), "r") == NULL && errno == ENOENT);
    assert_true(fopen(testing_path("none/none"), "w") == NULL && errno == ENOENT);
    snprintf(folder, sizeof folder, "%s", testing_path("a folder"));
    assert_int_equal(mkdir(folder, 0777), 0);
    assert_true(fopen(folder, "w") == NULL && errno == EISDIR);
    descriptor = open(testing_path("once"), O_RDWR | O_CREAT | O_EXCL, 0666);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_true(open(testing_path("once"), O_RDWR | O_CREAT | O_EXCL, 0666) < 0 && errno == EEXIST);
    assert_true(access(testing_path("once"), F_OK) == 0 && access(testing_path("none"), F_OK) != 0);
}

/* Who reads a file goes on reading what it was. */
TESTING_CASE(a_file_in_use_is_replaced)
{
    char path[512], other[512], byte;
    FILE *reader;

    snprintf(path, sizeof path, "%s", testing_path("in use"));
    snprintf(other, sizeof other, "%s", testing_path("new"));
    write_text(path, "old");
    write_text(other, "new");
    reader = fopen(path, "rb");
    assert_non_null(reader);
    setvbuf(reader, NULL, _IONBF, 0);
    assert_int_equal(fread(&byte, 1, 1, reader), 1);
#ifdef _WIN32
    if (rename(other, path) != 0) { /* before Windows 10, and in Wine 8: nothing is lost */
        assert_int_equal(errno, EACCES);
        assert_string_equal(text_of(path), "old");
        assert_string_equal(text_of(other), "new");
        fclose(reader);
        assert_int_equal(rename(other, path), 0);
        assert_string_equal(text_of(path), "new");
        return;
    }
#else
    assert_int_equal(rename(other, path), 0);
#endif
    assert_string_equal(text_of(path), "new");
    assert_true(fread(&byte, 1, 1, reader) == 1 && byte == 'l');
    fclose(reader);
    assert_true(access(other, F_OK) != 0);
}

TESTING_CASE(files_are_written_whole_or_not)
{
    char path[600], folder[512];
    struct shw_atomic_file file;
    bool taken;

    snprintf(folder, sizeof folder, "%s", testing_path("whole"));
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/" NAME, folder);
    write_text(path, "before");
    assert_int_equal(shw_atomic_file_open(&file, path, NULL), SHW_OK);
    fputs("after", file.stream);
    assert_string_equal(text_of(path), "before");
    fseek(file.stream, 0, SEEK_SET);
    assert_int_equal(fgetc(file.stream), 'a'); /* it is read back */
    fseek(file.stream, 0, SEEK_END);
    assert_int_equal(shw_atomic_file_commit(&file, NULL), SHW_OK);
    assert_string_equal(text_of(path), "after");

    assert_int_equal(shw_atomic_file_open(&file, path, NULL), SHW_OK);
    fputs("never", file.stream);
    shw_atomic_file_abandon(&file);
    assert_string_equal(text_of(path), "after");

    assert_int_equal(shw_atomic_file_open(&file, path, NULL), SHW_OK);
    assert_int_equal(shw_atomic_file_commit_new(&file, NULL, &taken), SHW_OK);
    assert_true(taken);
    assert_string_equal(text_of(path), "after");
    unlink(path);
    assert_true(rmdir(folder) == 0); /* nothing is left in it */
}

TESTING_CASE(a_lock_is_held_once)
{
    char path[512];
    int first, second;

    snprintf(path, sizeof path, "%s", testing_path("lock"));
    write_text(path, "text");
    first = open(path, O_RDWR | O_CLOEXEC);
    second = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(flock(first, LOCK_EX | LOCK_NB), 0);
    assert_true(flock(second, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK);
    assert_string_equal(text_of(path), "text"); /* which everybody may read */
    close(first);
    assert_int_equal(flock(second, LOCK_EX | LOCK_NB), 0);
    close(second);
}

TESTING_CASE(a_file_is_known_by_all_its_paths)
{
    char path[512], folder[512], around[1024];
    struct stat one, other, third;
    char *real, *real_around;

    snprintf(folder, sizeof folder, "%s", testing_path("sub"));
    snprintf(path, sizeof path, "%s", testing_path("known"));
    snprintf(around, sizeof around, "%s/../known", folder);
    assert_int_equal(mkdir(folder, 0777), 0);
    write_text(path, "");
    write_text(testing_path("unknown"), "");
    assert_true(stat(path, &one) == 0 && stat(around, &other) == 0 && stat(testing_path("unknown"), &third) == 0);
    assert_true(one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_ino != third.st_ino);
    real = realpath(path, NULL);
    real_around = realpath(around, NULL);
    assert_true(real != NULL && real_around != NULL && strchr(real, '\\') == NULL);
    assert_string_equal(real, real_around);
    assert_null(realpath(testing_path("none"), NULL));
    free(real);
    free(real_around);
}

TESTING_CASE(folders_are_walked)
{
    char folder[512], *folders[] = {folder, NULL}, names[256] = "";
    FTS *tree;
    FTSENT *entry;

    snprintf(folder, sizeof folder, "%s", testing_path("tree"));
    assert_true(mkdir(folder, 0777) == 0 && mkdir(testing_path("tree/b"), 0777) == 0 &&
                mkdir(testing_path("tree/.hidden"), 0777) == 0);
    write_text(testing_path("tree/b/c"), "");
    write_text(testing_path("tree/.hidden/d"), "");
    tree = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    assert_non_null(tree);
    while ((entry = fts_read(tree)) != NULL) {
        if (entry->fts_name[0] == '.')
            fts_set(tree, entry, FTS_SKIP);
        else if (entry->fts_info == FTS_F || (entry->fts_info == FTS_D && entry->fts_level != FTS_ROOTLEVEL))
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s %d;", entry->fts_path + strlen(folder),
                     entry->fts_level);
    }
    fts_close(tree);
    assert_string_equal(names, "/b 1;/b/c 2;");
}

TESTING_CASE(streams_go_to_memory_and_have_lines)
{
    char *text = NULL, *line = NULL;
    size_t size = 0, capacity = 0;
    FILE *stream = open_memstream(&text, &size);

    assert_non_null(stream);
    fprintf(stream, "%zu %s\n", (size_t)12345678901u, "a");
    fputs("b\r\n\nlast", stream);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, "12345678901 a\nb\r\n\nlast");
    assert_int_equal(size, strlen(text));

    write_text(testing_path("lines"), text);
    stream = fopen(testing_path("lines"), "rb");
    assert_true(getline(&line, &capacity, stream) == 14 && strcmp(line, "12345678901 a\n") == 0);
    assert_true(getline(&line, &capacity, stream) == 3 && strcmp(line, "b\r\n") == 0);
    assert_true(getline(&line, &capacity, stream) == 1 && getline(&line, &capacity, stream) == 4);
    assert_int_equal(getline(&line, &capacity, stream), -1);
    fclose(stream);
    free(line);
    free(text);
}

TESTING_CASE(variables_are_utf8)
{
    assert_int_equal(setenv("SHADEWOOD_TEST_NAME", NAME, 1), 0);
    assert_string_equal(getenv("SHADEWOOD_TEST_NAME"), NAME);
    assert_int_equal(setenv("SHADEWOOD_TEST_NAME", "other", 0), 0);
    assert_string_equal(getenv("SHADEWOOD_TEST_NAME"), NAME);
    assert_int_equal(unsetenv("SHADEWOOD_TEST_NAME"), 0);
    assert_null(getenv("SHADEWOOD_TEST_NAME"));
}

TESTING_CASE(memory_is_aligned_and_mapped)
{
    char *mapped = mmap(NULL, 1u << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *aligned = shw_aligned(1u << 21, 1u << 21);

    assert_true(mapped != MAP_FAILED && mapped[0] == 0 && mapped[(1u << 20) - 1] == 0);
    mapped[12345] = 1;
    assert_int_equal(munmap(mapped, 1u << 20), 0);
    assert_true(aligned != NULL && (uintptr_t)aligned % (1u << 21) == 0);
    shw_free_aligned(aligned);
}

TESTING_CASE(the_machine_is_described)
{
    char path[4096];

    assert_true(shw_machine_memory() > (uint64_t)1 << 28);
    assert_true(shw_process_memory() > (uint64_t)1 << 16 && shw_process_memory() < shw_machine_memory());
    assert_in_range(shw_processor_count(), 1, 4096);
    assert_in_range(shw_spare_processors(), 1, 4096);
    assert_true(shw_process_path(path, sizeof path));
    assert_non_null(strstr(path, "/test_base"));
    assert_int_equal(access(path, F_OK), 0);
}
