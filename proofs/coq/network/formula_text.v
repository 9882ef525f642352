(* Formulas, expressions and the conditions of users' predicates as text: the grammar of docs/reference/certificate.md,
   section 1, with no more parentheses than it needs. To be compared with constructions/language/printer.py and
   constructions/language/expression_forms.py.

   An operator has a level; an operand below the level that its place asks for goes into parentheses. A letter is kept
   as JSON spells it. A number that names no letter is written `Q_`, and one that names no predicate or direction `?`:
   `is_named` and `is_condition` are false of what has them, and nothing is proved of a file that has. *)
From Coq Require Import String Ascii ZArith QArith List Bool.
From Certify Require Import formula network user_predicates json_text.
Import ListNotations WriterNotations.
Open Scope string_scope.
Open Scope nat_scope.
Open Scope writer_scope.

Definition write_prefix (sign : string) (a : writer) : writer := write_exactly sign ^^ a.
Definition write_infix (left : writer) (sign : string) (right : writer) : writer := left ^^ write_exactly sign ^^ right.
Definition write_call (name : string) (a : writer) : writer := write_between (name ++ "(") ")" a.

(* A text with its level. *)
Record piece := Piece { piece_level : nat; piece_text : writer }.
Definition atom_piece (s : string) : piece := Piece 8 (write_exactly s).
Definition at_level (wanted : nat) (p : piece) : writer :=
  if piece_level p <? wanted then write_between "(" ")" (piece_text p) else piece_text p.
Definition signed_piece (level : nat) (sign : string) (p : piece) : piece := Piece level (write_prefix sign (at_level
  level p)).
Definition binary_piece (level : nat) (left : piece) (sign : string) (right : piece) : piece :=
  Piece level (write_infix (at_level level left) sign (at_level (S level) right)).
Definition power_piece (base : piece) (exponent : piece) : piece :=
  Piece 7 (write_infix (at_level 8 base) "^" (at_level 6 exponent)).

(* ---- expressions in i and n: + - at level 4, * / at 5, a sign at 6, ^ at 7, the rest at 8 ---- *)
Definition integer_piece (z : Z) : piece := Piece (if (z <? 0)%Z then 6 else 8) (write_exactly (integer_text z)).
Definition rational_piece (q : Q) : piece :=
  match Qden q with
  | xH => integer_piece (Qnum q)
  | d => Piece 5 (write_infix (write_exactly (integer_text (Qnum q))) "/" (write_exactly (positive_text d)))
  end.
Definition rational_text (q : Q) : string := text_of (piece_text (rational_piece q)).

Fixpoint exponent_piece (k : integer) : piece :=
  match k with
  | Int z => integer_piece z
  | IntI => atom_piece "i" | IntN => atom_piece "n"
  | IntMinus (Int 0) b => signed_piece 6 "-" (exponent_piece b)
  | IntPlus a b => binary_piece 4 (exponent_piece a) "+" (exponent_piece b)
  | IntMinus a b => binary_piece 4 (exponent_piece a) "-" (exponent_piece b)
  end.

Definition function_name (g : real_function) : string :=
  match g with Ln => "ln" | Sqrt => "sqrt" | Log2Floor => "log2floor" | Log2Ceil => "log2ceil" end.

Fixpoint expression_piece (x : expression) : piece :=
  match x with
  | Num q => rational_piece q
  | VarI => atom_piece "i" | VarN => atom_piece "n"
  | Add x y => binary_piece 4 (expression_piece x) "+" (expression_piece y)
  | Sub x y => binary_piece 4 (expression_piece x) "-" (expression_piece y)
  | Mul x y => binary_piece 5 (expression_piece x) "*" (expression_piece y)
  | Div x y => binary_piece 5 (expression_piece x) "/" (expression_piece y)
  | Neg x => signed_piece 6 "-" (expression_piece x)
  | Power x k => power_piece (expression_piece x) (exponent_piece k)
  | Apply g x => Piece 8 (write_call (function_name g) (piece_text (expression_piece x)))
  end.
Definition expression_text (x : expression) : string := text_of (piece_text (expression_piece x)).

(* ---- conditions of users' predicates: or at level 0, and at 1, not at 2, comparisons at 3 ---- *)
Definition relation_sign (r : relation) : string :=
  match r with
  | AtMost => " <= " | Below => " < " | AtLeast => " >= " | Above => " > " | Equal => " == " | Unequal => " != "
  end.

Fixpoint amount_piece (x : number_expression) : piece :=
  match x with
  | Literal z => integer_piece (Z.of_N z)
  | TheNumber => atom_piece "k" | TheLength => atom_piece "n"
  | Negated x => signed_piece 6 "-" (amount_piece x)
  | Sum x y => binary_piece 4 (amount_piece x) "+" (amount_piece y)
  | Difference x y => binary_piece 4 (amount_piece x) "-" (amount_piece y)
  | Times x y => binary_piece 5 (amount_piece x) "*" (amount_piece y)
  | Quotient x d => binary_piece 5 (amount_piece x) "//" (atom_piece (positive_text d))
  | Remainder x d => binary_piece 5 (amount_piece x) "%" (atom_piece (positive_text d))
  | Raised x d => power_piece (amount_piece x) (atom_piece (positive_text d))
  end.

Definition number_test (p : predicate) : string :=
  match p with SQUARE => "SQUARE" | POW2 => "POW2" | PRIME => "PRIME" | _ => "?" end.

Fixpoint condition_piece (c : predicate_condition) : piece :=
  match c with
  | Related r x y => Piece 3 (write_infix (piece_text (amount_piece x)) (relation_sign r) (piece_text (amount_piece y)))
  | Tested p x => Piece 8 (write_call (number_test p) (piece_text (amount_piece x)))
  | Fails c => signed_piece 2 "not " (condition_piece c)
  | Both c d => binary_piece 1 (condition_piece c) " and " (condition_piece d)
  | Either c d => binary_piece 0 (condition_piece c) " or " (condition_piece d)
  end.

(* Nothing else has a name of its own there. *)
Fixpoint is_condition (c : predicate_condition) : bool :=
  match c with
  | Related _ _ _ => true
  | Tested (SQUARE | POW2 | PRIME) _ => true | Tested _ _ => false
  | Fails c => is_condition c
  | Both c d | Either c d => is_condition c && is_condition d
  end.

Definition definition_text (d : predicate_definition) : string :=
  let (name, c) := d in
  name ++ (if mentions_length c then "(k,n) := " else "(k) := ") ++ text_of (piece_text (condition_piece c)).

(* ---- letters ---- *)
Definition is_word_character (c : ascii) : bool :=
  is_between 97 122 c || is_between 65 90 c || is_between 48 57 c || Ascii.eqb c "_".

(* A quotation mark or a backslash of the letter is escaped for the formula, and the escape for JSON. *)
Fixpoint escaped_letter (letter : string) : string :=
  match letter with
  | "" => ""
  | String "\" (String "\" rest) => "\\\\" ++ escaped_letter rest
  | String "\" (String c rest) => String "\" (String c (escaped_letter rest))
  | String "'" rest => "\\'" ++ escaped_letter rest
  | String c rest => String c (escaped_letter rest)
  end.
Definition symbol_writer (letter : string) : writer :=
  if forallb is_word_character (list_ascii_of_string letter) then write_exactly "Q_" ^^ write_exactly letter
  else write_between "Q['" "']" (write_exactly (escaped_letter letter)).

(* ---- formulas: <-> at level 0, -> at 1, | at 2, & at 3, comparisons at 4, since and until at 5, signs at 6 ---- *)
Fixpoint place_in (l : list formula) (f : formula) (place : nat) : option nat :=
  match l with [] => None | g :: l => if formula_eqb f g then Some place else place_in l f (S place) end.

(* What a predicate on a sum is about: a sum of counts without a constant, and not one count. *)
Fixpoint has_no_constant (t : term) : bool :=
  match t with Number c => (c =? 0)%Z | Plus _ _ _ t => has_no_constant t end.
Definition is_sum (t : term) : bool :=
  match t with Number _ => false | Plus a _ _ (Number _) => negb (a =? 1)%Z | Plus _ _ _ _ => true end
  && has_no_constant t.

(* Of so many letters and users' predicates, each that the formula mentions is one; and no remainder is by 0. *)
Section Named.
Variables letters names : nat.
Definition predicate_is_named (p : predicate) : bool :=
  match p with MOD m _ => 0 <? m | User name => name <? names | _ => true end.
Fixpoint is_named (f : formula) : bool :=
  match f with
  | Truth _ => true
  | Symbol a => a <? letters
  | Positional p => predicate_is_named p
  | OnCount p _ f => predicate_is_named p && is_named f
  | OnSum p t => predicate_is_named p && is_sum t && term_is_named t
  | Compare _ t u => term_is_named t && term_is_named u
  | Not f | Previous f | Next f => is_named f
  | And f g | Or f g | Implies f g | Iff f g | Since f g | Until f g => is_named f && is_named g
  end
with term_is_named (t : term) : bool :=
  match t with Number _ => true | Plus _ _ f t => is_named f && term_is_named t end.
End Named.

Definition formula_level (abbreviates : bool) (f : formula) : nat :=
  match f with
  | Iff _ _ => 0 | Implies _ _ => 1 | Or _ _ => 2 | And _ _ => 3 | Compare _ _ _ => 4
  | Since (Truth true) _ | Until (Truth true) _ => if abbreviates then 6 else 5
  | Not _ | Previous _ | Next _ => 6
  | Since _ _ | Until _ _ => 5
  | Truth _ | Symbol _ | Positional _ | OnCount _ _ _ | OnSum _ _ => 7
  end.

Definition sign_before (first : bool) (z : Z) : writer :=
  write_exactly (if first then (if z <? 0 then "-" else "") else (if z <? 0 then " - " else " + "))%Z.
Definition side_sign (s : side) : string := match s with ToLeft => "#<[" | ToRight => "#>[" end.

Section FormulaText.
Variables (letters names : list string).                               (* of the alphabet; of the users' predicates *)
(* The formulas that the file lists, and calls $1, $2, ... elsewhere. A file that lists none abbreviates. *)
Variable listed : list formula.

Definition abbreviates : bool := match listed with [] => true | _ => false end.

Definition predicate_writer (p : predicate) : writer :=
  match p with
  | ODD => write_exactly "ODD" | EVEN => write_exactly "EVEN" | FIRST => write_exactly "FIRST" | LAST =>
    write_exactly "LAST"
  | SQUARE => write_exactly "SQUARE" | POW2 => write_exactly "POW2" | PRIME => write_exactly "PRIME"
  | MOD m r => write_call "MOD" (write_infix (write_exactly (natural_text m)) "," (write_exactly (natural_text r)))
  | User name => write_exactly (nth name names "?")
  end.

(* A formula in a place that asks for a level; `a` is its text. *)
Definition write_operand (wanted : nat) (f : formula) (a : writer) : writer := fun rest =>
  match place_in listed f 1 with
  | Some place => (write_exactly "$" ^^ write_exactly (natural_text place)) rest
  | None => at_level wanted (Piece (formula_level abbreviates f) a) rest
  end.

Definition write_signed (s : string) (f : formula) (a : writer) : writer := write_prefix s (write_operand 6 f a).
Definition write_temporal (f : formula) (a : writer) (s : string) (g : formula) (b : writer) : writer :=
  write_infix (write_operand 6 f a) s (write_operand 6 g b).
Definition write_connective (left : nat) (f : formula) (a : writer) (s : string) (right : nat) (g : formula) (b :
  writer) := write_infix (write_operand left f a) s (write_operand right g b).

(* The text of a formula, even if it is listed itself. *)
Fixpoint own_text (f : formula) (rest : string) {struct f} : string :=
  match f with
  | Truth true => write_exactly "true" | Truth false => write_exactly "false"
  | Symbol a => symbol_writer (nth a letters "")
  | Positional p => predicate_writer p
  | OnCount p s f => predicate_writer p ^^ write_between ("(" ++ side_sign s) "])" (write_operand 0 f (own_text f))
  | OnSum p t => predicate_writer p ^^ write_between "(" ")" (term_writer true t)
  | Compare r t u => term_writer true t ^^ write_exactly (relation_sign r) ^^ term_writer true u
  | Not f =>
      match f with
      | Since (Truth true) (Not g) => if abbreviates then write_signed "H " g (own_text g) else write_signed "!" f
        (own_text f)
      | Until (Truth true) (Not g) => if abbreviates then write_signed "G " g (own_text g) else write_signed "!" f
        (own_text f)
      | _ => write_signed "!" f (own_text f)
      end
  | Previous f => write_signed "prev " f (own_text f)
  | Next f => write_signed "next " f (own_text f)
  | And f g => write_connective 3 f (own_text f) " & " 4 g (own_text g)
  | Or f g => write_connective 2 f (own_text f) " | " 3 g (own_text g)
  | Implies f g => write_connective 2 f (own_text f) " -> " 1 g (own_text g)
  | Iff f g => write_connective 1 f (own_text f) " <-> " 1 g (own_text g)
  | (Since f g | Until f g) as whole =>
      let word past future := match whole with Since _ _ => past | _ => future end in
      let plain := write_temporal f (own_text f) (word " since " " until ") g (own_text g) in
      match f with
      | Truth true => if abbreviates then write_signed (word "O " "F ") g (own_text g) else plain
      | Or h same => if abbreviates && formula_eqb same g
          then write_temporal h (own_text h) (word " S " " U ") g (own_text g) else plain
      | _ => plain
      end
  end rest
with term_writer (first : bool) (t : term) (rest : string) {struct t} : string :=
  match t with
  | Number c => if negb first && (c =? 0)%Z then rest else (sign_before first c ^^ write_exactly (integer_text (Z.abs
    c)))
      rest
  | Plus a s f t => (sign_before first a
      ^^ (if (Z.abs a =? 1)%Z then write_nothing else write_exactly (integer_text (Z.abs a)) ^^ write_exactly "*")
      ^^ write_between (side_sign s) "]" (write_operand 0 f (own_text f))
      ^^ term_writer false t) rest
  end.

Definition formula_writer (f : formula) : writer := write_operand 0 f (own_text f).
Definition count_writer (s : side) (f : formula) : writer := write_between (side_sign s) "]" (formula_writer f).
Definition position_function_writer (p : position_function) : writer :=
  match p with
  | Formula x => piece_text (expression_piece x)
  | Bracket f shifted => write_between "[" "]" (formula_writer f) ^^ write_exactly (if shifted then "(i-1)" else "")
  end.
End FormulaText.
