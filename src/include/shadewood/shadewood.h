/* Shadewood: decision forests on the graphics pipeline. MIT licence, see LICENSE. */
#ifndef SHADEWOOD_H
#define SHADEWOOD_H

#include <shadewood/calibrate.h>
#include <shadewood/cascade.h>
#include <shadewood/channel_kind.h>
#include <shadewood/channels.h>
#include <shadewood/dataset.h>
#include <shadewood/detect.h>
#include <shadewood/detect_train.h>
#include <shadewood/device.h>
#include <shadewood/explain.h>
#include <shadewood/external.h>
#include <shadewood/feature.h>
#include <shadewood/forest.h>
#include <shadewood/image.h>
#include <shadewood/import.h>
#include <shadewood/input.h>
#include <shadewood/label.h>
#include <shadewood/log.h>
#include <shadewood/memory.h>
#include <shadewood/proposer.h>
#include <shadewood/record_forest.h>
#include <shadewood/record_train.h>
#include <shadewood/records.h>
#include <shadewood/splitter.h>
#include <shadewood/stage.h>
#include <shadewood/submit.h>
#include <shadewood/technique.h>
#include <shadewood/train.h>
#include <shadewood/version.h>
#include <shadewood/ycbcr.h>

#endif
