/* Folders of temporary files. */
#ifndef SHW_FILES_IO_FOLDERS_H
#define SHW_FILES_IO_FOLDERS_H

#include <stdint.h>

/* Removes a folder and all that is in it, as far as that is possible; links are removed, not followed. Returns the
 * sizes of its files, in bytes. Any thread. */
uint64_t shw_folder_remove(const char *path);

#endif
