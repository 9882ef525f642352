#!/bin/sh
# Checks, from the sources in this folder, what theorem/statement.v says of model.json. Needs Coq (Debian: the package coq) and
# some minutes. The exit status is 0 only if everything holds; then the last line says what was checked.
set -eu
cd "$(dirname "$0")"
export LC_ALL=C COQPATH= XDG_DATA_HOME=/dev/null XDG_DATA_DIRS=/dev/null
stop() { echo "NOT PROVED: $1" >&2; exit 1; }

# 1. The library, the allowed axioms and this script are those that SHA256SUMS lists, and nothing is compiled yet. There
# is no other file, which Coq could run or take in the place of one that it compiles, and no link to one.
unchanged() { sha256sum --quiet --strict -c SHA256SUMS || stop "a file is not as SHA256SUMS has it"; }
unchanged
rm -f listed.txt allowed.txt printed.txt checked.txt
find . \( -name '*.vo*' -o -name '*.vio' -o -name '*.glob' -o -name '.*.aux' -o -name '.*.cache' \
  -o -path '*/.coq-native/*' \) -exec rm {} +
[ -z "$(find . ! -type d ! -type f)" ] || stop "there is a link, or what is no plain file"
find . -type f ! -path './theorem/*.v' | sed 's/^..//' | sort > listed.txt
{ sed 's/^[0-9a-f]*  //' SHA256SUMS; printf '%s\n' README.md SHA256SUMS _CoqProject listed.txt model.json; } | sort |
  comm -13 - listed.txt | sed 's/^/another file: /' | grep . >&2 && stop "there is a file that no such folder has"
digest=$(cat SHA256SUMS model.json | sha256sum)

# 2. model.json, byte for byte, as a string of Coq: in parts of 50 lines, each quotation mark doubled.
tr -cd '\n -~' < model.json | cmp -s - model.json || stop "model.json has a byte that no model file has"
[ "$(tail -c 1 model.json | wc -l)" -eq 1 ] || stop "model.json does not end with a line break"
awk '
  BEGIN { print "From Coq Require Import String List.\nFrom Certify Require Import model_text." }
  NR % 50 == 1 { if (NR > 1) print "\"%part."; printf "Definition part%d : part := \"", ++parts }
  { gsub(/"/, "\"\""); print }
  END {
    printf "\"%%part.\nDefinition text : string := text_of_parts ("
    for (k = 1; k <= parts; k++) printf "part%d :: ", k
    print "nil)."
  }' model.json > theorem/model_json.v

# 3. Coq compiles the library, the network and the statement.
grep '\.v$' _CoqProject | while read -r file; do
  coqc -q -Q library Certify -Q theorem Folder "$file" > printed.txt || stop "Coq does not accept $file"
done

# 4. Coq says which lengths, letters, predicates and formula the theorem is about, however statement.v may write them, and
# takes these questions only if the theorem is about model.json.
cat > theorem/lengths.v <<'END'
From Coq Require Import String List.
From Certify Require Import network model_text.
Require Folder.model_json Folder.statement.
Definition about {L letters predicates formula}
  (_ : file_computes_for L Folder.model_json.text letters predicates formula) := (L, letters, predicates, formula).
Definition proved := about Folder.statement.model_json_is_proved.
Eval vm_compute in let '(L, _, _, _) := proved in lengths_text L.
Eval vm_compute in let '(_, letters, _, _) := proved in String.concat """, """ letters.
Eval vm_compute in let '(_, _, predicates, _) := proved in String.concat "; " predicates.
Eval vm_compute in let '(_, _, _, formula) := proved in formula.
END
coqc -q -Q library Certify -Q theorem Folder theorem/lengths.v > printed.txt || stop "the theorem is not about model.json"
answer() { sed -n "$1"'s/^ *= "\(.*\)"\(%string\)*$/\1/p' printed.txt | sed 's/""/"/g'; }
lengths=$(answer 1 | sed -n 's/^every n/ for &/p')
letters=$(answer 3)
predicates=$(answer 5)
formula=$(answer 7)
[ "$(sed -n 'n;p' printed.txt | tr -d ' \n')" = :string:string:string:string ] && [ -n "$lengths" ] && [ -n "$formula" ] ||
  stop "Coq does not say what the theorem is about"

# 5. Coq's second checker goes through all that was compiled, and lists the axioms: only those of axioms.txt.
coqchk -silent -o -Q library Certify -Q theorem Folder Folder.statement > checked.txt 2>&1 || stop "coqchk does not accept it"
grep -q '^\* Axioms:' checked.txt || stop "coqchk lists no axioms"
sed 's/ :.*//' axioms.txt > allowed.txt
if grep '^\* ' checked.txt | grep -v '^\* Axioms:\|^\* Theory: Set is predicative\|not allowed$\|: <none>$' ||
  sed -n '/^\* Axioms:/,/^\* [^A]/s/^    //p' checked.txt | sed -E 's/^(Coq|Stdlib)\.[A-Za-z]+\.//' |
  grep -vxFf allowed.txt
then stop "it rests on more than the axioms of axioms.txt"; fi

# 6. No file has changed what was checked while Coq compiled it.
unchanged
[ "$digest" = "$(cat SHA256SUMS model.json | sha256sum)" ] || stop "model.json or SHA256SUMS is another than before"

rm listed.txt allowed.txt printed.txt checked.txt
[ "$lengths" != " for every n" ] || lengths=
printf '%s\n' "letters: [\"$letters\"]" "formula: $formula" ${predicates:+"where: $predicates"}
echo "PROVED$lengths: theorem/statement.v about model.json ($(wc -c < model.json) bytes), by coqc and coqchk $(
  coqc --print-version | cut -d ' ' -f 1), from the library $(sha256sum < SHA256SUMS | cut -c 1-64)"
