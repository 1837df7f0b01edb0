/* io_modes_test.c: who may read an output, and whose it is. */
#include "io_support.h"

/* The mode of the one file in the folder whose name begins with a dot. */
static mode_t mode_of_part(void)
{
    struct stat is = {.st_mode = 0};
    DIR *dir = opendir(".");
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] == '.' && strlen(entry->d_name) > 2)
            assert_int_equal(stat(entry->d_name, &is), 0);
    (void)closedir(dir);
    return is.st_mode & 0777;
}

static void nobody_else_reads_a_file_before_it_is_whole(void **state)
{
    struct stat is;
    (void)state;
    mode_t kept = umask(0);
    put_file("in.f32", "1234", 4);
    put_file("old.f32", "1234", 4);
    assert_int_equal(chmod("in.f32", 0664), 0);
    assert_int_equal(chmod("old.f32", 0604), 0);
    const struct ztio_creation like = {.like = "in.f32"};
    struct ztio_bytes *new = ztio_bytes_create("new", NULL, &error);
    assert_int_equal(mode_of_part(), 0600);
    assert_true(ztio_bytes_commit(new, &error));
    struct ztio_bytes *out = ztio_bytes_create("out", &like, &error);
    assert_int_equal(mode_of_part(), 0600);
    assert_true(ztio_bytes_commit(out, &error));
    struct ztio_bytes *old = ztio_bytes_create("old.f32", &replace, &error);
    assert_int_equal(mode_of_part(), 0600);
    assert_true(ztio_bytes_commit(old, &error));
    umask(kept);
    assert_int_equal(stat("new", &is), 0);
    assert_int_equal(is.st_mode & 0777, 0666);
    assert_int_equal(stat("out", &is), 0);
    assert_int_equal(is.st_mode & 0777, 0664);
    assert_int_equal(stat("old.f32", &is), 0);
    assert_int_equal(is.st_mode & 0777, 0604);
}

static void a_file_that_is_replaced_keeps_its_owner(void **state)
{
    struct stat is;
    (void)state;
    put_file("theirs", "old", 3);
    if (chown("theirs", 12345, 54321) != 0) {
        print_message("SKIP: only root can give files away\n");
        return;
    }
    assert_int_equal(chmod("theirs", 0640), 0);
    assert_true(ztio_bytes_commit(ztio_bytes_create("theirs", &replace, &error), &error));
    assert_int_equal(stat("theirs", &is), 0);
    assert_int_equal(is.st_uid, 12345);
    assert_int_equal(is.st_gid, 54321);
    assert_int_equal(is.st_mode & 0777, 0640);
    /* a new file is ours, and its group is not the one that the input's mode is for */
    const struct ztio_creation like = {.like = "theirs"};
    assert_true(ztio_bytes_commit(ztio_bytes_create("ours", &like, &error), &error));
    assert_int_equal(stat("ours", &is), 0);
    assert_int_equal(is.st_uid, geteuid());
    assert_int_equal(is.st_mode & 0777, 0600);
}

#define TEST(name) cmocka_unit_test_teardown(name, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nobody_else_reads_a_file_before_it_is_whole),
        TEST(a_file_that_is_replaced_keeps_its_owner),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
