/* Which sanitizer the tests are built with: GCC and Clang say it differently. */
#ifndef SHW_TESTING_SANITIZERS_H
#define SHW_TESTING_SANITIZERS_H

#ifdef __has_feature
#define TESTING_HAS_FEATURE(feature) __has_feature(feature)
#else
#define TESTING_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || TESTING_HAS_FEATURE(address_sanitizer)
#define TESTING_ADDRESS_SANITIZED 1
#else
#define TESTING_ADDRESS_SANITIZED 0
#endif

#if defined(__SANITIZE_THREAD__) || TESTING_HAS_FEATURE(thread_sanitizer)
#define TESTING_THREAD_SANITIZED 1
#else
#define TESTING_THREAD_SANITIZED 0
#endif

#define TESTING_SANITIZED (TESTING_ADDRESS_SANITIZED || TESTING_THREAD_SANITIZED)

/* The validation layers take as long as what they watch. They are not instrumented, and see the same calls in the build
 * without sanitizers, which has all tests. */
#define TESTING_VALIDATION (!TESTING_SANITIZED)

#endif
