(* The checker of ../extraction.v with numbers of Zarith: nat, positive, N and Z become Z.t.

   Every `Extract` below, and in the two imported files of the standard library, is trusted in this build only. A test
   compares the two builds, file by file. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlZBigInt ExtrOcamlNatBigInt.
From Coq Require Import List Arith PArith NArith ZArith QArith.
From Certify Require Import formula network comparison json_text formula_text model_text certificate_text weighing gap_rule check_by_differences check_certificate refusal
  syntax claim balls check_decision wrong_word tracks_claim judge_tracks.
Extraction Language OCaml.
Definition judges := (check_certificate.judge_certificate, check_decision.judge_decision, wrong_word.judge_wrong_word,
  judge_tracks.judge_tracks).
Print Assumptions judges.

Extract Constant Nat.leb => "Big_int_Z.le_big_int".
Extract Constant Nat.ltb => "Big_int_Z.lt_big_int".
Extract Constant Nat.even => "(fun n -> Big_int_Z.sign_big_int (Big_int_Z.and_big_int n Big_int_Z.unit_big_int) = 0)".
Extract Constant Nat.odd => "(fun n -> Big_int_Z.sign_big_int (Big_int_Z.and_big_int n Big_int_Z.unit_big_int) <> 0)".
Extract Constant Pos.eqb => "Big_int_Z.eq_big_int".
Extract Constant Pos.leb => "Big_int_Z.le_big_int".
Extract Constant Pos.ltb => "Big_int_Z.lt_big_int".
Extract Constant Pos.of_succ_nat => "Big_int_Z.succ_big_int".
Extract Constant Pos.of_nat => "(fun n -> Big_int_Z.max_big_int Big_int_Z.unit_big_int n)".
Extract Constant Pos.to_nat => "(fun p -> p)".
Extract Constant Pos.size => "(fun p -> Big_int_Z.big_int_of_int (Z.numbits p))".
Extract Constant Pos.size_nat => "(fun p -> Big_int_Z.big_int_of_int (Z.numbits p))".
Extract Constant Z.leb => "Big_int_Z.le_big_int".
Extract Constant Z.ltb => "Big_int_Z.lt_big_int".
Extract Constant Z.of_nat => "(fun n -> n)".
Extract Constant Z.to_nat => "(fun z -> Big_int_Z.max_big_int Big_int_Z.zero_big_int z)".
Extract Constant Z.to_pos => "(fun z -> Big_int_Z.max_big_int Big_int_Z.unit_big_int z)".
Extract Constant Z.shiftl => "(fun a n -> if Z.sign n < 0 then Z.shift_right a (Z.to_int (Z.neg n))
  else Z.shift_left a (Z.to_int n))".
Extract Constant Z.shiftr => "(fun a n -> if Z.sign n < 0 then Z.shift_left a (Z.to_int (Z.neg n))
  else Z.shift_right a (Z.to_int n))".
Extract Constant Z.pow => "(fun a n -> if Z.sign n < 0 then Z.zero else Z.pow a (Z.to_int n))".
Extract Constant Z.sqrt => "(fun a -> if Z.sign a < 0 then Z.zero else Z.sqrt a)".
Extract Constant Z.log2 => "(fun a -> if Z.sign a <= 0 then Z.zero else Z.of_int (Z.numbits a - 1))".
Extract Constant Z.land => "Z.logand".
Extract Constant Z.testbit => "(fun a n -> Z.sign n >= 0 && Z.testbit a (Z.to_int n))".
Extract Constant Z.gcd => "Big_int_Z.gcd_big_int".
Extract Constant Z.ggcd => "(fun a b -> let g = Big_int_Z.gcd_big_int a b in
  if Big_int_Z.sign_big_int g = 0 then (g, (a, b)) else (g, (Big_int_Z.div_big_int a g, Big_int_Z.div_big_int b g)))".

Extract Constant nth => "(fun n l default ->
  let rec from k l = match l with [] -> default | x :: l -> if k = 0 then x else from (k - 1) l in
  if Big_int_Z.is_int_big_int n then from (Big_int_Z.int_of_big_int n) l else default)".

(* A memo table of f. Arguments are data, and f is a function of Coq, so results do not change. *)
Extract Constant gap_rule.memoised => "(fun size f -> let table = Hashtbl.create 64 in fun x ->
  match Hashtbl.find_opt table x with
  | Some y -> y
  | None ->
    let y = f x in
    if Big_int_Z.le_big_int (size x) (Big_int_Z.big_int_of_int 128) then begin
      if Hashtbl.length table >= 4096 then Hashtbl.reset table;
      Hashtbl.add table x y
    end;
    y)".

(* A memo table of a function of bits and a number, as few values occur often. *)
Extract Constant balls.with_table => "(fun f -> let table = Hashtbl.create 4096 in fun bits z ->
  match Hashtbl.find_opt table (bits, z) with
  | Some y -> y
  | None ->
    let y = f bits z in
    if Hashtbl.length table >= 65536 then Hashtbl.reset table;
    Hashtbl.add table (bits, z) y;
    y)".

Definition negative_of (x : expression) : expression := Neg x.

Extraction "checker.ml" check_certificate.judge_certificate certificate_text.certificate_text model_text.formula_text
  lengths_text definition_text weighing_name breaks_a_stick is_alone json_text.json_text Qred nth formula_eqb symbol_writer error_text exceeds
  greatest_error fits with_definitions refusal_through negative_of
  check_decision.judge_decision wrong_word.judge_wrong_word judge_tracks.judge_tracks tracks_claim.all_combinations
  check_decision.decision_asks integer_text positive_text formula_writer width_of height_of network_rows.
