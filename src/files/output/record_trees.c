#include "files/output/record_trees.h"

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/io/mark.h"
#include "formats/tree_arrays.h"

static bool is_record_trees(const char *path, const char *name)
{
    (void)name;
    return shw_first_line_is_marked(path, SHW_TREE_ARRAYS_BEFORE_MARK, SHW_TREE_ARRAYS_AFTER_MARK);
}

const struct shw_file_kind shw_file_record_trees = {SHW_TREE_ARRAYS_NAME, "an exported record forest", is_record_trees,
                                                    false};

enum shw_result shw_record_trees_write(const struct shw_record_forest *forest, const char *name, const char *path,
                                       const struct shw_log *log)
{
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    return shw_mark_first_line(&file, path, sizeof SHW_TREE_ARRAYS_BEFORE_MARK - 1,
                               shw_tree_arrays_print(forest, name, file.stream, log), log);
}
