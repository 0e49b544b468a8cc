# Of a lesson's source:
#   mode=holes        the same with holes in place of the answers of its exercises; one that fails keeps no other from running
#   mode=solutions    the same with the answers in the holes
#   mode=wrong        the same with the wrong answers of `help`: that of the number in ETUDE_EXERCISE_WRONG, counted from 1 in each
#                     exercise; of 0 the holes, of -1 the answers
#   mode=answers      the answers alone, of the exercise `only` if it is not empty
#   mode=code         the same without Python
#   mode=titles       a line per exercise
# `help` is the lesson's file of tutorials/help. It names the variables whose values are noted.
BEGIN {
  while (help != "" && (getline line < help) > 0) {
    key = line
    sub(/ .*/, "", key)
    rest = substr(line, length(key) + 2)
    if (key ~ /^exercise/) id = key
    if (key == "value") values[id] = values[id] rest "\n"
    if (key == "wrong") wrongs[id, ++count[id]] = rest
    else if (key == "" && was_key == "wrong") wrongs[id, count[id]] = wrongs[id, count[id]] "\n" line
    if (key != "") was_key = key
  }
  show = mode == "answers" || mode == "code"
  whole = mode == "holes" || mode == "solutions" || mode == "wrong"
}

function note(call,  list, n, i) {
  n = split(values[exercise], list, "\n")
  for (i = 1; i < n; ++i) print indent "tutorials::" call "(\"" quoted(list[i]) "\", " list[i] ");"
}
function quoted(text) {
  gsub(/"/, "\\\"", text)
  return text
}

/^ *\/\/%% / {
  exercise = ""
  if ($2 ~ /^exercise[0-9]+$/ && $3 == "|") {
    exercise = $2
    title = $0
    sub(/^[^|]*\| */, "", title)
    if (mode == "titles" || (show && (only == "" || only == exercise)))
      print (show && printed++ ? "\n" : "") exercise " | " title
  } else if ($2 == "answer") {
    exercise = was
    answer = 1
    indent = $0
    sub(/\/.*/, "", indent)
    if (whole) {
      note("given")
      print indent "// Your lines for " exercise ":"
    }
    if (mode == "holes") print ""
    if (mode == "wrong") {
      for (i = 1; i <= count[exercise]; ++i) print indent "if (wrong_answer == " i ") {\n" wrongs[exercise, i] "\n" indent "}"
      print indent "if (wrong_answer < 0) {"
    }
    next
  } else if ($2 == "end" && $3 == "answer") {
    exercise = was
    answer = 0
    if (mode == "wrong") print indent "}"
    if (whole) {
      print indent "// End of your lines."
      note("came")
    }
    next
  }
  was = exercise
}
mode == "titles" { next }
answer {
  comment = $0 ~ /^ *\/\/\//
  if ((mode == "solutions" || mode == "wrong") && !comment) print
  if (show && (only == "" || only == exercise)) {
    if (comment) sub(/^ *\/\/\/ ?/, "")
    else if (index($0, indent) == 1) $0 = "    " substr($0, length(indent) + 1)
    fence = comment && /^```/ ? !fence : fence
    if (mode == "answers" || !(fence || (comment && (/^```/ || /^$/)))) print
  }
  next
}
show { next }
whole && /^#include "support\// && !included++ { print "#include \"support/came.h\"" }
exercise != "" && /^  \{$/ { print "  try {"; next }
exercise != "" && /^  \}$/ { print "  } catch (const std::exception& error) {"; print "    exercise_failed(error);"; print "  }"; next }
{ print }
mode == "wrong" && /^using namespace tutorials;/ {
  print "static const int wrong_answer = std::atoi(std::getenv(\"ETUDE_EXERCISE_WRONG\"));"
}
