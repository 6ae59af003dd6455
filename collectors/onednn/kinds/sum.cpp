#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// Forward adds its inputs. Backward has no work: the gradient is the same for each input.
class Sum : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Md md = arriving_md(0);
        const auto pd = create([&] { return sum(context(), md, std::vector<Md>(inputs(), md)); });
        std::vector<Argument> arguments;
        for (std::size_t i = 0; i < inputs(); ++i)
            arguments.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i),
                                 source(i, md, Pass::forward), numbered("src", i)});
        arguments.push_back({DNNL_ARG_DST, new_value(md), "dst", true});
        row(Pass::forward).primitive(pd, std::move(arguments));
    }

    void propagate() override {
        const auto arrived = builder().gradients(layer().name);
        if (arrived.empty()) return;
        builder().share_gradient(arrived.front());
        memory().name(layer().name, "diff_dst", arrived.front());
        for (std::size_t i = 0; i < inputs(); ++i) send_gradient(i, arrived.front());
    }
};

}  // namespace

std::unique_ptr<Operator> make_sum(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Sum>(builder, layer);
}

}  // namespace ridge::onednn
