// Listings and their index: reading, checking, writing.
#include "model/record/kernel_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>

#include "model/error.hpp"
#include "model/record/gzip.hpp"
#include "model/record/kernel_id.hpp"
#include "model/record/run.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t longest_listing = std::size_t{16} << 20;  // ours are below 1 MB
constexpr std::array<std::string_view, 5> path_names = {"guarded", "fast NN", "fast TN", "fast NT",
                                                        "fast TT"};

std::string_view trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return line.substr(first, line.find_last_not_of(blanks) + 1 - first);
}

/// Calls `use` with each line, without its end.
template <typename Use>
void for_each_line(std::string_view text, const Use& use) {
  while (!text.empty()) {
    const auto end = text.find('\n');
    use(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

KernelPath path_from(const JsonReader& json) {
  const auto index = json.one_of(path_names);
  if (index == 0) return {.guarded = true};
  return {.guarded = false, .trans_a = index % 2 == 0, .trans_b = index > 2};
}

Json record_json(const KernelRecord& kernel) {
  return {{"variant", kernel.variant},
          {"tile", rooftile::to_json(kernel.tile)},
          {"path", path_name(kernel.path)},
          {"architecture", kernel.architecture},
          {"resources", rooftile::to_json(kernel.resources)},
          {"kernel_id", kernel.kernel_id}};
}

std::string kernel_id_from(const JsonReader& json) {
  std::string id = json.text();
  if (!is_kernel_id(id)) json.fail("16 lower-case hexadecimal digits");
  return id;
}

KernelRecord record_from(const JsonReader& json) {
  return {.variant = json.at("variant").text(),
          .tile = compiled_tile(tile_from(json.at("tile"))),
          .path = path_from(json.at("path")),
          .architecture = json.at("architecture").text(),
          .resources = resources_from(json.at("resources")),
          .kernel_id = kernel_id_from(json.at("kernel_id"))};
}

KernelName name_of(const KernelRecord& kernel) {
  return {kernel.variant, kernel.tile, kernel.path};
}

fs::path listing_path(const fs::path& folder, const std::string& kernel_id) {
  return folder / (kernel_id + ".sass.gz");
}

class KernelFolder : public KernelSource {
 public:
  explicit KernelFolder(const std::string& folder)
      : folder_(folder), index_(KernelIndex::load((folder_ / "index.json").string())) {}

  const KernelRecord* find(std::string_view variant, const Tile& tile,
                           const KernelPath& path) const override {
    const Tile compiled = compiled_tile(tile);
    const auto found =
        std::find_if(index_.kernels.begin(), index_.kernels.end(), [&](const auto& k) {
          return k.variant == variant && k.tile == compiled && k.path == path;
        });
    return found == index_.kernels.end() ? nullptr : &*found;
  }

  std::optional<std::string> listing(const std::string& kernel_id) const override {
    if (!is_kernel_id(kernel_id)) return std::nullopt;  // names no file, least of all elsewhere
    const std::string path = listing_path(folder_, kernel_id).string();
    std::error_code unreadable;
    if (!fs::exists(path, unreadable)) return std::nullopt;
    std::string text = read_text_file(path);
    if (text.size() > longest_listing)
      throw InputError(fmt::format("{}: more than 16 MiB of text; a kernel has less", path));
    if (const std::string id = kernel_id_of(text); id != kernel_id)
      throw InputError(
          fmt::format("{}: the kernel in it is {}; the file is "
                      "damaged or was renamed: write it anew with "
                      "rooftile_kernels",
                      path, id));
    return text;
  }

 private:
  fs::path folder_;
  KernelIndex index_;
};

class KernelsBeside : public KernelSource {
 public:
  KernelsBeside(std::shared_ptr<const KernelSource> folder, std::vector<ListedKernel> kernels)
      : folder_(std::move(folder)) {
    for (ListedKernel& kernel : kernels) {
      listings_.emplace(kernel.record.kernel_id, std::move(kernel.listing));
      records_.emplace(name_of(kernel.record), std::move(kernel.record));
    }
  }

  const KernelRecord* find(std::string_view variant, const Tile& tile,
                           const KernelPath& path) const override {
    const KernelRecord* listed = folder_ ? folder_->find(variant, tile, path) : nullptr;
    const auto found = records_.find({std::string(variant), compiled_tile(tile), path});
    if (found == records_.end()) return listed;
    return listed != nullptr && folder_->listing(listed->kernel_id) ? listed : &found->second;
  }

  std::optional<std::string> listing(const std::string& kernel_id) const override {
    if (const auto found = listings_.find(kernel_id); found != listings_.end())
      return found->second;
    return folder_ ? folder_->listing(kernel_id) : std::nullopt;
  }

 private:
  std::shared_ptr<const KernelSource> folder_;
  std::map<KernelName, KernelRecord> records_;
  std::map<std::string, std::string> listings_;
};

/// All that a person wants to know of a listing, in lines that no reader takes for code.
std::string head_of(const std::vector<const ListedKernel*>& same, const KernelIndex& index) {
  const KernelRecord& first = same.front()->record;
  std::string head = fmt::format("# rooftile kernel {}, {}, listed by {}\n", first.kernel_id,
                                 first.architecture, index.disassembler);
  for (const ListedKernel* kernel : same) {
    const KernelRecord& r = kernel->record;
    head +=
        fmt::format("# {} {} {}: {} registers, {} bytes of shared memory, {} spilled\n", r.variant,
                    tile_name(r.tile), path_name(r.path), r.resources.registers_per_thread,
                    r.resources.static_shared_bytes, r.resources.spill_bytes);
  }
  return head;
}

}  // namespace

KernelPath kernel_path(const KernelDescription& kernel, const GemmProblem& problem) {
  if (kernel.guarded) return {.guarded = true};
  const GemmProblem p = canonical(problem);
  return {.guarded = false, .trans_a = p.trans_a, .trans_b = p.trans_b};
}

KernelName kernel_name(const KernelDescription& kernel, const GemmProblem& problem) {
  return {kernel.variant, compiled_tile(kernel.tile), kernel_path(kernel, problem)};
}

std::string to_string(const KernelName& kernel) {
  return fmt::format("{} {} ({})", kernel.variant, tile_name(kernel.tile), path_name(kernel.path));
}

std::string path_name(const KernelPath& path) {
  const std::size_t fast = 1 + (path.trans_a ? 1U : 0U) + (path.trans_b ? 2U : 0U);
  return std::string(path_names.at(path.guarded ? 0 : fast));
}

Tile compiled_tile(Tile tile) {
  const Tile none;
  tile.split_k = none.split_k;
  tile.raster = none.raster;
  tile.raster_group = none.raster_group;
  return tile;
}

std::string kernel_id_of(std::string_view listing) {
  constexpr std::uint64_t basis = 14695981039346656037U, prime = 1099511628211U;  // FNV-1a, 64 bits
  std::uint64_t hash = basis;
  const auto add = [&hash](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * prime;
  };
  bool any = false;
  for_each_line(listing, [&](std::string_view line) {
    line = trimmed(line);
    if (!line.starts_with("/*")) return;
    any = true;
    add(line);
    add("\n");
  });
  if (!any) throw InputError("a kernel listing without instructions");
  return fmt::format("{:016x}", hash);
}

Json KernelIndex::to_json() const {
  Json json{{"schema", schema},
            {"schema_version", schema_version},
            {"created_by", rooftile::to_json(created_by)},
            {"disassembler", disassembler},
            {"note", note},
            {"kernels", Json::array()}};
  for (const KernelRecord& kernel : kernels) json["kernels"].push_back(record_json(kernel));
  return json;
}

KernelIndex KernelIndex::load(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  const JsonReader reader(json, path);
  check_schema(reader, schema, schema_version);
  KernelIndex index;
  index.created_by = created_by_from(reader.at("created_by"));
  index.disassembler = reader.at("disassembler").text();
  index.note = reader.at("note").text();
  const auto kernels = reader.at("kernels");
  std::set<KernelName> seen;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const KernelRecord& kernel = index.kernels.emplace_back(record_from(kernels.at(i)));
    if (!seen.insert(name_of(kernel)).second)
      kernels.at(i).fail("each variant, tile and path once");
  }
  return index;
}

std::unique_ptr<KernelSource> open_kernel_folder(const std::string& folder) {
  return std::make_unique<KernelFolder>(folder);
}

std::unique_ptr<KernelSource> kernels_beside(std::shared_ptr<const KernelSource> folder,
                                             std::vector<ListedKernel> kernels) {
  return std::make_unique<KernelsBeside>(std::move(folder), std::move(kernels));
}

void write_kernel_folder(const std::string& folder, const std::vector<ListedKernel>& kernels,
                         KernelIndex index) {
  std::set<KernelName> seen;
  for (const ListedKernel& kernel : kernels) {
    const std::string& first = kernels.front().record.architecture;
    if (kernel.record.architecture != first)
      throw InputError(
          fmt::format("kernels of {} and {}: a folder is of one "
                      "GPU; list objects of one architecture",
                      first, kernel.record.architecture));
    if (!seen.insert(name_of(kernel.record)).second)
      throw InputError(fmt::format("{} is listed twice", to_string(name_of(kernel.record))));
  }
  fs::create_directories(folder);
  std::map<std::string, std::vector<const ListedKernel*>> by_id;
  for (const ListedKernel& kernel : kernels) {
    by_id[kernel.record.kernel_id].push_back(&kernel);
    index.kernels.push_back(kernel.record);
  }
  for (const auto& [id, same] : by_id)
    write_text_file(listing_path(folder, id).string(),
                    gzip(head_of(same, index) + same.front()->listing));
  write_text_file((fs::path(folder) / "index.json").string(), dump_json(index.to_json()));
}

}  // namespace rooftile
