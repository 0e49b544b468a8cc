# What helps with the lines that a reader wrote into an exercise: awk -v mode=... -f compiler.awk FILE [LOG]
#   mode=error               the first error of the compiler's LOG, in a few lines
#   mode=wrong only=ID       for an exercise that is wrong: the compiler's warnings of its lines, and the traps that no compiler sees
# The sentences for traps are here, in order; each is said once.
function say(sentence) {
  if (!said[sentence]++) print "  " sentence
}

# Of a message, or of a line of code, what it means.
function explain(text) {
  if (text ~ /assignment used as truth value/)
    say("`=` puts a value into a variable. To compare, write `==`.")
  if (text ~ /-Wunused-value|-Wunused-result|has no effect/)
    say("Nothing uses the result of this line: put it into the variable of the exercise, with `=`.")
  if (text ~ /-Wunused-variable|-Wunused-but-set-variable|unused variable/)
    say("What you compute there goes nowhere: put it into the variable of the exercise, too.")
  if (text ~ /-Wshadow|redeclaration of|conflicting declaration/)
    say("The variable is there already. With a type in front you make another of the same name: leave the type away.")
  if (text ~ /binary .operator\^/) power()
  if (text ~ /expected .;./) say("The line before the place that is named lacks its semicolon.")
  if (text ~ /binary .operator@/ || text ~ /stray .@. in program/) say("C++ has no `@`: the product of matrices is `etude::matmul(a, b)`.")
  if (text ~ /base operand of .->. has non-pointer/) say("A tensor has its functions behind a point: `x.sum()`. Layers have them behind `->`.")
  if (text ~ /which is of (pointer|non-class) type|has no member named/) say("Layers have their parts behind `->`, tensors behind a point.")
}

function power() { say("`^` is no power in C++: it joins the bits of two whole numbers (xor). Write `std::pow(a, b)`.") }

# The code of a line: without its comment and its texts.
function code_of(text) {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
  sub(/\/\/.*/, "", text)
  return text
}

# What stands in a line and raises no warning.
function read(text,  rest, quotient, parts, whole) {
  if (text ~ /[A-Za-z0-9_.)\]] *\^ *[A-Za-z0-9_.(]/) power()
  if (text ~ /(if|while) *\([^=]*[^=!<>]=[^=]/) explain("assignment used as truth value")
  rest = text
  while (match(rest, /(^|[^A-Za-z0-9_.])[0-9]+ *\/ *[0-9]+([^0-9.]|$)/)) {
    quotient = substr(rest, RSTART, RLENGTH)
    gsub(/[^0-9\/]/, "", quotient)
    split(quotient, parts, "/")
    whole = 1
    if (parts[2] > 0 && parts[1] % parts[2] != 0)
      say("`" parts[1] " / " parts[2] "` is " int(parts[1] / parts[2]) " in C++: whole numbers divide to whole numbers. Write `" parts[1] ".0 / " parts[2] "`.")
    rest = substr(rest, RSTART + RLENGTH - 1)
  }
  if (!whole && (text ~ /([A-Za-z_][A-Za-z0-9_]*|\)) *\/ *[0-9]+([^0-9.]|$)/ || text ~ /(^|[^A-Za-z0-9_.])[0-9]+ *\/ *[A-Za-z_][A-Za-z0-9_]*([^A-Za-z0-9_:(]|$)/))
    say("If both sides of `/` are whole numbers, what is behind the point is cut off. Write one with a point, as in `4.0`.")
  if (text ~ /^ *(etude::[a-z_]+|std::[a-z_]+|[A-Za-z_][A-Za-z0-9_]*\.(t|transpose|view|reshape|sum|mean|clone|unsqueeze|squeeze|flatten|exp|log|abs|softmax|masked_fill|triu|tril|matmul|expand|argmin|argmax))\(.*;/ && text !~ /[^=!<>]=[^=]/)
    explain("statement has no effect")
}

NR == 1 {
  name = FILENAME
  sub(/.*\//, "", name)
}
FNR == NR {
  if ($0 ~ /^ *\/\/ Your lines for exercise[0-9]+:$/) {
    id = $NF
    sub(/:/, "", id)
  } else if ($0 ~ /^ *\/\/ End of your lines\.$/) {
    id = ""
  } else if (id != "") {
    of[FNR] = id
    lines[++count] = FNR
    text[FNR] = $0
  }
  next
}

# A message of the log: file:line:column: kind: words
{
  place = ""
  if (match($0, name ":[0-9]+:")) {
    place = substr($0, RSTART + length(name) + 1, RLENGTH - length(name) - 2)
    message = substr($0, RSTART + RLENGTH)
    sub(/^[0-9]+: */, "", message)
    if (place in of) last = place
  }
}
mode == "error" && /error: / && !found {
  found = 1
  words = $0
  sub(/.*error: /, "", words)
  line = place != "" ? place : last
  if (line == "") print "  " words
  else if (line in of) print "  line " line ", in " of[line] ": " words "\n    " trimmed(text[line])
  else print "  line " line ": " words "\n  That is not one of your lines: does a brace or a semicolon of yours lack before it?"
  explain($0)
  if (line in of) read(code_of(text[line]))
  waiting = place == ""  # it stands in a header, and the notes after it say for which line
  next
}
mode == "error" && waiting && place in of {
  print "  for line " place ", in " of[place] ": " trimmed(text[place])
  waiting = 0
}
mode == "wrong" && /warning: / && of[place] == only && warnings++ < 3 {
  sub(/^warning: */, "", message)
  print "  the compiler warns of line " place ": " message
  explain(message)
}
function trimmed(line) {
  gsub(/^ +| +$/, "", line)
  return line
}
END {
  if (mode == "wrong") for (i = 1; i <= count; ++i) if (of[lines[i]] == only) read(code_of(text[lines[i]]))
}
