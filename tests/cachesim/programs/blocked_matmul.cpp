// C += A B in blocks of 16, 64 x 64 doubles, as many times as the argument says (default 1): a
// program for comparisons with Cachegrind and lackey.
#include <cstdlib>

namespace {
constexpr int n = 64, block = 16;
double a[n][n], b[n][n], c[n][n];
}  // namespace

int main(int argc, char** argv) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            a[i][j] = i + j;
            b[i][j] = i - j;
        }
    for (int times = argc > 1 ? std::atoi(argv[1]) : 1; times > 0; --times)
        for (int ii = 0; ii < n; ii += block)
            for (int jj = 0; jj < n; jj += block)
                for (int kk = 0; kk < n; kk += block)
                    for (int i = ii; i < ii + block; ++i)
                        for (int j = jj; j < jj + block; ++j)
                            for (int k = kk; k < kk + block; ++k) c[i][j] += a[i][k] * b[k][j];
    return c[3][5] == 0.5;
}
