#include "tests/import/verbose_examples.hpp"

namespace ridge::test {

const std::vector<VerboseExample>& verbose_examples() {
    static const std::vector<VerboseExample> examples{
        // 0.x: no engine, no attributes, old tensors
        {"mkldnn_verbose,exec,convolution,jit:avx2,forward_training,fsrc:nChw8c fwei:OIhw8i8o "
         "fbia:undef fdst:nChw8c,alg:convolution_direct,mb2_g1ic16oc16_ih7oh7kh5sh1dh0ph2_"
         "iw7ow7kw5sw1dw0pw2,0.25",
         "", "convolution", "jit:avx2", "forward_training",
         "mb2_g1ic16oc16_ih7oh7kh5sh1dh0ph2_iw7ow7kw5sw1dw0pw2", 0.25, 861184},
        {"mkldnn_verbose,exec,softmax,ref:any,forward_inference,fdata:nc fdiff:undef,,mb1600ic100,"
         "15.856",
         "", "softmax", "ref:any", "forward_inference", "mb1600ic100", 15.856, 0},
        {"mkldnn_verbose,exec,reorder,jit:uni,undef,in:f32_nchw out:f32_nChw8c,num:1,48x192x8x8,"
         "0.7063",
         "", "reorder", "jit:uni", "undef", "48x192x8x8", 0.7063, 0},
        // 1.0: engine, no attributes; on a GPU no time
        {"dnnl_verbose,exec,cpu,eltwise,jit:avx2,forward_inference,data_f32::blocked:acdb:f0 "
         "diff_undef::undef::f0,alg:eltwise_relu:0:0,1x3x13x13,96.354",
         "cpu", "eltwise", "jit:avx2", "forward_inference", "1x3x13x13", 96.354, 0},
        {"dnnl_verbose,exec,gpu,eltwise,ocl:ref:any,forward_inference,data_f32::blocked:acdb:f0 "
         "diff_undef::undef::f0,,alg:eltwise_relu alpha:0 beta:0,1x3x13x13",
         "gpu", "eltwise", "ocl:ref:any", "forward_inference", "1x3x13x13", -1, 0},
        // 1.1 and later: attributes
        {"dnnl_verbose,exec,cpu,convolution,jit:avx2,backward_data,src_f32::blocked:aBcd8b:f0 "
         "wei_f32::blocked:ABcd8a8b:f0 bia_undef::undef::f0 dst_f32::blocked:aBcd8b:f0,,"
         "alg:convolution_direct,mb128_ic64oc64_ih14oh7kh3sh2dh0ph0_iw14ow7kw3sw2dw0pw0,9.69995",
         "cpu", "convolution", "jit:avx2", "backward_data",
         "mb128_ic64oc64_ih14oh7kh3sh2dh0ph0_iw14ow7kw3sw2dw0pw0", 9.69995,
         2.0 * 128 * 64 * 64 * 20 * 20},
        // 2.x: time stamp, attributes with a blank behind, pooling_v2
        {"onednn_verbose,1702442956104.304932,exec,cpu,inner_product,brgemm:avx512_core,"
         "forward_inference,src_f32::blocked:ab:f0 wei_f32::blocked:AB16b64a:f0 "
         "bia_f32::blocked:a:f0 dst_f32::blocked:ab:f0,attr-scratchpad:user "
         "attr-post-ops:eltwise_relu ,,mb200ic15680oc512,28.6951",
         "cpu", "inner_product", "brgemm:avx512_core", "forward_inference", "mb200ic15680oc512",
         28.6951, 3211264000},
        {"onednn_verbose,exec,cpu,pooling_v2,jit:avx512_core_bf16,forward_training,"
         "src_bf16::blocked:acdb:f0 dst_bf16::blocked:acdb:f0 ws_u8::blocked:acdb:f0,,"
         "alg:pooling_max,mb1ic64_ih112oh56kh3sh2dh0ph0_iw112ow56kw3sw2dw0pw0,0.305908",
         "cpu", "pooling", "jit:avx512_core_bf16", "forward_training",
         "mb1ic64_ih112oh56kh3sh2dh0ph0_iw112ow56kw3sw2dw0pw0", 0.305908, 0},
        // 2.6 and 2.7: the short line of gemm_api
        {"onednn_verbose,exec,cpu,gemm_api,,undef,src_f32::blocked:ab:f0 wei_f32::blocked:ab:f0 "
         "dst_f32::blocked:ab:f0,,,1x512:512x512,0.359131",
         "cpu", "gemm_api", "", "undef", "1x512:512x512", 0.359131, 524288},
        {"onednn_verbose,exec,cpu,gemm_api,undef,src_f32::blocked:ab:f0 wei_f32::blocked:ab:f0 "
         "dst_f32::blocked:ab:f0,,,1x512:512x512,0.359131",
         "cpu", "gemm_api", "", "undef", "1x512:512x512", 0.359131, 524288},
        // 3.2: flags and strides in the tensors, no dst in matmul
        {"onednn_verbose,exec,cpu,matmul,gemm:jit:f32,undef,src_f32::blocked:abc::f0 "
         "wei_f32::blocked:abc::f0 bia_f32::blocked:abc::f0_mask4 dst_f32::blocked:abc::f0,"
         "attr-post-ops:eltwise_relu:1.2 ,,1x12800x128:1x128x64,18.0881",
         "cpu", "matmul", "gemm:jit:f32", "undef", "1x12800x128:1x128x64", 18.0881,
         2.0 * 12800 * 128 * 64},
        // 3.3: component; backward of weights in padded formats
        {"onednn_verbose,primitive,exec,cpu,convolution,jit:avx512_core,backward_weights,"
         "src_f32::blocked:acdb::f0 wei_f32:ap:blocked:Acdb16a::f0 bia_f32:a:blocked:a::f0 "
         "dst_f32::blocked:acdb::f0,attr-scratchpad:user ,alg:convolution_direct,"
         "mb50_ic3oc6_ih112oh110kh3sh1dh0ph0_iw112ow110kw3sw1dw0pw0,0.781006",
         "cpu", "convolution", "jit:avx512_core", "backward_weights",
         "mb50_ic3oc6_ih112oh110kh3sh1dh0ph0_iw112ow110kw3sw1dw0pw0", 0.781006, 196020000},
        // 3.6: version of the line, colons in the tensors; with time stamp
        {"onednn_verbose,v1,1693533460272.561035,primitive,exec,gpu:0,matmul,jit:gemm:any,undef,"
         "src:f16::blocked:ab::f0 wei:s8::blocked:ba::f0 bia:f16::blocked:ab::f0_mask2 "
         "dst:f16::blocked:ab::f0,attr-scratchpad:user attr-fpmath:f16:true "
         "attr-scales:wei:2:f16 attr-post-ops:binary_add:f16:3:ab,,4160x3420:3420x1280,0.732178",
         "gpu:0", "matmul", "jit:gemm:any", "undef", "4160x3420:3420x1280", 0.732178, 36421632000},
        {"onednn_verbose,v1,primitive,exec,cpu,layer_normalization,jit:avx512_core,"
         "forward_training,src:f32::blocked:ab::f0 dst:f32::blocked:ab::f0 "
         "stats:f32::blocked:a::f0 scale:f32::blocked:a::f0 shift:f32::blocked:a::f0,"
         "attr-scratchpad:user,flags:CH,512x768,0.05",
         "cpu", "layer_normalization", "jit:avx512_core", "forward_training", "512x768", 0.05, 0},
        // 3.8: engines of two sides; a reorder of one dimension, whose size is no time
        {"onednn_verbose,v1,primitive,exec,cpu2gpu,reorder,jit:uni,undef,src:f32::blocked:a::f0 "
         "dst:bf16::blocked:a::f0,,,144,0.001",
         "cpu2gpu", "reorder", "jit:uni", "undef", "144", 0.001, 0},
        {"onednn_verbose,v1,primitive,exec,cpu,reorder,jit:uni,undef,src:f32::blocked:a::f0 "
         "dst:bf16::blocked:a::f0,,,144,3",
         "cpu", "reorder", "jit:uni", "undef", "144", 3, 0},
        // 3.12: sdpa, and a kind that nobody knows yet
        {"onednn_verbose,v1,primitive,exec,gpu:0,sdpa,ocl:micro:any,undef,"
         "query:f16::blocked:abcd::f0 key:s8::blocked:abcd::f0 val:s8::blocked:abcd::f0 "
         "dst:f16::blocked:abcd::f0,,msk:1d,1x2x1x128:1x2x128x384:1x2x384x128",
         "gpu:0", "sdpa", "ocl:micro:any", "undef", "1x2x1x128:1x2x128x384:1x2x384x128", -1, 0},
        {"onednn_verbose,v1,primitive,exec,cpu,hyper_mixer,jit:any,undef,src:f32::blocked:ab::f0 "
         "dst:f32::blocked:ab::f0,,,7x5,1.5e-05",
         "cpu", "hyper_mixer", "jit:any", "undef", "7x5", 1.5e-05, 0},
        // fused depthwise convolution: its work is in the same line
        {"onednn_verbose,exec,cpu,convolution,brgconv_1x1:avx512_core,forward_inference,"
         "src_f32::blocked:acdb:f0 wei_f32::blocked:Acdb16a:f0 bia_undef::undef::f0 "
         "dst_f32::blocked:acdb:f0,attr-post-ops:eltwise_relu+dw:k3s1p1 ,alg:convolution_direct,"
         "mb1_ic8oc16_ih7oh7kh1sh1dh0ph0_iw7ow7kw1sw1dw0pw0,0.5",
         "cpu", "convolution", "brgconv_1x1:avx512_core", "forward_inference",
         "mb1_ic8oc16_ih7oh7kh1sh1dh0ph0_iw7ow7kw1sw1dw0pw0", 0.5,
         2.0 * 8 * 16 * 49 + 2.0 * 16 * 19 * 19},
        // deconvolution counts from its small side; empty tensors do nothing
        {"dnnl_verbose,exec,cpu,deconvolution,ref:any,forward_training,src_f32::blocked:abcd:f0 "
         "wei_f32::blocked:abcd:f0 bia_undef::undef::f0 dst_f32::blocked:abcd:f0,,"
         "alg:deconvolution_direct,mb1_ic3oc3_ih4oh6kh3sh2dh0ph2_iw4ow6kw3sw2dw0pw2,0.125",
         "cpu", "deconvolution", "ref:any", "forward_training",
         "mb1_ic3oc3_ih4oh6kh3sh2dh0ph2_iw4ow6kw3sw2dw0pw2", 0.125, 1458},
        {"dnnl_verbose,exec,cpu,matmul,ref:any,undef,src_f32::blocked:ab:f0 "
         "wei_f32::blocked:ab:f0 dst_f32::blocked:ab:f0,,,0x9:9x4,0.0625",
         "cpu", "matmul", "ref:any", "undef", "0x9:9x4", 0.0625, 0},
    };
    return examples;
}

std::string verbose_log_text() {
    std::string text = "onednn_verbose,info,oneDNN v2.6.3 (commit abc)\nsomething else\n";
    for (const auto& example : verbose_examples()) text += example.line + "\n";
    return text;
}

}  // namespace ridge::test
