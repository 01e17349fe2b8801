#pragma once
#include <stddef.h>
void *memcpy(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
size_t strlen(const char *text);
int strcmp(const char *a, const char *b);
int memcmp(const void *a, const void *b, size_t size);
