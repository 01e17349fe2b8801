#!/usr/bin/env bash
# Forests of Kinect's trees see images of other cameras as they saw Kinect's, if these are told; if not, another width is
# warned about.
set -euo pipefail
program=$1

fail() {
    printf '%s\n' "$*"
    exit 1
}

python3 - <<'END'
import random, struct
random.seed(3)
depth = 4
tests = [" ".join(str(random.randint(-90, 90)) for _ in range(4)) + f" {random.randint(-300, 300)}" for _ in range(2**depth - 1)]
open("tree.txt", "w").write("\n".join([str(depth), *tests, *(str(i) for i in range(2**depth))]))

# A depth image, and the same as a camera of twice the focal length sees it.
width, height = 64, 48
pixels = [[random.choice((0, 900, 1500, 2200)) if x % 7 == 0 else 800 + 9 * x + 5 * y for x in range(width)] for y in range(height)]
def write(name, scale):
    rows = [[pixels[y // scale][x // scale] for x in range(scale * width)] for y in range(scale * height)]
    with open(name, "wb") as file:
        file.write(b"P5 %d %d 65535\n" % (scale * width, scale * height))
        for row in rows:
            file.write(struct.pack(">%dH" % len(row), *row))
write("small.pgm", 1)
write("large.pgm", 2)
END
"$program" import -q --from kinect tree.txt -o plain.ktx2 >out
"$program" import -q --from kinect tree.txt --focal 1050 -o far.ktx2 >out

# label FOLDER WARNING ARGUMENT...: labels; WARNING: a warning about the width is expected
label() {
    local folder=$1 warning=$2 code=0
    shift 2
    "$program" label -t cpu --no-overlay --probabilities npy -o "$folder" "$@" >out 2>err || code=$?
    ((code == 0)) && [[ $(grep -c 'pixels wide, but the forest' err) == "$warning" ]] || fail "label $*: exit $code, $(cat err)"
}
label assumed 1 plain.ktx2 small.pgm large.pgm
label small 0 plain.ktx2 small.pgm --focal 525
label far 0 far.ktx2 large.pgm
for technique in cpu fragment compute; do
    label $technique 0 plain.ktx2 large.pgm --focal 1050 -t $technique
    for file in labels.png probabilities.npy; do
        cmp far/large_$file $technique/large_$file
    done
done
cmp assumed/small_labels.png small/small_labels.png
if cmp -s assumed/large_labels.png far/large_labels.png; then
    fail 'the focal length changes nothing'
fi
label back 0 far.ktx2 small.pgm --focal 525
cmp small/small_labels.png back/small_labels.png
python3 - <<'END'
def read(name, width, height):
    data = open(name, "rb").read()
    size = width * height * 2
    planes = (len(data) - 128) // size
    body = data[len(data) - planes * size:]
    return [[body[p * size + 2 * i:p * size + 2 * i + 2] for i in range(width * height)] for p in range(planes)]
small, large = read("small/small_probabilities.npy", 64, 48), read("far/large_probabilities.npy", 128, 96)
for one, other in zip(small, large):
    assert all(other[2 * y * 128 + 2 * x] == one[y * 64 + x] for y in range(48) for x in range(64)), "enlarged"
END

# explain and evaluate likewise.
"$program" explain plain.ktx2 large.pgm 20 30 --focal 1050 >one 2>err && [[ ! -s err ]] || fail "explain: $(cat err)"
"$program" explain far.ktx2 large.pgm 20 30 >other 2>err && [[ ! -s err ]] || fail "explain: $(cat err)"
cmp one other
"$program" explain plain.ktx2 large.pgm 20 30 >other 2>err
grep -q 'large.pgm is 128 pixels wide' err || fail "explain: $(cat err)"
mkdir data
cp large.pgm data/a.pgm
cp far/large_labels.png data/a_L.png
evaluate=(evaluate -t cpu -d data --images '{}.pgm' --labels '{}_L.png' --palette far/classes.json --input 'depth={}.pgm')
for forest in 'plain.ktx2 --focal 1050' far.ktx2; do
    # shellcheck disable=SC2086
    "$program" "${evaluate[@]}" -q $forest >out 2>err || fail "evaluate: $(cat err)"
    grep -q 'pixel accuracy  *100.0 %' out && [[ ! -s err ]] || fail "evaluate $forest: $(cat out err)"
done
"$program" "${evaluate[@]}" plain.ktx2 >out 2>err
grep -q 'a is 128 pixels wide' err || fail "evaluate: $(cat err)"

# So does the viewer, which has no such option.
viewer=$(dirname "$program")/shadewood-viewer
if [[ -x $viewer ]] && "$program" devices >out 2>&1; then
    printf 'wait 1\n' >script
    for forest in plain far; do
        "$viewer" --headless -f $forest.ktx2 depth:small.pgm --script script >out 2>err || fail "viewer: $(cat err)"
        grep -c 'small.pgm is 64 pixels wide.*import its trees' err >>warnings || true
    done
    [[ $(tr '\n' ' ' <warnings) == '1 0 ' ]] || fail "viewer: $(cat warnings err)"
fi

# Other forests have no focal length that is known.
"$program" synth -q -o scenes --count 2 --size 48x40 >out
"$program" train -q -t cpu -d scenes --channels depth --feature kinect-difference --trees 1 --depth 3 -o own.ktx2 >out
code=0
"$program" label -q -t cpu own.ktx2 small.pgm -o own --focal 300 >out 2>err || code=$?
((code == 1)) && grep -q 'own.ktx2: the focal length of its tests is unknown' err || fail "trained: exit $code, $(cat err)"
label own 0 own.ktx2 small.pgm
code=0
"$program" import -q --from curfil --focal 300 tree.txt -o x.ktx2 >out 2>err || code=$?
((code == 2)) && grep -q 'focal needs --from kinect' err || fail "curfil: exit $code, $(cat err)"

echo 'forests of Kinect see what other cameras see as they saw it'
