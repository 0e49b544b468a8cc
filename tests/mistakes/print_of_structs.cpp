// hint: NeedsOutputOperator
#include "etude/etude.h"

using namespace etude;

struct Point {
  int x = 0;
};

int main() {
  std::vector<Point> points(2);
#ifdef RIGHT
  for (const Point& point : points) print(point.x);
#else
  print(points);  // error
#endif
}
