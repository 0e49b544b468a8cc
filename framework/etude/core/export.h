#pragma once

// Everything is compiled with hidden visibility; what carries ETUDE_API is the public surface of the library.
#if defined(__GNUC__)
#define ETUDE_API __attribute__((visibility("default")))
#else
#define ETUDE_API
#endif
