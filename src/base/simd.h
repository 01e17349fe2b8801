/* The vector instructions of the technique `cpu`. They do not affect results. */
#ifndef SHW_BASE_SIMD_H
#define SHW_BASE_SIMD_H

#if SHW_SIMD && defined(__GNUC__)
#define SHW_SIMD_VECTORS 1
#else
#define SHW_SIMD_VECTORS 0
#endif
#if SHW_SIMD_VECTORS && defined(__x86_64__)
#define SHW_SIMD_X86 1
#else
#define SHW_SIMD_X86 0
#endif

/* PORTABLE: the compiler's vectors for the target's baseline instructions, e.g. NEON. */
enum shw_simd { SHW_SIMD_NONE, SHW_SIMD_PORTABLE, SHW_SIMD_AVX2, SHW_SIMD_AVX512 };

/* The best that the processor supports and the environment variable SHADEWOOD_SIMD allows: `none`, `portable`,
 * `avx2` or `avx512`; other values allow all. Always NONE if the library was built with SHADEWOOD_SIMD=OFF. Any thread.
 */
enum shw_simd shw_simd_level(void);

#endif
