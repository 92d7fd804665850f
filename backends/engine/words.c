#include "backends/engine/words.h"

#include <stddef.h>

const struct word_list WORDS[] = {
        {WORD_DET, "the a its their each this every another some that his her our no any such"},
        {WORD_ADJECTIVE, "small new old long good large early simple local late clear young "
                         "quiet common open short strong single different important human deep "
                         "bright certain whole slow cold warm narrow second former recent modern "
                         "public private central northern southern eastern western ancient "
                         "careful complete constant correct curious daily dark dense distant dry "
                         "empty equal exact fair famous fast final fine first flat foreign "
                         "formal free fresh full general gentle golden grand great green grey "
                         "happy hard heavy hidden high hollow honest huge ideal inner joint keen "
                         "kind last legal light likely little loud low lucky main major mild "
                         "minor mixed narrowed native natural naval near neat noble normal novel "
                         "obvious odd orange ordinary outer pale patient perfect plain pleasant "
                         "polite poor popular possible practical precise pretty primary prime "
                         "proper proud pure quick rapid rare raw ready real red regular rich "
                         "right rough round royal safe secret separate serious severe shallow "
                         "sharp shy silent silver similar smooth social soft solid special "
                         "stable steady steep stiff strange strict sudden sunny sweet swift tall "
                         "tender thick thin tidy tiny total tough true typical upper urban "
                         "useful usual vague vast visible vital vivid weak wet white wide wild "
                         "wise wooden yellow naïve passionate reliable familiar random "
                         "remote robust linear parallel finite modest brief broad calm cheap "
                         "clean crowded digital dusty elegant"},
        {WORD_NOUN, "river city house garden village road idea question answer story system "
                    "method water mountain valley language letter morning evening light window "
                    "theory engine market bridge forest island school teacher student doctor "
                    "farmer sailor painter reader writer machine computer number table song "
                    "voice word sentence paper book page map plan problem reason result rule "
                    "science season shadow shape ship shop side sign size sky snow soil sound "
                    "source south space spring square staff stage star start state station stone "
                    "storm street structure study subject summer sun surface task team test "
                    "thing thought time title tool town train tree truth unit university value "
                    "vessel view wall war weather week weight wheel wind winter woman wood work "
                    "world year account act age air animal area arm army art article bank base "
                    "basis battle beach bed bird board boat body bottle box boy branch bread "
                    "building business camera campaign capital captain car case castle cause "
                    "cell center century chain chair chance change chapter child choice church "
                    "circle class clock cloth cloud coast color company concept condition "
                    "contract control copy corner cost country couple course court culture cup "
                    "current dance data day deal death decade decision degree design detail "
                    "device dinner direction discovery distance district document door dream "
                    "dress driver duty earth economy edge editor effect effort election element "
                    "energy error event evidence example experiment expert eye fact factor "
                    "factory failure faith family father feature feeling field figure film fire "
                    "fish floor flower focus food foot force form fortune frame friend fruit "
                    "function future game gate gift girl glass goal government grain grass "
                    "ground group growth guest guide habit hall hand harbor hat head health "
                    "heart heat height hill history hole home hope horse hospital hotel hour "
                    "idea's image impact income industry insect interest iron issue item job "
                    "journey joy judge key king kitchen knowledge lake lamp land law lawyer "
                    "leader leaf learning leg lesson level library life limit line list loss "
                    "love lunch magazine manager manner material meal meaning measure media "
                    "medicine meeting member memory message metal middle mind mine minute mirror "
                    "mission model moment money month moon mother motion mouth movement museum "
                    "music name nation nature neck needle network news night noise north note "
                    "notion object ocean office oil opera opinion option orchard order origin "
                    "owner pair palace panel parent park part party passage past path pattern "
                    "peace pen people percent period person phase phone photo phrase picture "
                    "piece pilot place planet plant plate player pocket poem poet point policy "
                    "pond pool position power practice present president pressure price prince "
                    "principle print process product profit program project proof property "
                    "proposal protein purpose quality quarter queen race radio rail rain range "
                    "rate ratio reaction record region relation report request research resource "
                    "response rest return reward ring risk rock role roof room root rope route "
                    "row sample sand scale scene schedule scholar screen sea search seat section "
                    "sector seed sense series service session shell shore signal silence silk "
                    "skill skin sleep smile smoke society soldier solution soul speaker species "
                    "speech speed spirit spot statue steel step stock store stream style success "
                    "sugar supply support symbol tail talent tea technique temple tendency term "
                    "text theme thread throat tide tongue top topic tower track trade tradition "
                    "traffic trail treasure treaty trend trial trick trip troop trust tunnel "
                    "type uncle variety vehicle version victory video village's vision visit "
                    "volume wave way wealth web wing winner wire wish witness worker workshop "
                    "yard caf\xc3\xa9 r\xc3\xa9sum\xc3\xa9 jalape\xc3\xb1o cr\xc3\xa8me "
                    "façade piñata kernel token vector matrix gradient sampler tensor "
                    "cache queue scheduler decoder prompt"},
        {WORD_PLURAL, "people years days children ways words things men women cities rivers "
                      "houses gardens roads ideas questions answers stories systems methods "
                      "letters windows engines markets bridges forests islands schools teachers "
                      "students doctors farmers sailors machines numbers songs voices books "
                      "pages maps plans problems reasons results rules shadows shapes ships "
                      "signs sounds stars states stones streets studies subjects tasks teams "
                      "tests thoughts tools towns trains trees values walls weeks wheels animals "
                      "artists birds boats branches buildings clouds colors companies countries "
                      "details doors dreams events examples eyes facts families features fields "
                      "flowers friends games goals groups hands hills hours images items "
                      "journeys keys lakes lamps leaves lessons levels lights limits lines lists "
                      "members memories messages minutes moments months mountains names nations "
                      "nights notes objects papers parts paths patterns pieces places plants "
                      "poems points programs readers records regions reports rooms roots samples "
                      "scenes seeds signals sources steps symbols tables terms texts threads "
                      "tides tokens towers travellers units villages waves winds workers writers"},
        {WORD_PRONOUN, "it they he she we you I them him us everyone someone nobody itself"},
        {WORD_NAME, "Paris London Berlin Rome Anna Peter Maria John Clara Henry Lucy Thomas Emma "
                    "James Europe Africa Asia Vienna Madrid Lisbon Dublin Oslo Athens Cairo "
                    "Delhi Tokyo Kyoto Lima Boston Chicago Toronto Sydney Geneva Prague Warsaw "
                    "Helsinki Venice Milan Newton Darwin Euler Gauss Galileo Kepler Ada Turing "
                    "Hopper Noether Curie Einstein Bohr Planck Monday Tuesday Friday Sunday "
                    "January March April June July October Z\xc3\xbcrich M\xc3\xbcnchen "
                    "S\xc3\xa3o Malm\xc3\xb6 \xc3\x85rhus Krak\xc3\xb3w \xe6\x9d\xb1\xe4\xba\xac "
                    "\xe5\x8c\x97\xe4\xba\xac \xe4\xba\xac\xe9\x83\xbd "
                    "\xce\x91\xce\xb8\xce\xae\xce\xbd\xce\xb1 "
                    "\xd0\x9c\xd0\xbe\xd1\x81\xd0\xba\xd0\xb2\xd0\xb0 \xec\x84\x9c\xec\x9a\xb8"},
        {WORD_VERB, "was had made became followed carried held found gave showed kept left "
                    "reached crossed changed opened turned moved began ended saw heard knew took "
                    "brought built caught chose came covered created cut described discovered "
                    "divided drew drove entered explained faced fell felt filled finished flowed "
                    "formed gained gathered grew guarded guided helped hid included inspired "
                    "joined jumped laid learned lifted listened lived loved measured met "
                    "mentioned missed named needed noticed offered ordered owned painted passed "
                    "placed planned played pointed produced promised proved pulled pushed put "
                    "raised ran read received recorded remained remembered replaced required "
                    "rested returned revealed rose sailed sang sat sent served settled shaped "
                    "shared shone sold solved spoke spread stayed stood stopped studied "
                    "supported surprised taught tested thought threw touched traced travelled "
                    "tried used visited waited walked wanted warned watched won wore worked "
                    "wrote answered appeared believed borrowed compared completed computed "
                    "counted defined expected expressed observed predicted preferred sampled "
                    "scored shifted sorted stored translated"},
        {WORD_VERB_BASE, "be have make become follow carry hold find give show keep leave reach "
                         "cross change open turn move begin end see hear know take bring build "
                         "catch choose come cover create cut describe discover divide draw drive "
                         "enter explain face fall feel fill finish flow form gain gather grow "
                         "guard guide help hide include inspire join jump lay learn lift listen "
                         "live love measure meet mention miss need notice offer own paint pass "
                         "place plan play point produce promise prove pull push raise run "
                         "receive record remain remember replace require rest return reveal rise "
                         "sail sing sit send serve settle shape share shine sell solve speak "
                         "spread stay stand stop study support surprise teach test think throw "
                         "touch trace travel try use visit wait walk want warn watch win wear "
                         "work write answer appear believe compare compute count define expect "
                         "express observe predict prefer sample score shift sort store"},
        {WORD_AUX, "can will could would should may might must did cannot"},
        {WORD_ADVERB, "not also often only still never always again now then slowly quickly "
                      "quietly almost already perhaps together there here soon well much far "
                      "once twice later early finally mostly nearly rarely clearly simply "
                      "exactly easily gently carefully suddenly usually really too even just "
                      "rather quite today everywhere elsewhere indeed instead"},
        {WORD_PREPOSITION, "of in to for with on at from by into over through between under "
                           "after before about across against along among around behind beside "
                           "beyond during inside near outside since toward until without within "
                           "upon"},
        {WORD_CONJUNCTION, "and but or because while although when if so where as than"},
        {WORD_NUMBER, "two three four five six seven eight nine ten twelve twenty thirty fifty "
                      "hundred thousand million 1 2 3 4 5 7 10 12 16 20 24 50 64 100 128 1000 "
                      "1900 1984 2000 2024"},
        {WORD_OPENER, "The A This Each Every Their Some Its No Our Another Most All Many Two "
                      "Three Several His Her One That These What"},
        {WORD_SUBJECT, "It They He She We You I Everyone Nobody Someone"},
        {WORD_LEAD, "In For At When But However After As With On From If While Then Yes Here "
                    "Perhaps Today Before Although Because There First Finally To How Why By And "
                    "So Now Instead Between During Under Once Later Usually Or Where Since"},
        {WORD_NONE, NULL},
};

#define S "\x01"

const struct word_list WORDS_LITERAL[] = {
        {WORD_COMMA, "," S ";" S ":" S " \xe2\x80\x93"},
        {WORD_STOP, "." S "!" S "?" S "..." S "\xe3\x80\x82"},
        {WORD_BREAK, "\n" S "\n\n" S "\n- " S "\n\n## " S "\n1. " S "\r\n" S "\t"},
        {WORD_MARK,
                " " S "  " S "    " S "'" S "\"" S " \"" S "(" S " (" S ")" S "[" S "]" S "{" S
                "}" S "<" S ">" S "/" S "\\" S "|" S "_" S "-" S " -" S "+" S " +" S "=" S " =" S
                "*" S "**" S "#" S "@" S "&" S "%" S "$" S "^" S "~" S "`" S "```" S "{\"" S "\":" S
                "\": " S "\": \"" S "\"," S "\", \"" S "\"}" S "}}" S "[\"" S "\"]" S "://" S
                "\xe2\x80\x99" S "\xe2\x80\x9c" S "\xe2\x80\x9d" S "\xe2\x80\x94" S "\xe2\x80\xa6" S
                "\xe2\x82\xac" S "\xc2\xb0" S "\xc3\x97" S "\xe2\x86\x92" S "\xe3\x80\x81"},
        {WORD_EMOJI, " \xf0\x9f\x99\x82" S " \xf0\x9f\x98\x80" S " \xf0\x9f\x9a\x80" S
                     " \xe2\x9c\x85" S "\xf0\x9f\x94\xa5" S "\xe2\x9d\xa4"},
        {WORD_PIECE,
                "s" S "ed" S "ing" S "er" S "ers" S "ly" S "es" S "tion" S "ment" S "ness" S
                "able" S "al" S "est" S "ful" S "ish" S "ism" S "ist" S "ity" S "ive" S "ize" S
                "less" S "ous" S "th" S "re" S "un" S "in" S "on" S "an" S "en" S "or" S "ar" S
                "it" S "is" S "at" S "le" S "ra" S "ri" S "ro" S "st" S "te" S "ti" S "to" S "ve" S
                "nd" S "nt" S "ou" S "ea" S "he" S "ha" S "hi" S "ma" S "me" S "mo" S "ne" S "no" S
                "se" S "si" S "co" S "ca" S "ch" S "sh" S "ck" S "de" S "di" S "ee" S "el" S "ec" S
                "ic" S "id" S "il" S "im" S "ir" S "la" S "li" S "lo" S "'s" S "n't" S "'re" S
                "'ll" S " s" S " b" S " c" S " d" S " f" S " g" S " h" S " l" S " m" S " n" S " p" S
                " r" S " t" S " w" S "\xc3\xa9" S "\xc3\xbc" S "\xc3\xa4" S "\xc3\xb6" S
                "\xc3\xb1" S "\xc3\xa8" S "\xc3\xa7" S "\xe7\x9a\x84" S "\xe4\xb8\x80" S
                "\xe6\x98\xaf" S "\xe4\xb8\x8d" S "\xe4\xba\xba" S "\xe5\xa4\xa7" S "\xe5\xb0\x8f" S
                "\xe4\xbd\xa0\xe5\xa5\xbd" S "\xe4\xb8\x96\xe7\x95\x8c" S
                "\xe3\x81\x93\xe3\x82\x93" S "\xe3\x81\xab\xe3\x81\xa1\xe3\x81\xaf"},
        {WORD_NONE, NULL},
};

const char *const WORDS_SPELLED[] = {
        " \xf0\x9f\x90\xa7",                             /* penguin */
        " \xf0\x9f\x8c\x8d",                             /* globe */
        " \xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb", /* three code points: woman, joiner, laptop
                                                          */
        " \xe6\xb0\xb4",
        " \xe5\xb1\xb1",
        " \xe2\x88\x91",
        NULL,
};
