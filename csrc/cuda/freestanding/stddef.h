/* NVRTC has size_t built in. */
#pragma once
