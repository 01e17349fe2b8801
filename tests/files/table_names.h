/* Tests of the names that tables have, and of what is no table. */
#ifndef SHW_TESTS_UNIT_TABLE_NAMES_H
#define SHW_TESTS_UNIT_TABLE_NAMES_H

void test_names_of_a_new_forest(void **state);
void test_files_that_are_no_tables(void **state);
void test_names_that_occur_twice(void **state);
void test_attributes_that_are_called_as_classes(void **state);

#endif
