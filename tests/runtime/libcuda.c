/* A CUDA driver in host memory, for cuda-python to be linked to: its functions have the driver API's own signatures. Work is
   done at once. An address below 4096 is an illegal one. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int Result;
typedef uint64_t Address;
typedef struct { int capturing, recorded; } Stream;
static int retained, current, launched;

#define CHECK(address) if ((address) < 4096) return 700

static Result init(unsigned flags) { return flags; }
static Result version(int *out) { *out = 13000; return 0; }
static Result count(int *out) { *out = 1; return 0; }
static Result device(int *out, int index) { *out = index; return index ? 101 : 0; }
static Result name(char *out, int length, int device) { strncpy(out, "Stub of a GPU", length); return device; }
static Result bus(char *out, int length, int device) { strncpy(out, "0000:65:00.0", length); return device; }
static Result memory(size_t *out, int device) { *out = (size_t)5 << 30; return device; }
static Result attribute(int *out, int which, int device) {
  *out = which == 75 ? 8 : which == 76 ? 6 : which == 115 ? 1 : -1;
  return *out < 0 ? 1 : device;
}
static Result retain(void **out, int device) { retained++; *out = &retained; return device; }
static Result release(int device) { return --retained < 0 ? 201 : device; }
static Result reset(int device) { return device; }
static Result push(void *context) { current++; return context == &retained ? 0 : 201; }
static Result pop(void **out) { *out = &retained; return --current < 0 ? 201 : 0; }
static Result create(void **out, unsigned flags) { *out = calloc(1, sizeof(Stream)); return flags == 1 ? 0 : 1; }
static Result destroy(Stream *stream) { free(stream); return 0; }
static Result synchronize(Stream *stream) { return stream->capturing ? 900 : 0; }
static Result query(Stream *stream) { return stream->capturing ? 900 : 600; }
static Result allocate(Address *out, size_t size) { *out = (Address)malloc(size); return size ? 0 : 1; }
static Result allocate_async(Address *out, size_t size, Stream *stream) { (void)stream; return allocate(out, size); }
static Result release_memory(Address address) { CHECK(address); free((void *)address); return 0; }
static Result release_async(Address address, Stream *stream) { (void)stream; return release_memory(address); }
static Result set(Address address, unsigned char value, size_t size, Stream *stream) {
  CHECK(address);
  if (stream->capturing) { stream->recorded++; return 0; }
  memset((void *)address, value, size);
  return 0;
}
static Result to_device(Address to, const void *from, size_t size, Stream *stream) {
  (void)stream;
  CHECK(to);
  memcpy((void *)to, from, size);
  return 0;
}
static Result to_host(void *to, Address from, size_t size, Stream *stream) {
  (void)stream;
  CHECK(from);
  memcpy(to, (void *)from, size);
  return 0;
}
static Result begin(Stream *stream, int mode) { stream->capturing = 1; stream->recorded = 0; return mode == 1 ? 0 : 1; }
static Result end(Stream *stream, void **out) {
  if (!stream->capturing) return 401;
  stream->capturing = 0;
  *out = malloc(1);
  return stream->recorded ? 0 : 1;
}
static Result capturing(Stream *stream, int *out) { *out = stream->capturing; return 0; }
static Result instantiate(void **out, void *graph, unsigned long long flags) { *out = graph; return (int)flags; }
static Result destroy_graph(void *graph) { return graph ? 0 : 400; }
static Result launch(void *executable, Stream *stream) { (void)stream; launched++; return executable ? 0 : 400; }
static Result destroy_executable(void *executable) { free(executable); return 0; }

static const struct { const char *name; void *function; } TABLE[] = {
  {"cuInit", init}, {"cuDriverGetVersion", version}, {"cuDeviceGetCount", count}, {"cuDeviceGet", device},
  {"cuDeviceGetName", name}, {"cuDeviceGetPCIBusId", bus}, {"cuDeviceTotalMem", memory},
  {"cuDeviceGetAttribute", attribute}, {"cuDevicePrimaryCtxRetain", retain}, {"cuDevicePrimaryCtxRelease", release},
  {"cuDevicePrimaryCtxReset", reset}, {"cuCtxPushCurrent", push}, {"cuCtxPopCurrent", pop}, {"cuStreamCreate", create},
  {"cuStreamDestroy", destroy}, {"cuStreamSynchronize", synchronize}, {"cuStreamQuery", query},
  {"cuMemAlloc", allocate}, {"cuMemAllocAsync", allocate_async}, {"cuMemFree", release_memory},
  {"cuMemFreeAsync", release_async}, {"cuMemsetD8Async", set}, {"cuMemcpyHtoDAsync", to_device},
  {"cuMemcpyDtoHAsync", to_host}, {"cuStreamBeginCapture", begin}, {"cuStreamEndCapture", end},
  {"cuStreamIsCapturing", capturing}, {"cuGraphInstantiate", instantiate}, {"cuGraphInstantiateWithFlags", instantiate},
  {"cuGraphDestroy", destroy_graph}, {"cuGraphLaunch", launch}, {"cuGraphExecDestroy", destroy_executable},
};

Result cuGetProcAddress_v2(const char *wanted, void **out, int cuda, uint64_t flags, int *status) {
  (void)cuda, (void)flags;
  *out = NULL;
  for (size_t i = 0; i < sizeof TABLE / sizeof *TABLE; i++)
    if (!strcmp(TABLE[i].name, wanted)) *out = TABLE[i].function;
  if (status) *status = *out ? 0 : 1;
  return *out ? 0 : 500;
}
