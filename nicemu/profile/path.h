/* Folders of profiles: those of the environment, the installation or build of the running program,
 * the configured installation. */
#ifndef NIC_PROFILE_PATH_H
#define NIC_PROFILE_PATH_H

#include <stdbool.h>
#include <stddef.h>

enum { NIC_PROFILE_FOLDERS = 8 };
/* False: none with this number. */
bool nic_profile_folder(unsigned number, char *path, size_t room);
/* "FOLDER has a, b, c": of the first that has profiles. */
void nic_profiles_describe(char *text, size_t room);
/* 0, or -ENOENT: none of that name. */
int nic_profile_path(const char *name, char *path, size_t room);

#endif
