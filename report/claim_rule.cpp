// Recursive descent that evaluates while it reads. An operation on a missing number is missing.
#include "report/claim_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

#include "model/error.hpp"

namespace rooftile::report {
namespace {

using Number = std::optional<double>;

/// Deeper rules are nobody's, and would take the stack.
constexpr int most_nested = 100;

Number finite(double value) { return std::isfinite(value) ? Number(value) : std::nullopt; }

std::string shown(const Number& number) { return number ? fmt::format("{:.4g}", *number) : "?"; }

class Evaluator {
 public:
  Evaluator(const std::string& rule, const ClaimValues& values) : rule_(rule), values_(values) {
    result_.rule = rule;
  }

  RuleResult judge() {
    Number left = sum();
    result_.with_numbers = shown(left);
    std::optional<bool> holds = true;
    std::string comparison = comparison_sign();
    if (comparison.empty()) fail("a comparison is missing");
    for (; !comparison.empty(); comparison = comparison_sign()) {
      const Number right = sum();
      result_.with_numbers += " " + comparison + " " + shown(right);
      // One link that is broken decides, whatever is missing elsewhere.
      if (left && right) {
        if (!compare(*left, comparison, *right)) holds = false;
      } else if (holds && *holds) {
        holds.reset();
      }
      left = right;
    }
    if (place_ < rule_.size()) fail("the rule should end");
    result_.holds = holds;
    return std::move(result_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("rule '{}': {} at '{}'", rule_, what, rule_.substr(place_)));
  }

  void skip_space() {
    while (place_ < rule_.size() && rule_[place_] == ' ') ++place_;
  }

  bool take(char c) {
    skip_space();
    if (place_ >= rule_.size() || rule_[place_] != c) return false;
    ++place_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail(fmt::format("'{}' is missing", c));
  }

  std::string comparison_sign() {
    for (const char* sign : {"<", ">"})
      if (take(*sign)) return take('=') ? sign + std::string("=") : sign;
    skip_space();
    return "";
  }

  static bool compare(double left, const std::string& sign, double right) {
    if (sign == "<") return left < right;
    if (sign == "<=") return left <= right;
    return sign == ">" ? left > right : left >= right;
  }

  static Number combined(const Number& a, const Number& b, double (*operation)(double, double)) {
    if (!a || !b) return std::nullopt;
    return finite(operation(*a, *b));
  }

  Number sum() {
    Number value = product();
    while (true) {
      if (take('+'))
        value = combined(value, product(), [](double a, double b) { return a + b; });
      else if (take('-'))
        value = combined(value, product(), [](double a, double b) { return a - b; });
      else
        return value;
    }
  }

  Number product() {
    Number value = factor();
    while (true) {
      if (take('*'))
        value = combined(value, factor(), [](double a, double b) { return a * b; });
      else if (take('/'))
        value = combined(value, factor(), [](double a, double b) { return a / b; });
      else
        return value;
    }
  }

  Number factor() {
    if (++depth_ > most_nested) fail("nested too deeply");
    const Number value = atom();
    --depth_;
    return value;
  }

  Number atom() {
    if (take('-')) return combined(Number(0), factor(), [](double a, double b) { return a - b; });
    if (take('(')) {
      const Number value = sum();
      expect(')');
      return value;
    }
    skip_space();
    if (place_ < rule_.size() &&
        (std::isdigit(static_cast<unsigned char>(rule_[place_])) != 0 || rule_[place_] == '.'))
      return literal();
    return call();
  }

  Number literal() {
    const char* begin = rule_.c_str() + place_;
    char* end = nullptr;
    const double value = std::strtod(begin, &end);
    if (end == begin || !std::isfinite(value)) fail("not a finite number");
    place_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  Number call() {
    const std::size_t begin = place_;
    while (place_ < rule_.size() &&
           (std::isalnum(static_cast<unsigned char>(rule_[place_])) != 0 || rule_[place_] == '_'))
      ++place_;
    const std::string name = rule_.substr(begin, place_ - begin);
    if (name.empty()) fail("a number or a name is missing");
    expect('(');
    if (name == "min" || name == "max") return extreme(name == "min");
    if (name.starts_with("over_shapes_")) return over_shapes(name, begin);
    return term(name);
  }

  Number extreme(bool smallest) {
    Number value = sum();
    while (take(','))
      value = combined(
          value, sum(),
          smallest ? [](double a, double b) { return std::min(a, b); }
                   : [](double a, double b) { return std::max(a, b); });
    expect(')');
    return value;
  }

  /// Reads the sum once for each shape; its terms stay out of the evidence, the result is in it.
  Number over_shapes(const std::string& name, std::size_t begin) {
    if (inside_) fail("over_shapes within over_shapes");
    const Statistic statistic = statistic_of(name);
    const std::size_t start = place_;
    std::vector<double> found;
    inside_ = true;
    sum();  // once without a shape, so that the text is read where nothing was measured
    for (const std::string& shape : values_.shapes()) {
      place_ = start;
      shape_ = shape;
      if (const Number value = sum()) found.push_back(*value);
    }
    inside_ = false;
    shape_.clear();
    expect(')');
    Evidence evidence{rule_.substr(begin, place_ - begin), {}, "1", ""};
    if (!found.empty()) {
      evidence.term += fmt::format(" over {} shapes", found.size());
      evidence.value = finite(statistic(found));
      if (!evidence.value) evidence.missing = "the value is not finite.";
    } else
      evidence.missing = "no shape has all the runs that it names; `rooftile measure` makes them.";
    note(evidence);
    return evidence.value;
  }

  using Statistic = double (*)(const std::vector<double>&);

  Statistic statistic_of(const std::string& name) const {
    if (name == "over_shapes_min")
      return [](const auto& values) { return *std::min_element(values.begin(), values.end()); };
    if (name == "over_shapes_max")
      return [](const auto& values) { return *std::max_element(values.begin(), values.end()); };
    if (name != "over_shapes_mean") fail("there is no " + name);
    return [](const auto& values) {
      double logs = 0;
      for (double value : values) logs += std::log(value);
      return std::exp(logs / static_cast<double>(values.size()));
    };
  }

  Number term(const std::string& name) {
    std::vector<std::string> arguments{argument()};
    while (take(',')) arguments.push_back(argument());
    expect(')');
    const Evidence evidence = values_.value(name, arguments);
    note(evidence);
    return evidence.value;
  }

  std::string argument() {
    if (take('\'')) {
      const std::size_t begin = place_;
      place_ = std::min(rule_.find('\'', begin), rule_.size());
      std::string text = rule_.substr(begin, place_ - begin);
      expect('\'');
      return text;
    }
    skip_space();
    const std::size_t begin = place_;
    place_ = std::min(rule_.find_first_of(",)", begin), rule_.size());
    std::string text = rule_.substr(begin, place_ - begin);
    text.erase(text.find_last_not_of(' ') + 1);
    if (text != "*") return text;
    if (!inside_) fail("* stands for a shape only within over_shapes");
    return shape_;
  }

  void note(const Evidence& evidence) {
    const bool known = std::any_of(result_.evidence.begin(), result_.evidence.end(),
                                   [&](const Evidence& e) { return e.term == evidence.term; });
    if (!inside_ && !known) result_.evidence.push_back(evidence);
  }

  const std::string& rule_;
  const ClaimValues& values_;
  std::size_t place_ = 0;
  int depth_ = 0;
  bool inside_ = false;  ///< over_shapes, whose terms stay out of the evidence
  std::string shape_;    ///< what * stands for; empty outside, and in the reading without a shape
  RuleResult result_;
};

}  // namespace

RuleResult judge_rule(const std::string& rule, const ClaimValues& values) {
  return Evaluator(rule, values).judge();
}

}  // namespace rooftile::report
