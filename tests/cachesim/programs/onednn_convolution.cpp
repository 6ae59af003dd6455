// One direct convolution of oneDNN, 3 x 3, forward, f32, as many output as input channels:
//   onednn_convolution [CHANNELS SIDE EXECUTIONS]    (16, 14 and 1)
// Run with ONEDNN_MAX_CPU_ISA=AVX2, because Valgrind knows no AVX-512, and one thread.
#include <oneapi/dnnl/dnnl.hpp>

#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
    using namespace dnnl;
    engine cpu(engine::kind::cpu, 0);
    stream queue(cpu);
    const memory::dim channels = argc > 3 ? std::atoi(argv[1]) : 16;
    const memory::dim side = argc > 3 ? std::atoi(argv[2]) : 14;
    const int executions = argc > 3 ? std::atoi(argv[3]) : 1;
    const memory::dims src_dims{1, channels, side, side}, wei_dims{channels, channels, 3, 3};
    const memory::dims dst_dims = src_dims;
    const memory::dims one{1, 1};
    const auto any = memory::format_tag::any;
    const auto f32 = memory::data_type::f32;
    const memory::desc src(src_dims, f32, any), wei(wei_dims, f32, any), dst(dst_dims, f32, any);
#if DNNL_VERSION_MAJOR >= 3
    const convolution_forward::primitive_desc description(cpu, prop_kind::forward_training,
                                                          algorithm::convolution_direct, src, wei,
                                                          dst, one, one, one);
#else
    const convolution_forward::desc operation(
        prop_kind::forward_training, algorithm::convolution_direct, src, wei, dst, one, one, one);
    const convolution_forward::primitive_desc description(operation, cpu);
#endif
    memory source(description.src_desc(), cpu), weights(description.weights_desc(), cpu),
        target(description.dst_desc(), cpu);
    for (memory* one_memory : {&source, &weights, &target}) {
        auto* data = static_cast<float*>(one_memory->get_data_handle());
        for (std::size_t i = 0; i < one_memory->get_desc().get_size() / sizeof(float); ++i)
            data[i] = static_cast<float>(i % 7) - 3;
    }
    const convolution_forward convolution(description);
    for (int i = 0; i < executions; ++i)
        convolution.execute(
            queue, {{DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, target}});
    queue.wait();
    return 0;
}
