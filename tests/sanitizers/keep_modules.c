/* Part of every program, but only in builds with AddressSanitizer: drivers and layers stay loaded to the end of the
 * program, so that reports of their leaks name them and the suppressions in lsan.supp apply. */
#include <dlfcn.h>

__attribute__((visibility("default"))) int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
