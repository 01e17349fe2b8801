/* Functions called with null pointers, by name: what the files of test_null_arguments share. */
#ifndef NULL_ARGUMENTS_H
#define NULL_ARGUMENTS_H

#include "testing/testing.h"

/* Notes that a function was called, as "shw_name(...)". */
void note(const char *call);
void expect_refused(const char *call, enum shw_result result);
void expect(const char *call, bool as_expected);

#define REFUSED(call)         expect_refused(#call, call)
#define RETURNS(call, test)   expect(#call, (call)test)
#define SURVIVES(call)        (call, note(#call))
#define NO_POINTERS(function) note(#function)

#endif
