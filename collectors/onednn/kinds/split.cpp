#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// One tensor with several readers. Forward has no work; backward adds the readers' gradients.
class Split : public Operator {
public:
    using Operator::Operator;

    void forward() override { set_value(source(0, arriving_md(0), Pass::forward)); }

    void backward(Pass pass) override {
        if (pass != Pass::backward) return Operator::backward(pass);
        // Gradients that a layer of its own would send (the split stands alone): one per reader.
        const Md data = memory().md(builder().value(layer().name));
        while (builder().gradients(layer().name).size() < layer().inputs.size() &&
               !builder().read_by_layers(layer().name)) {
            const TensorId tensor = memory().add(data);
            memory().fill(tensor, {-1.0F, 1.0F});
            builder().add_gradient(layer().name, tensor);
        }
        const std::vector<TensorId> arrived = builder().gradients(layer().name);
        // In the format of the activation, which the layer before wants its gradient in.
        const auto pd =
            create([&] { return sum(context(), data, std::vector<Md>(arrived.size(), data)); });
        std::vector<Argument> arguments;
        for (std::size_t i = 0; i < arrived.size(); ++i) {
            const std::string role = "diff_dst" + std::to_string(i);
            memory().name(layer().name, role, arrived[i]);
            TensorId tensor = builder().reshaped(arrived[i], dims_of(data), layer(), pass, role);
            tensor = builder().in_format(tensor, data, layer(), pass, role);
            arguments.push_back({DNNL_ARG_MULTIPLE_SRC + static_cast<int>(i), tensor, role});
        }
        arguments.push_back({DNNL_ARG_DST, new_input_gradient(0, data), "diff_src", true});
        row(pass).primitive(pd, std::move(arguments));
    }
};

}  // namespace

std::unique_ptr<Operator> make_split(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Split>(builder, layer);
}

}  // namespace ridge::onednn
