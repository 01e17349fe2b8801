/* Tests of which first records are headers. */
#ifndef SHW_TESTS_UNIT_TABLE_HEADER_H
#define SHW_TESTS_UNIT_TABLE_HEADER_H

void test_headers_that_are_told(void **state);
void test_headers_of_numbers(void **state);
void test_headers_of_numbers_after_an_index(void **state);
void test_first_records_that_may_be_headers(void **state);
void test_labels_have_the_header_that_is_told(void **state);
void test_unknown_classes_that_may_be_headers(void **state);

#endif
