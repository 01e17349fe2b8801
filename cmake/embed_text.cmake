# Writes OUTPUT, a C file that defines the text INPUT as the string NAME.
file(READ ${INPUT} hex HEX)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x..,)(0x..,)?(0x..,)?(0x..,)?(0x..,)?(0x..,)?(0x..,)?(0x..,)?)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT}
"extern const char ${NAME}[];

const char ${NAME}[] = {
${bytes}0};
")
