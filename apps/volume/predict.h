/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The closed form as the tree that `predict` prints.
 */
#ifndef HTMT_APPS_VOLUME_PREDICT_H
#define HTMT_APPS_VOLUME_PREDICT_H

#include "apps/app.h"

int htmt__volume_app_predict(const struct htmt_request *request, struct htmt_prediction *prediction,
                             struct htmt_fault *fault);

#endif
