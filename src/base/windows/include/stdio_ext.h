/* <stdio_ext.h>, of which Windows has nothing. */
#ifndef SHW_BASE_WINDOWS_STDIO_EXT_H
#define SHW_BASE_WINDOWS_STDIO_EXT_H

/* What could not be written is tried again with what is written next. */
#define __fpurge(stream) ((void)(stream))

#endif
