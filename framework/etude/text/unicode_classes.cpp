#include "etude/text/detail/unicode_classes.h"

#include "etude/text/detail/utf8.h"

namespace etude::detail {
namespace {

// clang-format off
// Begin of the output of tests/golden/text/make_unicode_tables.py.
// Unicode 16.0.0.
constexpr char kRuns[] = R"(
b1Kc;+b_b5`d9J+0d9b9+d=+b.+b#30+A,+1;0c_0e#0z.0DH{X0dBc7DbEbVK\+,+c2oDD+0340;0+X+0;0+0cG0kO0r].`v=0e[4+Xf5b(fU.+.3.3.+b&
dADCdTb=LfHcQb5D6,mS,.[6T63.D5b6;4+c(.,d\dA4lDb>+bWb6e6b.3D+6+4cZD.b..<.Kc8d4;Db=Ld),Sb(b.f@d).e4h$<.c8.\b835b5,c*;,b%43
4cW,[,+<C6,.[636<+b(+D3,>35b639S4+.+6;,SD34cW,[,3,3,36+.KF36;>+\C,+]b84>+b@;,b-,;,cW,[,3,K6,.b%.;.;4+b^635b5b..S.;,b%434
cW,[,3,K6,.[636;^;D3,>35b5,1Sb8,+,S<;,C<3,+,3<3<;<bEFK>;.C4+V+bWb;;bPLb%,;,c_,c'6,.[.;.C^3,;4+4635b5b+[,.;,b%,;,c_,b5,K6
,.[.;.C^3T3,635b5,6+bHDb-,;,f84.[.;.D+L>1\>35b;b-,S.;,c7<d),b-,+4[>+FS.+.b%Ub563bNg2,6[L^b%-b5f&3,+,K,d),+,b8,6b.+4K,+.[
-b54Ce,+d$3Ub;b5.+.+.+F4b%,eKFcG.4Nb=.eKb0+h:fHcH-b5TVDF<.<6\>DbPbF.-b8C8e[0+P+8fE,0<bm?,C4[,+,C4f5,C4e3,C4[,+,C4b],h9,C
4iK6;b3cG<c'c,l)8S<cu#4c3,d9LjM=<b%\c:Cb.cB;b>c:3bFbM,;.3bFgRe+<+D.+5b5Yb5c2;.-b5TlA\N4e>,+Lj%b6e#.bEFbEb7b6dY4Kb>fMDd9U
b;+eTd$KDgZb5.dQ6-b5Ub5bN+b(e#g:Lg*c0b%=b5c2b-bH<d\bN5b6fPbUbFeNcGb'b5<=b6eK8b=PfE8;c*;.cPF,V,6<+PfNi0bN0e<eVi8bfY8S8e[8
S8b%0+0+0+0e#8gW0[0+@;0[@C8SHbMP;0[?b=23d=3O+c&3cF+b9+c-,+9SL1b5TbMgJe3c4+H+8b50+@KX+0+0+0C0TH+8CPKH+1c)eH5I+ddShQd@gUcW
cv;dYe{,q$8n5XF@3b3+8e[0+P+4h1\+b`,c_b.[,[,[,[,[,[,[,[.e+g(+b~]+D5+d3b0S,K5<3Dl)634;,lI,CLfE,m+ACb6e+g0c'e1b5d_b%1b]e1b5
f+b]bl6}kGi4dfi_iLf]4beO<c)b63cLf^.C.b5,0dJ64j'b83eTb-8k(0c`+8D0i#830+0b%cP@4@,^,>,F,d$KF+ASb6gObH4gBc7b7b5Vc8S<+,6-b6dL
b%4d$bMbFdQ>Dg*bUbV-b5TN,b7b6K,f8bUb.>,b(35b5Tc_<.<gB,.<64N4.,+d*;4b@K4>3b6S4S4Sb.[,[0fE,Hb.+Xk8eFb%.35b5TbsbEbFc_Dg7bgk
Hbr14nMe`[bJKL.,b5,bM,K,+,3,3,n]e4bqWc8i34g_f.bEFc'c*c'B3d0;e,K,r=cAb5`d9J+0d9b>lA<S4S4S4;eDbE,d9,c?,3,b]4bUe<pYbKfUbGg]
Cc53oJ+qTdQ<g7b`1dADe1Cb.cI,b'+Le^KLdY4eKDb%-KfBk8k'5b5XeKHeKDf-b&gObJb=0b]0[030b=0b]0[03<gObFbk+b.cWb6b%d*S,f=,b-i\S4+,
fM,3<+4c_9b&c_9\e#b+b-g0c?,3QLc]SDd9j&h1I49c'9f^.;.3NDC,;,dQ6;F1b-c`dW3,dW;e,b%,dL3IKc(g_b6cW9b&c?Qb&c7d'[k8j=h.gGbRgGb#
TeNCb'b5Ub6XcW>K,0cW}1e#,f=.3<3c(;h,DdWb6+b&cZbCCdBc:Cf>cU[cHc_b0<gZb]bCcIb8,64+b0DfXb=^+bNd1]b5V<eNbU-b5D.4+b&eF+4+b0<g
2bVCFC.5b6+,+IcGb>c7,d4bEV,6+i$[,+,C,b],b5\g*bEMb5VC,b%434cW,[,3,K.4.[636;4+V+LN36[>Kb>b5,+4+,e[,.b-.+6+.C.L.,+bP3dRgZc8
CMb5F,;dZg2cH3,+b'b5v>g*[6b-c`F3e<g2c/<+b?b5e\fHbN+]b5UcGdJdA6b]Eb;3D[xZfPb]n*i5b;b-bFb%4+4b%,3,d,S.36D.,.3bGb5j&b%4f([6
\+,.+dB.b6f0\.Cb(+b&.b>f`c'<+c8j=zNe3b_b5Tb-,eVb%.b&+b_b;c?LdY6cW.bUj>[,3,e^S>+.3.\.+b'b5TS,3,e.K.3.L+]b5bk$cBCb04.,bM,e
>[>KbOb8+k`+c%cOfFd}_n/o7c0z5lk,mCb^es7c*,Vb]b6rfALcp1~mPd\c9b5hnRcn=\e#-b5Tk/-b5TdY6Kb>g2[b.CbGb51[,cOLc?bzRfU=b5zJi9c_
nFjMF,.h)^DbMi43,.+b@3bV{lQb&fjQf6b5bim\C,[,3,bhEb^+dR;4+bVCb&bv)j|VnULbM<b-\b5>3r~#b5cgZf]6c_cj`K>Sb(b%6[d\Ct,;p_cGbKcG
o%d1rBk_0j-038+838C0bE0+0[0i;0C8b%0[0dI0C0K0+@[0bnY8d10d10e#0d10e#0d10e#0d10e#0d10b%5g?cg*h)Fg?b(+bX+cZK.b]ewDb60cGXS|D[
.c/6[.3.KLi#e6+o@fU>\[5b5D+bl>d\+c0fPEb5caLdLEb5|Jd\4-b5ccH[,C,3,b],z=9b0[f:iV\+Eb5dm-hI1;1Cj[fU1b]z&C,dA,3,+4+,b5,C,+,+
T+D+,+,+,;,3,+4+,+,+,+,+,3,+4C,[,C,C,+,b5,c/L;,K,c/co]bMeJd9Zd9Zd9lnCb5em\gdw3e,r{#T}K4yxAbVbce3b^cu3ks0cj]go8vh5Lsa[dmc
n(ba_)";
constexpr char kUpperRows[] = R"(
b&Ub%bKOb%%/b%ER%%##%(%&2%&P%%#dZ$(%'#gS$&%%#gK$#%%%gI$#%&#cE$#gC$#gE$#%%#gI$#gM%#gU$#gQ$#%'#gU$#gY%#g[$(%%#h%$#%%#h%&#%
%#h%$#%%%h#$&%%#h'$#%'#%+#'$#%%#'$#%%#'$4%&4%&#'$&%%#d*$#bT$J%%#e.%4%+#ls1$#%%#f2$#ls+&#%%#g4$#c1$#c5$,%eM&%'#%,#dQ*#b1%
'b/%#c'%%c%%Cb%%3b%G#3&'#':%)#b\&#%%#0$#%&'e.$AcG$b#b%TD%-X%%#A$0%&bD%&b/bEbqIb/hy7%#hy7)#hy7lLcEblxM$-3bf=#%*b9dh$&'dh$
f.c<%-#ifJ%bD%-12,-2.12,12,-2/*2,12<12,12,12,%2$%c:$#4/)cR$#4/%2$%d00%2$%dH$#0/%e*$%e&$#4e1##(##''#&'#&##'+#*##%#ic@%##%
#ja<$#i{B$%#&%#$#[$##.%#)##>AC7#%n0UW~NbCbET#%%#lqD$#ed$$#lq$&(%%#lrP$#lqP$#lrV$#lrT%#%&#%,%lsX$bH%,&%(#%quYP%7>%c/0%'`%
.&%%#bh~P$,%(#%%#bpnX&&%'6%%#bpoR$#bpp*$#bpo`$#bpoL$#bpoR%#bpn,$#bpn\$#bpn2$#~]$2%%#bD$#bpoP$#bib<$&%%#bppZ$#%'#%)(%%#bp
w\<#%l~]Ub%tOb3b5c0b+b5cD7b3%?b3%/b3%%b3}FbIc'cEMb%bq:b#b%lx&b#b%n~JU#>U#>U#>&#$##&##&%#&)#%1#>U#>%#%)#&1#%/#?%#%)#%+#%#
#'/#?U#>U#>U#>U#>U#>U#BS#ES#ES#ES#ES#E##cl'b'b))";
// End of the output of tests/golden/text/make_unicode_tables.py.
// clang-format on

// The properties behind each number in kRuns. The last are those of kCapital, for which the table has kCased.
constexpr struct {
  CharacterClass kind;
  bool in_word;
  LetterCase letter_case;
} kKinds[] = {
    {CharacterClass::kOther, false, LetterCase::kNone},  {CharacterClass::kLetter, true, LetterCase::kNone},
    {CharacterClass::kNumber, true, LetterCase::kNone},  {CharacterClass::kMark, true, LetterCase::kNone},
    {CharacterClass::kSpace, false, LetterCase::kNone},  {CharacterClass::kLetter, true, LetterCase::kLower},
    {CharacterClass::kNumber, false, LetterCase::kNone}, {CharacterClass::kOther, true, LetterCase::kNone},
    {CharacterClass::kLetter, true, LetterCase::kUpper}};
constexpr uint8_t kCased = 5, kCapital = 8;

struct CharacterTables {
  std::vector<uint8_t> kinds = expanded(kRuns, kCapital);
  std::vector<uint32_t> lower;  // of each character up to the last capital letter

  CharacterTables() {
    const auto numbers = unpacked(kUpperRows);
    for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
      const uint32_t step = numbers[i + 1] % 2 + 1;
      uint32_t code = (i == 0 ? 0 : static_cast<uint32_t>(lower.size()) - 1) + numbers[i];
      for (uint32_t left = numbers[i + 1] / 2 + 1; left > 0; --left, code += step) {
        while (lower.size() <= code) lower.push_back(static_cast<uint32_t>(lower.size()));
        lower[code] += static_cast<uint32_t>(signed_number(numbers[i + 2]));
        if (kinds[code] == kCased) kinds[code] = kCapital;
      }
    }
  }
};

const CharacterTables& character_tables() {
  static const CharacterTables all;
  return all;
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

std::vector<uint8_t> expanded(std::string_view runs, uint32_t values) {
  std::vector<uint8_t> all;
  uint8_t value = 0;
  for (const uint32_t run : unpacked(runs)) {
    all.resize(all.size() + run / values, value);
    value = static_cast<uint8_t>(run % values);
  }
  all.resize(kInvalidByte + 256, value);
  return all;
}

int32_t signed_number(uint32_t number) {
  return static_cast<int32_t>(number >> 1) ^ -static_cast<int32_t>(number & 1);
}

CharacterClass class_of(uint32_t code) { return kKinds[character_tables().kinds[code]].kind; }

bool is_blank(std::string_view text, size_t at) {
  return class_of(character_at(text, at).code) == CharacterClass::kSpace;
}

bool is_word_character(uint32_t code) { return kKinds[character_tables().kinds[code]].in_word; }

LetterCase case_of(uint32_t code) { return kKinds[character_tables().kinds[code]].letter_case; }

uint32_t lower_case(uint32_t code) {
  return code < character_tables().lower.size() ? character_tables().lower[code] : code;
}

}  // namespace etude::detail
