// Five-point stencil over a grid of floats larger than a small cache.
namespace {
constexpr int n = 160;
float grid[n][n], next_grid[n][n];
}  // namespace

int main() {
    grid[n / 2][n / 2] = 1;
    for (int step = 0; step < 3; ++step) {
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j)
                next_grid[i][j] =
                    0.25f * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]);
        for (int i = 1; i < n - 1; ++i)
            for (int j = 1; j < n - 1; ++j) grid[i][j] = next_grid[i][j];
    }
    return grid[2][2] > 1;
}
