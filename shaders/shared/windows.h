/* Storage buffers that are larger than one binding may be: bound as several windows of a power of two of words each, of
 * which the last one may be shorter. For C and GLSL. */
#ifndef SHW_SHARED_WINDOWS_H
#define SHW_SHARED_WINDOWS_H

#define SHW_WINDOWS 8 /* shaders name each of them, and do not compile if these are others */

#endif
