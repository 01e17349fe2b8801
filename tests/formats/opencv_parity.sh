#!/bin/sh
# opencv_parity.sh SOURCE SHADEWOOD: detections are those of OpenCV. Ends with 77 where OpenCV or the pictures are missing.
data=${SHADEWOOD_DATA:-}
if [ ! -d "$data/msrc21/images" ]; then
    echo '# skipped: no real data: SHADEWOOD_DATA names no folder with msrc21/images'
    exit 77
fi
cascades=/usr/share/opencv4
for python in /usr/bin/python3 python3; do
    "$python" -c 'import cv2' 2>/dev/null && break
done
exec "$python" "$1/scripts/opencv-parity.py" --shadewood "$2" --least 95 --folder "$data/msrc21/images" \
    "$cascades/haarcascades/haarcascade_frontalface_default.xml" "$cascades/haarcascades/haarcascade_fullbody.xml" \
    "$cascades/haarcascades/haarcascade_licence_plate_rus_16stages.xml" \
    "$cascades/lbpcascades/lbpcascade_frontalface.xml" "$cascades/lbpcascades/lbpcascade_frontalface_improved.xml" \
    "$data/pico/images_msrc21.txt"
