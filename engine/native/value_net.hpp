// The learned value of a position as seen: a small net over its features in whole numbers, so that it says
// the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "features.hpp"

namespace spidervet {

// One hidden layer of rectified units. Values are fixed-point: first weights and biases in 1/4096, what the
// hidden units hand on in 1/64, last weights in 1/1024. The units may be those of several nets fitted apart, the same
// number each, one net after the other: the value is their mean, less a share of how far the least lies under it.
class ValueNet {
public:
    ValueNet() = default;
    // first: [input][unit], units fastest. Throws std::invalid_argument on sizes that do not fit.
    // caution: that share in hundredths.
    ValueNet(std::vector<int32_t> first, std::vector<int32_t> bias, std::vector<int32_t> last, int32_t last_bias,
             int nets = 1, int caution = 0);

    bool empty() const { return bias_.empty(); }
    // The logit of the chance to win, in hundredths.
    int32_t logit(const Features& in) const;

private:
    std::vector<int32_t> first_, bias_, last_;
    int32_t last_bias_ = 0;  // in 1/65536
    int nets_ = 1, caution_ = 0;
};

}  // namespace spidervet
