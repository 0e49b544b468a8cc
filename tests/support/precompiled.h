// The headers that most tests include, compiled once. Otherwise they take half of the compile time of a test.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "etude/etude.h"
#include "support/check_gradients.h"
#include "support/place.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"
