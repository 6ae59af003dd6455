// The shipped networks against published totals.

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "tests/workload/network_text.hpp"

using namespace ridge;
using namespace ridge::test;

TEST_SUITE("reference") {
    TEST_CASE("parameters and multiply-adds equal the published totals") {
        struct Published {
            const char* name;
            std::int64_t parameters;
            double multiply_adds;  ///< of one image; 0: none published
        };
        // Parameters: torchvision's table of classification models (one-tower AlexNet, ResNet-50,
        // VGG-16); the BVLC models of Caffe (AlexNet, LeNet, CIFAR-10 quick, GoogLeNet without
        // auxiliary classifiers). Multiply-adds of convolutions and inner products, padding taps
        // counted: Sze et al. 2017, table II (AlexNet, 724 M); torchvision's table (one-tower
        // AlexNet, 0.714 G; ResNet-50 v1.5, 4.09 G; VGG-16, 15.47 G); commonly printed for the
        // Caffe models of ResNet-50 (3.86 G) and GoogLeNet (1.58 G).
        for (const auto& [name, parameter_total, multiply_adds] :
             {Published{"alexnet", 60965224, 724e6},
              {"alexnet_owt", 61100840, 714e6},
              {"resnet50", 25557032, 3.86e9},
              {"resnet50_v1.5", 25557032, 4.09e9},
              {"vgg16", 138357544, 15.47e9},
              {"googlenet", 6998552, 1.582e9},
              {"lenet", 431080, 0},
              {"cifar10_quick", 145578, 0},
              {"mlp", 785 * 1024 + 2 * 1025 * 1024 + 1025 * 10, 0}}) {
            CAPTURE(name);
            for (const std::int64_t batch : {1, 5}) {
                const Network network = load_network(name, batch);
                CHECK(parameters(network) == parameter_total);
                if (multiply_adds > 0)
                    CHECK(multiply_adds_per_image(network) ==
                          doctest::Approx(multiply_adds).epsilon(0.001));
            }
        }
    }

    TEST_CASE("every network file quotes its totals with a source, and they hold") {
        for (const auto& entry : shipped_networks()) {
            const Network network = load_network(entry.name, 1);
            CAPTURE(entry.name);
            CHECK(!network.published.empty());
            for (const PublishedTotal& total : network.published) {
                CHECK(!total.source.empty());
                const bool counts_parameters =
                    total.quantity == PublishedTotal::Quantity::parameters;
                const double found = counts_parameters ? static_cast<double>(parameters(network))
                                                       : multiply_adds_per_image(network);
                CHECK(std::abs(found / total.value - 1) <= total.within);
            }
        }
    }

    TEST_CASE("GoogLeNet with 3x3 in place of 5x5 is what torchvision prints: 1.498 G") {
        // torchvision's googlenet replaces the 5x5 kernels, so its total checks all other layers.
        double total = 0;
        for (const auto& [layer, from, passes] : load_network("googlenet", 1).layers) {
            if (parameters(layer) == 0) continue;
            const double scale = layer.dims.kh == 5 ? 9.0 / 25 : 1;
            total += scale * simple_flops(layer, Pass::forward).value() / 2;
        }
        CHECK(total == doctest::Approx(1.498e9).epsilon(0.0005));
    }

    TEST_CASE("convolutions as oneDNN's benchmark files list them") {
        // Caffe's AlexNet and ResNet-50, each shape with its number of occurrences.
        struct Listed {
            const char* network;
            const char* problem;
            int times;
        };
        for (const auto& [name, problem, times] :
             {Listed{"alexnet", "conv:mb256ic3ih227iw227oc96oh55ow55kh11kw11sh4sw4ph0pw0", 1},
              {"alexnet", "conv:g2mb256ic96ih27oc256oh27kh5ph2", 1},
              {"alexnet", "conv:g2mb256ic384ih13oc256oh13kh3ph1", 1},
              {"resnet50", "conv:mb256ic3ih224oc64oh112kh7sh2ph3,bias=0", 1},
              {"resnet50", "conv:mb256ic64ih56oc256oh56kh1ph0,bias=0", 4},
              {"resnet50", "conv:mb256ic64ih56oc64oh56kh3ph1,bias=0", 3},
              {"resnet50", "conv:mb256ic256ih56oc128oh28kh1sh2ph0,bias=0", 1},
              {"resnet50", "conv:mb256ic128ih28oc128oh28kh3ph1,bias=0", 4},
              {"resnet50", "conv:mb256ic512ih28oc128oh28kh1ph0,bias=0", 3},
              {"resnet50_v1.5", "conv:mb256ic128ih56oc128oh28kh3sh2ph1,bias=0", 1},
              {"googlenet", "conv:mb256ic16ih28oc32oh28kh5ph2", 1},
              {"googlenet", "conv:mb256ic256ih28oc128oh28kh1ph0", 2}}) {
            CAPTURE(problem);
            int found = 0;
            for (const auto& entry : load_network(name, 256).layers) {
                Layer unnamed = entry.layer;
                unnamed.name.clear();
                found += unnamed == parse_layer(problem);
            }
            CHECK(found == times);
        }
    }

    TEST_CASE("layers of each kind, as the papers draw the networks") {
        struct Count {
            const char* network;
            LayerKind kind;
            int layers;
        };
        for (const auto& [name, kind, layers] : {Count{"alexnet", LayerKind::convolution, 5},
                                                 {"alexnet", LayerKind::lrn, 2},
                                                 {"alexnet", LayerKind::dropout, 2},
                                                 {"alexnet_owt", LayerKind::lrn, 0},
                                                 {"resnet50", LayerKind::convolution, 53},
                                                 {"resnet50", LayerKind::batch_normalization, 53},
                                                 {"resnet50", LayerKind::sum, 16},
                                                 {"resnet50", LayerKind::eltwise, 49},
                                                 {"resnet50", LayerKind::split, 16},
                                                 {"resnet50_v1.5", LayerKind::convolution, 53},
                                                 {"vgg16", LayerKind::convolution, 13},
                                                 {"vgg16", LayerKind::inner_product, 3},
                                                 {"googlenet", LayerKind::convolution, 57},
                                                 {"googlenet", LayerKind::concat, 9},
                                                 {"googlenet", LayerKind::split, 9},
                                                 {"googlenet", LayerKind::pooling, 14},
                                                 {"lenet", LayerKind::convolution, 2},
                                                 {"cifar10_quick", LayerKind::convolution, 3},
                                                 {"mlp", LayerKind::inner_product, 4}}) {
            int found = 0;
            for (const auto& entry : load_network(name, 1).layers)
                found += entry.layer.kind == kind;
            CHECK_MESSAGE(found == layers, name, " ", to_string(kind));
        }
    }
}

TEST_SUITE("smoke") {
    TEST_CASE("every shipped network loads, at any batch, with a description and a source") {
        CHECK(shipped_networks().size() >= 9);
        for (const auto& entry : shipped_networks()) {
            const Network network = load_network(entry.name, 3);
            CAPTURE(entry.name);
            CHECK(network.name == entry.name);
            CHECK(network.batch == 3);
            CHECK(!network.source.empty());
            CHECK(!entry.description.empty());
            CHECK(network.layers.back().layer.loss);
            for (const auto& [layer, from, passes] : network.layers) {
                CHECK(layer.dims.mb == 3);
                const Layer read = parse_layer(to_line(layer));
                CHECK_MESSAGE(read == layer, to_line(layer));
            }
        }
    }
}
