#include "collectors/onednn/kinds/operator.hpp"

namespace ridge::onednn {
namespace {

/// A copy from the plain format to the blocked one of this CPU.
class Reorder : public Operator {
public:
    using Operator::Operator;

    void forward() override {
        const Dims& d = dims();
        const MemoryDims as = d.kh == 1 && d.kw == 1 && d.oc == 1
                                  ? MemoryDims{d.mb, d.ic, d.ih, d.iw}
                                  : MemoryDims{d.oc, d.ic, d.kh, d.kw};
        const Md plain = plain_md(as, type());
        const Md blocked = blocked_md(as, type());
        const auto pd = create([&] {
            return dnnl::reorder::primitive_desc(context().engine, plain, context().engine, blocked,
                                                 context().attr);
        });
        const TensorId src = source(0, plain, Pass::forward);
        row(Pass::forward)
            .primitive(
                pd, {{DNNL_ARG_FROM, src, "src"}, {DNNL_ARG_TO, new_value(blocked), "dst", true}});
    }
};

}  // namespace

std::unique_ptr<Operator> make_reorder(Builder& builder, const NetworkLayer& layer) {
    return std::make_unique<Reorder>(builder, layer);
}

}  // namespace ridge::onednn
