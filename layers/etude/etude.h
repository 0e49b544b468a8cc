#pragma once

// Everything: the framework and every layer.
#include "etude/activation.h"
#include "etude/dropout.h"
#include "etude/embedding.h"
#include "etude/flatten.h"
#include "etude/framework.h"
#include "etude/functional.h"
#include "etude/identity.h"
#include "etude/input_embedding.h"
#include "etude/linear.h"
#include "etude/module_list.h"
#include "etude/positional_encoding.h"
#include "etude/sequential.h"
#include "etude/token_embedding.h"
