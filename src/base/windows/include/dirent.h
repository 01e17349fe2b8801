#ifndef SHW_BASE_WINDOWS_DIRENT_H
#define SHW_BASE_WINDOWS_DIRENT_H
#define dirent   shw_windows_entry
#define DIR      shw_windows_folder
#define opendir  shw_windows_opendir
#define readdir  shw_windows_readdir
#define closedir shw_windows_closedir
#define scandir  shw_windows_scandir
#endif
