#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "model/record/data_path.hpp"
#include "model/sass/ports.hpp"
#include "sass_fixture.hpp"

namespace rooftile::sass {
namespace {

/// Cycles an instruction of a long run of these two FFMA in turn, by the port rule alone.
double cycles(const std::string& first, const std::string& second, int banks = 2) {
  std::vector<test::Coded> lines;
  for (int i = 0; i < 32; ++i) lines.push_back({.text = "FFMA " + (i % 2 ? second : first)});
  const Kernel kernel = parse(test::snippet(lines)).front();
  std::vector<std::size_t> path(lines.size());
  for (std::size_t i = 0; i < path.size(); ++i) path[i] = i;
  return 1 / port_ratio(kernel, path, banks, 1);
}

double cycles(const std::string& one) { return cycles(one, one); }

TEST(SassPorts, CountsReadsOfEachBankByHand) {
  EXPECT_DOUBLE_EQ(cycles("R9, RZ, RZ, RZ"), 1);
  EXPECT_DOUBLE_EQ(cycles("R9, R0, R2, R4"), 3);
  EXPECT_DOUBLE_EQ(cycles("R9, R0, R2, R1"), 2);
  EXPECT_DOUBLE_EQ(cycles("R9, R0, R2, R1", "R9, R1, R3, R0"), 1.5);
  EXPECT_DOUBLE_EQ(cycles("R9, R0, R2, R1", "R9, R1, R3, R0", 4), 1);
  EXPECT_DOUBLE_EQ(cycles("R9, R0, R0, R1"), 1);  // one register named twice
  EXPECT_DOUBLE_EQ(cycles("R9, R0.reuse, R2, R1"), 1);
  EXPECT_DOUBLE_EQ(cycles("R9, R0, R2, UR4"), 2);
}

TEST(SassPorts, EachBankOfASlotKeepsARegister) {
  // R0 stays under .reuse while the slot reads R1, which lies in the other bank, and goes when the
  // slot reads R6, which lies in the same. Second instructions: one read for each bank.
  const std::string keeps = "R9, R0.reuse, R2, R5";
  EXPECT_DOUBLE_EQ(cycles(keeps, "R9, R1, R4, RZ"), 1);
  EXPECT_GT(cycles(keeps, "R9, R6, RZ, R5"), 1.3);
}

/// Table of the recorded H200's microbenchmark, FMA a cycle and SM, by tile and order.
double measured(const Table& table, const std::string& tile, std::size_t order) {
  for (const auto& row : table.rows) {
    if (row.name == tile) return row.values.at(order);
  }
  ADD_FAILURE() << "no row " << tile;
  return 0;
}

struct Product {
  int rows = 0, columns = 0, order = 0;
  std::string tile() const { return fmt::format("{}x{}", rows, columns); }
};

/// From "...outer_product_kernelILi8ELi16ELNS1_12ProductOrderE4EEE...".
Product product_of(const std::string& name) {
  Product product;
  const auto at = name.find("kernelILi");
  const auto order = name.find("ProductOrderE");
  EXPECT_EQ(std::sscanf(name.c_str() + at, "kernelILi%dELi%dE", &product.rows, &product.columns),
            2);
  EXPECT_EQ(std::sscanf(name.c_str() + order, "ProductOrderE%d", &product.order), 1);
  return product;
}

TEST(SassPorts, OuterProductsRunAtTheMeasuredRate) {
  const DeviceProfile profile = DeviceProfile::load(data_path("h200/profile.json"));
  const Machine machine = machine_of(profile);
  const Table& table = profile.tables.at("outer_product.throughput");
  double sum = 0;
  int count = 0;
  for (const Kernel& kernel : parse(test::recorded_text("outer_products"))) {
    const Product product = product_of(kernel.name);
    const double rate = test::run(kernel, machine, {.warps_per_block = 8}).fma_per_cycle_per_sm;
    const double error =
        rate / measured(table, product.tile(), static_cast<std::size_t>(product.order)) - 1;
    // Three orders of 4x4 are 5 to 6 % slower than the rule says; not known why (ports.hpp).
    const bool unexplained =
        product.tile() == "4x4" && (product.order == 1 || product.order == 2 || product.order == 4);
    EXPECT_LT(std::fabs(error), unexplained ? 0.065 : 0.01)
        << product.tile() << " order " << product.order << ": " << rate;
    sum += std::fabs(error);
    ++count;
  }
  EXPECT_EQ(count, 35);
  EXPECT_LT(sum / count, 0.009);
}

}  // namespace
}  // namespace rooftile::sass
