/* Modules (shared libraries compiled with emulation.h), their kernels, and launches. */
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include "driver.h"

namespace driver {
namespace {

constexpr uint32_t MOST_SHARED = 227 * 1024; /* limit that a kernel can request by cuFuncSetAttribute */
constexpr uint32_t USUAL_SHARED = 48 * 1024;
constexpr uint64_t MOST_THREADS = 1024;

std::map<Module *, std::unique_ptr<Module>> modules;
std::unordered_set<void *> functions;

/* The size of a shared library at this address: its section table is at its end. */
size_t image_bytes(const void *image) {
    ElfW(Ehdr) header;
    if (memcmp(image, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&header, image, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_DYN) return 0;
    return header.e_shoff + size_t(header.e_shnum) * header.e_shentsize;
}

/* Stores the image for dlopen. Debuggers and sanitizers need a named file. */
bool write_image(Module &module, const void *image, size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
    const char *const folder = getenv("TMPDIR");
    module.path = std::string(folder ? folder : "/tmp") + "/gnomon_emulated_XXXXXX";
    module.file = mkstemp(module.path.data());
#else
    module.file = memfd_create("gnomon_emulated_module", MFD_CLOEXEC);
    module.path = "/proc/self/fd/" + std::to_string(module.file);
#endif
    const char *from = static_cast<const char *>(image);
    while (module.file >= 0 && bytes) {
        const ssize_t written = write(module.file, from, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        from += written;
        bytes -= size_t(written);
    }
    return module.file >= 0;
}

void close_module(Module &module) {
    if (module.library) dlclose(module.library);
#if defined(__SANITIZE_ADDRESS__)
    if (module.file >= 0) unlink(module.path.c_str());
#endif
    if (module.file >= 0) close(module.file);
}

/* Finds the module's writable memory: its __shared__ variables, and others. */
void find_statics(Module &module) {
    link_map *map = nullptr;
    dlinfo(module.library, RTLD_DI_LINKMAP, &map);
    struct Search {
        Module *module;
        uintptr_t base;
    } search = {&module, map->l_addr};
    dl_iterate_phdr(
        [](dl_phdr_info *info, size_t, void *data) {
            auto *const wanted = static_cast<Search *>(data);
            if (info->dlpi_addr != wanted->base) return 0;
            Module &found = *wanted->module;
            for (int i = 0; i < info->dlpi_phnum; i++) {
                const auto &segment = info->dlpi_phdr[i];
                if (segment.p_type != PT_LOAD) continue;
                const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
                const uintptr_t end = begin + segment.p_memsz;
                if (found.image_begin == 0 || begin < found.image_begin) found.image_begin = begin;
                if (end > found.image_end) found.image_end = end;
                if (segment.p_flags & PF_W) {
                    found.statics_begin = begin;
                    found.statics_end = end;
                }
            }
            return 1;
        },
        &search);
}

Function *function_of(void *handle) {
    return functions.count(handle) ? static_cast<Function *>(handle) : nullptr;
}

bool is_wrong_size(dim3 grid, dim3 block) {
    if (!grid.x || !grid.y || !grid.z || !block.x || !block.y || !block.z) return true;
    if (grid.x > 0x7fffffff || grid.y > 65535 || grid.z > 65535) return true;
    if (block.x > MOST_THREADS || block.y > MOST_THREADS || block.z > 64) return true;
    return uint64_t(block.x) * block.y * block.z > MOST_THREADS;
}

}  // namespace
}  // namespace driver

using namespace driver;

GN_EXPORT int cuModuleLoadData(void **handle, const void *image) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    if (!handle || !image) return INVALID_VALUE;
    const size_t bytes = image_bytes(image);
    if (!bytes) return INVALID_IMAGE;
    auto module = std::make_unique<Module>();
    if (!write_image(*module, image, bytes)) {
        close_module(*module);
        return OUT_OF_MEMORY;
    }
    module->library = dlopen(module->path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!module->library) {
        problem = dlerror();
        close_module(*module);
        return INVALID_IMAGE;
    }
    const void *const abi = dlsym(module->library, "gn_emulation_abi");
    if (!abi || *static_cast<const uint32_t *>(abi) != GN_EMULATION_ABI) {
        problem = "the image was not compiled with this emulation.h";
        close_module(*module);
        return NO_BINARY_FOR_GPU;
    }
    module->context = context;
    find_statics(*module);
    *handle = module.get();
    modules[module.get()] = std::move(module);
    return SUCCESS;
}

GN_EXPORT int cuModuleUnload(void *handle) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    const auto found = modules.find(static_cast<Module *>(handle));
    if (found == modules.end()) return INVALID_HANDLE;
    Module &module = *found->second;
    drain_all(*module.context); /* none of its kernels may be running */
    for (auto &[name, function] : module.functions) functions.erase(function.get());
    close_module(module);
    const Result error = module.context->error;
    modules.erase(found);
    return error;
}

GN_EXPORT int cuModuleGetFunction(void **handle, void *module_handle, const char *name) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    if (!handle || !name) return INVALID_VALUE;
    const auto found = modules.find(static_cast<Module *>(module_handle));
    if (found == modules.end()) return INVALID_HANDLE;
    Module &module = *found->second;
    auto &function = module.functions[name];
    if (!function) {
        const void *const symbol = dlsym(module.library, name);
        if (!symbol) {
            module.functions.erase(name);
            return NOT_FOUND;
        }
        function = std::make_unique<Function>();
        function->kernel = static_cast<const gn_emulated_kernel *>(symbol);
        function->name = function->kernel->name;
        function->module = &module;
        functions.insert(function.get());
    }
    *handle = function.get();
    return SUCCESS;
}

GN_EXPORT int cuFuncGetAttribute(int *value, int attribute, void *handle) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    const Function *const function = function_of(handle);
    if (!function) return INVALID_HANDLE;
    if (!value) return INVALID_VALUE;
    switch (attribute) {
    case 0: /* most threads of a block */
        *value = int(MOST_THREADS);
        return SUCCESS;
    case 1: /* bytes of static shared memory: known only to the compiler */
    case 2: /* constant memory */
    case 3: /* local memory */
    case 7: /* CACHE_MODE_CA */
        *value = 0;
        return SUCCESS;
    case 4: /* registers of a thread: a host has others; a number that always fits */
        *value = 64;
        return SUCCESS;
    case 5: /* PTX version */
    case 6: /* binary version */
        *value = 90;
        return SUCCESS;
    case 8:
        *value = int(function->dynamic_shared_limit);
        return SUCCESS;
    default:
        return INVALID_VALUE;
    }
}

GN_EXPORT int cuFuncSetAttribute(void *handle, int attribute, int value) {
    std::lock_guard guard(lock);
    Result why;
    if (!current(&why)) return why;
    Function *const function = function_of(handle);
    if (!function) return INVALID_HANDLE;
    if (attribute == 9) return SUCCESS; /* a hint for the split of shared memory and cache */
    if (attribute != 8 || value < 0 || uint32_t(value) > MOST_SHARED) return INVALID_VALUE;
    function->dynamic_shared_limit = uint32_t(value) > USUAL_SHARED ? uint32_t(value) : USUAL_SHARED;
    return SUCCESS;
}

GN_EXPORT int cuLaunchKernel(void *handle, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                             unsigned int block_x, unsigned int block_y, unsigned int block_z,
                             unsigned int shared_bytes, void *stream_handle, void **parameters,
                             void **extra) {
    std::lock_guard guard(lock);
    Result why;
    Context *const context = current(&why);
    if (!context) return why;
    Function *const function = function_of(handle);
    Stream *const stream = stream_of(*context, stream_handle);
    if (!function || !stream || stream->context != function->module->context) return INVALID_HANDLE;
    const dim3 grid(grid_x, grid_y, grid_z);
    const dim3 block(block_x, block_y, block_z);
    if (is_wrong_size(grid, block) || shared_bytes > function->dynamic_shared_limit) return INVALID_VALUE;
    const gn_emulated_kernel &kernel = *function->kernel;
    if (extra || (kernel.parameter_count && !parameters)) return INVALID_VALUE;
    auto launch = std::make_shared<Launch>();
    launch->function = function;
    launch->grid = grid;
    launch->block = block;
    launch->shared_bytes = shared_bytes;
    launch->places.resize(kernel.parameter_count);
    size_t bytes = 0;
    for (uint32_t i = 0; i < kernel.parameter_count; i++) {
        const size_t alignment = kernel.alignments[i];
        bytes = (bytes + alignment - 1) / alignment * alignment;
        launch->places[i] = uint32_t(bytes);
        bytes += kernel.sizes[i];
    }
    launch->parameters.resize(bytes);
    for (uint32_t i = 0; i < kernel.parameter_count; i++) {
        memcpy(launch->parameters.data() + launch->places[i], parameters[i], kernel.sizes[i]);
    }
    counts.launches++;
    Operation operation(Kind::LAUNCH);
    operation.launch = std::move(launch);
    return enqueue(*stream, std::move(operation));
}
