# Of a lesson's source:
#   mode=holes        the same with holes in place of the answers of its exercises; one that fails keeps no other from running
#   mode=solutions    the same with the answers in the holes
#   mode=answers      the answers alone, of the exercise `only` if it is not empty
#   mode=titles       a line per exercise
/^ *\/\/%% / {
  exercise = ""
  if ($2 ~ /^exercise[0-9]+$/ && $3 == "|") {
    exercise = $2
    title = $0
    sub(/^[^|]*\| */, "", title)
    if (mode == "titles" || (mode == "answers" && (only == "" || only == exercise)))
      print (mode == "answers" && printed++ ? "\n" : "") exercise " | " title
  } else if ($2 == "answer") {
    exercise = was
    answer = 1
    indent = $0
    sub(/\/.*/, "", indent)
    if (mode == "holes" || mode == "solutions") print indent "// Your lines for " exercise ":"
    if (mode == "holes") print ""
    next
  } else if ($2 == "end" && $3 == "answer") {
    exercise = was
    answer = 0
    if (mode == "holes" || mode == "solutions") print indent "// End of your lines."
    next
  }
  was = exercise
}
mode == "titles" { next }
answer {
  comment = $0 ~ /^ *\/\/\//
  if (mode == "solutions" && !comment) print
  if (mode == "answers" && (only == "" || only == exercise)) {
    if (comment) sub(/^ *\/\/\/ ?/, "")
    else if (index($0, indent) == 1) $0 = "    " substr($0, length(indent) + 1)
    print
  }
  next
}
mode == "answers" { next }
exercise != "" && /^  \{$/ { print "  try {"; next }
exercise != "" && /^  \}$/ { print "  } catch (const std::exception& error) {"; print "    exercise_failed(error);"; print "  }"; next }
{ print }
