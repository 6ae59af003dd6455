#include "ridge/trace.hpp"

namespace ridge {

std::string_view to_string(TouchKind kind) {
    switch (kind) {
        case TouchKind::load:
            return "load";
        case TouchKind::store:
            return "store";
        case TouchKind::modify:
            return "modify";
        case TouchKind::store_nt:
            return "store_nt";
        case TouchKind::prefetch:
            return "prefetch";
        case TouchKind::fetch:
            return "fetch";
    }
    return "unknown";
}

}  // namespace ridge
