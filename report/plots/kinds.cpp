#include "report/plot.hpp"

namespace ridge::report {

const std::vector<PlotKind>& plot_kinds() {
    static const std::vector<PlotKind> kinds{
        {"roofline", "performance of every row under the machine's ceilings", roofline_plot},
        {"layers", "time per layer, stacked by pass, in network order", layers_plot},
    };
    return kinds;
}

}  // namespace ridge::report
