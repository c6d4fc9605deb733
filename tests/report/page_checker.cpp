// Reads a page tag by tag; what is wrong is listed, not thrown.
#include "page_checker.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace rooftile::test {
namespace {

const std::set<std::string> void_tags = {"meta", "link", "br", "hr", "img", "input", "!doctype"};

class Reader {
 public:
  explicit Reader(const std::string& html) : html_(html) {}

  Page read() {
    while (at_ < html_.size()) {
      if (html_[at_] != '<') {
        page_.text += html_[at_++];
        continue;
      }
      tag();
    }
    if (!open_.empty()) page_.problems.push_back("not closed: " + open_.back());
    return page_;
  }

 private:
  void tag() {
    ++at_;
    const bool closing = peek() == '/';
    if (closing) ++at_;
    std::string name;
    while (at_ < html_.size() && !std::isspace(static_cast<unsigned char>(peek())) &&
           peek() != '>' && peek() != '/')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(html_[at_++])));
    if (name.empty()) page_.problems.push_back("a stray '<' near " + html_.substr(at_, 20));
    const bool self_closing = attributes(name);
    if (closing) return close(name);
    ++page_.tags[name];
    if (self_closing || void_tags.contains(name)) return;
    open_.push_back(name);
    if (name == "script" || name == "style") raw(name);
  }

  bool attributes(const std::string& tag) {
    bool slash = false;
    for (;;) {
      skip_space();
      if (at_ >= html_.size()) return slash;
      if (peek() == '>') return ++at_, slash;
      if (peek() == '/') {
        slash = true;
        ++at_;
        continue;
      }
      attribute(tag);
    }
  }

  void attribute(const std::string& tag) {
    std::string name;
    while (at_ < html_.size() && peek() != '=' && peek() != '>' && peek() != '/' &&
           !std::isspace(static_cast<unsigned char>(peek())))
      name += html_[at_++];
    skip_space();
    if (peek() != '=') {
      if (tag != "!doctype")
        page_.problems.push_back("attribute without value: " + name + " in " + tag);
      return;
    }
    ++at_;
    skip_space();
    const char quote = peek();
    if (quote != '"' && quote != '\'') {
      page_.problems.push_back("attribute without quotes: " + name);
      ++at_;
      return;
    }
    const std::size_t end = html_.find(quote, ++at_);
    const std::string value = html_.substr(at_, end - at_);
    at_ = end == std::string::npos ? html_.size() : end + 1;
    note(name, value);
  }

  void note(const std::string& name, const std::string& value) {
    if (name == "id") {
      if (page_.has_id(value)) page_.problems.push_back("id twice: " + value);
      page_.ids.push_back(value);
    }
    if (name == "href" || name == "src" || name == "action" || name == "xlink:href")
      page_.links.emplace_back(name, value);
    if (name.starts_with("on")) page_.problems.push_back("event handler: " + name);
  }

  void close(const std::string& name) {
    if (open_.empty() || open_.back() != name) {
      page_.problems.push_back("closes " + name + " inside " +
                               (open_.empty() ? "nothing" : open_.back()));
      return;
    }
    open_.pop_back();
  }

  void raw(const std::string& name) {
    const std::size_t end = html_.find("</" + name, at_);
    at_ = end == std::string::npos ? html_.size() : end;
  }

  void skip_space() {
    while (at_ < html_.size() && std::isspace(static_cast<unsigned char>(html_[at_]))) ++at_;
  }
  char peek() const { return at_ < html_.size() ? html_[at_] : '\0'; }

  const std::string& html_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  Page page_;
};

}  // namespace

bool Page::has_id(const std::string& id) const {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Page read_page(const std::string& html) { return Reader(html).read(); }

}  // namespace rooftile::test
