#include "micro/text.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

namespace rooftile::micro {

std::string format_text(std::string_view pattern, std::span<const TextArgument> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const TextArgument& argument : arguments)
    std::visit([&](const auto& value) { store.push_back(value); }, argument.value());
  return fmt::vformat(pattern, store);
}

}  // namespace rooftile::micro
