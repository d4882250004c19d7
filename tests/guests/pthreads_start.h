// Declarations for musl's threads, which pthreads_start.c defines (see pthreads.c).
#define SYS_futex 1
#define SYS_set_robust_list 2
#define __syscall_cp __syscall
#define __block_app_sigs(set) ((void)(set))
#define __restore_sigs(set) ((void)(set))
long __syscall(long number, ...);
void __vm_lock(void);
void __vm_unlock(void);
