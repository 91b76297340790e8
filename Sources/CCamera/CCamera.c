#include "CCamera.h"
