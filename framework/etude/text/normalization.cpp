// Unicode Standard Annex #15: characters fall into their parts, accents are ordered by their combining classes,
// and parts become characters again. Hangul: The Unicode Standard, 3.12.

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "etude/text/detail/unicode_classes.h"
#include "etude/text/detail/utf8.h"

namespace etude::detail {
namespace {

// clang-format off
// Begin of the output of detail/make_unicode_tables.py.
constexpr char kDecompositions[] = R"(
j7c)yS(#%(#%(#%(#-(#'+']('b2(#%(#%(#/(+2(#%(#%(#/+-,(%((#%(#%(#%(#-./2(#%(#%(#/(+0.3$(#%(#%(#%(#-(#'+']('b2(#%(#%(#/(+2(
#%(#%(#/+-,(%((#%(#%(#%(#-./2(#%(#%(#/(+0+#1(bT*(b%#(b$'(b%#(b$b)(b%#(^b2(b%#(b$%(b%#(b$-(b%#(b$-(b%#(`#(b%#.`2(b%#(b$'(
b%#(b$%(b%#(b$b'(b%#(b$Z(b%#(^6(b%#(b$+(b%#(b$%(b%#(b$b%(b%#(`b.(b%#.`%(b%#(b$%(b%#(b$'(b%#(b$b)(b%#(b$b&1%,(b%#(`b/(b%#
+`b0(b%#(b$b1(b%#(b$X(b%#4^8(b%#(b$b1(b%#(b$X(b%#1`2(b%#(b$'(b%#(b$-(b%#.\6(b%#(b$b1(b%#(b$X(b%#(`8(b%#(b$%(b%#(b$b/(b%#
(b$X(b%#(`Y(b%#(b$X(b%#.`4(b%#(b$%(b%#(b$'(b%#(b$+(b%#(b$%(b%#(b$](b%#(^b0(b%#(^#(b%#(b$/(%0(b%#(b$/(b%#(b$-(b%#bMb:A(b%
#OV#(b%#b>bL@(b%#(R#(b%#(V#(b%#(V#(b%#(d72(b%#(b$((b%#(b$9(b%#(b$:(b%#+bT+(b%#(k;#(%#(l:#(b%#.f*3(b%#(Z#(b%#(Z[(b%#(m1b,
(%#(bL3(h'#(rT#1b*8(b%#.T$(b%#(cU%(b%#(`#(b%#(>#(b%#(fZ?(b%#(b$'(b%#(Z&(b%#(b$'(b%#(Z&(b%#(b$'(b%#(V&(b%#(b$'(b%#(\&(b%#
(b$'(b%#(\&(b%#(b$'(b%#(b(M(b%#(`#(b%#.b<V(b%#:b2,(b%#(Zb%(b%#(dKb*(b%#(b&#(b%#(f8)(b%#(o=((%#(p,#(b%#n$uY&%)G'8(c7cDAuF
:dC#(y%#&xD(xM#('#('#+/#+/#(+#(b'#b5bF1(;#(;0(+#('#('#(G#b5F1(;#(.0(/#(+#45#(#1c-c-2(#3+&01<14K0(&$(9/F8#bGb%#b,(.(#3+&0
1b+14Z0(&$(9/b/bG5(%#dId&4(b%#Ob0#(b%#(b$'(b%#.X&(b%#.f3'(%#(g4#(b%#(`#(b%#.`*(b%#(b$+(b%#(V#(b%#.fA#(%#(g&#(b%#(b8*(b%#
(b$+(b%#(b$)(b%#(Z((b%#.Z#(b%#o<p9|/(#%(b'#(b&%(b+$hAeA#+J#XE#}_t5y#=3#.)#bR^#'%#'%#'-#'-#'%#'5#'+#f3e[e/(#UTb0X'%#*=#e(
e1e+-/#bOb(#'%#'-#-A#l9j-j).#R(#UTb0X'%#cNdIf#cKbMT(%#($Ug%e+e)fWd[e):1#(#%+#J(+Ig.e#d;(%#($Ug[eQdO+#-(),((Mr5lKp1B7#3-#
3-#3-#KX&BbGc,*#''c);*%#?c*#Zb'bSB7#3-#3-#3-#KX&f6eUd[eoQc~Udb'+'#+'#+'#+'#1+#c$b7#+'#.'#(%#+)#bd^hm`gsN(b%#(`^(b%#(b$[(
b%#(b$?(b%#(d3bD(b%#(f2/(b%#(b$[(b%#(b$?(b%#(b$6(b%#(b$/(b%#(fIb>(%#($%(%#(gJb=(b%#(b$)(b%#(oEb8(%#(pF%(b%#(`((b%#(`)(b%
#(b$[(b%#(b$X(b%#(b$b#(b%#(b$1(b%#(`'(b%#(d5bB(b%#(f4#(b%#(b$b)(b%#(b$?(b%#(`>(b%#(ig#`(%#(ih&b?(b%#(b$*(b%#(`b<(b%#(b$/
(b%#(b$[(b%#(`Z(b%#(b$[(b%#(b$?(b%#(b$*(b%#(d7b<(b%#(b$1(b%#(cU2(%#($%(%#(i,#(b%#(b$/(b%#(^#(b%#(b$[(b%#(ig_`(%#(ii$b?(b
%#(`b8(b%#(b$[(b%#(h?Z(%#(-#(%#(h~C#(%#(ii0#(b%#(b$[(b%#(b$?(b%#(b$*(b%#(`4(b%#(b$;(b%#(b$((b%#(hWb<(%#(%1(%#(i\,(b%#(b$
b%(b%#(`b*(b%#(b$%(b%#(b$1(b%#(b$$(b%#(b$[(b%#(`Z(b%#(b$%(b%#(`$(b%#(`,(b%#(b$b'(b%#(b$?(b%#(F#(;b6()'('#+i?(4k2[(b%#(b$
V(b%#(d+2(b%#(b$$(b%#(b$5(b%#(b$.(b%#(ifI$(%#(ieH$(%#($$(%#($5(%#($.(%#(ieE)(%#(ikN](b%#(b$V(b%#(b$.(b%#(d3&(b%#(b$$(b%#
(b$5(b%#(b$.(b%#(ig+$(%#(il81(b%#(b$W(b%#(V#(b%#(b$V(b%#(d32(b%#(b$$(b%#(b$5(b%#(b$.(b%#(ig?$(%#(ia\$(%#($$(%#($5(%#($.(
%#($b%(%#(kN#(b%#(b$V(b%#(k+2(%#($$(%#($5(%#($.(%#($b%(%#(l&b*(b%#(b$b+(b%#(b$V(b%#(b$.(b%#:{GC(#%(hpCJ(%#($%(%#($c)(%#(
hqFbB(#%(hqUJ(%#($%(%#($c)(%#(hpLbB(#%(hp[J(%#($%(%#.hq^G(#%(hr/J(%#($%(%#.hq*G(#%(hq9J(%#($%(%#($c)(%#(hr<bB(#%(hrKJ(%#
($%(%#($c)(%#(hqFbB(#%(hqUJ(%#($%(%#($c)(%#(hrXbB(#%(hs)J(%#($%(%#($c)(%#(hqZbB(#%(hr+J(%#($%(%#.hs.G(#%(hs=J(%#($%(%#.h
r0G(#%(hr?J(%#($%(%#($c)(%#+hsBb@+hsSJ+#%+#c)(hrHbB(#%(hrWJ(%#($%(%#($c)(%#(hsZbB(#%(ht+J(%#($%(%#($c)(%#(hsZc*&,(5#&2(7
#&4(9#&6(C#&=(0#&3(*#&-.hoGc1(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(E#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(
%#(bG#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(%#(ht(c$(#&(ht+c)(ht*#(,#+-((hv;)(hw<c$(#&(#*&8(9c1)b5.z6((io7)(ht&#(4#
+5((hvO)(hwTc0&<(A#&>(?c1(hwCc0(#%(#c)(hv<b\(#&(E*&bX.b7c+(E#(bFb\(#&(#*&@+hy_#(#%(#c)(hx&b\(#&(/*&X(EI(#%(+bA(/#(b0b\(#
&(#*&P(IK(yDJ&xK&z^.iq[c1(hsP#(-#+,((hwM)(hy$c0&H(]#&V(Wc1&y<,isC&%o.hy*/|T&d]f<jaU<('#^'#bDb]#(+#(&#cHbG#4-#.)#b/S#+'#b
8Q#.1#.'#+)#b,jl*#+jl]#FJ#(jl6#('#(jm##(%#.=#(%#.)#(%#:)#(%#.1#(%#.)#(%#bPY#(/#(%#('#c<bB#(%#(K#(%#:b%#(%#(%#(%#c[du%&%d
f8bmN#ch;boWmoQ+'#+'#+'#+'#+'#+'#+'#+'#+'#+'#+'#.)#+'#+'#:1#(#%+)$(#%+)$(#%+)$(#%+)$(#%b,bN$CcU#O?#+'#+'#+'#+'#+'#+'#+'#
+'#+'#+'#+'#.)#+'#+'#:1#(#%+)$(#%+)$(#%+)$(#%+)$(#%b,bN$.c9#(%#(%#(%#19#cwrCzd[&ki2&k}_&qF&ih>&i~:&br'&uz3&#&tk@&pqG&qrX
&bb#&clM&fsY&cp1&bzE&m1&k3&ccM&ks8&zG&ba[&y]&ep/&dsU&ck=&uw\&bkY&goE&b}E&fpQ&grO&rz,&fdK&gaO&~K&ksT&iqA&bvW&ll6&ciE&bw1&
bq#&ig3&r~(&s)&jC&e|U&bu%&b~S&bj_&cp-&btO&cS&ccE&cqA&bf#&v#&kj(&hW&be)&buY&efS&deU&fm8&nwH&buQ&ic?&be#&d{B&bw[&fo[&cy5&r
c`&~1&dx'&bb/&j_&d{K&iC&gsW&sr.&mrG&mzB&B&lc[&ba#&bv/&fc[&da@&lg$&b~?&jc;&qvV&dw_&be=&fkM&pS&jnJ&km[&lkB&el=&ez<&in[&caB
&gp=&llJ&bi%&in#&dtM&bwM&ip@&j{_&ju6&csR&ix?&is0&e{Q&ktN&wE&d)&ghI&fs?&bpM&cj3&b|O&rj$&kQ&bmY&bp/&b{E&cy=&cpQ&hz?&bj+&be
A&bS&u~2&fqE&biQ&j{I&no&&zM&dI&vA&c|#&rQ&{W&bn;&be;&uA&ebC&cy:&dcE&{%&r}<&eC&r9&hvG&gs#&pQ&mc8&jM&~)&chO&eqS&cmD&kb^&cgQ
&bkO&p'&tM&flQ&f[&dc=&fE&e}'&bj5&cK&gO&t~*&lr_&gs;&bl=&oyH&fbF&t1&dbA&cI&cr1&bg=&ce;&bgS&ebI&de_&ee=&puX&ndA&ssH&fw_&dY&
bnU&l/&boU&kW&z9&bi9&hpA&tpV&es9&olU&tkD&dqS&esY&jeG&nd2&o1&b{9&de?&jt#&syD&pM&ciW&ct]&k-&l-&bf#&b}Y&p9&ct/&cr)&G&cnK&bm
#&ssD&hq]&hjR&if3&w_&exE&erG&br)&sW&pe>&bv1&fq)&b}P&cQ&l]&cv(&rR&hkY&qu:&on1&noB&bJ&do1&beA&heU&jf*&ez7&bw^&leM&b|2&dzK&
dp8&lwR&dw(&bh-,vA)d{?,ft`&je_&~]&u/&b)&1&b9&if[&hjH&yQ)bw5)bk?,bn9&g9/cfI&=&b=&bhE&dp`&bs5&tqH&k)&d5&m3&Y&dC&s_&d;&d-&p
1&d9&baW&7&be3&gW&b1&d1&|S&eQ&fK&q+&bkW&f3&iC&s_&g)&q1&bgI&fG&9&$&3&/&1&bE&%&fQ&c)&k5&s/&M&bU&jW&eQ&pQ&eC&#&p=&bj#&e7&lO
&bU&n1&bO&w+&e/&bz'&j-&b]&pkF&emy5&edqB,oi^&~;&c@&pP&oI&b[&kE&bK&vS&c6&c/&c9&u;&cY&eM&C&iO&g;&ba3&1&eK&c/&jK&dU&c2&e7&b@
&eO&c+&m[&cW&bQ&i;&j1&f3&+&b[&be-&c)&mI&n1&B&cU&i+&kW&bv;&bo^&d]&d_&kE&eU&bO&h5&'&fC&E&U&cS&6&mS&pK&iQ&g%&h1&e]&kK&g=&|3
&f'&~1&oO&c1&C&jG&bW&b>&bQ&(&D&c?&cI&m7&s'&k+&jC&h+&bd1&d7&dO&e5&b-&;&bE&x?&bhA&dscS&.&dfC&esxX&bh#&b'&ez|5&c{]&jkY&ema2
&c=d6bmj6ly0*U)E47'#%'chq7$'#%'chr*8'#%'#+'%#'%#'%#'%#'%#'%#*'#'%#'%#'%#'%#*'#*'#'%#*'#'%#*'#'%#'%#'%#'%#'L('*/'7#'5#ixW
cnmAcnoQ+'#R7#g:eCdC(%#{-r/r3(#UrTl]l?(#6+#=m1i1hU(%#cro5bvt9bvu+'%#'15'#%'#%'#%'#%e1c[<'%#'%5'%#'$%'%#ebo[dqt^&,&5&d~v3
&d~l`&cC&=&c5&dY&b#&cC&R&hwT&eif%&eai,&1&C&I&d~|G&ehy\&h{W&b1&d~};&d~}&&=&x@&xQ&5&fis#&fip\&?&iaJ&ic?&9&b=&-&icJ&if1&'&Y
&O&9&%&E&bI&3&5&U&7&'&#&#&eawI&dwxH&h{F&M&ea~E&ea~,&/&M&e[&d4&C&b%&bY&cO&W&c-&C&b'&#&M&G&3&A&k_&iR&iU&g:&b+&bgD&b|#&j4&b
1&U&e.&f;&$&d_&eci;&ecg*&-&A&K&3&c'&ecr)&c+&ecoR&bC&;&cD&eG&jwZ&?&j|M&bQ&#&ec|E&ecx2&M&A&;&edcE&edc,&1&|3&{8&kc@&keA&?&c
K&bJ&eduM&edoT&edoY&edn@&(&E&d3&%&kl6&km/&b;&M&b=&ko$&eot3&eos<&kpA&)&)&K&fj{+&fjy>&eeo5&#&dyz,&jr^&#&kqP&eti)&m~1&evsB&
5&ks.&ktO&bK&7&b)&e;&ky8&^&kz]&efb1&ee~F&e-&+&'&&&bA&K&b-&>&9&bC&K&+&W&9&c+&cO&b+&e#&efnA&efo(&c(&dA&Y&d+&efq)&efo(&c`&Z
&lmD&lsQ&M&b#&b0&lr.&ly-&]&egh5&egd>&i]&fJ&l{J&l}_&l~B&b,&gh5&)&f{Y&d0&hf3&qw6&jv%&+&/&b_&8&egw7&esz`&mj'&dR&gI&bK&egr]&
egrJ&dF&h[&mp>&mq]&d+&c5&g+&egsE&egqZ&m{,&m}=&ehb5&eg~J&m}6&m~5&b?&Y&%&ehm#&idL&ih/&ehkR&ehz5&ehvJ&?&d4&fK&b5&bW&bP&b5&A
&=&ehs=&ehv$&i)&c%&nqD&ntE&*&ehw'&eh}N&m%&ehv1&bE&eht\&dO&X&(&n|.&n}O&bK&.&bQ&dvk+&dvf0&eia_&eh},&eiiQ&eie0&=&Y&eiw?&eiu
Z&M&ei~]&h/&ei~P&E&oqH&or?&or&&#&ow5&M&M&K&c1&ox6&o{1&eju+&ejt4&ejw3&ejuJ&d|z_&d|uT&ekkQ&Q&eC&ezmF&;&pdE&eko5&$&b3&W&eko
`&%&#&b;&peP&pgW&pg<&cG&e{j;&ek~2&c#&c'&plN&e{xO&elhD&ell5&b;&elkV&c_&psB&pv3&7&-&el|'&jK&#&embF&pu&&e}a%&emc`&)&pz\&e}f
O&emb0&qaF&qb5&,&]&emyO&emvB&qc*&qf9&b[&c-&qhR&e~nQ&b#&e~nD&e~s3&enbN&ene_&ene(&d3&9&ennS&c9&enn.&enrA&enq^&d~vO&eqm.&qw
I&cI&qx@&qz;&ks0&eyp%&?&okB&5&d~kP&)&dw7&uu`&rd1&.&G&nfL&ng7&'&7&b7&eomO&eomP&bU&c3&c;&e>&e_&b9&dI&i:&dW&'&C&eomW&j_&eV&
fbzL&rqK&'&b+&eqf5&eqcR&eoyK&fcn:&+&fcrE&j7&fc{D&rz[&;&9&'&c'&b&&e7&b<&eY&cH&c-&Y&sc<&sf9&b%&sf4&si9&)&ep~I&epzX&1&sk@&s
l;&xfN&fjt3&f]&fe{>&5&su5&cA&f'&gE&eqsM&eqpZ&O&c[&c_&era/&bcy(&dod:&@&bM&doj1&dobX&d1&eskC&Y&esa,&d#&b%&esgA&esg,&j/&f+&
%&c^&m5&[&esv/&esj*&u|4&u}O&esu#&fjq(&veQ&pv2&py9&etjM&gY&fkt`&3&vj5&et{?&fldT&fli7&et~F&#&_&euh[&eub\&vlB&vnU&e'&Y&b]&v
pL&fmxM&eu~(&jQ&g)&wc,&b#&weG&ev{1&foa>&foc1&iE&e1&ev~T&wm,&wo-&-&1&7&1&b/&ewy%)";
constexpr char kCombiningClasses[] = R"(
m;dO8dQ$dE'dQ$dA$dE(d3%dE'd3%dE.$(dE'dO+dY$dO$dE&dO&dE%#$dO&dE'dO$dQ$dE%dO$dR$dS%dR$dS%dR$dO0#e>dO(#e4dE$dO'dE$dO&dG$dE$
dO)dE)dO%dE$dO%dG$dM$dO$-$.$/$0$1$2$3$4$5$6%7$8$9$#$:$#$;$<$#$dO$dE$#$5$#b-dO+A$B$C$#S>$?$@$A$B$C$D$E$dO%dE%dO(dE$dO%dE$
#3F$#bJdO*#%dO'dE$dO$#%dO%#$dE$dO%dE$#FG$#AdO$dE$dO%dE$dO%dE&dO$dE%dO$dE$dO&dE$dO$dE$dO$dE$dO$dE$dO%#cGdO*dE$dO$#EdO'#$d
O,#$dO&#$dO(#NdE&#b]dO1#$dE$dO%dE$dO%dE$dO&dE&>$?$@$dO&dE$dO%dE%dO(#_*$#3,$#&dO$dE$dO%#bL*$#3,$#bS*$#3,$#bS*$#3,$#bS*$#3
,$#c&,$#c&,$#*b9$b@$#bJ*$#3,$#c&,$#c#,$#bRbL%,$#0bP'#bQb[%#1b_'#b1dE%#>dE$#$dE$#$dA$#Zc($c)$#$c+$#(c)'#%c)$#$dO%,$#$dO%#
b#dE$#bU*$#$,%#b7dE$#lHdO&#p5,$#B,$#cD,$#-dO$#d4dM$#c6dG$dO$dE$#dDdO$dE$#b,,$#7dO+#%dE$#SdO(dE)dO%dE$#b[*$#2,$#IdO$dE$dO
*#Y,%#]*$#.,%#b(*$#c?dO&#$$$dE(dO%dE'dO$#$$*#'dE$#)dO$#&dO%#d/dO%dE$dO*dE$dO%dS$d?$dE$d3$dOH#(dO$dR$dE$dO$dE$#lIdO%$%dO'
$&dO%#'dO$#&$%dO$dE$dO$$%dE'dO$#btCdO&#c4,$#bEdOC#i]dC$dM$dQ$dG$dI%#bN+%#qgCdO$#'dO-#CdO%#b5dO%#e?,$#d&,$#>dO5#\dE&#H,$#
bD*$#/,$#dXdO$#$dO%dE$#%dO%#(dO%#$dO$#W,$#d_,$#k{_=$#m<dO*dE*dO%#pNdE$#dKdE$#c<dO(#|+dE$#$dO$#KdO$$$dE$#',$#cLdO$dE$#w.,
$#[,$#\,$*$#b*dO&#S,%#b#*$#b1,$#,*$#bO,$*$#cY*$,$#b6*$#3,$#;dO*#&dO(#d6,$#&*$#b`,$*$#e&,$*$#c%,$#b[,$*$#bX,$#u^,$#ky[$(#
^dO*#lg*$$#czSdA%$&#&dK$dA(#+dE+#%dO(dE%#AdO'#c;dO&#b{NdO*#$dO4#%dO*#$dO%#$dO(#bfNdE*#bRdO)*$#)";
// End of the output of detail/make_unicode_tables.py.
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
  std::vector<std::pair<uint32_t, uint32_t>> classes = {{0, 0}};      // where each class begins

  Tables() {
    const auto numbers = unpacked(kDecompositions);
    uint32_t code = 0, first = 0, second = 0;
    for (size_t i = 0; i + 1 < numbers.size();) {
      const uint32_t kind = numbers[i] % 3;
      code += numbers[i++] / 3;
      first += static_cast<uint32_t>(signed_number(numbers[i++]));
      if (kind > 0) second += static_cast<uint32_t>(signed_number(numbers[i++]));
      parts[code] = {first, kind > 0 ? second : 0};
      if (kind == 2) composed[uint64_t{first} << 32 | second] = code;
    }
    const auto runs = unpacked(kCombiningClasses);
    for (size_t i = 0; i + 1 < runs.size(); i += 2)
      classes.emplace_back(classes.back().first + runs[i], runs[i + 1]);
  }
};

const Tables& tables() {
  static const Tables all;
  return all;
}

uint32_t combining_class(uint32_t code) {
  return std::upper_bound(tables().classes.begin(), tables().classes.end(),
                          std::make_pair(code, UINT32_MAX))[-1]
      .second;
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
  if (found == tables().parts.end()) return parts.push_back({code, combining_class(code)});
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

// Moves the accents that have a character with the letter before them into it.
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
  for (size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    append_parts(parts, c.code);
    at += c.size;
  }
  order(parts);
  compose(parts);
  std::string out;
  out.reserve(text.size());
  for (const CodePoint& part : parts) append_character(out, part.code);
  return out;
}

}  // namespace etude::detail
