#pragma once

// The only definition of the version; the build reads it from here.
#define ETUDE_VERSION_MAJOR 0
#define ETUDE_VERSION_MINOR 1
#define ETUDE_VERSION_PATCH 0
#define ETUDE_VERSION "0.1.0"
