/* Tests of the names that tables have. */
#ifndef SHW_TESTS_UNIT_TABLE_NAMES_H
#define SHW_TESTS_UNIT_TABLE_NAMES_H

void test_names_of_a_new_forest(void **state);
void test_names_that_occur_twice(void **state);

#endif
