(* A network with its meanings and names as the text of its model file (docs/reference/certificate.md, section 2), to
   be compared with `transformer_to_json` and `write_canonical` of constructions/network/json_form.py; and what it
   means that such a file is proved.

   The theorem of an exported folder is `file_computes text letters predicates formula`, where `text` is what lies in
   the folder as model.json, or `file_computes_for L text letters predicates formula` if it is about the lengths in L
   only. Nothing has to read that file: a model is written as text, and the texts are compared. *)
From Coq Require Import String Ascii ZArith QArith List Bool Lia.
From Coq.Init Require Import Byte.
From Certify Require Import positions weighing formula network meaning well_defined user_predicates json_text
  formula_text.
Import ListNotations.
Open Scope string_scope.
Open Scope nat_scope.
Open Scope writer_scope.

(* Names are kept as JSON spells them. *)
Record model := Model {
  model_letters : list string;                                         (* the alphabet *)
  model_definitions : list predicate_definition;                                 (* the users' predicates *)
  model_listed : list formula;                                         (* what the file calls $1, $2, ... *)
  model_directions : list string;
  model_labels : list (list (string * string));                        (* name and source of each head of each layer *)
  model_network : transformer;
  model_meanings : list meaning }.

Definition model_users (m : model) : predicate_meanings := users_of (model_definitions m).

(* ---- entries in the order of their directions ---- *)
Fixpoint insert_entry {X} (e : direction * X) (l : list (direction * X)) : list (direction * X) :=
  match l with [] => [e] | a :: l => if fst e <=? fst a then e :: a :: l else a :: insert_entry e l end.
Definition in_order {X} (l : list (direction * X)) : list (direction * X) := fold_right insert_entry [] l.

(* ---- the text ---- *)
Section ModelText.
Variable m : model.

Definition quoted_text (a : writer) : json := Quoted (text_of a).
Definition name_of (d : direction) : string := nth d (model_directions m) "?".
Definition predicate_names : list string := map fst (model_definitions m).
Definition formula_json (f : formula) : json :=
  quoted_text (formula_writer (model_letters m) predicate_names (model_listed m) f).
Definition count_json (s : side) (f : formula) : json :=
  quoted_text (count_writer (model_letters m) predicate_names (model_listed m) s f).
Definition term_json (t : term) : json := quoted_text (term_writer (model_letters m) predicate_names (model_listed m)
  true t).
Definition position_function_json (p : position_function) : json :=
  quoted_text (position_function_writer (model_letters m) predicate_names (model_listed m) p).
Definition listed_json (f : formula) : json :=
  quoted_text (own_text (model_letters m) predicate_names (model_listed m) f).
Definition expression_json (x : expression) : json := Quoted (expression_text x).
Definition rational_json (q : Q) : json := Quoted (rational_text q).

Definition kind_object (name : string) (l : list (string * json)) : json := Fields (("kind", Quoted name) :: l).
Definition meaning_json (a : meaning) : json :=
  match a with
  | IsPosition v => kind_object "position" [("value", position_function_json v)]
  | IsTruth f => kind_object "truth" [("formula", formula_json f)]
  | IsSlack f => kind_object "slack" [("formula", formula_json f)]
  | IsNear f guard => kind_object "near" [("formula", formula_json f); ("when", formula_json guard)]
  | IsProduct x f => kind_object "product" [("value", expression_json x); ("formula", formula_json f)]
  | IsMean s f => kind_object "mean" [("count", count_json s f)]
  | IsAverage t => kind_object "average" [("term", term_json t)]
  | IsTotal s f => kind_object "total" [("count", count_json s f)]
  | IsOthers s f _ => kind_object "others" [("count", count_json s f)]
  | IsAnything => kind_object "any" []
  end.

Definition by_direction {X} (write : X -> json) (l : list (direction * X)) : json :=
  Fields (map (fun e => (name_of (fst e), write (snd e))) (in_order l)).
Definition row_json (r : row) : json := by_direction rational_json r.

Definition mask_name (k : masking) : string :=
  match k with Unmasked => "none" | FutureMasked => "future" | PastMasked => "past" end.
Definition weighing_name (k : weighing) : string :=
  match k with
  | Softmax => "softmax" | SoftmaxPlusOne => "softmax-plus-one" | Sparsemax => "sparsemax" | Entmax => "entmax-1.5"
  | Relu => "relu" | ReluOverN => "relu-over-n" | Sigmoid => "sigmoid"
  | Geometric => "geometric" | StickBreaking => "stick-breaking"
  end.
Definition head_json (label : string * string) (a : head) : json := Fields [ ("name", Quoted (fst label)); ("source",
  Quoted (snd label)); ("mask", Quoted (mask_name (head_masking a))); ("weighting", Quoted (weighing_name (head_weighing
  a))); ("temperature", expression_json (head_temperature a)); ("queries", Items (map row_json (head_queries a)));
  ("keys", Items (map row_json (head_keys a))); ("values", by_direction row_json (head_values a))].
Definition unit_json (u : relu_unit) : json := Fields [ ("reads", row_json (unit_reads u)); ("bias",
  rational_json (unit_bias u)); ("writes", row_json (unit_writes u))].
Definition layer_json (labels : list (string * string)) (l : layer) : json := Fields [ ("heads", Items (map (fun a =>
  head_json (fst a) (snd a)) (combine labels (layer_heads l)))); ("feedforward", Fields [ ("units",
  Items (map unit_json (layer_units l))); ("bias", row_json (layer_bias l))])].

Definition model_json : json :=
  let T := model_network m in
  Fields ([
    ("format", Quoted "certify-transformer");
    ("version", Verbatim "1");
    ("alphabet", Items (map Quoted (model_letters m)));
    ("predicates", Items (map (fun d => Quoted (definition_text d)) (model_definitions m)))]
  ++ match model_listed m with [] => [] | l => [("formulas", Items (map listed_json l))] end ++ [
    ("directions", Fields (combine (model_directions m) (map meaning_json (model_meanings m))));
    ("token_embedding", Fields (combine (model_letters m) (map row_json (token_embedding T))));
    ("position_embedding", by_direction position_function_json (position_embedding T));
    ("layers", Items (map (fun l => layer_json (fst l) (snd l)) (combine (model_labels m) (transformer_layers T))));
    ("output", Quoted (name_of (transformer_output T)))])%list.

Definition model_text : string := json_text model_json.
End ModelText.

(* ---- the condition on a model for its text to determine it ---- *)
Local Fixpoint ascending (d : direction) (l : list direction) : bool :=
  match l with [] => true | e :: l => (d <=? e) && ascending (S e) l end.
(* No direction twice, and none that has no name. *)
Definition are_places {X} (size : nat) (l : list (direction * X)) : bool :=
  ascending 0 (map fst (in_order l)) && forallb (fun e => fst e <? size) l.
Definition is_reduced (q : Q) : bool := (Z.gcd (Qnum q) (Zpos (Qden q)) =? 1)%Z.
Definition is_sparse_row (size : nat) (r : row) : bool :=
  are_places size r && forallb (fun e => is_reduced (snd e) && negb (Qnum (snd e) =? 0)%Z) r.

(* A bracket contains no formula that depends on the word. *)
Definition is_position_function (letters names : nat) (p : position_function) : bool :=
  match p with Formula _ => true | Bracket f _ => is_positional f && is_named letters names f end.

Definition is_head (size : nat) (a : head) : bool := (length (head_queries a) =? length (head_keys a)) &&
  forallb (is_sparse_row size) (head_queries a) && forallb (is_sparse_row size) (head_keys a) &&
  are_places size (head_values a) && forallb (fun e => is_sparse_row size (snd e)) (head_values a).
Definition is_unit (size : nat) (u : relu_unit) : bool :=
  is_sparse_row size (unit_reads u) && is_reduced (unit_bias u) && is_sparse_row size (unit_writes u).
Definition is_layer (size : nat) (labels : list (string * string)) (l : layer) : bool :=
  (length labels =? length (layer_heads l)) && forallb (fun a => is_spelling (fst a) && is_spelling (snd a)) labels &&
  forallb (is_head size) (layer_heads l) && forallb (is_unit size) (layer_units l) && is_sparse_row size (layer_bias l).

Definition reserved_words : list string := ["true"; "false"; "not"; "and"; "or"; "prev"; "next"; "since"; "until";
  "Y"; "X"; "S"; "U"; "O"; "H"; "F"; "G"; "Q";
  "ODD"; "EVEN"; "MOD"; "FIRST"; "LAST"; "SQUARE"; "POW2"; "PRIME"; "log2ceil"; "log2floor"; "ln"; "sqrt"].
Definition is_predicate_name (s : string) : bool :=
  match s with String c _ => negb (is_between 48 57 c || Ascii.eqb c "_") | _ => false end
  && forallb is_word_character (list_ascii_of_string s) && negb (existsb (String.eqb s) reserved_words)
  && negb (String.prefix "Q_" s).

Definition are_names (l : list string) : bool := are_distinct l && forallb is_spelling l.
Definition is_named_in (m : model) : formula -> bool :=
  is_named (length (model_letters m)) (length (model_definitions m)).
Definition is_whole (m : model) : bool :=
  let T := model_network m in
  let size := length (model_directions m) in
  negb (length (model_letters m) =? 0)
  && are_names (model_letters m) && forallb (fun s => negb (String.eqb s "")) (model_letters m)
  && are_names (model_directions m) && (length (model_meanings m) =? size)
  && are_distinct (predicate_names m) && forallb is_predicate_name (predicate_names m)
  && forallb (fun d => is_condition (snd d)) (model_definitions m) && forallb (is_named_in m) (model_listed m)
  && (length (token_embedding T) =? length (model_letters m)) && forallb (is_sparse_row size) (token_embedding T)
  && are_places size (position_embedding T)
  && forallb (fun e => is_position_function (length (model_letters m)) (length (model_definitions m)) (snd e))
       (position_embedding T)
  && (length (model_labels m) =? length (transformer_layers T))
  && forallb (fun l => is_layer size (fst l) (snd l)) (combine (model_labels m) (transformer_layers T))
  && (transformer_output T <? size).

(* ---- what is proved of a file ---- *)
Definition formula_text (m : model) (f : formula) : string :=
  text_of (formula_writer (model_letters m) (predicate_names m) [] f).
Definition model_output_meaning (m : model) : meaning :=
  nth (transformer_output (model_network m)) (model_meanings m) IsAnything.

Definition predicate_texts (m : model) : list string := map definition_text (model_definitions m).

(* A file with this text, over these letters, with these definitions of predicates, is that of a network that computes
   this formula: what the file says the output holds is the truth of the formula; the network is defined, and computes
   it for every n among these lengths, every word and every position. There is such a length and such a letter, so there
   is such a word. The letters are in the order in which words number them. *)
Definition file_computes_for (L : lengths) (text : string) (letters predicates : list string) (formula : string) :=
  (exists n, length_allowed L n) /\ letters <> [] /\
  exists m f, is_whole m = true /\ model_text m = text /\ model_letters m = letters /\ predicate_texts m = predicates
    /\ model_output_meaning m = IsTruth f /\ is_named_in m f = true /\ formula_text m f = formula
    /\ defined_for L (model_network m) /\ computes_for (model_users m) L (model_network m) f.
Definition file_computes : string -> list string -> list string -> string -> Prop := file_computes_for every_length.

(* The lengths in words, for what is said of a proof. *)
Definition lengths_text (L : lengths) : string :=
  match greatest_length L with
  | Some N => "every n from " ++ natural_text (Nat.max 1 (least_length L)) ++ " to " ++ natural_text N
  | None => if least_length L <=? 1 then "every n" else "every n >= " ++ natural_text (least_length L)
  end.

Fixpoint strings_eqb (l k : list string) : bool :=
  match l, k with [], [] => true | s :: l, t :: k => String.eqb s t && strings_eqb l k | _, _ => false end.
Definition output_means (m : model) (f : formula) : bool :=
  match model_output_meaning m with IsTruth g => formula_eqb g f | _ => false end.
Definition has_length (L : lengths) : bool :=
  match greatest_length L with Some N => Nat.max 1 (least_length L) <=? N | None => true end.
Definition file_states (L : lengths) (m : model) (f : formula) (text : string) (letters predicates :
  list string) (formula : string) : bool := has_length L && is_whole m && String.eqb (model_text m) text &&
  strings_eqb (model_letters m) letters && strings_eqb (predicate_texts m) predicates && output_means m f &&
  is_named_in m f && String.eqb (formula_text m f) formula.

Lemma has_length_allowed L : has_length L = true -> exists n, length_allowed L n.
Proof.
  unfold has_length, length_allowed. intros H. exists (Nat.max 1 (least_length L)).
  destruct (greatest_length L); [apply Nat.leb_le in H|]; repeat split; lia.
Qed.
Lemma strings_eqb_eq l : forall k, strings_eqb l k = true -> l = k.
Proof.
  induction l as [|s l IH]; intros [|t k]; simpl; intros H; try discriminate; [reflexivity|].
  apply andb_prop in H as [A B]. apply String.eqb_eq in A. f_equal; auto.
Qed.
Lemma output_means_eq m f : output_means m f = true -> model_output_meaning m = IsTruth f.
Proof.
  unfold output_means. destruct (model_output_meaning m); try discriminate. intros H. f_equal. now apply formula_eqb_eq.
Qed.

(* The statement for every length is the statement without lengths. *)
Lemma for_every_length users T f :
  defined_for every_length T /\ computes_for users every_length T f <-> defined T /\ computes users T f.
Proof.
  assert (A : forall n, length_allowed every_length n <-> (1 <= n)%nat) by (unfold length_allowed; simpl; tauto).
  split; intros [D C]; split.
  - intros n i. apply D, A. lia.
  - intros n w Hn. exact (C n w (proj2 (A n) Hn)).
  - intros n i _. exact (D n i).
  - intros n w Hn. exact (C n w (proj1 (A n) Hn)).
Qed.

Lemma is_whole_letters m : is_whole m = true -> model_letters m <> [].
Proof. unfold is_whole. intros H E. now rewrite E in H. Qed.

Theorem file_computes_for_if L m f text letters predicates formula : file_states L m f text letters predicates formula
  = true -> defined_for L (model_network m) /\ computes_for (model_users m) L (model_network m) f ->
  file_computes_for L text letters predicates formula.
Proof.
  unfold file_states. intros H [D C]. do 7 apply andb_prop in H as [H ?]. split; [now apply has_length_allowed|].
  repeat match goal with | E : String.eqb _ _ = true |- _ => apply String.eqb_eq in E |
    E : strings_eqb _ _ = true |- _ => apply strings_eqb_eq in E | E : output_means _ _ = true |- _ =>
    apply output_means_eq in E end. split; [subst letters; now apply is_whole_letters|]. exists m, f. auto 10.
Qed.

Corollary file_computes_if m f text letters predicates formula : file_states every_length m f text letters predicates
  formula = true -> defined (model_network m) /\ computes (model_users m) (model_network m) f ->
  file_computes text letters predicates formula.
Proof. intros S H. apply (file_computes_for_if every_length m f); [exact S|]. now apply for_every_length. Qed.

(* So a theorem about a file is a theorem about some word. *)
Theorem file_computes_for_some_word L text letters predicates formula : file_computes_for L text letters predicates
  formula -> exists m n w, model_text m = text /\ model_letters m = letters /\ length_allowed L n /\
  word_in_alphabet (model_network m) n w.
Proof.
  intros ((n & Hn) & NE & m & f & W & T & A & _). exists m, n, (fun _ => 0). repeat split; try assumption; try apply Hn.
  unfold word_in_alphabet. intros _ _. unfold is_whole in W. repeat (apply andb_prop in W as [W ?]).
  match goal with E : (length (token_embedding _) =? _) = true |- _ => apply Nat.eqb_eq in E; rewrite E end.
  rewrite A. destruct letters; [congruence|simpl; lia].
Qed.

(* ---- the bytes of a file, in pieces: a long literal is read by pieces ---- *)
Inductive part := Part (bytes : list byte).
Definition part_bytes (p : part) : list byte := let (l) := p in l.
Definition text_of_parts (l : list part) : string := string_of_list_byte (concat (map part_bytes l)).
Declare Scope part_scope.
Delimit Scope part_scope with part.
String Notation part Part part_bytes : part_scope.
