# The first ten minutes of docs/teaching.md, as actions of the viewer: sourced by viewer-video.sh, which films them in
# two minutes, and by viewer-pictures.sh, which takes pictures on the way. Places are those of a window of 960 x 640.

# Renders what is painted on, a person who walks through a room, into FOLDER/photos. usage: render_photos PROGRAMS FOLDER
render_photos() {
    local frame number=1
    mkdir -p "$2/photos"
    "$1/shadewood" synth --quiet --output "$2/frames" --count 16 --frames 16 --size 480x360 --seed 100001
    for frame in 00000 00005 00010 00015; do
        cp "$2/frames/${frame}_colors.png" "$2/photos/room-$((number++)).png"
    done
}

# The film has so many moments, of which a few are left at the end.
moments=860

# Waits for so many moments; `told` counts the frames.
pass() {
    local frames=$(($1 * film_frames / moments))
    frames=$((frames > 4 ? frames : 4))
    told=$((told + frames))
    echo "wait $frames"
}

# Moves the mouse within so many moments to a place or a label.
go() {
    local frames=$(($1 * film_frames / moments))
    frames=$((frames > 2 ? frames : 2))
    told=$((told + frames))
    echo "glide $(awk "BEGIN { print $frames / 60 }") $2"
}

push() {
    go 10 "$1"
    pass 2
    echo "click $1"
    pass 6
}

# A stroke through places of the window.
draw() {
    go 8 "$1"
    echo "mouse press left"
    shift
    for place; do
        go 8 "$place"
    done
    echo "mouse release left"
    pass 2
}

write_text() {
    local i
    for ((i = 0; i < ${#1}; i++)); do
        echo "type ${1:i:1}"
        pass 1
    done
    pass 3
    echo "key Enter"
    pass 6
}

# A line in the film; not in pictures.
tell() {
    [ -n "$shots" ] || echo "say $1"
}

# A picture, if the caller wants any: he says where in `shots`.
shot() {
    [ -z "$shots" ] || printf 'mouse move 5 636\nwait 8\nscreenshot %s\n' "$shots/$1.png"
}

# usage: first_minutes FRAMES [FOLDER]; prints a script of so many frames, for a viewer in the folder of `photos`.
first_minutes() {
    local film_frames=$1 shots=${2:-} told=0

    echo "mouse move 400 500"
    tell "New project: a folder of pictures"
    pass 25
    push "New project..."
    write_text photos
    echo "key Enter" # once more: the folder as a whole
    pass 15

    tell "Name a class, and paint a stroke of it"
    write_text person
    draw "425 340" "470 410" "430 430"
    tell "Then another one: labels follow at once"
    write_text room
    draw "180 150" "330 200" "560 230"
    echo "wait trained"
    pass 30
    shot tutorial-strokes

    tell "Paint where labels are wrong"
    draw "440 530" "560 560" "660 540"
    draw "165 330" "190 400" "180 500"
    draw "260 510" "340 490" "300 550"
    draw "400 120" "300 70" "250 85"
    draw "690 270" "690 320" "700 420"
    echo "wait trained"
    pass 20
    tell "Q: the other class"
    echo "key q"
    draw "445 455" "440 490"
    draw "435 300" "445 315"
    draw "395 350" "385 410"
    draw "505 390" "508 412"
    echo "wait trained"
    pass 25

    tell "Ctrl+U: before smoothing on the left, after it on the right"
    echo "key Ctrl+U"
    pass 30
    echo "wait labels"
    shot tutorial-smoothing
    echo "key Ctrl+U"
    pass 8

    tell "N: where the forest is least certain"
    echo "key n"
    pass 10
    echo "wait labels"
    shot tutorial-uncertain
    pass 10
    echo "key q"
    draw "365 336" "400 332"
    echo "wait trained"
    pass 10
    echo "key f"
    pass 10

    tell "More pictures: F4 shows the list, PageDown goes on"
    echo "key F4"
    pass 20
    echo "key PageDown"
    pass 15
    echo "wait labels"
    pass 15
    echo "key PageDown"
    pass 10
    echo "wait labels"
    shot tutorial-pictures
    pass 15
    echo "key F4"
    pass 8

    tell "Objects: how many, and how large"
    push "Objects"
    push "Find objects"
    printf 'panel teach fold\npanel pixel fold\npanel objects on\n'
    echo "objects-class person"
    echo "objects-area 50"
    echo "wait objects"
    pass 20
    echo "pixel-size 5 mm"
    echo "scale-bar on"
    tell "Areas in square metres, once the size of a pixel is known"
    echo "wait objects"
    pass 30
    shot tutorial-objects
    echo "key Ctrl+J"
    pass 6

    tell "Ctrl+S: saved, beside the pictures"
    echo "key Ctrl+S"
    pass 10
    write_text person
    pass 20
    tell "Ctrl+E: labels and tables of all pictures"
    echo "key Ctrl+E"
    pass 25
    shot tutorial-export
    push "Overlays"
    push "##start"
    echo "wait export"
    pass 30
    if [ "$told" -gt "$film_frames" ]; then
        echo "the film needs at least $(((told + 59) / 60)) seconds" >&2
        return 1
    fi
    echo "wait $((film_frames - told))"
}
