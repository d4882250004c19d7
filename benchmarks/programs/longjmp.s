# The tag of longjmp's exceptions, which libsetjmp wants from whoever links it.
.globl __c_longjmp
.tagtype __c_longjmp i32
__c_longjmp:
