/* SPDX-License-Identifier: BSD-3-Clause
 *
 * page/template.inc below the folder of the build has the bytes of the page.
 */
#include "emul/view/page/template.h"

const char htmt__page_template[] = {
#include <page/template.inc>
};
