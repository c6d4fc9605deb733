// Progress with ETA on stderr: a bar on a terminal, plain lines otherwise, nothing when quiet.
#pragma once

#include <string>

namespace rooftile {

class Progress {
 public:
  Progress(std::string title, double total_weight, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `weight` of the work (the same measure as the total) is done; `label` names what comes next,
  /// or what was done where several pieces are at work.
  void advance(double weight, const std::string& label);

 private:
  std::string title_;
  double total_, done_ = 0, started_s_ = 0, printed_s_ = -1;
  bool quiet_, terminal_;
};

}  // namespace rooftile
