(* Tensors of a network's file (docs/reference/trained.md, section 2): base64 of floats, little-endian, as exact
   numbers.

   To be compared with `decode` of proofs/check/checker/chapters/trained/reading/dyadics.py. *)
From Coq Require Import String Ascii ZArith List Bool.
From Certify Require Import lists syntax.
Import ListNotations.
Open Scope Z_scope.

(* ---- base64, in the one spelling of its bytes ---- *)
Definition base64_digit (c : ascii) : option Z :=
  let code := Z.of_N (N_of_ascii c) in
  if (65 <=? code) && (code <=? 90) then Some (code - 65)              (* A to Z *)
  else if (97 <=? code) && (code <=? 122) then Some (code - 71)        (* a to z *)
  else if (48 <=? code) && (code <=? 57) then Some (code + 4)          (* 0 to 9 *)
  else if code =? 43 then Some 62                                      (* + *)
  else if code =? 47 then Some 63 else None.                           (* / *)

Fixpoint bytes_of (s : string) : option (list Z) :=
  match s with
  | EmptyString => Some []
  | String a (String b (String c (String d rest))) =>
      match base64_digit a, base64_digit b with
      | Some a, Some b =>
          let first := 4 * a + b / 16 in
          match base64_digit c, base64_digit d, rest with
          | Some c, Some d, _ =>
              option_map (fun l => first :: b mod 16 * 16 + c / 4 :: c mod 4 * 64 + d :: l) (bytes_of rest)
          | Some k, None, EmptyString =>
              if Ascii.eqb d "=" && (k mod 4 =? 0) then Some [first; b mod 16 * 16 + k / 4] else None
          | None, None, EmptyString =>
              if Ascii.eqb c "=" && Ascii.eqb d "=" && (b mod 16 =? 0) then Some [first] else None
          | _, _, _ => None
          end
      | _, _ => None
      end
  | _ => None
  end.

(* ---- floats ---- *)
Record encoding := Encoding { encoding_bytes : nat; fraction_bits : Z; exponent_bits : Z }.
Definition encoding_of (name : string) : option encoding :=
  if String.eqb name "binary32" then Some (Encoding 4 23 8) else if String.eqb name "binary64" then
  Some (Encoding 8 52 11) else if String.eqb name "binary16" then Some (Encoding 2 10 5) else
  if String.eqb name "bfloat16" then Some (Encoding 2 7 8) else None.

(* Words of so many bytes, the least byte first; `None` if bytes are left over. *)
Fixpoint words_of (bytes left : nat) (place word : Z) (l : list Z) : option (list Z) :=
  match l with
  | [] => if Nat.eqb left bytes then Some [] else None
  | b :: l =>
      let word := word + Z.shiftl b place in
      match left with
      | S (S _ as left) => words_of bytes left (place + 8) word l
      | _ => option_map (cons word) (words_of bytes bytes 0 0 l)
      end
  end.

(* A float is an integer times a power of two, whose exponent is the second number; infinities and NaN are none. *)
Definition float_of (e : encoding) (word : Z) : option (Z * Z) :=
  let field := Z.land (Z.shiftr word (fraction_bits e)) (Z.ones (exponent_bits e)) in
  let fraction := Z.land word (Z.ones (fraction_bits e)) in
  let lowest := 2 - Z.shiftl 1 (exponent_bits e - 1) - fraction_bits e in
  if field =? Z.ones (exponent_bits e) then None else
  let size := if field =? 0 then fraction else Z.shiftl 1 (fraction_bits e) + fraction in
  Some (if Z.testbit word (fraction_bits e + exponent_bits e) then - size else size, lowest + Z.max 0 (field - 1)).

(* All numbers over the least power of two of one that is not 0. *)
Definition common_exponent (l : list (Z * Z)) : Z :=
  match filter (fun x => negb (fst x =? 0)) l with
  | [] => 0
  | x :: l => fold_left (fun least x => Z.min least (snd x)) l (snd x)
  end.
Definition over_one_power (l : list (Z * Z)) : vector_syntax :=
  let least := common_exponent l in VectorOf (map (fun x => Z.shiftl (fst x) (snd x - least)) l) least.

Definition tensor_of (format : string) (data : string) : option vector_syntax :=
  match encoding_of format, bytes_of data with
  | Some e, Some l => match words_of (encoding_bytes e) (encoding_bytes e) 0 0 l with
      | Some words => option_map over_one_power (traverse (float_of e) words)
      | None => None
      end
  | _, _ => None
  end.

(* 1, -2, 0.5, 0 as binary32; the least subnormal of binary64. *)
Example tensor_of_binary32 : tensor_of "binary32" "AACAPwAAAMAAAAA/AAAAAA==" =
  Some (VectorOf [16777216; -33554432; 8388608; 0] (-24)).
Proof. reflexivity. Qed.
Example tensor_of_binary64 : tensor_of "binary64" "AQAAAAAAAAA=" = Some (VectorOf [1] (-1074)).
Proof. reflexivity. Qed.
Example not_a_number : tensor_of "binary32" "AADAfw==" = None. Proof. reflexivity. Qed.
