#pragma once

// Everything is compiled with hidden visibility; ETUDE_API marks the public symbols of the library.
#if defined(__GNUC__)
#define ETUDE_API __attribute__((visibility("default")))
#else
#define ETUDE_API
#endif
