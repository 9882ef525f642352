#!/bin/sh
# Checks, from the sources in this folder, what theorem/statement.v says of model.json. Needs Coq (Debian: the package coq) and
# some minutes. The exit status is 0 only if everything holds; then the last line says what was checked.
set -eu
cd "$(dirname "$0")"
export LC_ALL=C COQPATH= XDG_DATA_HOME=/dev/null XDG_DATA_DIRS=/dev/null
stop() { echo "NOT PROVED: $1" >&2; exit 1; }

# 1. The library, the allowed axioms and this script are those that SHA256SUMS lists, and nothing is compiled yet.
sha256sum --quiet --strict -c SHA256SUMS || stop "a file is not as SHA256SUMS has it"
find . \( -name '*.vo*' -o -name '*.glob' -o -name '.*.aux' \) -exec rm {} +
find library -type f | sort > listed.txt
sed 's/^[0-9a-f]*  //' SHA256SUMS | grep '^library/' | sort | cmp -s - listed.txt || stop "library/ has another file"

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

# 4. Coq says which lengths the theorem is about, and takes this question only if the theorem is about model.json.
cat > theorem/lengths.v <<'END'
From Coq Require Import String.
From Certify Require Import network model_text.
Require Folder.model_json Folder.statement.
Definition about {L letters formula} (_ : file_computes_for L Folder.model_json.text letters formula) : lengths := L.
Eval vm_compute in lengths_text (about Folder.statement.model_json_is_proved).
END
coqc -q -Q library Certify -Q theorem Folder theorem/lengths.v > printed.txt || stop "the theorem is not about model.json"
lengths=$(sed -n 's/^ *= "\(every n.*\)"\(%string\)*$/ for \1/p' printed.txt)
[ -n "$lengths" ] || stop "Coq does not say which lengths the theorem is about"

# 5. Coq's second checker goes through all that was compiled, and lists the axioms: only those of axioms.txt.
coqchk -silent -o -Q library Certify -Q theorem Folder Folder.statement > checked.txt 2>&1 || stop "coqchk does not accept it"
grep -q '^\* Axioms:' checked.txt || stop "coqchk lists no axioms"
sed 's/ :.*//' axioms.txt > allowed.txt
if grep '^\* ' checked.txt | grep -v '^\* Axioms:\|^\* Theory: Set is predicative\|not allowed$\|: <none>$' ||
  sed -n '/^\* Axioms:/,/^\* [^A]/s/^    //p' checked.txt | sed -E 's/^(Coq|Stdlib)\.[A-Za-z]+\.//' |
  grep -vxFf allowed.txt
then stop "it rests on more than the axioms of axioms.txt"; fi

rm listed.txt allowed.txt printed.txt checked.txt
[ "$lengths" != " for every n" ] || lengths=
echo "PROVED$lengths: theorem/statement.v about model.json ($(wc -c < model.json) bytes), by coqc and coqchk $(
  coqc --print-version | cut -d ' ' -f 1), from the library $(sha256sum < SHA256SUMS | cut -c 1-64)"
