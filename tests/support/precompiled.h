// What most tests include. It is compiled once; half of the time that a test takes to compile goes into it otherwise.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include "etude/framework.h"
#include "support/check_gradients.h"
#include "support/refusal.h"
#include "support/temporary_folder.h"
