# Writes OUTPUT, a C file that defines the words of the SPIR-V binary INPUT as the array NAME.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1u,\n" words "${hex}")
file(SIZE ${INPUT} size)
file(WRITE ${OUTPUT}
"#include <stddef.h>
#include <stdint.h>

extern const uint32_t ${NAME}[];
extern const size_t ${NAME}_size;

const size_t ${NAME}_size = ${size};
const uint32_t ${NAME}[] = {
${words}};
")
