#!/usr/bin/env python3
"""Kills viewers while they paint and draw rectangles, and recovers the work: how many seconds of it are lost?

Each viewer draws a rectangle and paints a pixel a quarter of a second, in real time, and says so. It is killed after a
random time. What the next run recovers is compared with what there had been two seconds before. Prints TAP."""

import argparse
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile
import time

ALLOWED = 2.0  # seconds


def script_lines(picture, count):
    lines = ["project new", f"open {picture}", "add-class one", "teach off"]
    for number in range(count):
        x, y = number % 60, number // 60
        lines += [f"rectangle {x} {y} 3 3 thing", f"stroke one 0 {x} {y}", "labels", "sleep 0.25"]
    return lines


def painted(line):
    return int(line.split()[1])


def recovered(command, script, lines):
    script.write_text("\n".join(lines) + "\n")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def kill_once(viewer, folder, picture, seconds):
    """Returns the seconds of strokes and those of rectangles that were lost."""
    script = folder / "script"
    script.write_text("\n".join(script_lines(picture, int(seconds * 4) + 40)) + "\n")
    command = [viewer, "--headless", "--size", "64x64", "--recovery", folder / "copies", "--script", script]
    times = []  # when there were so many pixels and rectangles
    with subprocess.Popen(["stdbuf", "-oL", *command], stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            times.append((time.monotonic(), painted(line)))
            if times[-1][0] - times[0][0] >= seconds:
                process.kill()
                break
    killed = time.monotonic()
    strokes = recovered(command, script, ["recover 1", "labels"])
    boxes = recovered(command, script, [f"open {picture}", "rectangles-recover 1", "rectangles-list"])
    kept = painted(strokes[0]) if strokes else 0, sum(line.startswith("rectangle ") for line in boxes)
    return [killed - next((moment for moment, count in times if count > least), killed) for least in kept]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("viewer", type=pathlib.Path)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--together", type=int, default=10, help="viewers that run at a time")
    parser.add_argument("--seconds", type=float, nargs=2, default=(1.0, 30.0), metavar=("LEAST", "MOST"))
    parser.add_argument("--seed", type=int, default=1, help="of the moments")
    given = parser.parse_args()
    chance = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        subprocess.run([given.program, "synth", "-q", "-o", root / "scenes", "--count", "1", "--size", "64x48"], check=True,
                       stdout=subprocess.DEVNULL)
        picture = root / "scenes" / "00000_colors.png"

        def one(number):
            folder = root / str(number)
            folder.mkdir()
            return kill_once(given.viewer.resolve(), folder, picture, seconds[number])

        seconds = [chance.uniform(*given.seconds) for _ in range(given.kills)]
        print(f"1..{given.kills}")
        failed, most = 0, [0.0, 0.0]
        with concurrent.futures.ThreadPoolExecutor(given.together) as pool:
            for number, lost in enumerate(pool.map(one, range(given.kills))):
                good = max(lost) <= ALLOWED
                failed += not good
                most = [max(pair) for pair in zip(most, lost)]
                print(f"{'ok' if good else 'not ok'} {number + 1} - killed after {seconds[number]:.1f} s: "
                      f"{lost[0]:.2f} s of strokes and {lost[1]:.2f} s of rectangles lost", flush=True)
        print(f"# greatest loss: {most[0]:.2f} s of strokes, {most[1]:.2f} s of rectangles")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
