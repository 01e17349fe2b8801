#ifndef SHW_BASE_WINDOWS_DLFCN_H
#define SHW_BASE_WINDOWS_DLFCN_H
#define dlopen  shw_windows_dlopen
#define dlsym   shw_windows_dlsym
#define dlclose shw_windows_dlclose
#define dlerror shw_windows_dlerror
#endif
