(* JSON values and their one canonical text: an indent of one space, as constructions/network/json_form.py writes it.

   A text is written by a function that puts it before what follows, so that long texts take linear time. Strings are
   kept as they are spelled between their quotes: printable ASCII, all else escaped. *)
From Coq Require Import String Ascii DecimalString ZArith List Bool.
Import ListNotations.
Open Scope string_scope.

Definition writer := string -> string.
Definition write_nothing : writer := fun rest => rest.
Definition write_exactly (s : string) : writer := fun rest => s ++ rest.
Definition write_both (a b : writer) : writer := fun rest => a (b rest).
Definition text_of (a : writer) : string := a "".

Declare Scope writer_scope.
Delimit Scope writer_scope with writer.
Bind Scope writer_scope with writer.
Module WriterNotations.
Infix "^^" := write_both (at level 55, right associativity) : writer_scope.
End WriterNotations.
Import WriterNotations.
Open Scope writer_scope.

Definition write_between (before after : string) (a : writer) : writer := write_exactly before ^^ a ^^ write_exactly
  after.
Definition write_joined (separator : string) (l : list writer) : writer :=
  match l with [] => write_nothing | a :: l => a ^^ fold_right (fun b rest => write_exactly separator ^^ b ^^ rest)
    write_nothing l end.

(* ---- numbers ---- *)
Definition positive_text (p : positive) : string := NilZero.string_of_uint (Pos.to_uint p).
Definition natural_text (n : nat) : string := NilZero.string_of_uint (Nat.to_uint n).
Definition integer_text (z : Z) : string := NilZero.string_of_int (Z.to_int z).

(* ---- values ---- *)
Inductive json :=
| Verbatim (s : string)                                                (* a number *)
| Quoted (s : string)
| Items (l : list json)
| Fields (l : list (string * json)).

Definition line_break : string := String (ascii_of_nat 10) "".
Definition quotation_mark : string := String (ascii_of_nat 34) "".

Definition write_enclosed (opening closing margin : string) (l : list writer) : writer :=
  match l with
  | [] => write_exactly (opening ++ closing)
  | _ => write_between (opening ++ margin ++ " ") (margin ++ closing) (write_joined ("," ++ margin ++ " ") l)
  end.

(* `margin` is a line break and the spaces before what is on the level of the value itself. *)
Fixpoint write_json (margin : string) (j : json) : writer :=
  match j with
  | Verbatim s => write_exactly s
  | Quoted s => write_between quotation_mark quotation_mark (write_exactly s)
  | Items l => write_enclosed "[" "]" margin (map (write_json (margin ++ " ")) l)
  | Fields l => write_enclosed "{" "}" margin (map (fun field : string * json => let (key, value) := field in
      write_between quotation_mark quotation_mark (write_exactly key) ^^ write_exactly ": " ^^ write_json (margin ++
        " ") value) l)
  end.

Definition json_text (j : json) : string := text_of (write_json line_break j ^^ write_exactly line_break).

(* ---- strings as they are spelled between quotes ---- *)
Definition character_code (c : ascii) : nat := nat_of_ascii c.
Definition is_between (low high : nat) (c : ascii) : bool := (low <=? character_code c)%nat && (character_code c <=?
  high)%nat.
Definition is_one_of (s : string) (c : ascii) : bool := existsb (Ascii.eqb c) (list_ascii_of_string s).

(* \u is for what has no shorter spelling: not for printable characters, and not for \b \t \n \f \r. *)
Definition has_no_shorter_spelling (a b c d : ascii) : bool :=
  forallb (is_one_of "0123456789abcdef") [a; b; c; d] &&
  (negb (Ascii.eqb a "0" && Ascii.eqb b "0")
   || Ascii.eqb c "0" && negb (is_one_of "89acd" d) || Ascii.eqb c "1"
   || Ascii.eqb c "7" && Ascii.eqb d "f" || is_one_of "89abcdef" c).

(* Exactly the characters that the canonical text puts between quotes. *)
Fixpoint is_spelling (s : string) : bool :=
  match s with
  | "" => true
  | String "\" (String "u" (String a (String b (String c (String d rest))))) =>
      has_no_shorter_spelling a b c d && is_spelling rest
  | String "\" (String c rest) => (is_one_of "\bfnrt" c || (character_code c =? 34)%nat) && is_spelling rest
  | String c rest => is_between 32 126 c && negb ((character_code c =? 34)%nat || (character_code c =? 92)%nat) &&
    is_spelling rest
  end.

Fixpoint are_distinct (l : list string) : bool :=
  match l with [] => true | s :: l => negb (existsb (String.eqb s) l) && are_distinct l end.
