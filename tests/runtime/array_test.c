#include "runtime/base/array.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

Test(array, keeps_what_it_has_while_it_grows_and_doubles_its_room)
{
    uint32_t *at = NULL;
    size_t room = 0, count = 0, growths = 0;
    while (count < 100000) {
        size_t before = room;
        cr_assert(htmt__array_fits(&at, &room, count + 1, sizeof *at));
        growths += room != before;
        at[count] = (uint32_t)count * 7;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(at[i], i * 7);
    /* 8, 16, ... 131072 */
    cr_assert_eq(growths, 15);
    free(at);
}

Test(array, stays_as_it_is_when_a_size_cannot_be)
{
    uint64_t *at = malloc(8 * sizeof *at), *same = at;
    size_t room = 8;
    at[7] = 77;
    cr_assert_not(htmt__array_fits(&at, &room, SIZE_MAX / 2, sizeof *at));
    cr_assert_eq(at, same);
    cr_assert_eq(room, 8);
    cr_assert_eq(at[7], 77);
    free(at);
}
