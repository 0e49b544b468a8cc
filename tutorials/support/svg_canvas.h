#pragma once

#include <string>
#include <vector>

// What line plots and heat maps share: the document with its style, text, axes and round tick
// values.
namespace tutorials {

/// How wide a picture is, and how far from its left edge the box of its values begins, in pixels.
constexpr double kWidth = 680, kLeft = 66;

struct Box {
  double left, top, width, height;
  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

/// An interval of values.
struct Range {
  double low, high;
  double size() const { return high - low; }
};

/// A number with at most two decimals and no trailing zeros, in every locale the same: `12.5`.
std::string coordinate(double v);

/// The text with the characters escaped that mean something in XML.
std::string escaped(const std::string& text);

/// About `count` round values (1, 2 or 5 times a power of ten apart) inside the range.
std::vector<double> round_ticks(const Range& range, int count);

/// A tick's label: as many decimals as the distance between ticks asks for.
std::string tick_label(double value, double step);

/// The finite values' range, never empty: {0, 1} without any, one unit wide around a single
/// value.
Range range_of(const std::vector<double>& values);

/// Collects the elements of a picture.
class Canvas {
 public:
  Canvas(double width, double height, const std::string& title, const std::string& description);

  void add(const std::string& element) { body_ += element + "\n"; }
  void line(const std::string& style_class, double x1, double y1, double x2, double y2);
  void text(const std::string& style_class, double x, double y, const std::string& content);
  void title_at(double x, double y) { text("title", x, y, title_); }
  /// Labels of both axes: below the box, and turned beside it.
  void axis_labels(const Box& box, const std::string& x_label, const std::string& y_label);
  /// The whole document.
  std::string str() const;

 private:
  double width_, height_;
  std::string title_, description_, body_;
};

}  // namespace tutorials
