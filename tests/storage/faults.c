/* Makes a program's disk fail: preloaded into PostgreSQL by test_disk_faults.py.
 *
 * The file named by AUGURY_TEST_FAULT says what fails now, as "OPERATION PART ERRNO": an
 * OPERATION of read, write or sync on files whose path has PART in it. No file: all is well.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static int fails(int fd, const char *operation)
{
    const char *control = getenv("AUGURY_TEST_FAULT");
    char text[256], path[4096], link[64], wanted[16], part[128];
    int error;
    if (!control) return 0;
    int file = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return 0;
    ssize_t n = syscall(SYS_read, file, text, sizeof text - 1);
    syscall(SYS_close, file);
    if (n <= 0) return 0;
    text[n] = 0;
    if (sscanf(text, "%15s %127s %d", wanted, part, &error) != 3) return 0;
    if (strcmp(wanted, operation)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof path - 1);
    if (n <= 0) return 0;
    path[n] = 0;
    if (!strstr(path, part)) return 0;
    errno = error;
    return 1;
}

#define WRAP(type, name, operation, parameters, ...)                       \
    type name parameters                                                   \
    {                                                                      \
        static type(*next) parameters;                                     \
        if (!next) next = (type(*) parameters) dlsym(RTLD_NEXT, #name);    \
        if (fails(fd, operation)) return (type)-1;                         \
        return next(__VA_ARGS__);                                          \
    }

WRAP(ssize_t, write, "write", (int fd, const void *b, size_t n), fd, b, n)
WRAP(ssize_t, pwrite, "write", (int fd, const void *b, size_t n, off_t o), fd, b, n, o)
WRAP(ssize_t, pwrite64, "write", (int fd, const void *b, size_t n, off_t o), fd, b, n, o)
WRAP(ssize_t, pwritev, "write", (int fd, const struct iovec *v, int n, off_t o), fd, v, n, o)
WRAP(ssize_t, pwritev64, "write", (int fd, const struct iovec *v, int n, off_t o), fd, v, n, o)
WRAP(ssize_t, pread, "read", (int fd, void *b, size_t n, off_t o), fd, b, n, o)
WRAP(ssize_t, pread64, "read", (int fd, void *b, size_t n, off_t o), fd, b, n, o)
WRAP(ssize_t, preadv, "read", (int fd, const struct iovec *v, int n, off_t o), fd, v, n, o)
WRAP(ssize_t, preadv64, "read", (int fd, const struct iovec *v, int n, off_t o), fd, v, n, o)
WRAP(int, fsync, "sync", (int fd), fd)
WRAP(int, fdatasync, "sync", (int fd), fd)

/* Returns its error in place of setting errno. */
int posix_fallocate(int fd, off_t offset, off_t length)
{
    static int (*next)(int, off_t, off_t);
    if (!next) next = (int (*)(int, off_t, off_t))dlsym(RTLD_NEXT, "posix_fallocate");
    if (fails(fd, "write")) return errno;
    return next(fd, offset, length);
}
