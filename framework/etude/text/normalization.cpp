// Unicode Standard Annex #15: characters are decomposed into parts, accents are ordered by their combining classes,
// and parts are composed into characters again. Hangul: The Unicode Standard, 3.12.

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::detail {
namespace {

// clang-format off
// Begin of the output of tests/golden/text/make_unicode_tables.py.
constexpr char kDecompositions[] = R"(
btF{W'b.'fTbGbl,7i$5bsXhuC('('('bZ'('('eJc#d6)d,9('@3:3c@3c.3F)bv[bw<70'br,'rh&)'ps2j?bzH+hY{aHq?'buxFb}zYuqAv|]bd+qoYr}
Qde+bluC#biu]bbd-bdfOcc#ex9lhQfa?dv)y?uCef9vgMbv-cbUbtYja;hhIeuWblpWcvQm~)d|)lbAnf=bfu5kh5mb=b~5vhGrc_dnMwwIer)do?dc#qmC
bf}-bg/t%jzIdk'd~Ect]fa7dj=fEef)fc_ck#bm#us-pMci/dlQilEgjIkyM|p/dlAqe[ci#hx#dpUk~UfsGbef_b}?hq+cc;t]hx5r%nhMbhe9zf-zv#b#
wfUca#dm;kfUga]wm%d}[seSbdnKhp]ciWkv9bbEs|3uzUwv#iwWjuUq|Ueb#naWwx3cq'q{#hj9dp9ra]tx]tkIfhCrq[rg=jxAvj;bp)g/mp1lg[db9esC
dz=bes%vAczQda;dx)fsWfbApu[cs3ci_dEbl}Ald)crAtx1{})bv9h1bm_fy#bfAbxMc{SciSbk_id%fsQgf)bw'bf{Uj%beOpn-ng#bbAyeMt9b}/ep=jd
Eez'ud[enAcv=ba+bj9kxAlUgeWl)j{+csGf5n=bj}1xf]ngScwW~t/kd+bi?gc_f1fe?cmWeiScnEid1gj]iiWbblO{g_bhh/lp]hQc|Iw;c~IvMbuOcqOp
a_bjbKjgO}xIbiv'hdEjhQsj-{gA}?dwOgi[ti#bht'bb9erMfjYu7w7ck#d|QbaOfi;fe/b-e|5cy#bhh'pdYotCqkCbp]jr)jf-de/bhMbaiYdm?lc/d|?
fAxYfm-bfCovQbdkQ}{?{~#d3g}?ci_ojIsk1juKdp[wj9dyAhv5haMxpCho-co7bm`)hw\'lj`)sj]b~Ybk;c/?cOqlUot/btAdoH'cu\'c{P)mOel2+WcW
cp)hb_dgGbjd/u/gGyCbQh%bh]gSg7ba?gOcbMKciCnMc?g?bzEjAl5bc3cvMkCr%bh]m/bc?cn1l-O%C;?d)'lAe/uGbg;b9dItMjAbbAj%#baWcs#iKx=d
I{?d=bo3i;du+s7dYbav+izsGihd#}r\)b}Se]bb?~1dUv)d5bnEeIe;eObkSfQj9b%r=mScaC?j5e;t5hIeAiKc]j=e3zUfMdAqSs?kC3dUci7e/z1{?b#f
Iq3vMdmSc~[hYh]v)jId=oG+l%b)bIfEIzEbb5rAm'o?jYv5mWbyCk+b}?~=e?b%t-dMcYdA-b'e[f1yKbg+u3t%o3cg?gKh=iGc7Sd)bq[co_hgfE9gl%jh
rOco#c+jvyGfxYsvQiyaAeWbox$eueI5Gh~mCh}x_f%WeGhQc#f%bCppGiqk'iaq5?b%b1h~z-iptWpxMc?h~{Sh~{)Wbq]brAGkrg#krbW[qb3qe[OcW7qf
3qk?+bQb=O'b)d1CGbIK+##ibp1hpr/px+b9ib~)ib}5;b9jUgEb%c'dQf=bMe7b%c+#b9b-C_v]rCrImQc3cn'dy#sEc?bIi9kS%h]ieqSiem17_b5Ce+if
e/e3ie~Cd%Sf'j-tpS[tz9dA#ifz)ifqAb9_Sigf)ige5?byCbwMue]ui_[f5d3ihl9ig~Gig~Qig{]-b)gC'uwIuy;cSb9cWu}%i~iCi~gUva_//b5ktw3k
tsYii}G#htu5tf[#vd?jiq/z}?jnh#Gvg9vj=d5Kc/iSvsMb[vvYikc?ij~+i73+)c_b5c7YOd%b53bMOe3f=c3i#ik{_ik}-e-g_bQg3ilc/ik}-f_bSwz'
xhAb9c#c=xe9xs7bYimoGimgYrYl3xx3x|]x~#c5moG/lxQg=okCbdoItm'3;d]MinoKjhv_ys+hCn1d5infYinf3h+pUzaYzdYg3eGm3inh)indSzw5z{Wi
ocGin~3z{Iz}Gc[bQ'ioy#qh7qo;iovCipuGipn3[gEl5cGdMd?cG_WipgWipm%q/e'|d'|j)1ipo+ip|;y'ipm?d)ipjWh=bO-|y9||=d59dAhmu3hmk=iq
b]ip{5iqrAiqi=WbQiro[irlSb9ir~Yo;ir~?b)~d/~e[~e)#~oGb9b9b5e?~qI~w?itk3itiEitoCitl3hzv]hzlGiuvAbAj%juz+Sbah)iu}G%cCbMiu~_
'#cSbaj?banMbamUf-jwsSiv}Ae#e+bax;jxr=iwp'iwwGcSiwvKf]bbh#bbmCK7ixy+t5#iyd+bbk)j{a'iyf_/bbvWj{l=iyc=bcb+bccG5bYizt=izn#b
ce1bckOdUe7bcpCj}|Ac#j}|'j~gCi{d;i{j]i{i-gCOi{|EeOi{{9i|e_i|d[h~n=jcy9bdp1f1bdq]bduSvg=jta'[}v#Gh}v?/hoKbll_beg?9b-{l7{m
K+KcKi}z=i}z?dIeCeSiYj]cOh1qQhM+b%i}zMt]jKkdv7bfd5+c3jckGjcfCi~t5ke{Q3kff)sKkfx'bfvUSO+e+c)iKcUjQf/e7bQbgeUbgkOc'bgkEbgq
O/jb~1jbvO?bgu]bgwSbql;ktiClYkjwYGbhkGe_k+n)jdh9jdbSb=fUf]jea;cfs-g}gQ]d9g}s?g}dOg?jgv%bQjga5g#c'jgm_jgm5s;k3'f[yGbUjhm;
jgs1blyEbl|=jhk#ktc-bmjAbbmAbbsOjit9nQkvj_CbmsGjjw[kwhGkwqKjj~+#b]jkpUjkdWbmx#bm|Ii+bQdYbnb7kzr9jl}-tAm/boe5c#boj-jnw?k}
aYk}e?r)i?jn~Gboy5bo}77?K?c;jps'btF#e0g/434+</<1T1434+</<1gLh5c'l0[c'ca8qQ0=bZc-0=bv`hc9'dNb['pXbCc'eXb/c'c(5'dLAc'b<Ec'
l*5'\='w*1c'qy0A'@1'@1'@1'@1'@1'@1'@1'@1'@1'@1'D3@1'@1'phT-4',','<'<'4'dHc#4?,'pp&)plP-d,3ps`)ppP-c>3bt8)bs`9L'(#e0g1434
+</<14)D+434+</<14)d@5c'b@bIc'b\5c'bTCc'b`-c'bH_c'g8d#c'lL[c'g(-c'b_c'Yc'be(kBbj0c)bs'4'++<'<'3c+bH[3++b-R[;3H-e0bE@5bJc
5@5b{^hc#c'cT='e:Qc'kEc'b\=c'gP=c'fJ-'q5c'q$b+'rL5c'eXb'c'c(5'dLAc'b<Ec'l*5'\='qe,Y'@1'@1'@1'@1'@1'@1'@1'@1'@1'@1'D3@1'@
1'fFd+e(C(#e0g3434+</<1T1434+</<1d0=c'bTIc'b`1c'b\Ac'b@b3c'bTQc'b[c'b`ia5c'qr^Y'bBU'b2E'(#e0g5X?(+b.?X?(+c>bKc'b4c%c'b`i
a)c'e\b?c'c(5'm21c'gD1c'b<Ec'l*5'\='w*5c'(#e0i3c'bTEc'bTQc'bLb'c'bL]c'gLd=c'dH3c'uS'wQc'qT5'rXb_c'c)c'u0)'ba5c'b~Vw-c'b8
9c'cfTg}%c'qm8Q'c4b+'ou:k_c&3cHSc&3cX3c&3,#e0i7c'bTEc'b\5c'b\=c'bLb'c'bL]c'caTvON9c(b%Pb/cZd/c'c>?c'bP-c'bdXg}M'pu,e]'oy
Zi%c&3cHSc&3cX3c&3(#e8iGc'b\9c'b\5c'b\Ab*c=c'dLfAc'b,1c'cZhtSc'b\1c'b\Ic'b\)c'bP]c'b`)c'b\Ec'b[c'b`1c'o\)'7'p~%'qq=c'bXY
c'b`)c'b`)c'q\;(#e0g7414+<1</T3414+<1</4)c&d[bxNs+Sb6b#SX5e8b?^/d&c;c,/eBd_c'kX1'mEc'b_c'b`-c'bKc'k`)'m)c'cN)c'bT)c'bT)c
'cg2g|[c'h&b3c'hFb;'rT5c'b`1c'27(#e0im_c'g4-c'c(5'm21c'gD1c'k:-c'bL-c'gD-c'l*5'v<1c'u4-'w*5c'(#e0g9c(b%Re=c',iaU+(#f*kWc
'bLb#c'caT}]c'(#e8iKc'b_c'b`9c'bHb)c'b\5c'bTCc'b`1c'b`)c'bLSc'dLcEc'bCc'bKc'bKc'gL-c'lL;c'bSc'v>-o+bfGc.bAc'0#e0qCc'bT)c
'bT)c'bL)c'bX)c'bX)c'cg$tK',#e0qGc'bT)c'bT)c'bL)c'bX)c'bX)c',#ca`iq#c&3c83c&3c03c&3c03c&3c@3c&3c@34Cc&3bFe#(#ca`iq%c&3c8
3c&3c03c&3c03c&3c@3c&3c@3c&3c83c&3bFe#c&1@#f*n=c'bL?c'D#e4ihYc'b\1c'bTQc'bX=c'b`)c'b`9c'b`)c'bTIc'b`1c'b`5c'b\Ec'b`5c'bX
5c'dL=c'bTQc'bTEc'bKc'tNM'v;c'u49'w*)c'(#fBil=c'(#e0ihQc'(#f:r5c'b_c'(#e8g=c(b%bTb[c'bTIc'b`+c'b\5c'bTCc'b`1c'b`)c'd$g9c
'c*hu=c'bTQc'(#e0i;c'bTIc'bTMc'b4c-c'c>dWc'8#e<ii7c'b`-c'bHb+c'b\=c'bLb/c'b`-c'(#eLij)c',#e@iiGc'bTEc'b4c5c'(#e4ih]c'b\1
c'bHb/c'b`-c'b\=c'bTMc'b\Ac'bLb/c'b+@#so8jhA+,IdZb#3)d.bO8-0)bFS,'bBY@),)0'sw2QsxZ'b49swI+sy#'X)'0)'01'@)'0)'bRb+;'+d$bG
'b5'c(1'''eoPcfDL#rc$iq/'@1'bBQ'@1'@1'@1'bBQ'D3@1'@1'phTc5bu*9buD-pm`5pmV1b)ppV3pq*1;*A0#rc$iu+'''''''''''''''b)''''''''
'''''''d-'''''''''''''''()pi15pn*)poV-pkH/pi)Epo$)pp@-pkPb1ph?7pp&)pr<-bk0#dgHcjdP0#di0cjdTc.B(#dg$cje6(#dg8cjf00#dg$cje
8'''''',('''',(,(',(',(''''0#dg(cjf2KG,#dhJcje,epcL((#dhJcje.epcL(j:#dlJbuK(#dlJbuMc+,'i`e_b4'b*E(#dlJbuQbr^#fb2cpKD30)b
\b.''77'G3i4#fj&cv>'X(,#flBcuYbJ#flBcu[gD#fs<cy2<*c.b,'7`*qD#gdVddV',#gg4dd3bF#gg4dd-(#gg4dd5gL#go@dh9'bJ#gl*dfId:bUi0#g
wPdl=g`#ha`dpIb2#haDdp5@14+(#ha`dpEgP#hj2dtQ'bJ#hj2dtUh>#hsPdy;0)8#hsPdy?b&#hsPdyC{$#ip&ehH,#ip&ehLT#it2ehN((e26d>#ilZeh
4f.cH,#im$eg&L88.8.8.dFbTL88.8.8.hN#i{Len9gc,#o{4hn-,',',','4+cLb7,',)'0'lx6#{rJniW,',',',',',',',',',','0),','@10)0)0)0
)d<SfJ7\?,',',',',',',',',',','0),','@10)0)0)0)d<SeP)'''P+(#{t^nk%0)0)0)0)f>cO0)0)0)0)edlN#fac4cpb-,'LAh&#fam(cpf]'beD#f
bqDcpx;bJ#fbqDcpx=w4#fck<cqf5L#fck<cqf30#fck<cqf9pJ#fc{XcqnA'dnk4#iqfJeid&'g4c`'H#iqg,eid*f^d$'(#iqg,eid,f^d&'(#iqg,eid.
(#iqg,eid0(#iqg,eid2)";
constexpr char kCombiningClasses[] = R"(
dpyUda?hMu3hIhMx[lUtSlUbp>y/u1bg[hWhMq)p]i3hWp]u1hYhMl_hZh[m$h[m$hWbxMbh~/uKbgrQhWu'hWp_hMhW}7}AlUhWlWhUhWe5e6e7e8e9e:e;
e<e=e>iGe@eAe+eBe+eCeDe+hWhMe+e=e+kb#bdCeJeKe+gsJeGeHeIeJeKeLeMhWlUl_y/hWlUe+cgJe+oaQ}[l_u'hWe+l_i3hMhWlUe+ez)e+ehGhMhWl
UhWlUq)hMl_hMhWp]hWhMhWhMhWhMhWi3we9bc?hWe+ey)qChWbh-hWm;hWuKgb)m;qt/b|UhMhWlUhWlUhWp]mVeGeHhWp]hWlUl_uKihXe+cg0e+q)hMhW
i3of<e+cg0e+pe6e+cg0e+pe6e+cg0e+pe6e+cg0e+roDe+roDe+ba3fHe+n|,e+cg0e+roDe+rc,e+pbPi<e+bz<qCo|Wi3b~SqCkr9i3dz%e+hMe+hIe+h
t.g1e+g3e+wQqCk9e+hWi<e+hWi3itEe+pmFe+e4i3lm+e+djcAm;eko@e+ei,e+vs<e+bp#e+}bYe+ty%hWhMe+bah_hMe+jx6e+c{5bd%lUe+gv[y/}AlU
e+qh8e+cc(e+fkIhMhW}[hn*i3h~He+bpFi3jgRe+vb7m;e,hMy9lUu1e+e,}[u'e+}Ae+q)i3|l3lUhWbc?hWm%hGhMh;hWfcSy9hZhMhWhMe+djgIi4l_q
Dq)i3u1e+m<l_hMhWe,lUu1e+octWm;tm8e+nk)em+cql#hUhYhOhQi3onMi3eslvWe+u1bl5epWi3le%i3bh~Re+{aDe+dz/co7h}[m;fc\e+nc:e+btNe+
bdaEe+hWlUe+l_i3y9i3hWe+heXe+bdzZe+ddae-e+dp}]bc?bcIi3eob)e+bbgOe+us]uKhvsGe+hWe+fsYe,hMe+qLe+wz#hMe+gjhFe+hv:e+hzBe2e+j
sIm;gs8i3iq*e+kn^e+bh4e+orVe2e+yp(e4e+leFe+cg0e+dmU}[q)uK}gHe+mBe+q}$e2e+beqDe2e+rk<e+qh:e2e+py`e+f}xRe+dcmp2uKih7}[dfse
\e+ymbMi4m;q%hIuKbgGbd%l_y/i3ehGqCuoUm;qd|3}[hWck/l_}[hWi3hWuKkev)}[pdSyZe+)";
// End of the output of tests/golden/text/make_unicode_tables.py.
// clang-format on

// Hangul: leads, vowels and tails, and the number of vowels and tails (with the absent one).
constexpr uint32_t kSyllable = 0xac00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11a7, kVowels = 21,
                   kTails = 28, kSyllables = 19 * kVowels * kTails;

struct CodePoint {
  uint32_t code, combining_class;
};

struct Tables {
  std::unordered_map<uint32_t, std::pair<uint32_t, uint32_t>> parts;  // the second is 0 for a single one
  std::unordered_map<uint64_t, uint32_t> composed;                    // of first << 32 | second
  std::vector<uint8_t> classes = expanded(kCombiningClasses, 256);

  Tables() {
    const auto numbers = unpacked(kDecompositions);
    uint32_t code = 0, first = 0, second = 0;
    bool excluded = false;  // from composition
    for (size_t i = 0; i < numbers.size(); ++i) {
      const auto difference = static_cast<uint32_t>(signed_number(numbers[i] / 2));
      uint32_t step = 1;
      if (numbers[i] % 2 != 0) {
        step = numbers[++i] / 2;
        excluded = numbers[i] % 2 != 0;
      }
      if (step == 0) {
        second += difference;
        code = first = 0;
        continue;
      }
      code += step;
      first += difference;
      parts[code] = {first, second};
      if (second != 0 && !excluded) composed[uint64_t{first} << 32 | second] = code;
    }
  }
};

const Tables& tables() {
  static const Tables all;
  return all;
}

void append_parts(std::vector<CodePoint>& parts, uint32_t code) {
  const uint32_t syllable = code - kSyllable;
  if (syllable < kSyllables) {
    parts.push_back({kLead + syllable / (kVowels * kTails), 0});
    parts.push_back({kVowel + syllable / kTails % kVowels, 0});
    if (syllable % kTails > 0) parts.push_back({kTail + syllable % kTails, 0});
    return;
  }
  const auto found = tables().parts.find(code);
  if (found == tables().parts.end()) return parts.push_back({code, tables().classes[code]});
  append_parts(parts, found->second.first);
  if (found->second.second != 0) append_parts(parts, found->second.second);
}

// The character of two parts; 0 if there is none.
uint32_t composed(uint32_t first, uint32_t second) {
  if (first - kLead < 19 && second - kVowel < kVowels)
    return kSyllable + ((first - kLead) * kVowels + second - kVowel) * kTails;
  const bool has_no_tail = first - kSyllable < kSyllables && (first - kSyllable) % kTails == 0;
  if (has_no_tail && second - kTail - 1 < kTails - 1) return first + second - kTail;
  const auto found = tables().composed.find(uint64_t{first} << 32 | second);
  return found == tables().composed.end() ? 0 : found->second;
}

void order(std::vector<CodePoint>& parts) {
  const auto is_accent = [](const CodePoint& p) { return p.combining_class > 0; };
  const auto is_before = [](const CodePoint& a, const CodePoint& b) {
    return a.combining_class < b.combining_class;
  };
  for (auto end = parts.begin(); end != parts.end();) {
    const auto begin = std::find_if(end, parts.end(), is_accent);
    end = std::find_if_not(begin, parts.end(), is_accent);
    std::stable_sort(begin, end, is_before);
  }
}

// Combines letters with the accents after them wherever there is a character for both.
void compose(std::vector<CodePoint>& parts) {
  size_t size = 0, letter = parts.size();
  for (const CodePoint part : parts) {
    const bool reaches =
        letter + 1 == size || (letter < size && parts[size - 1].combining_class < part.combining_class);
    const uint32_t one = reaches ? composed(parts[letter].code, part.code) : 0;
    if (one != 0) {
      parts[letter].code = one;
    } else {
      if (part.combining_class == 0) letter = size;
      parts[size++] = part;
    }
  }
  parts.resize(size);
}

}  // namespace

std::string normalization_form_c(std::string_view text) {
  const bool is_normal = std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<uint8_t>(c) < 0xcc;  // below U+0300
  });
  if (is_normal) return std::string(text);
  std::vector<CodePoint> parts;
  for_each_character(text, [&](Character c, size_t) { append_parts(parts, c.code); });
  order(parts);
  compose(parts);
  std::string out;
  out.reserve(text.size());
  for (const CodePoint& part : parts) append_character(out, part.code);
  return out;
}

}  // namespace etude::detail
