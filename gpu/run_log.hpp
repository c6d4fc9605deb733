// RunLog: the growing runs.jsonl of a sweep. Each record is one line, written whole, flushed and
// synced, so that a kill at any moment leaves a valid file that --resume can continue.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/record/run.hpp"

namespace rooftile {

enum class ExistingLog { refuse, resume, overwrite };

class RunLog {
 public:
  /// Opens `path`. When it exists and is not empty: `refuse` throws InputError naming --resume and
  /// --force; `resume` keeps its records and cuts off a last line that a kill left incomplete;
  /// `overwrite` starts anew. A damaged line elsewhere throws InputError with its number, and so
  /// does a compressed file and one that another process is writing.
  RunLog(std::string path, ExistingLog existing);
  ~RunLog();
  RunLog(const RunLog&) = delete;
  RunLog& operator=(const RunLog&) = delete;

  /// Appends one line. Throws InputError when the disk refuses it; the file is then cut back to
  /// its last complete line.
  void append(const RunRecord& run);

  /// Was a record with this run_key() read or appended? Failed ones count as not done, so that
  /// --resume tries them again.
  bool done(const std::string& key) const { return done_.count(key) != 0; }
  std::size_t size() const { return runs_.size(); }
  const std::vector<RunRecord>& runs() const { return runs_; }  ///< read and appended, in order
  bool repaired() const { return repaired_; }  ///< an incomplete last line was cut off
  const std::string& path() const { return path_; }

 private:
  explicit RunLog(std::string path);
  void refuse_content(ExistingLog existing) const;
  void refuse_compressed(ExistingLog existing) const;
  void open_alone();
  void read_existing();
  void remember(const RunRecord& run);

  std::string path_;
  int file_ = -1;
  bool repaired_ = false;
  std::vector<RunRecord> runs_;
  std::set<std::string> done_;
};

}  // namespace rooftile
