// JSON of every record that is read from one document. What is read must come back the same from
// its own text: files that were written are files that can be read.
#include <nlohmann/json.hpp>

#include "fuzz.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/prediction.hpp"
#include "model/record/run.hpp"
#include "model/record/validation.hpp"

namespace rooftile::fuzz {
namespace {

template <typename Record>
void read_twice(const Json& json) {
  read_or_refuse([&] {
    const std::string once = dump_json(Record::from_json(JsonReader(json, "input")).to_json());
    const Json again = parse_json(once, "written");
    std::string twice;
    try {
      twice = dump_json(Record::from_json(JsonReader(again, "written")).to_json());
    } catch (const InputError& refused) {
      expect(false, refused.what());
    }
    expect(once == twice, "a record that was read, written and read again is the same");
  });
}

}  // namespace
}  // namespace rooftile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile;
  using namespace rooftile::fuzz;
  read_or_refuse([&] {
    const Json json = parse_json(text_of(data, size), "input");
    read_twice<DeviceProfile>(json);
    read_twice<RunRecord>(json);
    read_twice<Prediction>(json);
    read_twice<ValidationReport>(json);
    read_or_refuse([&] { predictions_from(JsonReader(json, "input")); });
  });
  return 0;
}
