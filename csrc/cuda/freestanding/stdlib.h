/* Nothing of it is used in kernels. */
#pragma once
