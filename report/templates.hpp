// The texts of report/templates/*.mustache, embedded at build time.
#pragma once

#include <string>
#include <string_view>

namespace rooftile::report {

/// `name` without ".mustache", e.g. "page.html". Throws std::logic_error for an unknown one.
std::string_view template_text(std::string_view name);

}  // namespace rooftile::report
