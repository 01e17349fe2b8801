#!/usr/bin/env bash
# A compiler launcher: takes the object that another build of the same sources has of the same place in its targets'
# folders, with position-independent code, or else compiles. usage: reuse.sh BUILT COMPILER OPTION...
built=$1
shift
object='' dependencies=''
for ((i = 1; i < $#; i++)); do
    case ${!i} in
    -o) next=$((i + 1)) object=${!next} ;;
    -MF) next=$((i + 1)) dependencies=${!next} ;;
    esac
done
# Of a project that contains this one
place=${object#_deps/shadewood-build/}
if [[ $object == *.o && -f $built/$place ]]; then
    [[ -z $dependencies ]] || printf '%s:\n' "$object" >"$dependencies"
    exec cp "$built/$place" "$object"
fi
exec "$@"
