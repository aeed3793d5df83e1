#include "value_net.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace spidervet {
namespace {

constexpr int kMostUnits = 256;
constexpr int32_t kMostActive = 1 << 13;  // 128 in 1/64

}  // namespace

ValueNet::ValueNet(std::vector<int32_t> first, std::vector<int32_t> bias, std::vector<int32_t> last, int32_t last_bias,
                   int nets, int caution)
    : first_(std::move(first)), bias_(std::move(bias)), last_(std::move(last)), last_bias_(last_bias),
      nets_(nets), caution_(caution) {
    const size_t units = bias_.size();
    if (units == 0 || units > kMostUnits || units % 8 != 0 || first_.size() != units * kInputs || last_.size() != units)
        throw std::invalid_argument("value net: sizes do not fit");
    if (nets < 1 || units % static_cast<size_t>(nets) != 0 || caution < 0 || caution > 100)
        throw std::invalid_argument("value net: nets or caution out of range");
}

int32_t ValueNet::logit(const Features& in) const {
    const size_t units = bias_.size();
    int32_t unit[kMostUnits];
    std::copy(bias_.begin(), bias_.end(), unit);
    const int32_t* w = first_.data();
    for (size_t i = 0; i < kInputs; ++i, w += units) {
        const int32_t x = in[i];
        if (x == 0) continue;
        for (size_t u = 0; u < units; ++u) unit[u] += x * w[u];
    }
    const size_t each = units / static_cast<size_t>(nets_);
    int64_t total = 0, least = INT64_MAX;
    for (size_t u = 0; u < units;) {
        int64_t sum = 0;
        for (const size_t end = u + each; u < end; ++u) {
            const int32_t active = std::min(std::max(unit[u], 0) >> 6, kMostActive);
            sum += active * last_[u];
        }
        total += sum;
        least = std::min(least, sum);
    }
    const int64_t mean = total / nets_;
    return static_cast<int32_t>((last_bias_ + mean - (mean - least) * caution_ / 100) * 100 / 65536);
}

}  // namespace spidervet
