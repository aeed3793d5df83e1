// The rule fields of one game, as the core sees them. engine/variants.py is the source of their meaning.
#pragma once

#include <cstdint>

namespace spidervet {

inline constexpr int kMaxColumns = 16;
inline constexpr int kMaxCards = 104;
inline constexpr int kMaxRanks = 13;
inline constexpr int kMaxSequences = 8;

// The numbers are the order of the fields' values in engine/variants.py.
enum class Build : uint8_t { AnySuit, SameSuit };
enum class GroupMove : uint8_t { SameSuit, AnySuit, AnyFaceUp };
enum class DealOverEmpty : uint8_t { Forbidden, Allowed, WhenShort };
enum class Removal : uint8_t { Automatic, Optional };
enum class EmptyAccepts : uint8_t { Any, Kings, Nothing };
enum class WholeColumn : uint8_t { Allowed, Forbidden };

struct Rules {
    int columns = 10;
    int ranks = kMaxRanks;
    int suits = 4;
    int sequences = kMaxSequences;  // how many make a win
    Build build = Build::AnySuit;
    GroupMove group_move = GroupMove::SameSuit;
    DealOverEmpty stock_deal_over_empty = DealOverEmpty::Forbidden;
    Removal sequence_removal = Removal::Automatic;
    EmptyAccepts empty_column_accepts = EmptyAccepts::Any;
    WholeColumn whole_column_to_empty = WholeColumn::Allowed;
    int move_limit = 0;  // 0: none
};

}  // namespace spidervet
