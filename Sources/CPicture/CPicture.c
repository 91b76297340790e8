#include "CPicture.h"
