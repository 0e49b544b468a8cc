#pragma once

#include <string>
#include <vector>

// What line plots and heat maps share: the document with its style, text, axes and round tick
// values.
namespace tutorials {

struct LinePlot;
struct HeatMap;

/// How wide a picture is, in pixels.
constexpr double kWidth = 680;

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

/// About how wide a text is, in pixels, in letters of this size.
double text_width(const std::string& text, double size);

/// A number with that many decimals and a true minus sign.
std::string number_label(double value, int decimals);

/// About `count` round values (1, 2 or 5 times a power of ten apart) inside the range.
std::vector<double> round_ticks(const Range& range, int count);

/// A tick's label: as many decimals as the distance between ticks asks for, with a true minus
/// sign.
std::string tick_label(double value, double step);

/// The finite values' range, never empty: {0, 1} without any, one unit wide around a single
/// value.
Range range_of(const std::vector<double>& values);

/// From the value of a map's first colour to that of its last; diverging colours have 0 in their middle.
Range colour_range(const HeatMap& map);

/// A mark on an axis.
struct Tick {
  double place;
  std::string label;
};

/// How far from the left edge the box of a plot with these labels on its left begins.
double left_margin(const std::vector<Tick>& ticks);

/// Collects the elements of a picture.
class Canvas {
 public:
  void add(const std::string& element) { body_ += element + "\n"; }
  void line(const std::string& style_class, double x1, double y1, double x2, double y2);
  void text(const std::string& style_class, double x, double y, const std::string& content);
  /// A text that reads upwards; `style_class` says which of its ends is at the place.
  void upward_text(const std::string& style_class, double x, double y,
                   const std::string& content);
  /// The whole document.
  std::string str(double width, double height, const std::string& title,
                  const std::string& description) const;

 private:
  std::string body_;
};

/// Draws a plot with its title into a canvas, from its top left corner on. Returns its height.
double draw_at(Canvas& canvas, const LinePlot& plot, double left, double top, double width);
double draw_at(Canvas& canvas, const HeatMap& map, double left, double top, double width);

}  // namespace tutorials
