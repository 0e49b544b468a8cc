#include "etude/text/detail/unicode_classes.h"

#include <algorithm>
#include <vector>

namespace etude::detail {
namespace {

// clang-format off
// Begin of the output of detail/make_unicode_tables.py.
// Unicode 16.0.0.
constexpr char kRuns[] = R"(
c,'$#='$#,$$#*)%#$($#&)$$$#$)&#$(:#$(B#$(d,$$('$'(d9$$(>$5#'$/#1$(#*$$#$$$#4&bU('$$#$(%#%$$(&#$($#)($#$(&#$($#$(7#$(b8#$
(c2#$&*(cM#$(I#%$$#)(L#+&P#$&$#$&%#$&%#$&$#+$>#'$'#@&.#($N&8%-#'$%&$$bH#$$$&*#%&)$%&%#$&'$%%-$&#%$$#3$$&$$A&>#%$b>&.$$#1
%-$D&,$%#'$$#%&$#%$9&'$$&,$$&&$$&(#5$<&&#'$.#($;#$$)#+&,$M&;#$&D$Y&&$$&5$$&*$-&%#%%-#$$3&&#$$+#%$%#%$9#$$*#$$$#&$'#%&$$$
&*#%&%#%&&$$#+&$#'$%#$$&&%#%%-$%#%))#%$$#$&$#%&&#$$)#'$%#%$9#$$*#$$%#$$%#$$%#%&$#$&(#'&%#%&&#&&$#*$'#$$$#*%-&%$&&$#.&&#$
$,#$$&#$$9#$$*#$$%#$$(#%&$$$&+#$&&#$&&#%$$#2$%&%#%%-#,$$&)#$&&#$$+#%$%#%$9#$$*#$$%#$$(#%&$$$&*#%&%#%&&#*&&#'$%#$$&&%#%%-
#$$$))#-&$$$#$$)#&$&#$$'#&$%#$$$#$$%#&$%#&$&#&$/#'&(#&&&#$&'#%$$#)&$#1%-)&#0&($+#$$&#$$:#$$3#%&$$$&*#$&&#$&'#*&%#$$&#%$$
#%$%&%#%%-#+)*#$$$&&#$$+#$$&#$$:#$$-#$$(#%&$$$&*#$&&#$&'#*&%#)$%#$$%&%#%%-#$$%&$#/&'$,#$$&#$$L&%$$&*#$&&#$&'$$#($&&$)*$&
&%#%%-),#$$)#$&&#$$5#&$;#$$,#$$$#%$*#&&$#'&)#$&$#$&+#)%-#%&%#0$S&$$%&*#($*&+#$%-#J$%#$$$#$$(#$$;#$$$#$$-&$$%&,$$#%$(#$$$
#$&*#$%-#%$'#C$$#:&%#)%-)-#$&$#$&$#$&$#'&%$+#$$G#'&7#$&%$(&.#$&G#,&$#\$N&7$$%-#)$)&'$'&&$$&&$%&*$&&'$0&/$$&$%-&'#%(I#$($
#(($#%(N#$$$(&$f6#$$'#%$*#$$$#$$'#%$L#$$'#%$D#$$'#%$*#$$$#$$'#%$2#$$\#$$'#%$b(#%&&#,)7#&$3#3(b;#%()#&$k##%$4'$$=#($b0#&%
&$+#*$5&'#,$6&&#.$5&%#/$0#$$&#$&%#/$W&C#&$$#'$$&$#%%-#))-#4&&#$&$%-#)$b>#*$(&%$E&$$$#($b+#-$B#$&/#'&/#-%-$A#%$(#.$O#'$=#
)%-)$#H$:&(#'$X&-#$&@#%&$%-#)%-#0$$#+&B#T&($R&4$+#&%-#4&,#/&&$A&0$%%-$O&1#/$G&7#+%-#&$&%-$G#%(.#((N#%(&#3&&#$&8$'&$$)&$$
%&&$$#((O$b$(0$$(E$H&b%(eA#%()#%(I#%()#%(+#$($#$($#$($#$(B#%(X#$(*#$($#&(&#$(*#&('#%()#'(0#((&#$(*#&'.#$*%#='%#('$#2*%#6
*$#-'$#3)$$$#%))#($$)-#)$0#V&D#4($#'($#%(-#$($#&((#)($#$($#$($#$('#$()$'($#%('#(((#'($#$)3%F(%%')$#lO)_#=*W)9#k-)A#s3(c#
$%(bL#)('&&(%#,)$#%(I#$($#(($#%$[#*$$#2&$$:#,$*#$$*#$$*#$$*#$$*#$$*#$$*#$$*#$&C#R$$#hA'$#'$%%$#<%,&)#$$(#%%&$%#'$b;#%&%#
%$&#$$b?#$$'#($N#$$bC#&)'#-$C#S$3#C)-#A)+#$)2#C)-#J)2#f-$dq7#b%$l|:#b($Q#%$e8#&$3%-$%#7(Q$$&'#$&-#$$$(?$%&%$b+%-&%#H$,#%
(b3$$(:$$#%('$$(b##%(%#$($#$(+#8$&(%$&($$*&$$&&$$'&$$:&(#'&$#&))#-$W#/&%$U&5#-%-#)&5$)#&$$#$$%&$%-$?&+#%$:&0#/$@#&&'$R&1
#1$$%-#)$(&$$-%-$(#$$L&1#,$&&$$+&%#%%-#)$:#&$$&&$U&$$$&&$%&%$(&%$$&$$$#;$&#%$.&(#%$&&%#-$)#%$)#%$)#,$*#$$*#$(N#$$'(,$$#)
(b5$F&+#$&%#%%-#)$ga/#/$:#'$T#eq7$f[#%$bO#I(*#/((#($$&$$-#$$0#$$(#$$$#$$%#$$%#$$bQ#D$fX#5$b%#%$Y#K$/#'&3#3&3#&*%#;*&#C$(
#$$c.#6%-#*(=#'*$#$(=#.$b>#&$)#%$)#%$)#%$&#F$/#$$=#$$6#$$%#$$2#%$1#E$b`#/)P#/%X)'#4)%#bV&$#c)$@#&$T#2&$)>#'$C)'#,$7%$$+%
$#($I&(#($A#%$G#'$+#$%(#M(b5$b3#%%-#)(G#'(G#'$K#+$W#/(.#$(2#$(*#$(%#$(.#$(2#$(*#$(%#&$W#/$f$#,$9#-$+#;$)#$$M#$$,#b*$)#%$
$#$$O#$$%#&$$#%$:#%)+$:#%)*$B#+),#S$6#$$%#()($9))#'$=#b+$[#')%$%)3#%)Q$$&&#$&%#(&'$'#$$&#$$@#%&&#'&$),#:$@)%#$$@)&#C$+#$
$?&%#')(#3$Y#-$9#%)+$6#()+$5#:)*#b5$b.#Z(V#0(V#*))$G&'#+%-#)%-$)(9#&&(#$$$(9#dC)B#$$M#$&%#&$%#3$&#Z&'$@)-$$#+$9&.)'#>$5&
'#M$8)*#7$:#,&&$X&2#.)7%-&$$%&%$$#,&'$P&.#*&$#0$<#*%-#)&&$G&1#$%-#'$$&%$$#+$F&$#%$$#,&&$S&1$'#'&'#$&%%-$$#$$$#')7#.$5#$$
<&/#)&$$%&$#b#$*#$$$#$$'#$$2#$$-#*$R&/#(%-#)&'#$$+#%$%#%$9#$$*#$$%#$$(#$&%$$&*#%&%#%&&#%$$#)&$#($(&%#%&*#&&(#.$-#$$$#%$$
#$$I#$$$&,#$&$#%&$#$&'#$&($$&$$$#0&%#@$X&5$'#(%-#'&$$&#A$S&7$%#$$$#+%-#cM$R&*#%&,#:$'&%#E$S&4#&$$#.%-#I$N&0$$#*%-#)%7#?$
>#%&2#'%-)%#'$*#c`$O&2#bJ(b%%-),#/$+#%$$#%$+#$$%#$$;&)#$&%#%&'$$&$$$&%#/%-#b+$+#%$J&*#%&*$$#$$$&$#>$$&-$K&*$$&'#+&$#+$$&
.$Q&3#&$$#5$b.#d0$D#2%-#)$,#$$H&+#$&+$$#2%-)6#($A#%&9#$&1#b.$*#$$%#$$I&)#&&$#$&%#$&*$$&$#+%-#)$)#$$%#$$C&(#$&%#$&($$#*%-
#f#$6&'#,&%$$&$$0#$$E&*#&&(#0%-&$#b:$$#2)8#N$oY#bK%bT#4$d-#bmC$bF#2$r5#3&$$)&2#-$ce>#($j<#du8$A&5%-#|_$j.#*$B#$%-#)$b4#$
%-#)$A#%&(#.$S&*#,$'#/%-#$)*#$$8#($6#g_$P#&%-#d/(b%):#bN$b0#'&$$$&Z#*&'$0#b%$%#$$$&$#.&%#1$di_#+$t_#L$-#ey*$'#$$*#$$%#$$
eN#2$$#@$&#%$$#1$'#+$g;#bh1$bP#($0#&$,#*$-#&&%#ch:%-#i9&Q#%&:#iQ&(#&&)#+&+#%&*#A&'#c;&&#b`)7#/)7#bQ)<#c.(b:#$(b,#$(%#%($
#%(%#%('#$(/#$($#$(*#$(b&#$('#%(+#$(*#$(?#$('#$((#$($#&(*#$(fA#%(<#$(<#$(B#$(<#$(B#$(<#$(B#$(<#$(B#$(<#$(+#%%U#i3&Z#'&U#
+&$#1&$#9&(#$&2#rU(-$$(7#)()#d>&*#$&4#%&*#$&%#$&(#($b##D&$#bU$P#&&*$*#%%-#'$$#f.$A&$#4$O&'%-#hG$?&'%-#d?$A&%$$%-#hV$*#$$
'#$$%#$$2#$$d.#%),&*#L(b)&*$$#'%-#mR)^#$)&#$)'#b1)P#$)2#d+$'#$$>#$$%#$$$#%$$#$$-#$$'#$$$#$$$#)$$#'$$#$$$#$$$#$$&#$$%#$$$
#%$$#$$$#$$$#$$$#$$$#$$%#$$$#%$'#$$*#$$'#$$'#$$$#$$-#$$4#($&#$$(#$$4#j9)0#F*=#)*=#)*=#bm]%-#qI$w~%#C$ch##)$dG#%$dc]#1$ea
D#2$k%#bjS$iQ#y5$ctL#($chI#mwy+&dY#)";
constexpr char kUpperRows[] = R"(
d)Ob%%/b%ER%%##%(%&2%&P%%#dZ$(%'#gS$&%%#gK$#%%%gI$#%&#cE$#gC$#gE$#%%#gI$#gM%#gU$#gQ$#%'#gU$#gY%#g[$(%%#h%$#%%#h%&#%%#h%$
#%%%h#$&%%#h'$#%'#%+#'$#%%#'$#%%#'$4%&4%&#'$&%%#d*$#bT$J%%#e.%4%+#ls1$#%%#f2$#ls+&#%%#g4$#c1$#c5$,%eM&%'#%,#dQ*#b1%'b/%#
c'%%c%%Cb%%3b%G#3&'#':%)#b\&#%%#0$#%&'e.$AcG$b#b%TD%-X%%#A$0%&bD%&b/bEbqIb/hy7%#hy7)#hy7lLcEblxM$-3bf=#%*b9dh$&'dh$f.c<%
-#ifJ%bD%-12,-2.12,12,-2/*2,12<12,12,12,%2$%c:$#4/)cR$#4/%2$%d00%2$%dH$#0/%e*$%e&$#4e1##(##''#&'#&##'+#*##%#ic@%##%#ja<$
#i{B$%#&%#$#[$##.%#)##>AC7#%n0UW~NbCbET#%%#lqD$#ed$$#lq$&(%%#lrP$#lqP$#lrV$#lrT%#%&#%,%lsX$bH%,&%(#%quYP%7>%c/0%'`%.&%%#
bh~P$,%(#%%#bpnX&&%'6%%#bpoR$#bpp*$#bpo`$#bpoL$#bpoR%#bpn,$#bpn\$#bpn2$#~]$2%%#bD$#bpoP$#bib<$&%%#bppZ$#%'#%)(%%#bpw\<#%
l~]Ub%tOb3b5c0b+b5cD7b3%?b3%/b3%%b3}FbIc'cEMb%bq:b#b%lx&b#b%n~JU#>U#>U#>&#$##&##&%#&)#%1#>U#>%#%)#&1#%/#?%#%)#%+#%##'/#?
U#>U#>U#>U#>U#>U#BS#ES#ES#ES#ES#E##cl'b'b))";
// End of the output of detail/make_unicode_tables.py.
// clang-format on

// Kinds of characters beside those of CharacterClass: letters that are upper, lower or title case, numbers that are no
// part of words, and other characters that are.
constexpr uint32_t kAscii = 0x80, kCased = 5, kOtherNumber = 6, kOtherInWord = 7;

struct Run {
  uint32_t begin, kind;
};

struct UpperRow {
  uint32_t first, last, step;
  int32_t delta;
};

const std::vector<Run>& runs() {
  static const std::vector<Run> all = [] {
    std::vector<Run> read = {{0, 0}};
    const auto numbers = unpacked(kRuns);
    for (size_t i = 0; i + 1 < numbers.size(); i += 2)
      read.push_back({read.back().begin + numbers[i], numbers[i + 1]});
    return read;
  }();
  return all;
}

const std::vector<UpperRow>& upper_rows() {
  static const std::vector<UpperRow> all = [] {
    std::vector<UpperRow> read;
    uint32_t last = 0;
    const auto numbers = unpacked(kUpperRows);
    for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
      const uint32_t first = last + numbers[i], step = numbers[i + 1] % 2 + 1;
      last = first + numbers[i + 1] / 2 * step;
      read.push_back({first, last, step, signed_number(numbers[i + 2])});
    }
    return read;
  }();
  return all;
}

// The row of a capital letter; null if the code is none.
const UpperRow* upper_row(uint32_t code) {
  const auto row = std::lower_bound(upper_rows().begin(), upper_rows().end(), code,
                                    [](const UpperRow& r, uint32_t c) { return r.last < c; });
  const bool has = row != upper_rows().end() && code >= row->first && (code - row->first) % row->step == 0;
  return has ? &*row : nullptr;
}

uint32_t run_of(uint32_t code) {
  if (code >= 0x110000) return 0;
  const auto after = std::upper_bound(runs().begin(), runs().end(), code,
                                      [](uint32_t c, const Run& r) { return c < r.begin; });
  return after[-1].kind;
}

CharacterClass class_of_ascii(uint32_t code) {
  const uint32_t letter = code | 0x20;
  if (letter >= 'a' && letter <= 'z') return CharacterClass::kLetter;
  if (code >= '0' && code <= '9') return CharacterClass::kNumber;
  return code == ' ' || (code >= 9 && code <= 13) ? CharacterClass::kSpace : CharacterClass::kOther;
}

}  // namespace

std::vector<uint32_t> unpacked(std::string_view table) {
  std::vector<uint32_t> numbers;
  uint32_t high = 0;
  for (const char c : table) {
    if (c >= 'a') {
      high = high * 30 + static_cast<uint32_t>(c - 'a');
    } else if (c != '\n') {
      numbers.push_back(high * 62 + static_cast<uint32_t>(c - '#'));
      high = 0;
    }
  }
  return numbers;
}

int32_t signed_number(uint32_t number) {
  return static_cast<int32_t>(number >> 1) ^ -static_cast<int32_t>(number & 1);
}

CharacterClass class_of(uint32_t code) {
  if (code < kAscii) return class_of_ascii(code);
  constexpr CharacterClass others[] = {CharacterClass::kLetter, CharacterClass::kNumber,
                                       CharacterClass::kOther};
  const uint32_t kind = run_of(code);
  return kind < kCased ? static_cast<CharacterClass>(kind) : others[kind - kCased];
}

bool is_word_character(uint32_t code) {
  const CharacterClass kind = class_of(code);
  if (code < kAscii) return code == '_' || kind == CharacterClass::kLetter || kind == CharacterClass::kNumber;
  return kind == CharacterClass::kOther ? run_of(code) == kOtherInWord
                                        : kind != CharacterClass::kSpace && run_of(code) != kOtherNumber;
}

LetterCase case_of(uint32_t code) {
  if (code < kAscii && class_of_ascii(code) == CharacterClass::kLetter)
    return code < 'a' ? LetterCase::kUpper : LetterCase::kLower;
  if (run_of(code) != kCased) return LetterCase::kNone;
  return upper_row(code) != nullptr ? LetterCase::kUpper : LetterCase::kLower;
}

uint32_t lower_case(uint32_t code) {
  if (code < kAscii) return code >= 'A' && code <= 'Z' ? code + 0x20 : code;
  const UpperRow* row = upper_row(code);
  return row != nullptr ? code + static_cast<uint32_t>(row->delta) : code;
}

}  // namespace etude::detail
