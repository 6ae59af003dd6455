// Walks a list whose nodes lie in scrambled order and sorts part of it: pointers and branches.
#include <cstddef>

namespace {
struct Node {
    Node* next;
    long value;
    char padding[24];
};
constexpr std::size_t count = 4096;
Node nodes[count];
}  // namespace

int main() {
    // 1237 and 4096 have no common factor: the walk visits every node.
    for (std::size_t i = 0; i < count; ++i) {
        nodes[i].next = &nodes[(i + 1237) % count];
        nodes[i].value = static_cast<long>((i * 7919) % 1000);
    }
    long sum = 0;
    Node* node = nodes;
    for (std::size_t i = 0; i < 3 * count; ++i) {
        sum += node->value;
        node->value ^= 1;
        node = node->next;
    }
    for (std::size_t i = 0; i < 200; ++i)
        for (std::size_t j = i; j > 0 && nodes[j].value < nodes[j - 1].value; --j) {
            const long swapped = nodes[j].value;
            nodes[j].value = nodes[j - 1].value;
            nodes[j - 1].value = swapped;
        }
    return sum == 1;
}
