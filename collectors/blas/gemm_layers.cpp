#include "collectors/blas/gemm_layers.hpp"

#include <cblas.h>
#include <omp.h>

#include <algorithm>
#include <numeric>

#include "collectors/blas/im2col.hpp"

namespace ridge::blas {
namespace {

struct Matrix {
    const float* data;
    std::int64_t row_length;  ///< distance of two rows in memory
    bool transposed = false;
};

/// c (m x n) = a b + beta c
void gemm(std::int64_t m, std::int64_t n, std::int64_t k, Matrix a, Matrix b, float beta, float* c,
          std::int64_t c_row_length) {
    const auto size = [](std::int64_t x) { return static_cast<blasint>(x); };
    if (m == 0 || n == 0) return;
    cblas_sgemm(CblasRowMajor, a.transposed ? CblasTrans : CblasNoTrans,
                b.transposed ? CblasTrans : CblasNoTrans, size(m), size(n), size(k), 1.0F, a.data,
                size(a.row_length), b.data, size(b.row_length), beta, c, size(c_row_length));
}

/// Sizes of a convolution seen as products of one group of one image.
struct Shape {
    std::int64_t icg, ocg, taps, rows, positions;
    explicit Shape(const Dims& d)
        : icg(d.ic / d.g),
          ocg(d.oc / d.g),
          taps(d.kh * d.kw),
          rows(icg * taps),
          positions(d.oh * d.ow) {}
};

/// Into how many parts each image and group is split so that the threads get equal numbers of them.
std::int64_t parts_per_image(const Dims& d, int threads, std::int64_t most) {
    const std::int64_t images = d.mb * d.g;
    return std::min(most, threads / std::gcd(images, static_cast<std::int64_t>(threads)));
}

/// One part of the work: an image, a group, and a range of what its pass splits.
struct Task {
    std::int64_t image, group;
    Range range;
};
Task task(const Dims& d, std::int64_t index, std::int64_t parts, std::int64_t split) {
    return {index / parts / d.g, index / parts % d.g, part(split, index % parts, parts)};
}

std::int64_t longest_part(std::int64_t size, std::int64_t parts) {
    return (size + parts - 1) / parts;
}

class Convolution {
public:
    Convolution(const Layer& layer, const Tensors& tensors, float* columns, int threads,
                std::size_t buffer)
        : d_(layer.dims),
          s_(layer.dims),
          t_(tensors),
          columns_(columns),
          threads_(threads),
          direct_(!needs_columns(layer)),
          buffer_(buffer) {}

    /// dst = wei columns(src) + bias; the threads share images, groups and output positions.
    void forward() const {
        const std::int64_t parts = parts_per_image(d_, threads_, s_.positions);
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t i = 0; i < d_.mb * d_.g * parts; ++i) {
            const Task work = task(d_, i, parts, s_.positions);
            const float* image = source(t_.src, work);
            float* out = destination(t_.dst, work) + work.range.begin;
            for (std::int64_t oc = 0; oc < s_.ocg; ++oc)
                std::fill_n(out + oc * s_.positions, work.range.size(),
                            t_.bias == nullptr ? 0.0F : t_.bias[work.group * s_.ocg + oc]);
            Matrix b{image + work.range.begin, s_.positions};
            if (!direct_) {
                float* columns = own_columns();
                im2col(d_, image, {0, s_.rows}, work.range, columns);
                b = {columns, work.range.size()};
            }
            gemm(s_.ocg, work.range.size(), s_.rows, {weights(t_.wei, work), s_.rows}, b, 1, out,
                 s_.positions);
        }
    }

    /// diff_src = image of (wei^T diff_dst); the threads share images, groups and input channels.
    void backward_data() const {
        const std::int64_t parts = parts_per_image(d_, threads_, s_.icg);
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t i = 0; i < d_.mb * d_.g * parts; ++i) {
            const Task work = task(d_, i, parts, s_.icg);
            float* image = source(t_.diff_src, work);
            float* to = direct_ ? image + work.range.begin * s_.positions : own_columns();
            gemm(work.range.size() * s_.taps, s_.positions, s_.ocg,
                 {weights(t_.wei, work) + work.range.begin * s_.taps, s_.rows, true},
                 {destination(t_.diff_dst, work), s_.positions}, 0, to, s_.positions);
            if (!direct_) col2im(d_, to, work.range, image);
        }
    }

    /// diff_wei = sum over images of diff_dst columns(src)^T; the threads share groups and rows of
    /// the column matrix, so that no two add to the same weight.
    void backward_weights() const {
        const std::int64_t parts =
            std::min<std::int64_t>(s_.rows, threads_ / std::gcd(d_.g, std::int64_t{threads_}));
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t i = 0; i < d_.g * parts; ++i) {
            const Range rows = part(s_.rows, i % parts, parts);
            for (std::int64_t n = 0; n < d_.mb; ++n) {
                const Task work{n, i / parts, rows};
                const float* image = source(t_.src, work);
                const float* columns = image + rows.begin * s_.positions;
                if (!direct_) {
                    im2col(d_, image, rows, {0, s_.positions}, own_columns());
                    columns = own_columns();
                }
                gemm(s_.ocg, rows.size(), s_.positions,
                     {destination(t_.diff_dst, work), s_.positions}, {columns, s_.positions, true},
                     n == 0 ? 0.0F : 1.0F, weights(t_.diff_wei, work) + rows.begin, s_.rows);
            }
        }
        if (t_.diff_bias != nullptr) diff_bias();
    }

private:
    void diff_bias() const {
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (std::int64_t oc = 0; oc < d_.oc; ++oc) {
            float sum = 0;
            for (std::int64_t n = 0; n < d_.mb; ++n) {
                const float* row = t_.diff_dst + (n * d_.oc + oc) * s_.positions;
#pragma omp simd reduction(+ : sum)
                for (std::int64_t p = 0; p < s_.positions; ++p) sum += row[p];
            }
            t_.diff_bias[oc] = sum;
        }
    }

    [[nodiscard]] float* source(float* base, const Task& work) const {
        return base + (work.image * d_.ic + work.group * s_.icg) * d_.ih * d_.iw;
    }
    [[nodiscard]] float* destination(float* base, const Task& work) const {
        return base + (work.image * d_.oc + work.group * s_.ocg) * s_.positions;
    }
    [[nodiscard]] float* weights(float* base, const Task& work) const {
        return base + work.group * s_.ocg * s_.rows;
    }
    [[nodiscard]] float* own_columns() const {
        return columns_ + buffer_ * static_cast<std::size_t>(omp_get_thread_num());
    }

    const Dims& d_;
    Shape s_;
    Tensors t_;
    float* columns_;
    int threads_;
    bool direct_;
    std::size_t buffer_;  ///< elements of one thread's columns
};

/// dst (m x n) = src (m x k) wei, where wei is n x k (inner product) or k x n (matmul).
class Product {
public:
    Product(const Layer& layer, const Tensors& tensors, int threads)
        : m_(layer.dims.mb),
          n_(layer.dims.oc),
          k_(layer.dims.ic * layer.dims.ih * layer.dims.iw),
          inner_(layer.kind == LayerKind::inner_product),
          t_(tensors),
          threads_(threads) {}

    /// The threads share the columns of dst.
    void forward() const {
        each_part(n_, [&](Range n) {
            for (std::int64_t i = 0; i < m_; ++i)
                for (std::int64_t j = n.begin; j < n.end; ++j)
                    t_.dst[i * n_ + j] = t_.bias == nullptr ? 0.0F : t_.bias[j];
            const Matrix wei = inner_ ? Matrix{t_.wei + n.begin * k_, k_, true}
                                      : Matrix{t_.wei + n.begin, n_, false};
            gemm(m_, n.size(), k_, {t_.src, k_}, wei, 1, t_.dst + n.begin, n_);
        });
    }

    /// diff_src = diff_dst wei^T; the threads share the columns of diff_src.
    void backward_data() const {
        each_part(k_, [&](Range k) {
            const Matrix wei = inner_ ? Matrix{t_.wei + k.begin, k_, false}
                                      : Matrix{t_.wei + k.begin * n_, n_, true};
            gemm(m_, k.size(), n_, {t_.diff_dst, n_}, wei, 0, t_.diff_src + k.begin, k_);
        });
    }

    /// The gradient of the weights; the threads share its rows.
    void backward_weights() const {
        if (!inner_) {
            each_part(k_, [&](Range k) {
                gemm(k.size(), n_, m_, {t_.src + k.begin, k_, true}, {t_.diff_dst, n_}, 0,
                     t_.diff_wei + k.begin * n_, n_);
            });
            return;
        }
        each_part(n_, [&](Range n) {
            gemm(n.size(), k_, m_, {t_.diff_dst + n.begin, n_, true}, {t_.src, k_}, 0,
                 t_.diff_wei + n.begin * k_, k_);
            if (t_.diff_bias == nullptr) return;
            std::fill(t_.diff_bias + n.begin, t_.diff_bias + n.end, 0.0F);
            for (std::int64_t i = 0; i < m_; ++i)
                for (std::int64_t j = n.begin; j < n.end; ++j)
                    t_.diff_bias[j] += t_.diff_dst[i * n_ + j];
        });
    }

private:
    template <class F>
    void each_part(std::int64_t size, F f) const {
        const int parts = threads_;
#pragma omp parallel for schedule(static) num_threads(threads_)
        for (int i = 0; i < parts; ++i) f(part(size, i, parts));
    }

    std::int64_t m_, n_, k_;
    bool inner_;
    Tensors t_;
    int threads_;
};

}  // namespace

bool needs_columns(const Layer& layer) {
    const Dims& d = layer.dims;
    return layer.kind == LayerKind::convolution &&
           !(d.kh == 1 && d.kw == 1 && d.sh == 1 && d.sw == 1 && d.ph == 0 && d.pw == 0 &&
             d.oh == d.ih && d.ow == d.iw);
}

std::size_t column_elements(const Layer& layer, Pass pass, int threads) {
    if (!needs_columns(layer)) return 0;
    const Dims& d = layer.dims;
    const Shape s(d);
    std::int64_t one = 0;
    if (pass == Pass::forward)
        one = s.rows * longest_part(s.positions, parts_per_image(d, threads, s.positions));
    else if (pass == Pass::backward_data)
        one = longest_part(s.icg, parts_per_image(d, threads, s.icg)) * s.taps * s.positions;
    else
        one = longest_part(s.rows, threads / std::gcd(d.g, std::int64_t{threads})) * s.positions;
    // Buffers of two threads share no cache line.
    constexpr std::int64_t line = 16;
    return static_cast<std::size_t>((one + line - 1) / line * line * threads);
}

void run(const Layer& layer, Pass pass, const Tensors& tensors, float* columns, int threads) {
    if (layer.kind != LayerKind::convolution) {
        const Product product(layer, tensors, threads);
        if (pass == Pass::forward) return product.forward();
        if (pass == Pass::backward_data) return product.backward_data();
        return product.backward_weights();
    }
    const std::size_t buffer =
        column_elements(layer, pass, threads) / static_cast<std::size_t>(threads);
    const Convolution convolution(layer, tensors, columns, threads, buffer);
    if (pass == Pass::forward) return convolution.forward();
    if (pass == Pass::backward_data) return convolution.backward_data();
    return convolution.backward_weights();
}

}  // namespace ridge::blas
