(* [Hahn] Theorem 6 for the transformers of the paper and of network.v, with Lemma 5 for what one symbol changes.

   Proved, for the transformers of hahn_lemma_5_of_the_paper.v with bounded embeddings, and for those of network.v
   with temperatures bounded from below, too, whatever their layers, heads, masks and weights, whose log-odds are any
   Lipschitz function of the activations at the last position: in the limit their cross-entropy on PARITY is at least
   chance given the last symbol, and on 2DYCK it exceeds the optimal one by at least P_0(n) (1-p) ln 2 >= p^2 (1-p)^2
   ln 2. A transformer that computes ODD(#<[Q_1]), as one with temperature 1/n does by Corollary 22, comes as near to
   the optimal cross-entropy of PARITY as one likes, at every length at once, by an affine function of its output. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From Certify Require Import positions finite_sums exponential formula network cross_entropy hahn_theorem_6_parity
  hahn_theorem_6_brackets hahn_soft_layer hahn_lemma_5_repaired hahn_lemma_5_masked hahn_lemma_5_of_the_paper
  hahn_hard_formulas parity_is_hard regime compile_formula corollaries_17_18_22_23.
Import ListNotations PositionNotations.
Open Scope R_scope.

(* ---- predictions from the last activations; `last n w` are those of the word w of length n ---- *)
Section Predictions.
Variable A : Type.                                                                                 (* of coordinates *)
Variable last : nat -> word -> A -> R.

(* At the last position, what one other symbol changes becomes small; it is at most s n at length n. *)
Local Definition settles : Prop := forall e, 0 < e -> exists N, forall n p u v, (N <= n)%nat -> (1 <= p < n)%nat ->
  differ_at p u v -> forall d, Rabs (last n u d - last n v d) <= e.
Definition changes_by (s : nat -> R) : Prop := forall n p u v, (1 <= p < n)%nat -> differ_at p u v -> forall d,
  Rabs (last n u d - last n v d) <= s n.

Lemma changes_settle s : changes_by s -> (forall e, 0 < e -> exists N, forall n, (N <= n)%nat -> s n < e) -> settles.
Proof.
  intros C S e He. destruct (S e He) as (N & H). exists N. intros n p u v Hn Hp D d. specialize (H n Hn).
  pose proof (C n p u v Hp D d). lra.
Qed.

(* A function of activations that changes at most K times as much as they do. *)
Local Definition lipschitz (G : (A -> R) -> R) (K : R) : Prop := 0 < K /\
  forall x y e, (forall d, Rabs (x d - y d) <= e) -> Rabs (G x - G y) <= K * e.

Local Definition at_end {X} (code : X -> nat) (w : list X) : A -> R := last (length w) (as_word code w).

Variables (G : (A -> R) -> R) (K : R).
Hypothesis Gentle : lipschitz G K.

Lemma predictions_change s : changes_by s -> forall {X} (code : X -> nat) b x a a' y,
  Rabs (G (at_end code (b :: x ++ a :: y)) - G (at_end code (b :: x ++ a' :: y))) <= K * s (length (b :: x ++ a :: y)).
Proof.
  intros C X code b x a a' y. destruct (as_word_exchange code b x a a' y) as [P D]. unfold at_end.
  assert (L : length (b :: x ++ a' :: y) = length (b :: x ++ a :: y)) by (simpl; now rewrite !lists.length_app).
  rewrite L. apply (proj2 Gentle). intros d. apply (C _ (S (length y))); [lia|exact D].
Qed.

(* ---- at every length ---- *)
Theorem parity_with_changes s p q : 0 < p < 1 -> changes_by s -> is_predictor bit_letters q ->
  (forall w, odds_of_end q w = G (at_end bit_code w)) -> forall n, (2 <= n)%nat ->
  chance_given_last p - p * (1 - p) / (2 - p) ^ 2 * (K * s n) <= cross_entropy bit_letters (parity_language p) n q.
Proof.
  intros Hp C Q O n Hn. apply (hahn_theorem_6_parity p Hp q n _ Q Hn). intros u b E. rewrite !O, <- E.
  apply (predictions_change s C bit_code b [] false true u).
Qed.

Theorem dyck_with_changes s (code : bracket -> nat) p q : 0 < p < 1 -> changes_by s -> is_predictor four_brackets q ->
  (forall w, odds_of_round q w = G (at_end code w)) -> forall n, (3 <= n)%nat -> dyck_optimum p + p ^ 2 * (1 - p)
  ^ 2 * softplus (- (K * s n / 2)) <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp C Q O n Hn. apply (dyck_separated p Hp q n _ Q Hn). intros c x k y E. rewrite !O, <- E.
  apply (predictions_change s C code).
Qed.

(* ---- in the limit ---- *)
Hypothesis Settles : settles.

Lemma predictions_settle {X} (code : X -> nat) e : 0 < e -> exists N, forall b x a a' y, (N <= length (b :: x
  ++ a :: y))%nat -> Rabs (G (at_end code (b :: x ++ a :: y)) - G (at_end code (b :: x ++ a' :: y))) <= e.
Proof.
  intros He. destruct Gentle as [HK HG]. destruct (Settles (e / K)) as (N & S); [now apply Rdiv_lt_0_compat|].
  exists N. intros b x a a' y Hn. destruct (as_word_exchange code b x a a' y) as [P D]. unfold at_end.
  assert (L : length (b :: x ++ a' :: y) = length (b :: x ++ a :: y)) by (simpl; now rewrite !lists.length_app).
  rewrite L. replace e with (K * (e / K)) by (field; lra). apply HG. intros d.
  apply (S _ (Datatypes.S (length y))); [exact Hn|lia|exact D].
Qed.

(* ---- PARITY ---- *)
Theorem parity_no_better_than_last_symbol p q : 0 < p < 1 -> is_predictor bit_letters q ->
  (forall w, odds_of_end q w = G (at_end bit_code w)) -> forall e, 0 < e ->
  exists N, forall n, (N <= n)%nat -> chance_given_last p - e <= cross_entropy bit_letters (parity_language p) n q.
Proof.
  intros Hp Q O e He. destruct (predictions_settle bit_code e He) as (N & S). exists (N + 2)%nat. intros n Hn.
  assert (M : moved_before_last q n e).
  { intros u b L. rewrite !O. apply (S b [] false true u). cbn [app]. rewrite L. lia. }
  pose proof (hahn_theorem_6_parity p Hp q n e Q ltac:(lia) M) as B. assert (C : p * (1 - p) / (2 - p) ^ 2 <= 1).
  { apply Rmult_le_reg_r with ((2 - p) ^ 2); [apply pow_lt; lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
  apply Rmult_le_compat_r with (r := e) in C; lra.
Qed.

(* ---- 2DYCK ---- *)
Theorem dyck_stays_apart (code : bracket -> nat) p q : 0 < p < 1 -> is_predictor four_brackets q -> (forall w,
  odds_of_round q w = G (at_end code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat ->
  dyck_optimum p + share_asked p n * (1 - p) * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp Q O e He. destruct (predictions_settle code e He) as (N & S). exists N. intros n Hn.
  apply (dyck_separated_from p Hp q n e Q); [|lra]. intros c x k y L. rewrite !O. apply S. rewrite L. lia.
Qed.

Theorem dyck_stays_apart_by_a_constant (code : bracket -> nat) p q : 0 < p < 1 -> is_predictor four_brackets q ->
  (forall w, odds_of_round q w = G (at_end code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat ->
  dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp Q O e He. destruct (dyck_stays_apart code p q Hp Q O e He) as (N & S). exists (N + 3)%nat. intros n Hn.
  specialize (S n ltac:(lia)). pose proof (share_asked_at_least p Hp n ltac:(lia)) as P. pose proof ln_2_positive.
  assert (p ^ 2 * (1 - p) * ((1 - p) * ln 2) <= share_asked p n * ((1 - p) * ln 2)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact P]. }
  lra.
Qed.
(* Both together: the theorem, as repaired. *)
Theorem hahn_theorem_6_of_what_settles p : 0 < p < 1 -> (forall q, is_predictor bit_letters q -> (forall w, odds_of_end
  q w = G (at_end bit_code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat -> chance_given_last p - e
  <= cross_entropy bit_letters (parity_language p) n q) /\ (forall (code : bracket -> nat) q, is_predictor four_brackets
  q -> (forall w, odds_of_round q w = G (at_end code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat ->
  dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q).
Proof.
  intros Hp. split; [intros q; now apply parity_no_better_than_last_symbol|].
  intros code q. now apply dyck_stays_apart_by_a_constant.
Qed.
End Predictions.
Arguments lipschitz {A}. Arguments at_end {A} last {X}.

(* ---- the transformers of [Hahn], as in hahn_lemma_5_of_the_paper.v ---- *)
Lemma shapes_small C k e : 0 <= C -> 0 < e -> exists N, (1 <= N)%nat /\ forall n, (N <= n)%nat ->
  C * decay_shape (fun _ => n) k n < e.
Proof.
  intros HC He. destruct k as [|k]; [exists 1%nat; split; [lia|]; intros; simpl; lra|]. now apply logarithms_small.
Qed.

Theorem hahn_theorem_6_of_the_paper dim layers embedding B G K p : Forall (mild_layer dim) layers -> 0 <= B ->
  (forall n i x, activation_within B (embedding n i x)) -> lipschitz G K -> 0 < p < 1 ->
  let last := fun n w => soft_run layers embedding n w n in
  (forall q, is_predictor bit_letters q -> (forall w, odds_of_end q w = G (at_end last bit_code w)) -> forall e,
     0 < e -> exists N, forall n, (N <= n)%nat -> chance_given_last p - e <= cross_entropy bit_letters (parity_language
       p) n q) /\
  (forall (code : bracket -> nat) q, is_predictor four_brackets q ->
     (forall w, odds_of_round q w = G (at_end last code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat ->
     dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q).
Proof.
  intros M HB E L Hp last. apply (hahn_theorem_6_of_what_settles nat last G K L); [|exact Hp].
  destruct (hahn_lemma_5_of_the_paper_any_masks dim layers embedding B M HB E) as (C & HC & H).
  apply (changes_settle nat last (fun n => C * decay_shape (fun _ => n) (length layers) n)).
  - intros n p' u v Hp' D d. now apply (H n p').
  - intros e He. destruct (shapes_small C (length layers) e HC He) as (N & _ & S). now exists N.
Qed.

(* ---- the transformers of network.v ---- *)
Definition last_of users T (n : nat) (w : word) : vector := run_transformer users T n w n.

Theorem bounded_sharpness_settles users T B t : bounded_embeddings users T B -> warm_everywhere T t ->
  settles direction (last_of users T).
Proof.
  intros HB W. set (C := lemma_5_constant T B t). set (k := length (transformer_layers T)).
  apply (changes_settle direction _ (fun n => C * decay_shape (fun _ => n) k n)).
  - intros n p u v Hp D d.
    apply (hahn_lemma_5_last_position n (Position p ltac:(lia)) users T B t (HB n) (W n) u v D d). cbn. lia.
  - intros e He. destruct (shape_small users T B t HB W k e He) as (N & _ & S). now exists N.
Qed.

(* Without masks, with the constant of Lemma 5. *)
Lemma unmasked_changes users T B t : bounded_embeddings users T B -> warm_everywhere T t -> every_head T (fun a =>
  head_masking a = Unmasked) -> changes_by direction (last_of users T) (fun n => lemma_5_constant T B t / INR n).
Proof.
  intros HB W M n p u v Hp D d. exact (hahn_lemma_5 users T B t HB W n (Position p ltac:(lia)) u v D M (Position n
    ltac:(lia)) d ltac:(cbn; lia)).
Qed.

Theorem parity_with_rate users T B t G K p q : 0 < p < 1 -> bounded_embeddings users T B -> warm_everywhere T t ->
  every_head T (fun a => head_masking a = Unmasked) -> lipschitz G K -> is_predictor bit_letters q -> (forall w,
  odds_of_end q w = G (at_end (last_of users T) bit_code w)) -> forall n, (2 <= n)%nat -> chance_given_last p - p * (1 -
  p) / (2 - p) ^ 2 * (K * (lemma_5_constant T B t / INR n)) <= cross_entropy bit_letters (parity_language p) n q.
Proof.
  intros Hp HB W M L Q O.
  exact (parity_with_changes direction _ G K L _ p q Hp (unmasked_changes users T B t HB W M) Q O).
Qed.

Theorem dyck_with_rate users T B t G K (code : bracket -> nat) p q : 0 < p < 1 -> bounded_embeddings users T B ->
  warm_everywhere T t -> every_head T (fun a => head_masking a = Unmasked) -> lipschitz G K ->
  is_predictor four_brackets q -> (forall w, odds_of_round q w = G (at_end (last_of users T) code w)) -> forall n,
  (3 <= n)%nat -> dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * softplus (- (K * (lemma_5_constant T B t / INR n) / 2))
  <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp HB W M L Q O.
  exact (dyck_with_changes direction _ G K L _ code p q Hp (unmasked_changes users T B t HB W M) Q O).
Qed.

Theorem hahn_theorem_6 users T B t G K p : bounded_embeddings users T B -> warm_everywhere T t -> lipschitz G K ->
  0 < p < 1 -> (forall q, is_predictor bit_letters q -> (forall w, odds_of_end q w = G (at_end (last_of users T)
  bit_code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat -> chance_given_last p - e
  <= cross_entropy bit_letters (parity_language p) n q) /\ (forall (code : bracket -> nat) q, is_predictor four_brackets
  q -> (forall w, odds_of_round q w = G (at_end (last_of users T) code w)) -> forall e, 0 < e -> exists N, forall n,
  (N <= n)%nat -> dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q).
Proof.
  intros HB W L. apply (hahn_theorem_6_of_what_settles direction (last_of users T) G K L).
  now apply (bounded_sharpness_settles users T B t).
Qed.

(* ---- what a network that computes PARITY attains ---- *)
Lemma as_word_older {X} (code : X -> nat) b w i : i upto length w -> as_word code (b :: w) i = as_word code w i.
Proof. intros H. unfold as_word. simpl length. now replace (S (length w) - i)%nat with (S (length w - i)) by lia. Qed.

Lemma count_of_ones_is_odd w :
  Nat.odd (length (filter (fun i => as_word bit_code w i =? 1)%nat (seq 1 (length w)))) = negb (even_ones w).
Proof.
  induction w as [|b w IH]; [reflexivity|]. simpl length at 2. rewrite seq_S, filter_app, lists.length_app.
  rewrite (filter_ext_in _ (fun i => as_word bit_code w i =? 1)%nat).
  - rewrite Nat.odd_add, IH. cbn [even_ones filter length]. unfold as_word. rewrite Nat.sub_diag.
    destruct b; cbn [map nth bit_code Nat.eqb length Nat.odd]; now destruct (even_ones w).
  - intros i Hi. apply in_seq in Hi. now rewrite as_word_older by lia.
Qed.

Lemma output_of_parity users T w : computes users T parity_formula -> length (token_embedding T) = 2%nat ->
  (1 <= length w)%nat -> output_at_end users T w = bit (negb (even_ones w)).
Proof.
  intros C A L. unfold output_at_end.
  refine (eq_trans (C _ _ L _ (Position (length w) (conj L (le_n _)))) _); [intros i _|].
  - rewrite A. unfold as_word. destruct (nth_in_or_default (length w - i) (map bit_code w) 0%nat) as [I| ->]; [|lia].
    apply in_map_iff in I. destruct I as ([|] & <- & _); simpl; lia.
  - f_equal. rewrite <- count_of_ones_is_odd. cbn [parity_formula truth predicate_holds]. unfold counted_on.
    reflexivity.
Qed.

(* Predictions by an affine function of the output: slope * output + offset. *)
Theorem parity_network_attains_optimum users T p : 0 < p < 1 -> computes users T parity_formula ->
  length (token_embedding T) = 2%nat -> forall e, 0 < e -> exists slope offset, forall n, (1 <= n)%nat ->
  cross_entropy bit_letters (parity_language p) n (fair_predictor (fun w => slope * output_at_end users T w + offset))
  <= parity_optimum p + e.
Proof.
  intros Hp C A e He. exists (ln e - log_odds p), (log_odds p). intros n Hn.
  set (L := fun w : list bool => if even_ones w then log_odds p else ln e).
  assert (E : cross_entropy bit_letters (parity_language p) n
    (fair_predictor (fun w => (ln e - log_odds p) * output_at_end users T w + log_odds p))
    = cross_entropy bit_letters (parity_language p) n (fair_predictor L)).
  { unfold cross_entropy, mean_over_words. f_equal. apply sum_words_ext. intros w Hw. unfold word_cost, fair_predictor,
      L.
    rewrite (output_of_parity users T w C A) by lia. destruct (even_ones w); simpl negb; simpl bit; cbv iota.
    - now rewrite Rmult_0_r, Rplus_0_l.
    - now replace ((ln e - log_odds p) * 1 + log_odds p) with (ln e) by ring. }
  rewrite E. unfold L. rewrite (cost_by_parity p Hp), softplus_log_odds by assumption. unfold parity_optimum, softplus.
  rewrite exp_ln by exact He. pose proof (ln_minus_1 (1 + e) ltac:(lra)). lra.
Qed.

(* Corollary 22: there is one, with temperature 1/n. *)
Corollary some_network_attains_optimum users p : 0 < p < 1 -> exists T, all_layers_of (Regime false false)
  (temperature_of (Regime false false)) T /\ forall e, 0 < e -> exists slope offset, forall n, (1 <= n)%nat ->
  cross_entropy bit_letters (parity_language p) n (fair_predictor (fun w => slope * output_at_end users T w + offset))
  <= parity_optimum p + e.
Proof.
  intros Hp. pose proof (corollary_22a users 2 (fun _ => false) [ODD] parity_formula eq_refl eq_refl)
    as (K & _ & L & _ & C).
  eexists. split; [exact L|]. now apply parity_network_attains_optimum.
Qed.
