/* Tests of tables as arrays of NumPy. */
#ifndef SHW_TESTS_UNIT_TABLE_NPY_H
#define SHW_TESTS_UNIT_TABLE_NPY_H

void test_arrays_of_every_type(void **state);
void test_orders_and_shapes_of_arrays(void **state);
void test_long_columns_of_arrays(void **state);
void test_classes_in_arrays(void **state);
void test_large_integers_are_different_classes(void **state);
void test_arrays_that_are_refused(void **state);

#endif
