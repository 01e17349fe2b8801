#!/usr/bin/env bash
# Every pass of an exported forest in other languages: SPIRV-Cross makes HLSL and MSL of it, glslang's front end of HLSL
# takes what it made, and OpenGL the text itself. TAP on the output.
# usage: languages.sh SHADEWOOD GLSLANG
set -uo pipefail
program=$1 glslang=$2
. "$(dirname "$0")/../testing/check.sh"
if ! command -v spirv-cross >/dev/null; then
    [[ ${SHW_NO_SKIP:-} != 1 ]] || { echo 'Bail out! spirv-cross is missing'; exit 1; }
    echo '1..0 # SKIP spirv-cross is missing'
    exit 77
fi
cd "$folder" || exit 1

"$program" synth -q --output scenes --count 3 --size 48x32 >synth.log
"$program" train -q --data scenes --output forest.ktx2 --trees 2 --pixels 100 --depth 4 -t cpu \
    --channels winn16,lab,hessian:1,deviation:2,dt >train.log
"$program" export -q --to glsl forest.ktx2 -o shader >export.log || exit 1

# translated STAGE PASS
translated() {
    "$glslang" --quiet -V --target-env vulkan1.1 "-DFOREST_PASS=$2" "shader/forest.$1" -o pass.spv &&
        spirv-cross --hlsl --shader-model 60 pass.spv --output pass.hlsl &&
        "$glslang" --quiet -D -V -e main -S "$1" pass.hlsl -o pass-again.spv &&
        spirv-cross --msl pass.spv --output pass.metal && [[ -s pass.metal ]]
}

keeps_names() {
    grep -q 'int forest_label(' pass.hlsl
}

opengl() {
    "$glslang" --quiet -G -DFOREST_SAMPLERS '-DFOREST_AT(place)=layout(binding = place)' -DFOREST_GROUP=0u \
        '-DFOREST_STEP=ivec2(1, 0)' "-DFOREST_PASS=$2" "shader/forest.$1" -o pass.spv
}

for pass in 1 2 3 4 5 6 7; do
    for stage in comp frag; do
        check "pass $pass, $stage" translated $stage $pass
        check "pass $pass, $stage, OpenGL" opengl $stage $pass
    done
done
check 'functions keep their names' keeps_names
printf '1..%d\n' "$cases"
exit "$status"
