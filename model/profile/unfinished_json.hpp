// The member "unfinished" of profile.json: repetitions of microbenchmarks whose rounds are not all
// through.
#pragma once

#include "model/profile/device_profile.hpp"

namespace rooftile {

Json to_json(const Unfinished& unfinished);
/// Throws InputError that names the field.
Unfinished unfinished_from(const JsonReader& json);

Json to_json(const Completion& completion);
Completion completion_from(const JsonReader& json);

}  // namespace rooftile
