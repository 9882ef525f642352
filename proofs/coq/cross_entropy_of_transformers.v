(* [Hahn] Theorem 6 for the transformers of network.v, with Lemma 5 in place of a bound on what one symbol changes.

   Proved, for transformers with bounded embeddings and temperatures bounded from below, whatever their layers, heads,
   masks and weights, that predict by any Lipschitz function of the activations at the last position: in the limit their
   cross-entropy on PARITY is at least chance given the last symbol, and on 2DYCK it exceeds the optimal one by at least
   P_0(n) (1-p) ln 2 >= p^2 (1-p)^2 ln 2. A transformer that computes ODD(#<[Q_1]), as one with temperature 1/n does by
   Corollary 22, comes as near to the optimal cross-entropy of PARITY as one likes, at every length at once, by an
   affine function of its output. *)
From Coq Require Import Reals List Lra Lia Arith Bool.
From Certify Require Import finite_sums exponential formula network cross_entropy hahn_theorem_6_parity
  hahn_theorem_6_brackets hahn_one_layer hahn_lemma_5_repaired hahn_lemma_5_masked hahn_hard_formulas
  regime compile_formula corollaries_17_18_22_23.
Import ListNotations.
Open Scope R_scope.

Section Networks.
Variable users : nat -> nat -> nat -> bool.
Variable T : transformer.

(* At the last position, what one other symbol changes becomes small. *)
Definition settles : Prop := forall e, 0 < e -> exists N, forall n p u v, (N <= n)%nat -> (1 <= p < n)%nat ->
  differ_at p u v -> forall d, Rabs (run users T n u n d - run users T n v n d) <= e.

Theorem bounded_sharpness_settles B t : bounded_embeddings users T B -> warm T t -> settles.
Proof.
  intros HB W e He. destruct (shape_small users T B t HB W (length (transformer_layers T)) e He) as (N & _ & S).
  exists N. intros n p u v Hn Hp D d. specialize (S n Hn).
  eapply Rle_trans; [apply (hahn_lemma_5_last_position n p ltac:(lia) users T B t (HB n) (W n) u v D d); lia|]. lra.
Qed.

(* A function of activations that changes at most K times as much as they do. *)
Definition lipschitz (G : vector -> R) (K : R) : Prop := 0 < K /\
  forall x y e, (forall d, Rabs (x d - y d) <= e) -> Rabs (G x - G y) <= K * e.

Definition at_end {X} (code : X -> nat) (w : list X) : vector := run users T (length w) (as_word code w) (length w).

(* Without masks, with the constant of Lemma 5. *)
Lemma unmasked_predictions B t G K : bounded_embeddings users T B -> warm T t ->
  every_head T (fun a => head_masking a = Unmasked) -> lipschitz G K -> forall {X} (code : X -> nat) b x a a' y,
  Rabs (G (at_end code (b :: x ++ a :: y)) - G (at_end code (b :: x ++ a' :: y)))
  <= K * (lemma_5_constant T B t / INR (length (b :: x ++ a :: y))).
Proof.
  intros HB W M [_ HG] X code b x a a' y. destruct (as_word_exchange code b x a a' y) as [P D]. unfold at_end.
  assert (L : length (b :: x ++ a' :: y) = length (b :: x ++ a :: y)) by (simpl; now rewrite !lists.length_app).
  rewrite L. apply HG. intros d.
  apply (hahn_lemma_5 users T B t HB W (length (b :: x ++ a :: y)) (S (length y)) _ _ ltac:(lia) D M); lia.
Qed.

Theorem parity_with_rate B t G K p q : 0 < p < 1 -> bounded_embeddings users T B -> warm T t ->
  every_head T (fun a => head_masking a = Unmasked) -> lipschitz G K -> predictor bits q ->
  (forall w, odds_of_end q w = G (at_end bit_code w)) -> forall n, (2 <= n)%nat ->
  chance_given_last p - p * (1 - p) / (2 - p) ^ 2 * (K * (lemma_5_constant T B t / INR n))
  <= cross_entropy bits (parity_language p) n q.
Proof.
  intros Hp HB W M L Q O n Hn. apply (hahn_theorem_6_parity p Hp q n _ Q Hn). intros u b E. rewrite !O, <- E.
  apply (unmasked_predictions B t G K HB W M L bit_code b [] false true u).
Qed.

Theorem dyck_with_rate B t G K (code : bracket -> nat) p q : 0 < p < 1 -> bounded_embeddings users T B -> warm T t ->
  every_head T (fun a => head_masking a = Unmasked) -> lipschitz G K -> predictor four_brackets q ->
  (forall w, odds_of_round q w = G (at_end code w)) -> forall n, (3 <= n)%nat ->
  dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * softplus (- (K * (lemma_5_constant T B t / INR n) / 2))
  <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp HB W M L Q O n Hn. apply (dyck_separated p Hp q n _ Q Hn). intros c x k y E. rewrite !O, <- E.
  apply (unmasked_predictions B t G K HB W M L code).
Qed.

Section Predictions.
Variables (G : vector -> R) (K : R).
Hypothesis Gentle : lipschitz G K.
Hypothesis Settles : settles.

Lemma predictions_settle {X} (code : X -> nat) e : 0 < e -> exists N, forall b x a a' y,
  (N <= length (b :: x ++ a :: y))%nat ->
  Rabs (G (at_end code (b :: x ++ a :: y)) - G (at_end code (b :: x ++ a' :: y))) <= e.
Proof.
  intros He. destruct Gentle as [HK HG]. destruct (Settles (e / K)) as (N & S); [now apply Rdiv_lt_0_compat|].
  exists N. intros b x a a' y Hn. destruct (as_word_exchange code b x a a' y) as [P D]. unfold at_end.
  assert (L : length (b :: x ++ a' :: y) = length (b :: x ++ a :: y)) by (simpl; now rewrite !lists.length_app).
  rewrite L. replace e with (K * (e / K)) by (field; lra). apply HG. intros d.
  apply (S _ (Datatypes.S (length y))); [exact Hn|lia|exact D].
Qed.

(* ---- PARITY ---- *)
Theorem parity_no_better_than_last_symbol p q : 0 < p < 1 -> predictor bits q ->
  (forall w, odds_of_end q w = G (at_end bit_code w)) -> forall e, 0 < e ->
  exists N, forall n, (N <= n)%nat -> chance_given_last p - e <= cross_entropy bits (parity_language p) n q.
Proof.
  intros Hp Q O e He. destruct (predictions_settle bit_code e He) as (N & S). exists (N + 2)%nat. intros n Hn.
  assert (M : moved_before_last q n e).
  { intros u b L. rewrite !O. apply (S b [] false true u). cbn [app]. rewrite L. lia. }
  pose proof (hahn_theorem_6_parity p Hp q n e Q ltac:(lia) M) as B.
  assert (C : p * (1 - p) / (2 - p) ^ 2 <= 1).
  { apply Rmult_le_reg_r with ((2 - p) ^ 2); [apply pow_lt; lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra. }
  apply Rmult_le_compat_r with (r := e) in C; lra.
Qed.

(* ---- 2DYCK ---- *)
Theorem dyck_stays_apart (code : bracket -> nat) p q : 0 < p < 1 -> predictor four_brackets q ->
  (forall w, odds_of_round q w = G (at_end code w)) -> forall e, 0 < e ->
  exists N, forall n, (N <= n)%nat ->
  dyck_optimum p + share_asked p n * (1 - p) * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp Q O e He. destruct (predictions_settle code e He) as (N & S). exists N. intros n Hn.
  apply (dyck_separated_from p Hp q n e Q); [|lra]. intros c x k y L. rewrite !O. apply S. rewrite L. lia.
Qed.

Theorem dyck_stays_apart_by_a_constant (code : bracket -> nat) p q : 0 < p < 1 -> predictor four_brackets q ->
  (forall w, odds_of_round q w = G (at_end code w)) -> forall e, 0 < e ->
  exists N, forall n, (N <= n)%nat ->
  dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q.
Proof.
  intros Hp Q O e He. destruct (dyck_stays_apart code p q Hp Q O e He) as (N & S). exists (N + 3)%nat. intros n Hn.
  specialize (S n ltac:(lia)). pose proof (share_asked_at_least p Hp n ltac:(lia)) as P. pose proof ln_2_positive.
  assert (p ^ 2 * (1 - p) * ((1 - p) * ln 2) <= share_asked p n * ((1 - p) * ln 2)).
  { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact P]. }
  lra.
Qed.
End Predictions.

End Networks.

(* Both together: the theorem, as repaired, of transformers. *)
Theorem hahn_theorem_6 users T B t G K p : bounded_embeddings users T B -> warm T t -> lipschitz G K -> 0 < p < 1 ->
  (forall q, predictor bits q -> (forall w, odds_of_end q w = G (at_end users T bit_code w)) -> forall e, 0 < e ->
     exists N, forall n, (N <= n)%nat -> chance_given_last p - e <= cross_entropy bits (parity_language p) n q) /\
  (forall (code : bracket -> nat) q, predictor four_brackets q ->
     (forall w, odds_of_round q w = G (at_end users T code w)) -> forall e, 0 < e -> exists N, forall n, (N <= n)%nat ->
     dyck_optimum p + p ^ 2 * (1 - p) ^ 2 * ln 2 - e <= cross_entropy four_brackets (dyck_language p) n q).
Proof.
  intros HB W L Hp. pose proof (bounded_sharpness_settles users T B t HB W) as S. split.
  - intros q. now apply (parity_no_better_than_last_symbol users T G K L S).
  - intros code q. now apply (dyck_stays_apart_by_a_constant users T G K L S).
Qed.

(* ---- what a network that computes PARITY attains ---- *)
Lemma as_word_older {X} (code : X -> nat) b w i : (1 <= i <= length w)%nat ->
  as_word code (b :: w) i = as_word code w i.
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

Definition odd_number_of_ones : formula := OnCount ODD ToLeft (Symbol 1).

Lemma output_of_parity users T w : computes users T odd_number_of_ones -> length (token_embedding T) = 2%nat ->
  (1 <= length w)%nat -> output_at_end users T w = bit (negb (even_ones w)).
Proof.
  intros C A L. unfold output_at_end. rewrite C; [| |intros i _|]; [|exact L| |lia].
  - f_equal. rewrite <- count_of_ones_is_odd. cbn [odd_number_of_ones truth holds].
    unfold counted. reflexivity.
  - rewrite A. unfold as_word. destruct (nth_in_or_default (length w - i) (map bit_code w) 0%nat) as [I| ->]; [|lia].
    apply in_map_iff in I. destruct I as ([|] & <- & _); simpl; lia.
Qed.

(* Predictions by an affine function of the output: slope * output + offset. *)
Theorem parity_network_attains_optimum users T p : 0 < p < 1 ->
  computes users T odd_number_of_ones -> length (token_embedding T) = 2%nat ->
  forall e, 0 < e -> exists slope offset, forall n, (1 <= n)%nat ->
  cross_entropy bits (parity_language p) n (fair (fun w => slope * output_at_end users T w + offset))
  <= parity_optimum p + e.
Proof.
  intros Hp C A e He. exists (ln e - log_odds p), (log_odds p). intros n Hn.
  set (L := fun w : list bool => if even_ones w then log_odds p else ln e).
  assert (E : cross_entropy bits (parity_language p) n
    (fair (fun w => (ln e - log_odds p) * output_at_end users T w + log_odds p))
    = cross_entropy bits (parity_language p) n (fair L)).
  { unfold cross_entropy, mean. f_equal. apply sum_words_ext. intros w Hw. unfold cost, fair, L.
    rewrite (output_of_parity users T w C A) by lia. destruct (even_ones w); simpl negb; simpl bit; cbv iota.
    - now rewrite Rmult_0_r, Rplus_0_l.
    - now replace ((ln e - log_odds p) * 1 + log_odds p) with (ln e) by ring. }
  rewrite E. unfold L. rewrite (cost_by_parity p Hp), softplus_log_odds by assumption. unfold parity_optimum, softplus.
  rewrite exp_ln by exact He. pose proof (ln_minus_1 (1 + e) ltac:(lra)). lra.
Qed.

(* Corollary 22: there is one, with temperature 1/n. *)
Corollary some_network_attains_optimum users p : 0 < p < 1 -> exists T,
  all_layers_of (Regime false false) (temperature_of (Regime false false)) T /\
  forall e, 0 < e -> exists slope offset, forall n, (1 <= n)%nat ->
  cross_entropy bits (parity_language p) n (fair (fun w => slope * output_at_end users T w + offset))
  <= parity_optimum p + e.
Proof.
  intros Hp. pose proof (corollary_22a users 2 (fun _ => false) [ODD] odd_number_of_ones eq_refl eq_refl)
    as (K & _ & L & _ & C).
  eexists. split; [exact L|]. now apply parity_network_attains_optimum.
Qed.
