/* Included by mpi.h, which has declared all that the library has: what of MPI is not in it, and
 * what MPI itself no longer has.  Each name is declared with its type, so that profiling libraries
 * may define it, and a call of it is an error at compile time that says what to do.  None of them
 * is in the library: a configure script that looks for one finds none. */
#ifndef MPI_MISSING_H
#define MPI_MISSING_H

#ifdef __cplusplus
extern "C" {
#endif

/* Where it is called; where the compiler cannot say that, where it is used at all. */
#if defined __has_attribute
#if __has_attribute(error)
#define MPI_ABI_NOT_HERE(why) __attribute__((error(why)))
#elif __has_attribute(unavailable)
#define MPI_ABI_NOT_HERE(why) __attribute__((unavailable(why)))
#endif
#if __has_attribute(unavailable)
#define MPI_ABI_GONE(why) __attribute__((unavailable(why)))
#elif __has_attribute(deprecated)
#define MPI_ABI_GONE(why) __attribute__((deprecated(why)))
#endif
#endif
#ifndef MPI_ABI_NOT_HERE
#define MPI_ABI_NOT_HERE(why)
#endif
#ifndef MPI_ABI_GONE
#define MPI_ABI_GONE(why)
#endif

#define MPI_ABI_BOTH(type, name, args, why) \
    extern type MPI_##name args MPI_ABI_NOT_HERE(why); \
    extern type PMPI_##name args MPI_ABI_NOT_HERE(why)

#define MPI_ABI_PROCESS(type, name, args) \
    MPI_ABI_BOTH(type, name, args, \
                 "libmpi-lite starts no processes later: start all of them with mpirun")
#define MPI_ABI_FILE(type, name, args) \
    MPI_ABI_BOTH(type, name, args, \
                 "libmpi-lite has no MPI-IO: let one rank, or each its own file, use the C library")
#define MPI_ABI_REMOVED(name, args, use) \
    MPI_ABI_BOTH(int, name, args, "MPI-3.0 has removed MPI_" #name ": use " use)

/* -- Processes that are started or joined while the job runs */

MPI_ABI_PROCESS(int, Close_port, (const char *port_name));
MPI_ABI_PROCESS(int, Comm_accept, (const char *port_name, MPI_Info info, int root, MPI_Comm comm,
    MPI_Comm *newcomm));
MPI_ABI_PROCESS(int, Comm_connect, (const char *port_name, MPI_Info info, int root, MPI_Comm comm,
    MPI_Comm *newcomm));
MPI_ABI_PROCESS(int, Comm_join, (int fd, MPI_Comm *intercomm));
MPI_ABI_PROCESS(int, Comm_spawn, (const char *command, char *argv[], int maxprocs, MPI_Info info,
    int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]));
MPI_ABI_PROCESS(int, Comm_spawn_multiple, (int count, char *array_of_commands[],
    char **array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[],
    int root, MPI_Comm comm, MPI_Comm *intercomm, int array_of_errcodes[]));
MPI_ABI_PROCESS(int, Lookup_name, (const char *service_name, MPI_Info info, char *port_name));
MPI_ABI_PROCESS(int, Open_port, (MPI_Info info, char *port_name));
MPI_ABI_PROCESS(int, Publish_name, (const char *service_name, MPI_Info info,
    const char *port_name));
MPI_ABI_PROCESS(int, Unpublish_name, (const char *service_name, MPI_Info info,
    const char *port_name));

/* -- Files */

MPI_ABI_FILE(int, File_call_errhandler, (MPI_File fh, int errorcode));
MPI_ABI_FILE(MPI_Fint, File_c2f, (MPI_File file));
MPI_ABI_FILE(int, File_close, (MPI_File *fh));
MPI_ABI_FILE(int, File_create_errhandler, (MPI_File_errhandler_function *file_errhandler_fn,
    MPI_Errhandler *errhandler));
MPI_ABI_FILE(int, File_delete, (const char *filename, MPI_Info info));
MPI_ABI_FILE(MPI_File, File_f2c, (MPI_Fint file));
MPI_ABI_FILE(MPI_File, File_fromint, (int file));
MPI_ABI_FILE(int, File_get_amode, (MPI_File fh, int *amode));
MPI_ABI_FILE(int, File_get_atomicity, (MPI_File fh, int *flag));
MPI_ABI_FILE(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset *disp));
MPI_ABI_FILE(int, File_get_errhandler, (MPI_File file, MPI_Errhandler *errhandler));
MPI_ABI_FILE(int, File_get_group, (MPI_File fh, MPI_Group *group));
MPI_ABI_FILE(int, File_get_info, (MPI_File fh, MPI_Info *info_used));
MPI_ABI_FILE(int, File_get_position, (MPI_File fh, MPI_Offset *offset));
MPI_ABI_FILE(int, File_get_position_shared, (MPI_File fh, MPI_Offset *offset));
MPI_ABI_FILE(int, File_get_size, (MPI_File fh, MPI_Offset *size));
MPI_ABI_FILE(int, File_get_type_extent, (MPI_File fh, MPI_Datatype datatype, MPI_Aint *extent));
MPI_ABI_FILE(int, File_get_type_extent_c, (MPI_File fh, MPI_Datatype datatype,
    MPI_Count *extent));
MPI_ABI_FILE(int, File_get_view, (MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype,
    MPI_Datatype *filetype, char *datarep));
MPI_ABI_FILE(int, File_iread, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Request *request));
MPI_ABI_FILE(int, File_iread_all, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Request *request));
MPI_ABI_FILE(int, File_iread_all_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iread_at, (MPI_File fh, MPI_Offset offset, void *buf, int count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iread_at_all, (MPI_File fh, MPI_Offset offset, void *buf, int count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iread_at_all_c, (MPI_File fh, MPI_Offset offset, void *buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iread_at_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iread_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Request *request));
MPI_ABI_FILE(int, File_iread_shared, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Request *request));
MPI_ABI_FILE(int, File_iread_shared_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite, (MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
    MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_all, (MPI_File fh, const void *buf, int count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_all_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_at, (MPI_File fh, MPI_Offset offset, const void *buf, int count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_at_all, (MPI_File fh, MPI_Offset offset, const void *buf, int count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_at_all_c, (MPI_File fh, MPI_Offset offset, const void *buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_at_c, (MPI_File fh, MPI_Offset offset, const void *buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_shared, (MPI_File fh, const void *buf, int count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_iwrite_shared_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Request *request));
MPI_ABI_FILE(int, File_open, (MPI_Comm comm, const char *filename, int amode, MPI_Info info,
    MPI_File *fh));
MPI_ABI_FILE(int, File_preallocate, (MPI_File fh, MPI_Offset size));
MPI_ABI_FILE(int, File_read, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_read_all, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_read_all_begin, (MPI_File fh, void *buf, int count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_read_all_begin_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_read_all_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_read_all_end, (MPI_File fh, void *buf, MPI_Status *status));
MPI_ABI_FILE(int, File_read_at, (MPI_File fh, MPI_Offset offset, void *buf, int count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_read_at_all, (MPI_File fh, MPI_Offset offset, void * buf, int count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_read_at_all_begin, (MPI_File fh, MPI_Offset offset, void *buf, int count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_read_at_all_begin_c, (MPI_File fh, MPI_Offset offset, void *buf,
    MPI_Count count, MPI_Datatype datatype));
MPI_ABI_FILE(int, File_read_at_all_c, (MPI_File fh, MPI_Offset offset, void * buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_read_at_all_end, (MPI_File fh, void *buf, MPI_Status *status));
MPI_ABI_FILE(int, File_read_at_c, (MPI_File fh, MPI_Offset offset, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_read_c, (MPI_File fh, void *buf, MPI_Count count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_read_ordered, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_read_ordered_begin, (MPI_File fh, void *buf, int count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_read_ordered_begin_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_read_ordered_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_read_ordered_end, (MPI_File fh, void *buf, MPI_Status *status));
MPI_ABI_FILE(int, File_read_shared, (MPI_File fh, void *buf, int count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_read_shared_c, (MPI_File fh, void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence));
MPI_ABI_FILE(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence));
MPI_ABI_FILE(int, File_set_atomicity, (MPI_File fh, int flag));
MPI_ABI_FILE(int, File_set_errhandler, (MPI_File file, MPI_Errhandler errhandler));
MPI_ABI_FILE(int, File_set_info, (MPI_File fh, MPI_Info info));
MPI_ABI_FILE(int, File_set_size, (MPI_File fh, MPI_Offset size));
MPI_ABI_FILE(int, File_set_view, (MPI_File fh, MPI_Offset disp, MPI_Datatype etype,
    MPI_Datatype filetype, const char *datarep, MPI_Info info));
MPI_ABI_FILE(int, File_sync, (MPI_File fh));
MPI_ABI_FILE(int, File_toint, (MPI_File file));
MPI_ABI_FILE(int, File_write, (MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_write_all, (MPI_File fh, const void *buf, int count, MPI_Datatype datatype,
    MPI_Status *status));
MPI_ABI_FILE(int, File_write_all_begin, (MPI_File fh, const void *buf, int count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_write_all_begin_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_write_all_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_all_end, (MPI_File fh, const void *buf, MPI_Status *status));
MPI_ABI_FILE(int, File_write_at, (MPI_File fh, MPI_Offset offset, const void * buf, int count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_at_all, (MPI_File fh, MPI_Offset offset, const void *buf, int count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_at_all_begin, (MPI_File fh, MPI_Offset offset, const void *buf,
    int count, MPI_Datatype datatype));
MPI_ABI_FILE(int, File_write_at_all_begin_c, (MPI_File fh, MPI_Offset offset, const void *buf,
    MPI_Count count, MPI_Datatype datatype));
MPI_ABI_FILE(int, File_write_at_all_c, (MPI_File fh, MPI_Offset offset, const void *buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_at_all_end, (MPI_File fh, const void *buf, MPI_Status *status));
MPI_ABI_FILE(int, File_write_at_c, (MPI_File fh, MPI_Offset offset, const void * buf,
    MPI_Count count, MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_ordered, (MPI_File fh, const void *buf, int count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_ordered_begin, (MPI_File fh, const void *buf, int count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_write_ordered_begin_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype));
MPI_ABI_FILE(int, File_write_ordered_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_ordered_end, (MPI_File fh, const void *buf, MPI_Status *status));
MPI_ABI_FILE(int, File_write_shared, (MPI_File fh, const void *buf, int count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, File_write_shared_c, (MPI_File fh, const void *buf, MPI_Count count,
    MPI_Datatype datatype, MPI_Status *status));
MPI_ABI_FILE(int, Register_datarep, (const char *datarep,
    MPI_Datarep_conversion_function *read_conversion_fn,
    MPI_Datarep_conversion_function *write_conversion_fn,
    MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state));
MPI_ABI_FILE(int, Register_datarep_c, (const char *datarep,
    MPI_Datarep_conversion_function_c *read_conversion_fn,
    MPI_Datarep_conversion_function_c *write_conversion_fn,
    MPI_Datarep_extent_function *dtype_file_extent_fn, void *extra_state));

/* -- what MPI has removed */

MPI_ABI_REMOVED(Address, (void *location, MPI_Aint *address), "MPI_Get_address");
MPI_ABI_REMOVED(Errhandler_create, (MPI_Comm_errhandler_function *function,
    MPI_Errhandler *errhandler), "MPI_Comm_create_errhandler");
MPI_ABI_REMOVED(Errhandler_get, (MPI_Comm comm, MPI_Errhandler *errhandler),
    "MPI_Comm_get_errhandler");
MPI_ABI_REMOVED(Errhandler_set, (MPI_Comm comm, MPI_Errhandler errhandler),
    "MPI_Comm_set_errhandler");
MPI_ABI_REMOVED(Type_extent, (MPI_Datatype datatype, MPI_Aint *extent), "MPI_Type_get_extent");
MPI_ABI_REMOVED(Type_hindexed, (int count, int array_of_blocklengths[],
    MPI_Aint array_of_displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype),
    "MPI_Type_create_hindexed");
MPI_ABI_REMOVED(Type_hvector, (int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype,
    MPI_Datatype *newtype), "MPI_Type_create_hvector");
MPI_ABI_REMOVED(Type_lb, (MPI_Datatype datatype, MPI_Aint *displacement), "MPI_Type_get_extent");
MPI_ABI_REMOVED(Type_struct, (int count, int array_of_blocklengths[],
    MPI_Aint array_of_displacements[], MPI_Datatype array_of_types[], MPI_Datatype *newtype),
    "MPI_Type_create_struct");
MPI_ABI_REMOVED(Type_ub, (MPI_Datatype datatype, MPI_Aint *displacement), "MPI_Type_get_extent");

typedef MPI_Comm_errhandler_function MPI_Handler_function
    MPI_ABI_GONE("MPI-3.0 has removed it: use MPI_Comm_errhandler_function");
extern MPI_Datatype MPI_LB MPI_ABI_GONE("MPI-3.0 has removed MPI_LB: use MPI_Type_create_resized");
extern MPI_Datatype MPI_UB MPI_ABI_GONE("MPI-3.0 has removed MPI_UB: use MPI_Type_create_resized");
extern int MPI_COMBINER_HINDEXED_INTEGER MPI_ABI_GONE("MPI-3.0 has removed it");
extern int MPI_COMBINER_HVECTOR_INTEGER MPI_ABI_GONE("MPI-3.0 has removed it");
extern int MPI_COMBINER_STRUCT_INTEGER MPI_ABI_GONE("MPI-3.0 has removed it");

#undef MPI_ABI_NOT_HERE
#undef MPI_ABI_GONE
#undef MPI_ABI_BOTH
#undef MPI_ABI_WINDOW
#undef MPI_ABI_PROCESS
#undef MPI_ABI_FILE
#undef MPI_ABI_REMOVED

#ifdef __cplusplus
}
#endif
#endif
