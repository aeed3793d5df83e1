#include "short_weights.hpp"

#include <array>
#include <span>

namespace spidervet {
namespace {

using Row = std::array<int32_t, kFeatures>;

// Tuned by CMA-ES for the length of four-suit lines found at width 100, on numbers that no figure is told of.
constexpr Row kTuned[] = {{365, -437, -212, -106, 626, -245, -90, 569, 38, 374, 5200,
                           9,   -5,   30,   -8,   -21, 19,   -25, 33,  15, 10,  -12}};

// Learned from 172 short four-suit lines of `spidervet` seeds: which position of a level lies on the line. What was
// learned first (kLearned, kStaged: by stock rows left) is near kTuned; kRelearned saw what beams of those meet.
constexpr Row kLearned[] = {{495, -480, -310, -85, 696, -241, 267, 990, 46,  695, 6724,
                             18,  -16,  19,   -4,  12,  61,   -84, -400, 68, 171, -1}};
constexpr Row kRelearned[] = {{492, -544, -337, -22, 832, -263, -210, 223,  33,   633, 6335,
                               12,  13,   24,   29,  -67, -264, -107, -500, -159, 73,  -33}};
constexpr Row kStaged[] = {
    {546, -462, -366, -105, 684, -255, 492, 1182, 46, 681, 7237, 19, -26, 6, -15, -16, -83, -169, -370, 181, 109, 8},
    {448, -286, -331, -89, 532, -161, 358, 699, 17, 787, 6007, 15, -13, 24, 0, 55, 63, -114, -1265, 129, 159, -4},
    {320, -255, -236, -21, 290, -124, 190, 610, -12, 830, 4588, 14, -14, 21, 4, 74, 18, -54, -516, -54, 178, 5},
    {291, -233, -202, 8, 313, -141, 113, 562, -50, 846, 4752, 16, -6, -3, -24, 75, -30, -21, -593, 34, 200, 3},
    {384, -400, -231, 18, 288, -140, 231, 555, -82, 772, 4953, 14, -17, 14, -11, 94, -69, 8, -1046, -53, 135, 14},
    {492, -299, -211, -23, 122, -229, 1, 541, 18, 822, 2643, 5, -16, 24, 27, -37, -116, -149, -799, -53, 126, -18}};

Weights rows(std::span<const Row> from) { return {{from.begin(), from.end()}}; }

}  // namespace

const ShortWeights& short_weights(int which) {
    static const ShortWeights kAll[kShortVectors] = {
        {rows(kTuned), {356}},
        {rows(kLearned), {561}},
        {rows(kRelearned), {729}},
        {rows(kStaged), {646, 530, 389, 380, 413, 220}}};
    return kAll[which];
}

}  // namespace spidervet
