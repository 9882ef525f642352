(* Heads with one memory, checked at every length and row up to a bound with the network's own numbers.

   A head for `since`, `until`, `prev` or `next` need not have the form of a theorem: its scores are enclosed at
   every position, its values are known exactly, and gap_rule.v has the rule. Of each position all *letters* are looked
   at, that is all truths of the formulas that the head reads; a letter may be the pivot, which decides, or one that
   `since` keeps its memory at. Positions are scanned from the side of the pivot on: from 1 for `since` and `prev`, from
   n for `until` and `next`.
   Work is shared: rows with the same query are checked at once; and if nothing that a future-masked head reads mentions
   n, the rows of the greatest length are those of all.
   Proved: an accepted head has the value of its direction, at every position of every allowed length. *)
From Coq Require Import Reals QArith Qreals ZArith List Bool Lra Lia Arith.
From Certify Require Import options positions lists finite_sums softmax weighing exponential exp_enclosure relu
  lemma_09_rounding formula network meaning linear_combination cases theorem_15_since_until check_head
  check_feedforward check_by_cases gap_rule sparse_rule values_by_rows queries_by_rows.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- what a head is to do ---- *)
Inductive task_kind := Holds (x y : formula) | Passes (x : formula).       (* x since y, x until y; prev x, next x *)
Record row_task := RowTask { task_memory : task_kind; task_backwards : bool; task_guard : formula }.
Definition task_of (b : meaning) : option row_task :=
  match b with
  | IsNear (Since x y) g => Some (RowTask (Holds x y) false g)
  | IsNear (Until x y) g => Some (RowTask (Holds x y) true g)
  | IsNear (Previous x) g => Some (RowTask (Passes x) false g)
  | IsNear (Next x) g => Some (RowTask (Passes x) true g)
  | _ => None
  end.
Definition keeps_memory (k : task_kind) : bool := match k with Holds _ _ => true | Passes _ => false end.

(* The truth that a position brings, None if it leaves the memory as it is. *)
Local Definition brings (k : task_kind) (c : case) : option (option bool) :=
  match k with
  | Holds x y => option_bind (evaluate c x) (fun p => option_bind (evaluate c y) (fun q =>
                   Some (if implb p q then Some (p && q) else None)))
  | Passes x => option_bind (evaluate c x) (fun p => Some (Some p))
  end.

(* ---- letters and places: what is known of a position, in numbers alone ---- *)
Record key_letter := KeyLetter { letter_keys : list fixed_interval; letter_value : Q; letter_brought : option bool }.
Definition truth_number (b : bool) : Q := if b then 1 else 0.

Local Definition greater (x y : option Z) : option Z :=
  match x, y with Some p, Some q => Some (Z.max p q) | None, _ => y | _, None => x end.
Local Definition smaller (x y : option Z) : option Z :=
  match x, y with Some p, Some q => Some (Z.min p q) | None, _ => y | _, None => x end.
Definition is_bad (t : bool) (l : key_letter) : bool := negb (Qeq_bool (letter_value l) (truth_number t)).
Definition brings_truth (t : bool) (l : key_letter) : bool := match letter_brought l with Some b => eqb b t | None =>
  false end.
Local Definition joined (p q : pivot_scores) : pivot_scores := PivotScores (greater (if_before p) (if_before q))
  (smaller (if_pivot p) (if_pivot q)) (greater (if_after p) (if_after q)).
Definition no_place : pivot_scores := PivotScores None None None.
Local Definition shifted (I : fixed_interval) (p : pivot_scores) : pivot_scores := PivotScores (option_map (Z.add (snd
  I)) (if_before p)) (option_map (Z.add (fst I)) (if_pivot p)) (option_map (Z.add (snd I)) (if_after p)).
Definition without_pivot (p : pivot_scores) : pivot_scores := PivotScores (if_before p) None (if_after p).

(* The conditions of a check on a row: the weighting, whether after the pivot only letters are seen that keep the
   memory, and how much more bad positions may weigh together than the pivot, where it is false and where it is true: a
   quotient of integers d/c, which makes the error at most d/(c + d). *)
Record row_demand := RowDemand { demanded_weighing : weighing; demanded_keeping : bool; if_false : Z * Z;
  if_true : Z * Z }.
Section Places.
Variable D : row_demand.
Definition is_after (l : key_letter) : bool :=
  negb (demanded_keeping D) || match letter_brought l with None => true | Some _ => false end.
Local Definition place_of (t : bool) (qs : list fixed_interval) (l : key_letter) : pivot_scores :=
  let I := interval_dot qs (letter_keys l) in
  PivotScores (if is_bad t l then Some (snd I) else None) (if brings_truth t l then Some (fst I) else None)
        (if is_bad t l && is_after l then Some (snd I) else None).
Definition places_of (t : bool) (qs : list fixed_interval) (ls : list key_letter) : pivot_scores :=
  fold_right (fun l p => joined (place_of t qs l) p) no_place ls.

Local Definition limit (t : bool) : Z * Z := if t then if_true D else if_false D.
(* The extra weight of softmax plus one is bad where t is true: its value is 0. *)
Local Definition aside (t : bool) : option Z :=
  match demanded_weighing D with SoftmaxPlusOne => if t then Some 0%Z else None | _ => None end.
(* The error is within its limit, for each pivot. With `next` a row sees one place after it. *)
Local Definition decided (t next : bool) (ps : list pivot_scores) : bool :=
  match demanded_weighing D with
  | Sparsemax => check_sparsely 0 (limit t) next ps
  | Entmax => check_sparsely 1 (limit t) next ps
  | Softmax | SoftmaxPlusOne =>
      if next then check_next (limit t) (aside t) ps else check_places (limit t) (aside t) ps
  | _ => false
  end.
Definition check_query (table : list (option (list key_letter))) (next : bool) (pivots : list bool)
    (sites : list (nat * list fixed_interval)) (qs : list fixed_interval) : bool :=
  let based := map (fun s => (fst s, interval_dot qs (snd s))) sites in
  all_of (fun t =>
    let kinds := map (option_map (places_of t qs)) table in
    match traverse (fun s => option_map (shifted (snd s)) (nth (fst s) kinds None)) based with
    | Some ps => decided t next (with_each (fun (pivot : bool) p => if pivot then p else without_pivot p) pivots ps)
    | None => false
    end) all_bools.
End Places.

(* Of keys the part that the position decides, at each position of a length, in the order in which they are scanned. *)
(* The number of a kind of positions. *)
Definition kind_number (odd first last : bool) : nat :=
  (if odd then 4 else 0) + (if first then 2 else 0) + (if last then 1 else 0).
Definition site_of (back : bool) (parts : list (list (Q * expression))) (n j : nat) : option (nat * list fixed_interval)
  := let p := (if back then S n - j else j)%nat in
  option_bind (traverse (fun l => enclosed_part l n p) parts) (fun Is =>
    Some (kind_number (Nat.odd p) (p =? 1) (p =? n)%nat, Is)).

(* Heads often have the same obligations as another head: one part of the work of a length, and then all of it. *)
Definition known_sites : nat * bool * list (list (Q * expression)) -> option (list (nat * list fixed_interval)) :=
  memoised (fun '(n, _, _) => n) (fun '(n, back, parts) => traverse (site_of back parts n) (seq 1 n)).
Definition known_query : nat * row_demand * list fixed_interval * (bool * list (option (list key_letter))
  * list bool * list (nat * list fixed_interval)) -> bool := memoised (fun '(n, _, _, _) => n) (fun '(n, D, qs, (next,
  table, pivots, sites)) => check_query D table next pivots sites qs).

Section Head.
Variables (letters : nat) (A : list meaning) (a : head) (values : row) (k : row_task).      (* so many symbols *)
Notation constant_part := (constant_part A).
Notation position_part := (position_part A).
Notation rows_mention := (rows_mention A).
Notation query_at := (query_at A a).
Notation query_mentions := (query_mentions A a).

(* ---- letters ---- *)
Definition letter_of (c : case) : option key_letter :=
  option_bind (brings (task_memory k) c) (fun o => option_bind (constant_part c values) (fun v =>
    option_bind (traverse (constant_part c) (head_keys a)) (fun xs =>
      if Qle_bool 0 v && Qle_bool v 1 && match o with Some b => Qeq_bool v (truth_number b) | None => true end
      then Some (KeyLetter (map rational_enclosure xs) v o) else None))).

Definition read_formulas (rs : list row) (atoms : list formula) : list formula :=
  fold_right (fun r atoms => fold_right (fun e atoms =>
    match nth (fst e) A IsAnything with IsTruth f => add_unread f atoms | _ => atoms end) atoms r) atoms rs.
Definition asked_formulas : list formula := match task_memory k with Holds x y => [x; y] | Passes x => [x] end.
Definition task_atoms : list formula :=
  let l := read_formulas (values :: head_keys a) (fold_right add_unread [] asked_formulas) in
  if Nat.leb (length l) 6 then l else asked_formulas.
(* Not every symbol is missing. *)
Definition has_symbol (c : case) : bool :=
  negb (Nat.leb letters (length (case_assumed c))
        && forallb (fun s => match assumed_truth (case_assumed c) (Symbol s) with Some false => true | _ => false end)
                   (seq 0 letters)).
Definition letters_if (odd first last : bool) : option (list key_letter) := traverse letter_of (filter (fun c =>
  consistent_case c && has_symbol c) (map (fun l => Case odd first last l Eq) (truth_assignments task_atoms))).
(* For all lengths at once, any position may be the last. *)
Definition letters_at (any_length odd first last : bool) : option (list key_letter) :=
  if any_length then
    option_bind (letters_if odd first true) (fun l => option_bind (letters_if odd first false) (fun m => Some (l ++ m)))
  else letters_if odd first last.

(* The letters of all kinds of positions. *)
Definition letter_table (any_length : bool) : list (option (list key_letter)) :=
  flat_map (fun o => flat_map (fun f => map (letters_at any_length o f) [false; true]) [false; true]) [false; true].

(* ---- places ---- *)
Definition is_masked : bool := negb (masking_eqb (head_masking a) Unmasked).
Definition scanned_place (n j : nat) : nat := if task_backwards k then S n - j else j.
Definition site_at (n j : nat) : option (nat * list fixed_interval) :=
  let p := scanned_place n j in
  option_bind (traverse (fun r => enclosed_part (position_part r) n p) (head_keys a)) (fun Is =>
    Some (kind_number (Nat.odd p) (p =? 1) (p =? n)%nat, Is)).
Definition sites_at (n : nat) : option (list (nat * list fixed_interval)) :=
  known_sites (n, task_backwards k, map position_part (head_keys a)).

Variable limits : bool -> Z * Z.
Hypothesis Limits : forall t, (0 < fst (limits t))%Z /\ (0 <= snd (limits t))%Z.
Definition allowed_error (t : bool) : R := IZR (snd (limits t)) / (IZR (fst (limits t)) + IZR (snd (limits t))).
Local Definition demanded : row_demand :=
  RowDemand (head_weighing a) (is_masked && keeps_memory (task_memory k)) (limits false) (limits true).

(* ---- rows ---- *)
Definition off_at (n i : nat) : bool :=
  match evaluate (place_case n i) (task_guard k) with Some false => true | _ => false end.
(* The guard does not hold at this row, at this length or at any from it on. *)
Definition guard_off (any_length : bool) (n j : nat) : bool :=
  off_at n (scanned_place n j) && (negb any_length || off_at j j && off_at (S j) j).

Definition knows_no_length : bool := masking_eqb (head_masking a) FutureMasked && negb (task_backwards k) &&
  negb (query_mentions mentions_n || rows_mention mentions_n (head_keys a)).

Definition check_length (table : list (option (list key_letter))) (any_length : bool) (n : nat) : bool :=
  match sites_at n with
  | None => false
  | Some sites =>
      let holds := keeps_memory (task_memory k) in
      if negb (forallb (fun s => match nth (fst s) table None with Some _ => true | None => false end) sites) then false
      else if negb (holds || guard_off any_length n 1) then false
      else if query_mentions mentions_i then
        all_of (fun j =>
          if guard_off any_length n j then true else
          match query_at n (scanned_place n j) with
          | Some qs =>
              let seen := if is_masked then firstn j sites else sites in
              check_query demanded table false (map (fun d => holds || (S d =? j)%nat) (seq 1 (length seen))) seen qs
          | None => false
          end) (seq 1 n)
      else
        match query_at n 1 with
        | Some qs => known_query (n, demanded, qs, (is_masked && negb holds, table,
            map (fun d => holds || (d <? n)%nat && negb (guard_off any_length n (S d))) (seq 1 (length sites)), sites))
        | None => false
        end
  end.

(* Where nothing was brought yet, values are 0; or the first position always brings something. *)
Definition all_letters (f : key_letter -> bool) (o : option (list key_letter)) : bool :=
  match o with Some ls => forallb f ls | None => true end.
Definition brings_any (l : key_letter) : bool := match letter_brought l with Some _ => true | None => false end.
Local Definition begins (table : list (option (list key_letter))) : bool :=
  negb (keeps_memory (task_memory k))
  || is_masked && forallb (all_letters (fun l => brings_any l || is_zero (letter_value l))) table
  || forallb (fun i => all_letters brings_any (nth i table None)) (if task_backwards k then [1; 3; 5; 7] else [2; 3; 6;
    7])%nat.

(* Longer words would take too long, in Coq's kernel long before. *)
Definition greatest_by_rows : nat := 1024.
Definition check_lengths (begin : list (option (list key_letter)) -> bool)
    (check : list (option (list key_letter)) -> bool -> nat -> bool) (L : lengths) : bool :=
  match greatest_length L with
  | None => false
  | Some N =>
      let least := Nat.max 1 (least_length L) in
      let any_length := knows_no_length in
      let table := letter_table any_length in
      let fits :=
        match position_part values with [] => true | _ => false end
        && match head_masking a with Unmasked => true | FutureMasked => negb (task_backwards k) | PastMasked =>
          task_backwards k
          end
        && begin table && Nat.leb N greatest_by_rows in
      if negb fits then false
      else if any_length then check table true N
      else all_of (check table false) (seq least (S N - least))
  end.
Definition check_task (L : lengths) : bool := has_kernel (head_weighing a) && check_lengths begins check_length L.

(* ---- soundness ---- *)
Section Correct.
Variables (users : predicate_meanings) (n : nat) (w : word) (h : nat -> vector).
Hypothesis HA : holds_of users n w A h.
Hypothesis Over : each i upto n, (w i < letters)%nat.
Notation tr := (truth users n w).

Lemma truth_number_value b : Q2R (truth_number b) = bit b. Proof. destruct b; [apply Q2R_1|apply Q2R_0]. Qed.

(* ---- letters ---- *)
Lemma possible_assignment j l : In (map (fun f => (f, tr f j)) l) (truth_assignments l).
Proof.
  induction l as [|f l IH]; [now left|]. cbn [truth_assignments map]. apply in_flat_map. eexists. split; [exact IH|].
  destruct (tr f j); simpl; auto.
Qed.
Notation case_at j := (real_case users n w j task_atoms Eq).
Lemma has_symbol_real j : (w j < letters)%nat -> has_symbol (case_at j) = true.
Proof.
  intros Hw. unfold has_symbol. apply negb_true_iff, andb_false_iff. right.
  destruct (forallb _ _) eqn:F; [|reflexivity]. rewrite forallb_forall in F.
  specialize (F (w j) ltac:(apply in_seq; lia)). destruct (assumed_truth _ _) as [[]|] eqn:E; try discriminate.
  destruct (real_case_real users n w j task_atoms Eq) as (_ & _ & _ & T). apply T in E. cbn [truth] in E.
  now rewrite Nat.eqb_refl in E.
Qed.
Lemma letters_if_real j ls : (w j < letters)%nat -> letters_if (Nat.odd j) (j =? 1)%nat (j =? n)%nat = Some ls ->
  exists l, letter_of (case_at j) = Some l /\ In l ls.
Proof.
  intros Hw H. apply (traverse_in _ _ _ _ H). apply filter_In.
  split; [|apply andb_true_intro; split; [apply real_case_possible|now apply has_symbol_real]].
  apply (in_map (fun l => Case _ _ _ l Eq)). apply possible_assignment.
Qed.
Lemma table_kind any o f la : nth (kind_number o f la) (letter_table any) None = letters_at any o f la.
Proof. now destruct o, f, la. Qed.
Lemma letters_at_real any n' j ls : (w j < letters)%nat -> any = true \/ n' = n -> letters_at any (Nat.odd j) (j
  =? 1)%nat (j =? n')%nat = Some ls -> exists l, letter_of (case_at j) = Some l /\ In l ls.
Proof.
  unfold letters_at. intros Hw Hn H. destruct any.
  - apply bind_some in H as (l1 & E1 & H). apply bind_some in H as (l2 & E2 & H). take H. destruct (j =? n)%nat eqn:E.
    + destruct (letters_if_real j l1 Hw) as (l & L & I); [now rewrite E|]. exists l. split; [exact L|].
      apply in_or_app. now left.
    + destruct (letters_if_real j l2 Hw) as (l & L & I); [now rewrite E|]. exists l. split; [exact L|].
      apply in_or_app. now right.
  - destruct Hn as [|Hn]; [discriminate|]. rewrite Hn in H. now apply letters_if_real.
Qed.

Definition truth_brought (j : nat) : option bool :=
  match task_memory k with
  | Holds x y => if is_decisive (tr x) (tr y) j then Some (both_hold (tr x) (tr y) j) else None
  | Passes x => Some (tr x j)
  end.
Lemma letter_of_correct j l : j upto n -> position_part values = [] -> letter_of (case_at j) = Some l ->
  letter_brought l = truth_brought j /\ linear values (h j) = Q2R (letter_value l) /\ 0 <= Q2R (letter_value l) <= 1 /\
  (forall b, letter_brought l = Some b -> Q2R (letter_value l) = bit b) /\
  Forall2 in_enclosure (letter_keys l) (map (fun r => linear r (h j) - part_value (position_part r) n j) (head_keys a)).
Proof.
  intros Hj Pv H. pose proof (real_case_real users n w j task_atoms Eq : case_holds users n w j (case_at j)) as Rc.
  set (c := case_at j) in *. unfold letter_of in H. apply bind_some in H as (o & B & H).
    apply bind_some in H as (v & V & H).
  apply bind_some in H as (xs & X & H). destruct (_ && _) eqn:G; [|discriminate]. take H.
  cbn [letter_brought letter_value letter_keys]. apply andb_prop in G as [G Gb]. apply andb_prop in G as [G0 G1].
  apply Qle_bool_R in G0, G1. rewrite Q2R_0 in G0. rewrite Q2R_1 in G1. repeat split; try assumption.
  - unfold brings, truth_brought in *. destruct (task_memory k) as [x y|x].
    + apply bind_some in B as (p & P & B). apply bind_some in B as (q & Q & B). take B.
      apply (evaluate_correct users n w j c Rc) in P, Q. unfold is_decisive, both_hold. now rewrite P, Q.
    + apply bind_some in B as (p & P & B). take B. apply (evaluate_correct users n w j c Rc) in P. now rewrite P.
  - rewrite (parts_value A users n w h HA c values j Hj Rc v V), Pv. cbn [part_value fold_right]. ring.
  - intros b ->. apply Qeq_bool_R in Gb. now rewrite Gb, truth_number_value.
  - assert (F : Forall2 (fun x y => in_enclosure (rational_enclosure x) y) xs
      (map (fun r => linear r (h j) - part_value (position_part r) n j) (head_keys a))).
    { apply (traverse_related _ _ _ _ _ X). intros r x _ E. rewrite (parts_value A users n w h HA c r j Hj Rc x E).
      replace (Q2R x + _ - _) with (Q2R x) by ring. apply around_within. }
    clear - F. induction F; constructor; auto.
Qed.

(* ---- places ---- *)
Lemma greater_left x y z : x = Some z -> exists u, greater x y = Some u /\ (z <= u)%Z.
Proof. intros ->. destruct y; cbn [greater]; eexists; (split; [reflexivity|lia]). Qed.
Lemma greater_right x y z : y = Some z -> exists u, greater x y = Some u /\ (z <= u)%Z.
Proof. intros ->. destruct x; cbn [greater]; eexists; (split; [reflexivity|lia]). Qed.
Lemma smaller_left x y z : x = Some z -> exists u, smaller x y = Some u /\ (u <= z)%Z.
Proof. intros ->. destruct y; cbn [smaller]; eexists; (split; [reflexivity|lia]). Qed.
Lemma smaller_right x y z : y = Some z -> exists u, smaller x y = Some u /\ (u <= z)%Z.
Proof. intros ->. destruct x; cbn [smaller]; eexists; (split; [reflexivity|lia]). Qed.

Local Definition covers (p q : pivot_scores) : Prop := (forall z, if_before q = Some z -> exists u,
  if_before p = Some u /\ (z <= u)%Z) /\ (forall z, if_pivot q = Some z -> exists u, if_pivot p = Some u /\
  (u <= z)%Z) /\ (forall z, if_after q = Some z -> exists u, if_after p = Some u /\ (z <= u)%Z).
Lemma places_of_covers D t qs ls l : In l ls -> covers (places_of D t qs ls) (place_of D t qs l).
Proof.
  induction ls as [|l0 ls IH]; [easy|]. cbn [places_of fold_right]. fold (places_of D t qs ls).
  intros [->|I]; unfold covers, joined; cbn [if_before if_pivot if_after].
  - repeat split; intros z; auto using greater_left, smaller_left.
  - destruct (IH I) as (B & P & F). repeat split; intros z Z.
    + destruct (B z Z) as (u & E & L).
      destruct (greater_right (if_before (place_of D t qs l0)) _ u E) as (u' & E' & L').
      exists u'. split; [exact E'|lia].
    + destruct (P z Z) as (u & E & L). destruct (smaller_right (if_pivot (place_of D t qs l0)) _ u E) as (u' & E' & L').
      exists u'. split; [exact E'|lia].
    + destruct (F z Z) as (u & E & L). destruct (greater_right (if_after (place_of D t qs l0)) _ u E) as (u' & E' & L').
      exists u'. split; [exact E'|lia].
Qed.

Lemma with_each_seq {X} (f : nat -> X -> X) l : forall s j x, nth_error (with_each f (seq s (length l)) l) j = Some x ->
  exists y, nth_error l j = Some y /\ x = f (s + j)%nat y.
Proof.
  induction l as [|y l IH]; intros s [|j] x H; try discriminate; cbn [length seq with_each nth_error] in *.
  - exists y. rewrite Nat.add_0_r. split; [reflexivity|congruence].
  - destruct (IH (S s) j x H) as (z & E & ->). exists z. split; [exact E|]. f_equal. lia.
Qed.
Lemma with_each_length {X} (f : nat -> X -> X) l : forall s, length (with_each f (seq s (length l)) l) = length l.
Proof. induction l as [|y l IH]; intros s; [reflexivity|]. cbn [length seq with_each]. now rewrite IH. Qed.
Lemma with_each_map {X Y Z V} (f : X -> Y -> Z) (g : V -> X) l : forall m,
  with_each f (map g l) m = with_each (fun v => f (g v)) l m.
Proof. induction l as [|v l IH]; intros [|y m]; try reflexivity. cbn [map with_each]. now rewrite IH. Qed.

Lemma traverse_map {X Y Z} (f : Y -> option Z) (g : X -> Y) l : traverse f (map g l) = traverse (fun x => f (g x)) l.
Proof. induction l as [|x l IH]; [reflexivity|]. cbn [map traverse]. now rewrite IH. Qed.
Lemma traverse_same {X Y} (f g : X -> option Y) l : (forall x, f x = g x) -> traverse f l = traverse g l.
Proof. intros E. induction l as [|x l IH]; [reflexivity|]. cbn [traverse]. now rewrite E, IH. Qed.
Lemma sites_at_traverse n' : sites_at n' = traverse (site_at n') (seq 1 n').
Proof.
  unfold sites_at, known_sites, memoised. apply traverse_same. intros j. unfold site_of, site_at.
  now rewrite traverse_map.
Qed.

Section Row.
Variables (any : bool) (n' : nat) (i : position n) (J : nat).
Hypothesis HJ : J upto n.
Hypothesis Scan : scanned_place n J = i.
Hypothesis Pv : position_part values = [].
Hypothesis Length : n' = n \/ any = true /\ (n <= n')%nat /\ is_masked = true /\ task_backwards k = false /\
  rows_mention mentions_n (head_keys a) = false.

Definition row_score (j : nat) : R := scaled_score a n h i (scanned_place n j).
Definition row_value (j : nat) : R := linear values (h (scanned_place n j)).
Definition row_sees : mask := if is_masked then future_mask J else no_mask.

Lemma scanned_range j : j upto n -> scanned_place n j upto n. Proof. unfold scanned_place. destruct (task_backwards k);
  lia. Qed.
Lemma scanned_same j : scanned_place n' j = scanned_place n j.
Proof. destruct Length as [->|(_ & _ & _ & B & _)]; [reflexivity|]. unfold scanned_place. now rewrite B. Qed.
Lemma any_or_same : any = true \/ n' = n. Proof. destruct Length as [|[]]; auto. Qed.
Lemma keys_same r j : In r (head_keys a) -> part_value (position_part r) n' j = part_value (position_part r) n j.
Proof.
  intros Hr. destruct Length as [->|(_ & _ & _ & _ & M)]; [reflexivity|].
  assert (E : forall e, In e (position_part r) -> expression_value (snd e) n' j = expression_value (snd e) n j)
    by (intros e He; apply (value_unmentioned false n' n j j eq_refl), (unread_rows A mentions_n _ M r e Hr He)).
  revert E. generalize (position_part r). intros l. induction l as [|e l IH]; intros E; [reflexivity|].
  unfold part_value in *. cbn [fold_right]. rewrite IH, (E e) by (intros; (apply E;
    now right) || now left). reflexivity.
Qed.

(* The statement of a place about its position. *)
Local Definition listed (j : nat) (l : key_letter) : Prop := exists ls, In l ls /\ nth (kind_number (Nat.odd
  (scanned_place n j)) (scanned_place n j =? 1) (scanned_place n j =? n')%nat) (letter_table any) None = Some ls.
Local Definition fits (pivots : nat -> bool) (t : bool) (p : pivot_scores) (j : nat) : Prop := exists l,
  letter_of (case_at (scanned_place n j)) = Some l /\ listed j l /\ (row_value j <> bit t -> score_at_most (if_before p)
  (row_score j)) /\ (row_value j <> bit t -> is_after demanded l = true -> score_at_most (if_after p) (row_score j)) /\
  (pivots j = true -> brings_truth t l = true -> exists y, if_pivot p = Some y /\ score_value y <= row_score j).

(* The score of a position, by its site and its letter. *)
Lemma site_score qs site j l : j upto n ->
  Forall2 in_enclosure qs (map (fun r => linear r (h i) / expression_value (head_temperature a) n i) (head_queries a))
    ->
  site_at n' j = Some site -> letter_of (case_at (scanned_place n j)) = Some l ->
  let I := interval_dot qs (snd site) in let K := interval_dot qs (letter_keys l) in
  score_value (fst I + fst K) <= row_score j <= score_value (snd I + snd K).
Proof.
  intros Hj Hq Hs L. unfold site_at in Hs. rewrite scanned_same in Hs. set (p := scanned_place n j) in *.
  pose proof (scanned_range j Hj) as Hp. fold p in Hp. apply bind_some in Hs as (Is & E & Hs). take Hs.
  cbn [snd]. destruct (letter_of_correct p l Hp Pv L) as (_ & _ & _ & _ & Ks).
  assert (Base : Forall2 in_enclosure Is (map (fun r => part_value (position_part r) n p) (head_keys a))).
  { apply (traverse_related _ _ _ _ _ E). intros r I Hr F. rewrite <- (keys_same r p Hr).
    now apply enclosed_part_correct. }
  set (us := map (fun r => linear r (h i) / expression_value (head_temperature a) n i) (head_queries a)) in *.
  assert (S : row_score j = dot_real us (map (fun r => part_value (position_part r) n p) (head_keys a))
    + dot_real us (map (fun r => linear r (h p) - part_value (position_part r) n p) (head_keys a))).
  { unfold row_score, scaled_score. fold p. rewrite dot_product_real. fold us. rewrite <- dot_real_plus. f_equal.
    apply map_ext. intros r. ring. }
  pose proof (dot_within _ _ Hq _ _ Base) as [B1 B2]. pose proof (dot_within _ _ Hq _ _ Ks) as [K1 K2].
  cbv zeta. rewrite S, !fixed_plus. lra.
Qed.

Lemma site_fits qs site ls t j : j upto n -> Forall2 in_enclosure qs (map (fun r => linear r (h i) / expression_value
  (head_temperature a) n i) (head_queries a)) -> site_at n' j = Some site -> nth (fst site) (letter_table any) None
  = Some ls -> fits (fun _ => true) t (shifted (interval_dot qs (snd site)) (places_of demanded t qs ls)) j.
Proof.
  intros Hj Hq Hs Hl. pose proof (fun l => site_score qs site j l Hj Hq Hs) as Scores. unfold site_at in Hs.
  rewrite scanned_same in Hs. set (p := scanned_place n j) in *. pose proof (scanned_range j Hj) as Hp. fold p in Hp.
  apply bind_some in Hs as (Is & _ & Hs). take Hs. cbn [fst snd] in *. pose proof Hl as Hl'. rewrite table_kind in Hl.
  destruct (letters_at_real any n' p ls (Over p Hp) any_or_same Hl) as (l & L & In_). exists l. split; [exact L|].
  destruct (letter_of_correct p l Hp Pv L) as (Br & V & V01 & Vb & Ks). destruct (Scores l L) as [S1 S2].
  rewrite fixed_plus in S1, S2. destruct (places_of_covers demanded t qs ls l In_) as (CB & CP & CF).
  assert (Bad : row_value j <> bit t -> is_bad t l = true).
  { intros Ne. unfold is_bad. destruct (Qeq_bool (letter_value l) (truth_number t)) eqn:Q; [|reflexivity]. exfalso.
    apply Ne. unfold row_value. fold p. apply Qeq_bool_R in Q. now rewrite V, Q, truth_number_value. }
  cbn [shifted if_before if_pivot if_after]. set (I := interval_dot qs Is) in *.
  set (K := interval_dot qs (letter_keys l)) in *.
  assert (Above : forall u, (snd K <= u)%Z -> row_score j <= score_value (snd I + u)).
  { intros u Hu. apply (fixed_le score_bits score_bits_nonneg) in Hu. rewrite fixed_plus. lra. }
  split; [now exists ls|]. repeat split.
  - intros Ne. destruct (CB (snd K)) as (u & E' & Hu); [cbn [place_of if_before]; now rewrite (Bad Ne)|].
    exists (snd I + u)%Z. rewrite E'. split; [reflexivity|now apply Above].
  - intros Ne Af. destruct (CF (snd K)) as (u & E' & Hu); [cbn [place_of if_after]; now rewrite (Bad Ne), Af|].
    exists (snd I + u)%Z. rewrite E'. split; [reflexivity|now apply Above].
  - intros _ Bt. destruct (CP (fst K)) as (u & E' & Hu); [cbn [place_of if_pivot]; now rewrite Bt|].
    exists (fst I + u)%Z. rewrite E'. split; [reflexivity|]. apply (fixed_le score_bits score_bits_nonneg) in Hu.
    rewrite fixed_plus. lra.
Qed.

Lemma check_query_correct next pivots sites qs t : Forall2 in_enclosure qs (map (fun r => linear r (h i)
  / expression_value (head_temperature a) n i) (head_queries a)) -> (each j upto length sites, exists x, nth_error sites
  (j - 1) = Some x /\ site_at n' j = Some x) -> check_query demanded (letter_table any) next (map pivots (seq 1 (length
  sites))) sites qs = true -> exists ps, length ps = length sites /\ decided demanded t next ps = true /\ each j upto n,
  (j <= length sites)%nat -> exists p, nth_error ps (j - 1) = Some p /\ fits pivots t p j.
Proof.
  intros Hq Hs H. unfold check_query in H. cbv zeta in H. pose proof (all_of_forall _ _ H t (bool_listed t)) as H'.
    clear H. rename H' into H. cbv beta in H.
  destruct (traverse _ _) as [ps|] eqn:T; [|discriminate]. pose proof (traverse_length _ _ _ T) as Len.
    rewrite length_map in Len. rewrite with_each_map, <- Len in H.
  eexists. split; [|split; [exact H|]]; [rewrite with_each_length; exact Len|]. intros j Hj Lj.
  destruct (Hs j ltac:(lia)) as (x & Ex & Sx).
  assert (Eb : nth_error (map (fun s => (fst s, interval_dot qs (snd s))) sites) (j - 1) = Some (fst x,
    interval_dot qs (snd x))) by (rewrite nth_error_map, Ex; reflexivity).
  destruct (traverse_nth _ _ _ _ _ T Eb) as (p & Ep & F). cbn [fst snd] in F.
  destruct (nth_error (with_each _ _ ps) (j - 1)) as [q|] eqn:Eq'. 2:{ apply nth_error_None in Eq'.
  rewrite with_each_length in Eq'. lia. } exists q. split; [reflexivity|]. apply with_each_seq in Eq' as (y & Ey & ->).
  assert (y = p) as -> by congruence. replace (1 + (j - 1))%nat with j by lia.
  destruct (nth (fst x) (map (option_map (places_of demanded t qs)) (letter_table any)) None) as [pl|] eqn:Pl;
    [|discriminate]. cbn [option_map] in F. take F.
  assert (exists ls, nth (fst x) (letter_table any) None = Some ls /\ pl = places_of demanded t qs ls)
    as (ls & Ls & ->).
  { pose proof (map_nth (option_map (places_of demanded t qs)) (letter_table any) None (fst x)) as N.
    cbn [option_map] in N. rewrite N in Pl. destruct (nth (fst x) (letter_table any) None) as [ls|]; [|discriminate].
    cbn [option_map] in Pl. take Pl. now exists ls. }
  destruct (site_fits qs x ls t j Hj Hq Sx Ls) as (l & L & Li & B & F & P). exists l. split; [exact L|].
  split; [exact Li|]. destruct (pivots j); [now repeat split; auto|]. cbn [without_pivot if_before if_pivot if_after].
  repeat split; auto. discriminate.
Qed.

Lemma allowed_error_nonneg t : 0 <= allowed_error t.
Proof.
  destruct (Limits t) as [C D]. apply IZR_lt in C. apply IZR_le in D. unfold allowed_error.
  apply Rmult_le_pos; [exact D|]. apply Rlt_le, Rinv_0_lt_compat. lra.
Qed.

(* The row is near the truth that its pivot brings, if places are checked and the row sees those only. *)
Lemma limit_demanded t : limit demanded t = limits t. Proof. now destruct t. Qed.
Lemma pivot_decides ps r (next : bool) pivots t d l : decided demanded t next ps = true -> (r <= length ps)%nat ->
  (r <= n)%nat -> (forall j, visible n row_sees j -> (j <= r)%nat) -> (next = true -> r = S d) -> (each j upto r,
  exists p, nth_error ps (j - 1) = Some p /\ fits pivots t p j) -> visible n row_sees d -> pivots d = true ->
  letter_of (case_at (scanned_place n d)) = Some l -> letter_brought l = Some t -> (forall j, visible n row_sees j ->
  (d < j)%nat -> forall l, letter_of (case_at (scanned_place n j)) = Some l -> is_after demanded l = true) ->
  Rabs (bit t - attend_as (head_weighing a) n row_sees J row_score row_value) <= allowed_error t.
Proof.
  intros C Lr Rn Vis Next Fits Vd Pd Ld Bd After. pose proof (Vis d Vd) as Dr. destruct (proj1 Vd) as [D1 _].
  assert (Val : forall j, visible n row_sees j -> exists l, letter_of (case_at (scanned_place n j)) = Some l /\
    row_value j = Q2R (letter_value l) /\ 0 <= Q2R (letter_value l) <= 1 /\ forall b, letter_brought l = Some b ->
    Q2R (letter_value l) = bit b).
  { intros j Vj. pose proof (Vis j Vj). destruct (Fits j ltac:(destruct Vj; lia)) as (p & _ & l' & L' & _). exists l'.
    split; [exact L'|].
    destruct (letter_of_correct (scanned_place n j) l' (scanned_range j (proj1 Vj)) Pv L') as (_ & V & V1 & Vb & _).
    unfold row_value. now repeat split. }
  destruct (Fits d ltac:(lia)) as (p & Ep & l' & L' & _ & _ & _ & P). assert (l' = l) as -> by congruence.
  destruct (P Pd) as (y & Py & Y); [unfold brings_truth; now rewrite Bd, eqb_reflx|].
  assert (Short : length (firstn r ps) = r) by (rewrite firstn_length; lia).
  assert (At : forall j, visible n row_sees j ->
    exists p, nth (j - 1) (firstn r ps) (PivotScores None None None) = p /\ fits pivots t p j).
  { intros j Vj. pose proof (Vis j Vj). destruct (Fits j ltac:(destruct Vj; lia)) as (q & Eq' & F). exists q.
    split; [|exact F]. apply nth_error_nth. rewrite <- Eq'. rewrite <- (firstn_skipn r ps) at 2.
    rewrite nth_error_app1; [reflexivity|]. destruct Vj. lia. }
  destruct (Limits t) as [Lc Ld0]. unfold allowed_error.
  assert (In01 : forall j, visible n row_sees j -> 0 <= row_value j <= 1)
    by (intros j Vj; destruct (Val j Vj) as (l' & _ & -> & V & _); exact V).
  assert (Pivot : row_value d = bit t) by (destruct (Val d Vd) as (l' & E & -> & _ & V); apply V; congruence).
  assert (B : forall j, visible n row_sees j -> (j < d)%nat -> row_value j <> bit t ->
    score_at_most (if_before (nth (j - 1) (firstn r ps) (PivotScores None None None))) (row_score j)).
  { intros j Vj _ Ne. destruct (At j Vj) as (q & -> & l' & _ & _ & B & _). now apply B. }
  assert (F : forall j, visible n row_sees j -> (d < j)%nat -> row_value j <> bit t ->
    score_at_most (if_after (nth (j - 1) (firstn r ps) (PivotScores None None None))) (row_score j)).
  { intros j Vj Dj Ne. destruct (At j Vj) as (q & -> & l' & El & _ & _ & F & _). apply F; [exact Ne|].
    now apply (After j Vj Dj). }
  pose proof (dense_row_near (limits t) next ps r n row_sees row_score row_value (bit t) d p y) as Dense.
  unfold decided, aside in C. rewrite limit_demanded in C. cbn [demanded_weighing demanded] in C.
  destruct (head_weighing a); try discriminate.
  - change (attend_as Softmax n row_sees J row_score row_value) with (attend n row_sees row_score row_value).
    rewrite <- attend_beside_0. apply Dense with (o := None); auto using bit_range; simpl; lra.
  - apply Dense with (o := if t then Some 0%Z else None); auto using bit_range; [lra|].
    destruct t; cbn [bit exp_score]; rewrite ?fixed_0, ?exp_0; lra.
  - apply (sparse_row_near 0 (limits t) next ps r) with (d := d) (p := p) (y := y); auto using bit_range.
  - apply (sparse_row_near 1 (limits t) next ps r) with (d := d) (p := p) (y := y); auto using bit_range.
Qed.

(* ---- the conclusion of a check of a length about the row ---- *)
Hypothesis Queries : n' = n \/ query_mentions mentions_n = false.
Hypothesis Direction :
  match head_masking a with Unmasked => True | FutureMasked => task_backwards k = false | PastMasked =>
    task_backwards k = true
    end.
Hypothesis Checked : check_length (letter_table any) any n' = true.
Notation holds_memory := (keeps_memory (task_memory k)).
Local Definition reach : nat := if is_masked then J else n.

Lemma visible_reach j : visible n row_sees j <-> j upto reach.
Proof.
  clear - HJ. unfold visible, row_sees, reach. destruct is_masked; [|now split;
    [intros []|split]]. unfold future_mask. rewrite Nat.leb_le. lia.
Qed.

(* ---- the same positions, counted from the other end ---- *)
Lemma gathered_scanned : head_value a n h i values = attend_as (head_weighing a) n row_sees J row_score row_value.
Proof.
  unfold head_value. destruct (task_backwards k) eqn:B.
  - rewrite (attend_as_backwards _ n _ i).
    replace (S n - i)%nat with J by (unfold scanned_place in Scan; rewrite B in Scan; lia). apply attend_as_same.
    intros j Hj. unfold row_sees, row_score, row_value, is_masked, scanned_place. rewrite B. repeat split.
    destruct (head_masking a) eqn:E; cbn [mask_at masking_eqb negb]; try reflexivity; [discriminate Direction|].
    unfold scanned_place in Scan. rewrite B in Scan. unfold past_mask, future_mask.
    destruct (Nat.leb_spec i (S n - j)), (Nat.leb_spec j J); reflexivity || (exfalso; lia).
  - replace (i : nat) with J at 2 by (unfold scanned_place in Scan; now rewrite B in Scan). apply attend_as_same.
    intros j Hj. unfold row_sees, row_score, row_value, is_masked, scanned_place. rewrite B. repeat split.
    destruct (head_masking a) eqn:E; cbn [mask_at masking_eqb negb]; try reflexivity; [|discriminate Direction].
    unfold scanned_place in Scan. rewrite B in Scan. now rewrite Scan.
Qed.
Lemma gathered_range : has_kernel (head_weighing a) = true -> 0 <= head_value a n h i values <= 1.
Proof.
  assert (Rn : (J <= reach)%nat /\ (reach <= n)%nat) by (unfold reach; destruct is_masked; lia). intros Kernel.
  rewrite gathered_scanned. apply (attend_as_range _ n _ _ _ _ J Kernel); [apply visible_reach; lia|]. intros j Vj.
  apply visible_reach in Vj. pose proof Checked as C. unfold check_length in C. rewrite sites_at_traverse in C.
  destruct (traverse (site_at n') (seq 1 n')) as [sites|] eqn:T; [|discriminate]. cbv zeta in C.
  destruct (forallb _ sites) eqn:Known; [clear C; rename Known into C|discriminate]. rewrite forallb_forall in C.
  assert (Nn : (n <= n')%nat) by (destruct Length as [->|[_ []]]; lia).
  destruct (traverse_in _ _ _ j T ltac:(apply in_seq; lia)) as (x & Sx & Ix). specialize (C x Ix).
  unfold site_at in Sx. rewrite scanned_same in Sx. apply bind_some in Sx as (Is & _ & Sx). take Sx. cbn [fst] in C.
  rewrite table_kind in C. destruct (letters_at any _ _ _) as [ls|] eqn:E; [|discriminate].
  destruct (letters_at_real any n' _ ls (Over _ (scanned_range j ltac:(lia))) any_or_same E) as (l & El & _).
  destruct (letter_of_correct _ l (scanned_range j ltac:(lia)) Pv El) as (_ & V & V1 & _). unfold row_value.
  now rewrite V.
Qed.

Hypothesis Guard : tr (task_guard k) i = true.
Lemma guard_on : guard_off any n' J = false.
Proof.
  clear Checked Queries. destruct (guard_off any n' J) eqn:O; [|reflexivity]. exfalso. unfold guard_off in O.
  apply andb_prop in O as [O1 O2]. assert (F : forall n0, (i =? n0)%nat = (i =? n)%nat -> off_at n0 i = true -> False).
  { intros n0 E O. unfold off_at in O.
    assert (P : place_case n0 i = place_case n i) by (unfold place_case; now rewrite E). rewrite P in O.
    destruct (evaluate (place_case n i) (task_guard k)) as [[]|] eqn:V; try discriminate.
    apply (evaluate_correct users n w i) in V; [congruence|]. exact (place_case_real users n w i). }
  destruct Length as [E|(Any & _ & _ & B & _)].
  - subst n'. rewrite Scan in O1. now apply (F n).
  - rewrite Any in O2. cbn [negb orb] in O2. apply andb_prop in O2 as [L1 L2].
    assert (E : J = i) by (rewrite <- Scan; unfold scanned_place; now rewrite B). rewrite E in *.
    destruct (Nat.eq_dec i n) as [En|Ne]; [apply (F (i : nat)); [now rewrite En|exact L1]|].
    apply (F (S i)); [|exact L2]. rewrite (proj2 (Nat.eqb_neq i n) Ne). apply Nat.eqb_neq. lia.
Qed.

Lemma row_checked t : exists ps (next : bool) pivots, decided demanded t next ps = true /\
  (reach <= length ps)%nat /\ (each j upto reach, exists p, nth_error ps (j - 1) = Some p /\ fits pivots t p j) /\
  (next = true -> is_masked = true /\ holds_memory = false) /\ (holds_memory = true -> forall d, pivots d = true) /\
  (holds_memory = false -> (2 <= J)%nat -> pivots (J - 1)%nat = true).
Proof.
  pose proof Checked as C. unfold check_length in C. rewrite sites_at_traverse in C.
  destruct (traverse (site_at n') (seq 1 n')) as [sites|] eqn:T; [|discriminate]. cbv zeta in C.
  destruct (negb _); [discriminate|]. destruct (negb _) in C; [discriminate|].
  assert (Nn : (n <= n')%nat) by (destruct Length as [->|[_ []]]; lia). pose proof (traverse_length _ _ _ T) as Ls.
  rewrite length_seq in Ls.
  assert (Sites : each j upto n', exists x, nth_error sites (j - 1) = Some x /\ site_at n' j = Some x).
  { intros j Hj. assert (E : nth_error (seq 1 n') (j - 1) = Some j).
    { rewrite (nth_error_nth' _ 0%nat) by (rewrite length_seq; lia). rewrite seq_nth by lia. f_equal. lia. }
    exact (traverse_nth _ _ _ _ _ T E). }
  assert (Rn : (reach <= n)%nat) by (unfold reach; destruct is_masked; lia).
  destruct (query_mentions mentions_i) eqn:Qi.
  - pose proof (all_of_forall _ _ C J ltac:(apply in_seq; lia)) as C'. clear C. rename C' into C. cbv beta in C.
    rewrite guard_on in C. rewrite scanned_same, Scan in C. destruct (query_at n' i) as [qs|] eqn:Q; [|discriminate].
    apply (query_at_correct A a users n w h HA n' i i Queries (or_introl eq_refl)) in Q.
    set (seen := if is_masked then firstn J sites else sites) in *.
    assert (Seen : (reach <= length seen)%nat /\ (length seen <= n')%nat)
      by (unfold seen, reach; destruct is_masked; rewrite ?firstn_length; lia).
    assert (Each : each j upto length seen, exists x, nth_error seen (j - 1) = Some x /\ site_at n' j = Some x).
    { intros j Hj. destruct (Sites j ltac:(lia)) as (x & Ex & Sx). exists x. split; [|exact Sx]. unfold seen in *.
      destruct is_masked; [|exact Ex]. rewrite <- (firstn_skipn J sites) in Ex.
      rewrite nth_error_app1 in Ex; [exact Ex|lia]. }
    destruct (check_query_correct _ _ seen qs t Q Each C) as (ps & Lp & Cp & F). exists ps, false. eexists.
    split; [exact Cp|]. split; [lia|]. split; [intros j Hj; apply F; lia|]. split; [discriminate|].
    split; [now intros -> d|]. intros -> HJ2. cbn [orb]. apply Nat.eqb_eq. lia.
  - destruct (query_at n' 1) as [qs|] eqn:Q; [|discriminate].
    apply (query_at_correct A a users n w h HA n' i 1 Queries (or_intror Qi)) in Q. unfold known_query, memoised in C.
    destruct (check_query_correct _ _ sites qs t Q (fun j Hj => Sites j ltac:(lia)) C) as (ps & Lp & Cp & F).
    exists ps, (is_masked && negb holds_memory). eexists. split; [exact Cp|]. split; [lia|].
    split; [intros j Hj; apply F; lia|].
    split; [intros H; apply andb_prop in H as [M H]; now apply negb_true_iff in H|]. split; [now intros -> d|].
    intros -> HJ2. cbn [orb]. replace (S (J - 1)) with J by lia. rewrite guard_on.
    rewrite (proj2 (Nat.ltb_lt (J - 1) n')) by lia. reflexivity.
Qed.

(* ---- the two kinds of memory ---- *)
Notation seen_truth f := (fun j => tr f (scanned_place n j)).

Lemma row_passes x : task_memory k = Passes x -> (2 <= J)%nat /\ Rabs (bit (tr x (scanned_place n (J - 1)))
  - attend_as (head_weighing a) n row_sees J row_score row_value) <= allowed_error (tr x (scanned_place n (J - 1))).
Proof.
  intros K. assert (HJ2 : (2 <= J)%nat).
  { destruct (Nat.eq_dec J 1) as [E|]; [|lia]. exfalso. pose proof Checked as C. unfold check_length in C.
    destruct (sites_at _); [|discriminate]. cbv zeta in C. destruct (negb _); [discriminate|].
    rewrite K in C. cbn [keeps_memory orb] in C. rewrite <- E, guard_on in C. discriminate. }
  split; [exact HJ2|]. set (t := tr x (scanned_place n (J - 1))).
  destruct (row_checked t) as (ps & next & pivots & C & Lp & F & Nx & _ & Pv').
  assert (Rn : (J <= reach)%nat /\ (reach <= n)%nat) by (unfold reach; destruct is_masked; lia).
  destruct (F (J - 1)%nat ltac:(lia)) as (p & _ & l & El & _).
  apply (pivot_decides ps reach next pivots t (J - 1) l); auto; try lia.
  - intros j Vj. now apply visible_reach in Vj.
  - intros E. destruct (Nx E) as [M _]. unfold reach. rewrite M. lia.
  - apply visible_reach. lia.
  - apply Pv'; [now rewrite K|exact HJ2].
  - destruct (letter_of_correct _ l (scanned_range (J - 1) ltac:(lia)) Pv El) as (B & _). rewrite B.
      unfold truth_brought. now rewrite K.
  - intros j _ _ l' _. unfold is_after. cbn [demanded_keeping demanded]. rewrite K. cbn [keeps_memory].
    now rewrite andb_false_r.
Qed.

Hypothesis Begins : begins (letter_table any) = true.

Lemma row_holds x y : task_memory k = Holds x y -> Rabs (bit (since_at (seen_truth x) (seen_truth y) J) - attend_as
  (head_weighing a) n row_sees J row_score row_value) <= allowed_error (since_at (seen_truth x) (seen_truth y) J).
Proof.
  intros K. set (P := seen_truth x). set (Q := seen_truth y).
  assert (Rn : (J <= reach)%nat /\ (reach <= n)%nat) by (unfold reach; destruct is_masked; lia).
  assert (Br : forall j l, j upto n -> letter_of (case_at (scanned_place n j)) = Some l ->
    letter_brought l = if is_decisive P Q j then Some (both_hold P Q j) else None).
  { intros j l Hj El. destruct (letter_of_correct _ l (scanned_range j Hj) Pv El) as (B & _). rewrite B.
    unfold truth_brought. now rewrite K. }
  destruct (rightmost_exists n (future_mask J) (fun j => bit (is_decisive P Q j)) J (visible_future n J HJ)) as (d & D).
  rewrite <- (rightmost_decides P Q n (Position J HJ) d D : _ = since_at P Q J). destruct D as [[Hd Md] D].
  apply Nat.leb_le in Md.
  assert (Vis : each j upto J, visible n (future_mask J) j) by (intros j Hj; split; [lia|apply Nat.leb_le; lia]).
  destruct (is_decisive P Q d) eqn:Dd.
  - destruct (row_checked (both_hold P Q d)) as (ps & next & pivots & C & Lp & F & Nx & Pv' & _).
    destruct (F d ltac:(lia)) as (p & _ & l & El & _).
    apply (pivot_decides ps reach next pivots (both_hold P Q d) d l); auto; try lia.
    + intros j Vj. now apply visible_reach in Vj.
    + intros E. destruct (Nx E) as [_ H]. rewrite K in H. discriminate.
    + apply visible_reach. lia.
    + apply Pv'. now rewrite K.
    + rewrite (Br d l ltac:(lia) El), Dd. reflexivity.
    + intros j Vj Dj l' El'. unfold is_after. cbn [demanded_keeping demanded]. destruct is_masked eqn:M; [|reflexivity].
      apply visible_reach in Vj. unfold reach in Vj. rewrite M in Vj. rewrite (Br j l' ltac:(lia) El').
      destruct (D j (Vis j Vj)) as [_ G]. specialize (G Dj). destruct (is_decisive P Q j); [simpl in G; lra|].
      now rewrite orb_true_r.
  - assert (None_ : each j upto J, is_decisive P Q j = false).
    { intros j Hj. destruct (D j (Vis j Hj)) as [G _]. destruct (is_decisive P Q j); [simpl in G; lra|reflexivity]. }
    assert (B0 : both_hold P Q d = false).
    { destruct (not_decisive P Q d Dd) as [E1 E2]. unfold both_hold. now rewrite E1, E2. }
    rewrite B0. destruct (row_checked false) as (ps & next & pivots & _ & Lp & F & _). pose proof Begins as G.
    unfold begins in G. rewrite K in G. cbn [keeps_memory negb orb] in G. apply orb_prop in G as [G|G].
    + apply andb_prop in G as [M G]. assert (Z : attend_as (head_weighing a) n row_sees J row_score row_value = 0).
      { apply attend_as_zero. intros j Vj. pose proof (proj1 Vj) as Hj. apply visible_reach in Vj.
        destruct (F j Vj) as (p & _ & l & El & (ls & In_ & Nth) & _). unfold reach in Vj. rewrite M in Vj.
        destruct (letter_of_correct _ l (scanned_range j Hj) Pv El) as (_ & V & _). unfold row_value. rewrite V.
        rewrite forallb_forall in G. assert (It : In (Some ls) (letter_table any)).
        { rewrite <- Nth. apply nth_In.
          destruct (Nat.lt_ge_cases (kind_number (Nat.odd (scanned_place n j)) (scanned_place n j =?
            1) (scanned_place n j =? n')%nat) (length (letter_table any))) as [L|L]; [exact L|].
          rewrite nth_overflow in Nth by exact L. discriminate. }
        specialize (G _ It). cbn [all_letters] in G. rewrite forallb_forall in G. specialize (G l In_).
        unfold brings_any in G. rewrite (Br j l Hj El), (None_ j Vj) in G. cbn [orb] in G. apply Qeq_bool_R in G.
        now rewrite G, Q2R_0. }
      rewrite Z. simpl. rewrite Rminus_0_r, Rabs_R0. apply allowed_error_nonneg.
    + exfalso. destruct (F 1%nat ltac:(lia)) as (p & _ & l & El & (ls & In_ & Nth) & _). rewrite forallb_forall in G.
      assert (Ik : In (kind_number (Nat.odd (scanned_place n 1)) (scanned_place n 1 =? 1) (scanned_place n 1 =? n')%nat)
        (if task_backwards k then [1; 3; 5; 7] else [2; 3; 6; 7])%nat).
      { unfold scanned_place. destruct (task_backwards k) eqn:Bk.
        - assert (n' = n) as -> by (destruct Length as [|(_ & _ & _ & X & _)]; [assumption|congruence]).
          replace (S n - 1)%nat with n by lia. rewrite Nat.eqb_refl.
          destruct (Nat.odd n), (n =? 1)%nat; repeat (try (left; reflexivity); right).
        - destruct (1 =? n')%nat; repeat (try (left; reflexivity); right). }
      specialize (G _ Ik). rewrite Nth in G. cbn [all_letters] in G. rewrite forallb_forall in G. specialize (G l In_).
      unfold brings_any in G. rewrite (Br 1%nat l ltac:(lia) El), (None_ 1%nat ltac:(lia)) in G. discriminate.
Qed.

End Row.
End Correct.

(* ---- the whole check ---- *)
Lemma until_backwards n p q i : i upto n ->
  until_at n p q i = since_at (fun j => p (S n - j)%nat) (fun j => q (S n - j)%nat) (S n - i).
Proof.
  intros Hi. apply eq_true_iff_eq. rewrite until_at_iff, since_at_iff.
  split; intros (j & Hj & Q & P); exists (S n - j)%nat; (split; [lia|]); (split; [|intros l Hl]).
  - now replace (S n - (S n - j))%nat with j by lia.
  - apply P. lia.
  - exact Q.
  - replace l with (S n - (S n - l))%nat by lia. apply P. lia.
Qed.

Section Whole.
Variables (users : predicate_meanings) (n : nat) (w : word) (L : lengths) (h : nat -> vector) (i : position n).
Hypothesis HL : length_allowed L n.
Hypothesis HA : holds_of users n w A h.
Hypothesis Over : each i upto n, (w i < letters)%nat.
Notation tr := (truth users n w).
Notation J := (if task_backwards k then S n - i else i)%nat.

Lemma task_parts begin check : check_lengths begin check L = true -> exists any n',
  check (letter_table any) any n' = true /\ begin (letter_table any) = true /\ position_part values = [] /\
  match head_masking a with Unmasked => True | FutureMasked => task_backwards k = false | PastMasked =>
    task_backwards k = true
    end /\
  (n' = n \/ any = true /\ (n <= n')%nat /\ is_masked = true /\ task_backwards k = false /\
   rows_mention mentions_n (head_keys a) = false) /\
  (n' = n \/ query_mentions mentions_n = false).
Proof.
  unfold check_lengths. intros Checked. destruct HL as (H1 & Hl & Hg).
  destruct (greatest_length L) as [N|]; [|discriminate]. cbv zeta in Checked.
  destruct (_ && begin _ && _) eqn:C; [cbn [negb] in Checked|discriminate]. pose proof Checked as Rows.
  apply andb_prop in C as [C _]. apply andb_prop in C as [C B]. apply andb_prop in C as [V M]. exists knows_no_length.
  destruct knows_no_length eqn:K.
  - exists N. unfold knows_no_length in K. apply andb_prop in K as [K1 K2]. apply andb_prop in K1 as [K0 K1].
    apply negb_true_iff in K1, K2. apply orb_false_iff in K2 as [K2 K3]. apply masking_eqb_eq in K0. repeat split; auto.
    + now destruct (position_part values).
    + now rewrite K0.
    + right. repeat split; auto. unfold is_masked. now rewrite K0.
  - exists n. repeat split; auto.
    + apply (all_of_forall _ _ Rows), in_seq. lia.
    + now destruct (position_part values).
    + destruct (head_masking a); [exact I| |exact M]. now apply negb_true_iff.
Qed.

(* What is remembered at position i. *)
Local Definition recalled : bool :=
  match task_memory k, task_backwards k with
  | Holds x y, false => since_at (tr x) (tr y) i
  | Holds x y, true => until_at n (tr x) (tr y) i
  | Passes x, false => negb (i =? 1)%nat && tr x (i - 1)%nat
  | Passes x, true => negb (i =? n)%nat && tr x (i + 1)%nat
  end.

Theorem check_task_correct : check_task L = true -> 0 <= head_value a n h i values <= 1 /\
  (tr (task_guard k) i = true -> Rabs (bit recalled - head_value a n h i values) <= allowed_error recalled).
Proof.
  unfold check_task. intros Checked. apply andb_prop in Checked as [Kernel Checked].
  destruct (task_parts _ _ Checked) as (any & n' & C & B & V & D & Ln & Qn).
  assert (HJ : J upto n) by (destruct (task_backwards k); lia).
  assert (Scan : scanned_place n J = i) by (unfold scanned_place; destruct (task_backwards k); lia).
  pose proof (gathered_range users n w h HA Over any n' i J HJ Scan V Ln Qn D C Kernel) as Range. split; [exact Range|].
    intros G.
  rewrite (gathered_scanned n h any n' i J HJ Scan Ln Qn D). unfold recalled. destruct (task_memory k) as [x y|x] eqn:K.
  - pose proof (row_holds users n w h HA Over any n' i J HJ Scan V Ln Qn D C G B x y K) as R.
    replace (match task_backwards k with true => _ | false => _ end)
      with (since_at (fun j => tr x (scanned_place n j)) (fun j => tr y (scanned_place n j)) J); [exact R|].
    unfold scanned_place. destruct (task_backwards k); [symmetry; now apply until_backwards|reflexivity].
  - destruct (row_passes users n w h HA Over any n' i J HJ Scan V Ln Qn C G x K) as [J2 R].
    replace (match task_backwards k with true => _ | false => _ end) with (tr x (scanned_place n (J - 1))); [exact R|].
    unfold scanned_place in *. destruct (task_backwards k).
    + rewrite (proj2 (Nat.eqb_neq i n)) by lia. cbn [negb andb]. f_equal. lia.
    + rewrite (proj2 (Nat.eqb_neq i 1)) by lia. reflexivity.
Qed.
End Whole.
End Head.

Local Definition quarter (t : bool) : Z * Z := (3, 1)%Z.
Definition check_by_rows (letters : nat) (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning) : bool :=
  match task_of b with Some k => check_task letters A a r k quarter L | None => false end.

Lemma quarter_limits t : (0 < fst (quarter t))%Z /\ (0 <= snd (quarter t))%Z.
Proof. split; reflexivity || discriminate. Qed.
Lemma quarter_error t : allowed_error quarter t = 1 / 4. Proof. unfold allowed_error. simpl. lra. Qed.

Theorem check_by_rows_correct users n w letters L A h a r b (i : position n) : length_allowed L n ->
  holds_of users n w A h -> (each i upto n, (w i < letters)%nat) ->
  check_by_rows letters L A a r b = true -> meaning_holds users n w i b (head_value a n h i r).
Proof.
  intros HL HA Over H. unfold check_by_rows in H. destruct (task_of b) as [k|] eqn:K; [|discriminate].
  destruct (check_task_correct letters A a r k quarter quarter_limits users n w L h i HL HA Over H) as [Range Near].
  assert (N : truth users n w (task_guard k) i = true -> near_truth (recalled k users n w i) (head_value a n h i r)).
  { intros G. apply (near_from_error _ (1 / 4)); [|lra|exact Range]. specialize (Near G).
    now rewrite quarter_error in Near. }
  destruct b as [| | |f g| | | | | |]; try discriminate. destruct f; try discriminate; injection K as <-;
    exact (conj Range N).
Qed.

(* ---- stated errors ---- *)
(* e/(1 - e) as a quotient of integers. *)
Definition limit_of (e : Q) : Z * Z := (Zpos (Qden e) - Qnum e, Qnum e)%Z.
Definition if_true_else {X} (if_false if_true : X) (t : bool) : X := if t then if_true else if_false.
Notation errors_of := (@if_true_else Q).
Definition errs_by_rows (letters : nat) (L : lengths) (A : list meaning) (a : head) (r : row) (b : meaning)
    (if_false if_true : Q) : bool :=
  match task_of b with
  | Some k => forallb (fun e => Qle_bool 0 e && negb (Qle_bool 1 e)) [if_false; if_true]
      && check_task letters A a r k (if_true_else (limit_of if_false) (limit_of if_true)) L
  | None => false
  end.

Lemma limit_of_error e : Qle_bool 0 e && negb (Qle_bool 1 e) = true -> ((0 < fst (limit_of e))%Z /\
  (0 <= snd (limit_of e))%Z) /\ IZR (snd (limit_of e)) / (IZR (fst (limit_of e)) + IZR (snd (limit_of e))) = Q2R e.
Proof.
  intros H. apply andb_prop in H as [H0 H1]. apply negb_true_iff in H1. destruct e as [p q]. unfold limit_of.
  cbn [fst snd Qnum Qden]. unfold Qle_bool in *. cbn [Qnum Qden] in *. apply Z.leb_le in H0. apply Z.leb_gt in H1.
  split; [lia|]. unfold Q2R, Rdiv. cbn [Qnum Qden]. rewrite <- plus_IZR. do 2 f_equal. f_equal. lia.
Qed.

Theorem errs_by_rows_correct users n w letters L A h a r f g if_false if_true (i : position n) : length_allowed L n ->
  holds_of users n w A h -> (each i upto n, (w i < letters)%nat) ->
  errs_by_rows letters L A a r (IsNear f g) if_false if_true = true -> truth users n w g i = true ->
  if truth users n w f i then 1 - Q2R if_true <= head_value a n h i r else head_value a n h i r <= Q2R if_false.
Proof.
  intros HL HA Over H G. unfold errs_by_rows in H. destruct (task_of (IsNear f g)) as [k|] eqn:K; [|discriminate].
  apply andb_prop in H as [E H]. cbn [forallb] in E. rewrite andb_true_r in E. apply andb_prop in E as [E0 E1].
  assert (Each : forall t, Qle_bool 0 (errors_of if_false if_true t) && negb (Qle_bool 1 (errors_of if_false if_true t))
    = true) by now intros [].
  destruct (check_task_correct letters A a r k _ (fun t => proj1 (limit_of_error _ (Each t))) users n w L h i HL HA Over
    H) as [Range Near]. unfold allowed_error in Near. rewrite (proj2 (limit_of_error _ (Each _))) in Near.
  assert (N : truth users n w (task_guard k) i = true -> if recalled k users n w i then 1 - Q2R if_true <=
    head_value a n h i r else head_value a n h i r <= Q2R if_false).
  { intros Gk. specialize (Near Gk). destruct (recalled k users n w i); cbn [errors_of bit] in Near;
      revert Near; unfold Rabs; destruct (Rcase_abs _); lra. }
  destruct f; try discriminate; injection K as <-; exact (N G).
Qed.
