#include "tests/onednn/tiny_network.hpp"

#include <fstream>
#include <string>

#include "tests/support/run_ridge.hpp"

namespace ridge::test {

Network tiny_network(std::int64_t batch) {
    static constexpr const char* text = R"(name: tiny
description: every kind of layer, small
source: made for tests
layers:
  - {name: conv1, problem: "conv:ic2oc6ih10oh10kh3ph1", from: data}
  - {name: bn1, problem: "bnorm:ic6ih10"}
  - {name: relu1, problem: "eltwise:ic6ih10,inplace=1"}
  - {name: norm1, problem: "lrn:ic6ih10ls3"}
  - {name: pool1, problem: "pool:ic6ih10oh5kh2sh2ph0"}
  - {name: conv2a, problem: "conv:ic6oc8ih5oh5kh3ph1", from: pool1}
  - {name: conv2b, problem: "conv:g2ic6oc8ih5oh5kh1ph0", from: pool1}
  - {name: tanh2b, problem: "eltwise:ic8ih5,alg=tanh"}
  - {name: add, problem: "sum:ic8ih5", from: [conv2a, tanh2b]}
  - {name: relu2, problem: "eltwise:ic8ih5,inplace=1"}
  - {name: conv3, problem: "conv:ic8oc4ih5oh5kh3ph1", from: relu2}
  - {name: join, problem: "concat:ih5,inputs=8+4", from: [relu2, conv3]}
  - {name: pool2, problem: "pool:ic12ih5oh2kh3sh2ph0,alg=avg_np"}
  - {name: ip1, problem: "ip:ic12ih2oc20"}
  - {name: relu3, problem: "eltwise:ic20ih1,inplace=1"}
  - {name: drop3, problem: "dropout:ic20ih1,inplace=1"}
  - {name: ip2, problem: "ip:ic20oc5"}
  - {name: loss, problem: "softmax:ic5,loss=1"}
)";
    const TemporaryFolder folder;
    const std::string path = folder.file("tiny.yaml");
    std::ofstream(path) << text;
    return load_network(path, batch);
}

}  // namespace ridge::test
