(* Why check_tracks.v is right: `check_tracks_holds`. *)
From Coq Require Import Reals QArith Qreals ZArith List Lra Lia Bool Arith.
From Certify Require Import lists syntax claim real_vectors real_network packed_rows balls ball_average ball_network
  tracks_claim one_attention longest_path average_range exact_forms exact_cells tracks_edges
  tracks_each_input check_tracks.
Import ListNotations. Open Scope nat_scope.
Local Notation vector := (list R).

(* ---- tables ---- *)
Lemma numbered_at {X} (l : list X) : forall s k, nth_error (numbered s l) k = option_map (pair (s + k)) (nth_error l k).
Proof.
  unfold numbered. induction l as [|x l IH]; intros s [|k]; try reflexivity.
  - cbn. now rewrite Nat.add_0_r.
  - cbn [length seq combine nth_error]. rewrite IH. now rewrite Nat.add_succ_r.
Qed.
Lemma firstn_at {X} (l : list X) : forall n k, k < n -> nth_error (firstn n l) k = nth_error l k.
Proof. induction l as [|x l IH]; intros [|n] [|k] L; try lia; try reflexivity. cbn. apply IH. lia. Qed.
Lemma map2_at {X Y W} (g : X -> Y -> W) l : forall m k, nth_error (map2 g l m) k =
  match nth_error l k, nth_error m k with Some x, Some y => Some (g x y) | _, _ => None end.
Proof.
  induction l as [|x l IH]; intros [|y m] [|k]; try reflexivity; cbn [map2 nth_error]; auto.
  now destruct (nth_error l k).
Qed.
Lemma at_map {X Y} (g : X -> Y) l j t : at_ (map (map g) l) j t = option_map g (at_ l j t).
Proof. unfold at_. rewrite nth_error_map. destruct (nth_error l j); [|reflexivity]. apply nth_error_map. Qed.
Lemma at_traverse {X Y} (g : X -> option Y) l m j t x : traverse (traverse g) l = Some m -> at_ l j t = Some x ->
  exists y, at_ m j t = Some y /\ g x = Some y.
Proof.
  unfold at_. intros E N. destruct (nth_error l j) as [row|] eqn:R; [|discriminate].
  destruct (traverse_nth _ _ _ _ _ E R) as (row' & -> & E'). exact (traverse_nth _ _ _ _ _ E' N).
Qed.
Lemma seq_at s n k : k < n -> nth_error (seq s n) k = Some (s + k).
Proof. intros L. rewrite (nth_error_nth' _ 0) by (now rewrite length_seq). now rewrite seq_nth. Qed.
Lemma total_map_rev {X} (g : X -> Z) l : integer_total (map g (rev l)) = integer_total (map g l).
Proof.
  rewrite map_rev. assert (A : forall a b, integer_total (a ++ b) = (integer_total a + integer_total b)%Z).
  { unfold integer_total. induction a as [|z a IH]; intros b; [reflexivity|]. cbn [app fold_right]. rewrite IH. lia. }
  induction (map g l) as [|z m IH]; [reflexivity|]. cbn [rev]. rewrite A, IH. unfold integer_total. cbn [fold_right].
  lia.
Qed.
Lemma integer_total_ext {X} (g h : X -> Z) l : (forall x, In x l -> g x = h x) -> integer_total (map g l) =
  integer_total (map
  h l).
Proof. intros E. f_equal. now apply map_ext_in. Qed.

(* ---- groups ---- *)
Lemma same_key_eq a b : same_key a b = true -> a = b.
Proof.
  destruct a as [[p t] o], b as [[p' t'] o']. unfold same_key. rewrite !andb_true_iff, !Nat.eqb_eq.
  now intros [[-> ->] ->].
Qed.
Definition has_box (key : group_key) (b : box) (groups : list (group_key * list box)) : Prop :=
  exists l, In (key, l) groups /\ In b l.
Lemma insert_has key b groups : has_box key b (insert key b groups).
Proof.
  induction groups as [|[k l] groups IH]; cbn [insert]; [exists [b]; split; now left|].
  destruct (same_key key k) eqn:E; [exists (b :: l); split; now left|].
  destruct (less_key key k); [exists [b]; split; now left|]. destruct IH as (m & I & J). exists m. split; [now
    right|easy].
Qed.
Lemma insert_keeps key b key' b' groups : has_box key b groups -> has_box key b (insert key' b' groups).
Proof.
  induction groups as [|[k l] groups IH]; intros (m & I & J); [contradiction|]. cbn [insert].
  destruct (same_key key' k) eqn:E.
  - apply same_key_eq in E as <-. destruct I as [[= -> ->]|I]; [exists (b' :: m); split; [now left|now right]|].
    exists m. split; [now right|easy].
  - destruct (less_key key' k); [exists m; split; [now right|easy]|]. destruct I as [[= -> ->]|I].
    + exists m. split; [now left|easy].
    + destruct IH as (m' & I' & J'); [now exists m|]. exists m'. split; [now right|easy].
Qed.
Lemma inserted_all {X} (key : X -> group_key) (b : X -> box) groups l : (forall x, In x l -> has_box (key x) (b x)
  (fold_right (fun x => insert (key x) (b x)) groups l)) /\ (forall k y, has_box k y groups -> has_box k y
  (fold_right (fun x => insert (key x) (b x)) groups l)).
Proof.
  induction l as [|x l [IH1 IH2]]; [split; [easy|auto]|]. cbn [fold_right]. split.
  - intros y [->|I]; [apply insert_has|]. apply insert_keeps. now apply IH1.
  - intros k y H. apply insert_keeps. now apply IH2.
Qed.
Lemma class_has_box {X Y} (l : list X) : forall (m : list Y) x, length m = length l -> In x l -> exists y, In (x, y)
  (combine l m).
Proof.
  induction l as [|x0 l IH]; intros [|y0 m] x L I; try discriminate; [contradiction|]. cbn [combine].
  destruct I as [->|I]; [exists y0; now left|]. destruct (IH m x ltac:(simpl in L; lia) I) as (y & J). exists y. now
    right.
Qed.

Section Sound.
Variables (T : network_syntax) (A : one_attention) (c : tracks_claim_syntax) (f : layout_syntax).
Variables (precision bits : Z).
Hypothesis precision_nonneg : (0 <= precision)%Z.
Hypothesis bits_nonneg : (0 <= bits)%Z.
Hypothesis cap_positive : is_cap (attention_cap A) = true.
Notation places := (layout_places f).
Notation layout_place := (layout_place f).
Notation offset := (claim_offset c).
Notation width_of_head h := (length (matrix_rows (affine_weight (head_value_map h)))).
Notation start := (transducer_start (claim_machine c)).
Notation u := (real_unit precision).

Lemma queries_find_boxes streams hs qs : forall boxes groups, check_queries T A c f precision bits streams hs qs boxes =
  Some groups -> forall q, In q qs -> exists stated, check_token_query A c f precision bits streams hs q stated = true
    /\
  forall e, In e (classes c q) -> exists b, In (e, b) stated /\ has_box (key_of_class T c f q e) b groups.
Proof.
  induction qs as [|q qs IH]; intros boxes groups E q' I; [contradiction|]. cbn [check_queries] in E.
  set (l := classes c q) in *. set (mine := firstn (length l) boxes) in *.
  destruct (Nat.eqb_spec (length mine) (length l)) as [L|]; [|discriminate]. cbn [andb] in E.
  destruct (check_token_query _ _ _ _ _ _ _ _ _) eqn:C; [|discriminate].
  destruct (check_queries _ _ _ _ _ _ _ _ _ _) as [groups'|] eqn:R; [|discriminate]. injection E as <-.
  destruct (inserted_all (fun eb : edge * box => key_of_class T c f q (fst eb)) snd groups' (combine l mine)) as [H1
    H2].
  destruct I as [<-|I].
  - exists (combine l mine). split; [exact C|]. intros e J. destruct (class_has_box l mine e L J) as (b & K).
    exists b. split; [exact K|]. exact (H1 _ K).
  - destruct (IH _ _ R q' I) as (stated & C' & H). exists stated. split; [exact C'|]. intros e J.
    destruct (H e J) as (b & K & G). exists b. split; [exact K|]. now apply H2.
Qed.

(* ---- streams ---- *)
Lemma embedding_meaning j t : vector_of (embedding T c j t) = embedded T (offset + j) t.
Proof.
  unfold embedding, embedded. destruct (network_positions T) as [m|]; [|reflexivity].
  assert (C : forall v, form_meaning (constant 0 v) [1%R] = vector_of v)
    by (intros v; exact (constant_meaning 0 v [] eq_refl)).
  rewrite vector_from_meaning, sum_meaning, !C. reflexivity.
Qed.
Variable streams : table vector_syntax.
Hypothesis Streams : all_streams T A c f bits = Some streams.
Lemma stream_found j t x : at_ streams j t = Some x -> vector_of x = stream_at T A offset j t.
Proof.
  intros N. unfold all_streams in Streams. unfold at_ in N. destruct (nth_error streams j) as [row|] eqn:R;
    [|discriminate].
  pose proof (traverse_length _ _ _ Streams) as L. rewrite length_seq in L.
  assert (J : j < length streams) by (apply nth_error_Some; congruence).
  destruct (traverse_nth _ _ _ j j Streams ltac:(apply seq_at; lia)) as (row' & R' & E). rewrite R in R'.
  injection R' as <-. pose proof (traverse_length _ _ _ E) as L'. rewrite length_seq in L'.
  assert (K : t < length row) by (apply nth_error_Some; congruence).
  destruct (traverse_nth _ _ _ t t E ltac:(apply seq_at; lia)) as (x' & X & P). rewrite N in X. injection X as <-.
  unfold stream_at. rewrite <- embedding_meaning. now apply (point_pass_meaning bits).
Qed.
Lemma stream_exists j t : j < length places - 1 -> t < vocabulary T -> exists x, at_ streams j t = Some x.
Proof.
  intros J K. unfold all_streams in Streams. unfold at_.
  destruct (traverse_nth _ _ _ j j Streams ltac:(apply seq_at; lia)) as (row & R & E). rewrite R.
  destruct (traverse_nth _ _ _ t t E ltac:(apply seq_at; lia)) as (x & X & _). now exists x.
Qed.

(* ---- an input, an answer of it, and its query ---- *)
Variables (steps : list step_data) (es : list edge) (p : nat) (q : query) (e : edge).
Notation token j := (token_at c f steps (layout_place j)).
Hypothesis Path : is_path (edge_lists c f) es.
Hypothesis Chain : is_chain start es 0.
Hypothesis Steps : map step_of_edge es = steps.
Hypothesis Tokens : forall i e, nth_error es i = Some e -> edge_tokens e =
  map (fun place => token_of_edge c place e) (filter (at_step f i) places).
Hypothesis Known : forallb (is_known_step f) places = true.
Hypothesis Within : forallb (within_states (machine_states c)) (edge_lists c f) = true.
Hypothesis Place : S p < length places.
Hypothesis Query_at : token_query_at c f (edge_lists c f) p (token p) = Some q.
Hypothesis Edge : nth_error es (query_step q) = Some e.

Lemma query_fields : query_place q = p /\ query_own q = token p /\ step_of_place f (layout_place (S p)) = Some
  (query_step
  q) /\
  query_lists q = kept c f (layout_place p) (token p) 0 (edge_lists c f) /\
  columns_before q = map (column_of (machine_states c)) (firstn (query_step q) (query_lists q)) /\
  columns_after q = map (column_of (machine_states c)) (skipn (S (query_step q)) (query_lists q)).
Proof.
  pose proof Query_at as Q. unfold token_query_at in Q. destruct (step_of_place f (layout_place (S p)));
    [|discriminate].
  injection Q as <-. repeat split.
Qed.
Lemma query_path : is_path (query_lists q) es.
Proof.
  destruct query_fields as (_ & _ & _ & -> & _ & _). apply kept_path; [exact Path|]. intros i e' N At.
  unfold at_step in At. unfold token_at. destruct (step_of_place f (layout_place p)) as [k|] eqn:E; [|discriminate].
  apply Nat.eqb_eq in At as ->. unfold token_of_edge. f_equal. cbn [Nat.add]. symmetry. apply nth_error_nth.
  rewrite <- Steps, nth_error_map, N. reflexivity.
Qed.
Lemma query_within : forallb (within_states (machine_states c)) (query_lists q) = true.
Proof.
  destruct query_fields as (_ & _ & _ & -> & _ & _). assert (G : forall lists k, forallb (within_states
    (machine_states c))
    lists =
    true -> forallb (within_states (machine_states c)) (kept c f (layout_place p) (token p) k lists) = true); [|now
      apply G].
  induction lists as [|l lists IH]; intros k W; [reflexivity|]. cbn [forallb kept] in *.
  apply andb_prop in W as [W1 W2]. rewrite IH by exact W2. rewrite andb_true_r.
  destruct (at_step f k (layout_place p)); [|exact W1]. unfold within_states in *. rewrite forallb_forall in *.
  intros x I. apply W1. now apply filter_In in I.
Qed.
Lemma query_lists_length : length (query_lists q) = S (length (layout_tables f)).
Proof. destruct query_fields as (_ & _ & _ & -> & _ & _). rewrite kept_length. apply lists_length. Qed.
Lemma edges_length : length es = S (length (layout_tables f)).
Proof. rewrite <- query_lists_length. symmetry. exact (Forall2_same_length _ _ _ query_path). Qed.
Lemma start_known : is_bound_of 0 (nth start (start_bounds c) None).
Proof.
  assert (S0 : start < machine_states c).
  { pose proof edges_length as L. pose proof Path as P. pose proof Chain as C. pose proof Within as W.
    destruct es as [|e0 l]; [discriminate|]. inversion P as [|l0 x ls y I P' E1 E2]; subst. rewrite <- E1 in W.
    cbn [forallb] in W. apply andb_prop in W as [W _]. destruct C as [<- _]. exact (proj1 (within_states_in _ _ _ W
      I)). }
  unfold start_bounds. rewrite (nth_indep _ None (if 0 =? start then Some 0%Z else None))
    by (rewrite length_map, length_seq; exact S0).
  rewrite (map_nth (fun q => if q =? start then Some 0%Z else None)), seq_nth, Nat.add_0_l, Nat.eqb_refl by exact S0.
  exists 0%Z. split; [reflexivity|lia].
Qed.
Lemma end_known : is_bound_of 0 (nth 0 end_bounds None). Proof. exists 0%Z. split; [reflexivity|lia]. Qed.

Lemma edge_is_class : In e (classes c q).
Proof.
  unfold classes. destruct query_fields as (_ & _ & _ & _ & B & D). set (zeros := map (fun _ : list edge => @nil (list
    Z))
    (query_lists q)).
  destruct (through_edge (machine_states c) (query_lists q) zeros es 0 (query_step q) e end_bounds query_path
    query_within
    ltac:(apply length_map) Edge end_known start 0 (start_bounds c) Chain start_known) as (a & b & Ha & Hb & _).
  apply filter_In. split.
  - pose proof query_path as P. revert Edge. generalize (query_step q) as k. clear - P.
    induction P as [|l x ls xs I P IH]; intros [|k] N; try discriminate; cbn [nth_error nth] in *.
    + now injection N as <-.
    + now apply IH.
  - rewrite B, D, !map_map. unfold zeros in Ha, Hb. rewrite firstn_map in Ha. rewrite skipn_map in Hb.
    rewrite Ha, Hb. reflexivity.
Qed.
Lemma below_holds rows : stays_below e (pass_of c f q rows) = true ->
  (integer_total (map (fun j => nth (token j) (nth j rows []) 0%Z) (seq 0 (S p))) <= 0)%Z.
Proof.
  destruct query_fields as (Ep & _ & _ & _ & B & D).
  destruct (through_edge (machine_states c) (query_lists q) (column_costs f rows (S p)) es 0 (query_step q) e end_bounds
    query_path
    query_within ltac:(unfold column_costs; now rewrite length_map, length_seq, query_lists_length) Edge end_known
      start 0
    (start_bounds c) Chain start_known) as (a & b & Ha & Hb & L).
  unfold stays_below, pass_of. cbn [pass_before pass_here pass_after pass_fixed]. rewrite Ep, B, D, Ha, Hb.
  intros H. apply Z.leb_le in H.
  pose proof (path_and_fixed c f steps es rows (S p) Steps Tokens Known edges_length ltac:(lia)) as P.
  unfold entry_at in P. fold (layout_place) in P. change (nth ?j places outside_place) with (layout_place j) in P. lia.
Qed.
Lemma token_possible j : j < length places -> In (token j) (possible c f q j).
Proof.
  intros J. unfold possible, token_at. destruct (step_of_place f (layout_place j)) as [k|] eqn:E; [|now left].
  assert (K : k < length es).
  { rewrite edges_length. rewrite forallb_forall in Known. specialize (Known (layout_place j) ltac:(now apply nth_In)).
    unfold is_known_step in Known. rewrite E in Known. apply Nat.leb_le in Known. lia. }
  destruct (nth_error es k) as [e'|] eqn:N; [|apply nth_error_None in N; lia].
  replace (nth k steps ([], [])) with (step_of_edge e') by (symmetry; apply nth_error_nth; rewrite <- Steps,
    nth_error_map, N; reflexivity).
  apply (in_map (token_of_edge c (layout_place j))). pose proof query_path as P. revert N. generalize k. clear - P.
  induction P as [|l x ls xs I P IH]; intros [|k] N; try discriminate; cbn [nth_error nth] in *.
  - now injection N as <-.
  - now apply IH.
Qed.

(* ---- a head ---- *)
Hypothesis Vocabulary : forall j, j <= p -> token j < vocabulary T.
Variable x : vector_syntax.
Hypothesis Point : at_ streams p (token p) = Some x.
Notation js := (rev (seq 0 (S p))).
Notation stream j := (stream_at T A offset j (token j)).
Definition value_of_token (h : head_syntax) (j : nat) : vector := affine (head_value_map h) (stream j).
Definition score_of_token (h : head_syntax) (j : nat) : R :=
  score (attention_scale A) (attention_cap A) (offset + p) (affine (head_query_map h) (stream p)) h
    (offset + j, affine (head_key_map h) (stream j)).
Definition average_of (h : head_syntax) : vector :=
  softmax_average (width_of_head h) (map (score_of_token h) js) (map (value_of_token h) js).
Lemma js_in j : In j js -> j <= p. Proof. intros I. apply in_rev in I. apply in_seq in I. lia. Qed.
Lemma js_some : js <> [].
Proof. intros E. assert (I : In p js) by (apply -> in_rev; apply in_seq; lia). rewrite E in I. exact I. Qed.

Lemma scores_at h X j t key : j <= p -> at_ (keys h) j t = Some key -> In t (possible c f q j) ->
  at_ (scores A c f precision h X q) j t = Some (Some (score_range A c precision (of_head h) X q j key)).
Proof.
  intros J N I. destruct query_fields as (Ep & _). unfold scores, at_ in *. rewrite nth_error_map, numbered_at, Ep.
  rewrite firstn_at by lia. destruct (nth_error (keys h) j) as [row|]; [|discriminate]. cbn [option_map fst snd
    Nat.add].
  rewrite nth_error_map, numbered_at, N. cbn [option_map fst snd Nat.add].
  replace (existsb (Nat.eqb t) (possible c f q j)) with true; [reflexivity|]. symmetry. apply existsb_exists.
  exists t. split; [exact I|apply Nat.eqb_refl].
Qed.
Lemma known_score l j t s : at_ l j t = Some (Some s) -> In s (known_scores l).
Proof.
  unfold at_. intros N. destruct (nth_error l j) as [row|] eqn:R; [|discriminate]. unfold known_scores.
  apply in_flat_map. exists (Some s). split; [|now left]. apply in_concat. exists row.
  split; eapply nth_error_In; eassumption.
Qed.

Section Head.
Variables (h : head_syntax) (ht : head_tables) (w : weighed).
Hypothesis Tables : tables_of precision bits streams h = Some ht.
Hypothesis Weigh : weigh A c f precision q x ht = Some w.

Lemma at_least_start (g : vector_syntax -> Z) l : forall z, (z <= fold_left (fun m x => Z.max m (g x)) l z)%Z.
Proof. induction l as [|y l IH]; intros z; [simpl; lia|]. cbn [fold_left]. specialize (IH (Z.max z (g y))). lia. Qed.
Lemma table_fields : of_head ht = h /\ (bits <= up ht)%Z /\ keys ht = map (map (key_of precision h)) streams /\
  traverse (traverse (value_over (up ht) h)) streams = Some (values ht).
Proof.
  pose proof Tables as E. unfold tables_of in E. cbv zeta in E. set (z := fold_left _ _ _) in E.
  destruct (traverse _ streams) as [m|] eqn:M; [|discriminate]. injection E as <-. cbn [of_head up keys values].
  repeat split; [|exact M]. unfold z.
  apply Z.le_trans with (Z.max 0 bits); [lia|].
  exact (at_least_start (fun x => - vector_exponent (point_affine (head_value_map h) x))%Z _ _).
Qed.
Lemma head_entry j : j <= p -> exists xj vals, at_ streams j (token j) = Some xj /\
  at_ (keys ht) j (token j) = Some (key_of precision h xj) /\ at_ (values ht) j (token j) = Some vals /\
  value_over (up ht) h xj = Some vals.
Proof.
  intros J. destruct table_fields as (_ & _ & K & V).
  destruct (stream_exists j (token j) ltac:(lia) (Vocabulary j J)) as (xj & X).
  destruct (at_traverse _ _ _ _ _ _ V X) as (vals & Va & E). exists xj, vals. repeat split; try assumption.
  rewrite K, at_map, X. reflexivity.
Qed.
Lemma value_entry j xj vals : at_ streams j (token j) = Some xj -> value_over (up ht) h xj = Some vals ->
  length (value_of_token h j) = width_of_head h /\
  forall i, IZR (nth i vals 0%Z) = (nth i (value_of_token h j) 0 * powerRZ 2 (up ht))%R.
Proof.
  intros X E. unfold value_of_token. rewrite <- (stream_found _ _ _ X), <- point_affine_meaning.
  unfold value_over in E. cbv zeta in E. set (v := point_affine _ xj) in *. clearbody v.
  destruct (Z.leb_spec 0 (vector_exponent v + up ht)) as [L|]; [|discriminate].
  destruct (Nat.eqb_spec (length (vector_entries v)) (width_of_head h)) as [N|]; [|discriminate]. injection E as <-.
  unfold vector_of. split; [now rewrite length_map|]. intros i.
  replace 0%R with (entry (vector_exponent v) 0) by (unfold entry; ring).
  rewrite (map_nth (entry (vector_exponent v))). set (k := (vector_exponent v + up ht)%Z) in *.
  replace 0%Z with (Z.shiftl 0 k) at 1 by apply Z.shiftl_0_l.
  rewrite (map_nth (fun z => Z.shiftl z k)), Z.shiftl_mul_pow2, mult_IZR by exact L. unfold entry.
  change (IZR (2 ^ k)) with (real_unit k). rewrite <- power_2_unit by exact L. unfold k. rewrite power_2_added. ring.
Qed.
Lemma weight_entry : exists top : Z, forall j, j <= p -> exists weight, at_ (weighed_weights w) j (token j) =
  Some (Some weight) /\ in_between weight (weight_at (score_of_token h) u (IZR top / u)%R j).
Proof.
  pose proof Weigh as E. unfold weigh in E. destruct table_fields as (Eh & _ & _ & _). rewrite Eh in E.
  set (X := query_vector precision h x) in E. destruct (weights precision _) as [W|] eqn:Ew; [|discriminate].
  assert (Eww : weighed_weights w = W) by (injection E as <-; reflexivity). rewrite Eww. clear E Eww.
  unfold weights in Ew. cbv zeta in Ew.
  set (all := scores A c f precision ht X q) in *. set (error := maximum _) in Ew. set (top := greatest_score _) in Ew.
  destruct (Z.leb_spec (2 * error) (2 ^ precision)) as [L|]; [|discriminate]. injection Ew as <-.
  exists top. intros j J. destruct (head_entry j J) as (xj & vals & Xj & K & _ & _).
  pose proof (scores_at ht X j (token j) _ J K (token_possible j ltac:(lia))) as S.
  rewrite Eh in S. set (s := score_range A c precision h X q j (key_of precision h xj)) in *.
  exists (weight_of precision error (top - fst s)). split.
  { rewrite at_map. unfold all. rewrite S. reflexivity. }
  pose proof (known_score _ _ _ _ S) as I. fold all in I.
  unfold weight_at. apply weight_of_correct; [exact precision_nonneg|apply maximum_nonneg|exact L| |].
  - unfold top. apply greatest_score_bounds. now apply in_map.
  - apply near_weaker with (e := snd s); [unfold error; apply maximum_bounds; now apply in_map|].
    destruct query_fields as (Ep & _). unfold s, score_range. rewrite Ep. unfold score_of_token.
    apply (ball_score_near precision precision precision_nonneg precision_nonneg (attention_scale A) (attention_cap A)
      cap_positive (offset + p) X (affine (head_query_map h) (stream p)) h
      (offset + j, key_of precision h xj) (affine (head_key_map h) (stream j), [])).
    + unfold X, query_vector. rewrite <- (stream_found _ _ _ Point), <- point_affine_meaning.
      now apply fixed_vector_encloses.
    + cbn [snd]. unfold key_of. repeat split; cbn [see_token seen_key seen_value fst snd].
      * now apply fixed_vector_encloses.
      * rewrite <- (stream_found _ _ _ Xj), <- point_affine_meaning. now apply fixed_vector_encloses.
      * simpl. lia.
      * constructor.
Qed.
Lemma weighed_fields : weighed_width w = width_of_head h /\ weighed_up w = up ht /\ weighed_values w = values ht.
Proof.
  pose proof Weigh as E. unfold weigh in E. destruct table_fields as (Eh & _). rewrite Eh in E.
  destruct (weights precision _); [|discriminate]. injection E as E. rewrite <- E. now repeat split.
Qed.
Lemma values_width j : In j js -> length (value_of_token h j) = width_of_head h.
Proof.
  intros I. destruct (head_entry j (js_in j I)) as (xj & vals & X & _ & _ & E). exact (proj1 (value_entry j xj vals X
    E)).
Qed.
Lemma average_below i sign limit : i < width_of_head h ->
  stays_below e (pass_of c f q (excess_rows w i sign limit)) = true ->
  (IZR sign * nth i (average_of h) 0 * powerRZ 2 (up ht) <= IZR limit)%R.
Proof.
  intros I B. destruct weight_entry as (top & Wt). destruct weighed_fields as (_ & _ & Ev).
  apply below_holds in B.
  unfold average_of.
  apply average_at_most with (c := u) (t := (IZR top / u)%R)
    (weights := fun j => match at_ (weighed_weights w) j (token j) with Some (Some z) => z | _ => (0, 0)%Z end)
    (value := fun j => (sign * nth i match at_ (weighed_values w) j (token j) with Some v => v | None => [] end 0)%Z).
  - exact I.
  - exact js_some.
  - exact values_width.
  - now apply unit_pos.
  - apply powerRZ_lt. lra.
  - intros j Ij. destruct (Wt j (js_in j Ij)) as (weight & -> & H). exact H.
  - intros j Ij. destruct (head_entry j (js_in j Ij)) as (xj & vals & X & _ & V & E). rewrite Ev, V, mult_IZR.
    rewrite (proj2 (value_entry j xj vals X E)). ring.
  - rewrite total_map_rev. erewrite integer_total_ext; [exact B|]. intros j Ij. apply in_seq in Ij. cbv beta.
    destruct (Wt j ltac:(lia)) as (weight & Hw & _). destruct (head_entry j ltac:(lia)) as (xj & vals & _ & _ & V & _).
    rewrite Hw, Ev, V. unfold at_ in Hw, V. symmetry. apply nth_error_nth.
    destruct (nth_error (weighed_weights w) j) as [rw|] eqn:Rw; [|discriminate].
    destruct (nth_error (values ht) j) as [rv|] eqn:Rv; [|discriminate].
    assert (R : nth_error (excess_rows w i sign limit) j = Some (map2 (fun weight v => match weight with
      | Some weight => excess weight (sign * nth i v 0%Z) limit | None => 0%Z end) rw rv)).
    { unfold excess_rows. rewrite map2_at, Rw, Ev, Rv. reflexivity. }
    rewrite (nth_error_nth _ _ [] R), map2_at, Hw, V. reflexivity.
Qed.
Lemma head_in_box part : length part = width_of_head h ->
  forallb (stays_below e) (passes_of_head c f bits q w part) = true -> in_box bits part (average_of h).
Proof.
  intros L F. destruct table_fields as (_ & Ub & _). destruct weighed_fields as (_ & Eu & _).
  assert (N : length (average_of h) = length part).
  { rewrite L. unfold average_of. apply softmax_width. exact values_width. }
  assert (Each : forall i ends, nth_error part i = Some ends -> between bits ends (nth i (average_of h) 0%R)).
  { intros i [low high] P. assert (I : i < width_of_head h) by (rewrite <- L; apply nth_error_Some; congruence).
    unfold passes_of_head in F. rewrite forallb_forall in F.
    assert (J : In (i, (low, high)) (numbered 0 part)).
    { eapply nth_error_In. rewrite numbered_at, P. reflexivity. }
    rewrite Eu in F. set (k := (up ht - bits)%Z) in F.
    assert (Hi := F (pass_of c f q (excess_rows w i 1 (Z.shiftl high k))) ltac:(apply in_flat_map; eexists; split;
      [exact J|left; reflexivity])).
    assert (Lo := F (pass_of c f q (excess_rows w i (-1) (Z.shiftl (- low) k))) ltac:(apply in_flat_map; eexists; split;
      [exact J|right; left; reflexivity])).
    apply average_below in Hi, Lo; [|exact I|exact I]. rewrite !Z.shiftl_mul_pow2, !mult_IZR in Hi, Lo by lia.
    change (IZR (2 ^ k)) with (real_unit k) in Hi, Lo. rewrite <- power_2_unit in Hi, Lo by lia.
    replace (up ht) with (bits + k)%Z in Hi, Lo by lia. rewrite power_2_added, (power_2_unit bits) in Hi, Lo by lia.
    pose proof (powerRZ_lt 2 k ltac:(lra)) as Pk. set (y := nth i (average_of h) 0%R) in *. unfold between. cbn [fst
      snd].
    rewrite opp_IZR in Lo. split; apply Rmult_le_reg_r with (powerRZ 2 k); try exact Pk; lra. }
  revert N Each. generalize (average_of h) as y. clear. induction part as [|b part IH]; intros [|a y] N Each; try
    discriminate; constructor.
  - exact (Each 0 b eq_refl).
  - apply IH; [simpl in N; lia|]. intros i ends P. exact (Each (S i) ends P).
Qed.
End Head.

(* ---- all heads ---- *)
Lemma heads_in_box hs : forall hts ws b, traverse (tables_of precision bits streams) hs = Some hts ->
  traverse (weigh A c f precision q x) hts = Some ws ->
  length b = fold_right (fun w n => weighed_width w + n) 0 ws ->
  forallb (stays_below e) (passes_of c f bits q ws b) = true -> in_box bits b (concat (map average_of hs)).
Proof.
  induction hs as [|h hs IH]; intros hts ws b Eh Ew L F; cbn [traverse] in Eh.
  - injection Eh as <-. injection Ew as <-. destruct b; [constructor|discriminate].
  - destruct (tables_of precision bits streams h) as [ht|] eqn:Tb; [|discriminate].
    destruct (traverse _ hs) as [hts'|] eqn:Eh'; [|discriminate]. injection Eh as <-. cbn [traverse] in Ew.
    destruct (weigh A c f precision q x ht) as [w|] eqn:Wg; [|discriminate].
    destruct (traverse _ hts') as [ws'|] eqn:Ew'; [|discriminate]. injection Ew as <-.
    cbn [fold_right passes_of] in L, F. rewrite forallb_app in F. apply andb_prop in F as [F1 F2].
    destruct (weighed_fields h ht w Tb Wg) as (Wd & _).
    rewrite <- (firstn_skipn (weighed_width w) b). cbn [map concat]. apply Forall2_app.
    + apply (head_in_box h ht w Tb Wg); [|exact F1]. rewrite firstn_length_le; [exact Wd|lia].
    + apply (IH hts' ws'); auto. rewrite skipn_length. lia.
Qed.
Lemma heads_written hs : forall n y, (forall k h, nth_error hs k = Some h -> nth_error (attention_heads A) (n + k) =
    Some h) ->
  fold_left (fun y kh => plus y (head_writes (attention_scale A) None (attention_cap A) (offset + p) (stream p) (snd kh)
    (map (fun jm => (fst jm, nth (fst kh) (snd jm) ([], []))) (map (fun j => seen_at T A offset j (token j)) js))))
    (numbered n hs) y = heads_add hs (map average_of hs) y.
Proof.
  induction hs as [|h hs IH]; intros n y H; [reflexivity|]. unfold numbered in *. cbn [length seq combine fold_left map
    heads_add fst snd]. rewrite IH.
  - f_equal. f_equal. unfold head_writes. f_equal. unfold average_of. f_equal.
    + rewrite !map_map. apply map_ext. intros j. unfold seen_at. cbn [fst snd].
      rewrite (nth_error_nth _ n _ (x := key_and_value None (offset + j) (stream j) h)).
      * reflexivity.
      * rewrite nth_error_map, <- (Nat.add_0_r n), (H 0 h eq_refl). reflexivity.
    + rewrite !map_map. apply map_ext. intros j. unfold seen_at. cbn [fst snd].
      rewrite (nth_error_nth _ n _ (x := key_and_value None (offset + j) (stream j) h)).
      * reflexivity.
      * rewrite nth_error_map, <- (Nat.add_0_r n), (H 0 h eq_refl). reflexivity.
  - intros k h' N. rewrite Nat.add_succ_l, <- Nat.add_succ_r. exact (H (S k) h' N).
Qed.
End Sound.

(* ---- a layout ---- *)
Lemma token_stated c f steps es k j : is_path (edge_lists c f) es -> map step_of_edge es = steps ->
  step_of_place f (layout_place f j) = Some k -> k < length es ->
  In (token_at c f steps (layout_place f j)) (map (token_of_edge c (layout_place f j)) (nth k (edge_lists c f) [])).
Proof.
  intros P S E K. destruct (nth_error es k) as [e|] eqn:N; [|apply nth_error_None in N; lia]. unfold token_at. rewrite
    E.
  replace (nth k steps ([], [])) with (step_of_edge e) by (symmetry; apply nth_error_nth; rewrite <- S,
    nth_error_map, N; reflexivity).
  apply (in_map (token_of_edge c (layout_place f j))). revert N. generalize k. clear - P.
  induction P as [|l x ls xs I P IH]; intros [|k] N; try discriminate; cbn [nth_error nth] in *.
  - now injection N as <-.
  - now apply IH.
Qed.
Section Layout.
Variables (T : network_syntax) (A : one_attention) (c : tracks_claim_syntax) (f : layout_syntax).
Variables (precision bits : Z) (boxes : list box) (trees : list cells).
Hypothesis Causal : network_causal T = true.
Hypothesis Parts : one_attention_of (network_steps T) = Some A.
Hypothesis Check : check_parts T A c f precision bits boxes trees = true.
Variables (input : list nat) (steps : list step_data) (es : list edge).
Hypothesis Path : is_path (edge_lists c f) es.
Hypothesis Chain : is_chain (transducer_start (claim_machine c)) es 0.
Hypothesis Steps : map step_of_edge es = steps.
Hypothesis Tokens : forall i e, nth_error es i = Some e -> edge_tokens e =
  map (fun place => token_of_edge c place e) (filter (at_step f i) (layout_places f)).
Variables (p : nat) (answer : place_syntax).
Hypothesis Answer : nth_error (layout_places f) (S p) = Some answer.
Hypothesis Is_answer : is_answer answer = true.
Notation token j := (token_at c f steps (layout_place f j)).
Notation sequence := (firstn (S p) (sequence_of c f steps)).

Lemma parts_checked : ((0 <= precision)%Z /\ (0 <= bits)%Z /\ is_cap (attention_cap A) = true) /\
  forallb (is_known_step f) (layout_places f) = true /\
  forallb (within_states (machine_states c)) (edge_lists c f) = true /\
  forallb (fun place => forallb (fun t => t <? vocabulary T) (tokens_at c f (edge_lists c f) place)) (layout_places f)
    = true /\
  exists streams hs groups, all_streams T A c f bits = Some streams /\
    traverse (tables_of precision bits streams) (attention_heads A) = Some hs /\
    check_queries T A c f precision bits streams hs (queries T c f (edge_lists c f)) boxes = Some groups /\
    length groups = length trees /\
    forallb (check_group T A bits streams (claim_among c) (claim_threshold c)) (combine groups trees) = true.
Proof.
  pose proof Check as C. unfold check_parts in C. cbv zeta in C. rewrite !andb_true_iff in C.
  destruct C as [[[[[[Pn%Z.leb_le Bn%Z.leb_le] Cap] Known] Within] Vocab] C]. repeat split; try assumption.
  destruct (all_streams T A c f bits) as [streams|] eqn:Streams; [|discriminate].
  destruct (traverse (tables_of precision bits streams) (attention_heads A)) as [hs|] eqn:Hs; [|discriminate].
  destruct (check_queries _ _ _ _ _ _ _ _ _ _) as [groups|] eqn:Groups; [|discriminate].
  apply andb_prop in C as [Trees%Nat.eqb_eq C]. now exists streams, hs, groups.
Qed.
Lemma answer_inside : S p < length (layout_places f). Proof. apply nth_error_Some. congruence. Qed.
Lemma answer_there : layout_place f (S p) = answer. Proof. now apply nth_error_nth. Qed.
Lemma step_known j k : j < length (layout_places f) -> step_of_place f (layout_place f j) = Some k -> k < length es.
Proof.
  intros J S. destruct parts_checked as (_ & Known & _). rewrite forallb_forall in Known.
  specialize (Known (layout_place f j) ltac:(now apply nth_In)). unfold is_known_step in Known. rewrite S in Known.
  apply Nat.leb_le in Known. rewrite <- (Forall2_same_length _ _ _ Path). unfold edge_lists. rewrite lists_length. lia.
Qed.
Lemma token_listed j : j < length (layout_places f) -> In (token j) (tokens_at c f (edge_lists c f) (layout_place f j)).
Proof.
  intros J. unfold tokens_at. destruct (step_of_place f (layout_place f j)) as [k|] eqn:S.
  - apply (token_stated c f steps es k j); auto. now apply (step_known j).
  - left. unfold token_at. now rewrite S.
Qed.
Lemma token_in_vocabulary j : j <= p -> token j < vocabulary T.
Proof.
  intros J. destruct parts_checked as (_ & _ & _ & Vocab & _). pose proof answer_inside. rewrite forallb_forall in
    Vocab.
  specialize (Vocab (layout_place f j) ltac:(apply nth_In; lia)). rewrite forallb_forall in Vocab.
  apply Nat.ltb_lt, Vocab, token_listed. lia.
Qed.
Lemma query_exists : exists q e, token_query_at c f (edge_lists c f) p (token p) = Some q /\
  In q (queries T c f (edge_lists c f)) /\ nth_error es (query_step q) = Some e /\
  step_of_place f (layout_place f (S p)) = Some (query_step q) /\ query_place q = p /\ query_own q = token p.
Proof.
  pose proof answer_inside as L. pose proof answer_there as Ea.
  destruct (token_query_at c f (edge_lists c f) p (token p)) as [q|] eqn:Query.
  2: { unfold token_query_at in Query. rewrite Ea in Query. destruct answer; discriminate. }
  assert (F : step_of_place f (layout_place f (S p)) = Some (query_step q) /\ query_place q = p /\ query_own q = token
    p).
  { unfold token_query_at in Query. destruct (step_of_place f (layout_place f (S p))); [|discriminate].
    now injection Query as <-. }
  destruct F as (Sq & Fp & Fo). destruct (nth_error es (query_step q)) as [e|] eqn:Edge.
  2: { apply nth_error_None in Edge. pose proof (step_known (S p) _ L Sq). lia. }
  exists q, e. repeat split; try assumption. unfold queries. apply in_flat_map. exists p. split; [apply in_seq; lia|].
  rewrite Ea, Is_answer. cbv zeta. apply in_flat_map. exists (token p). split; [|rewrite Query; now left].
  apply filter_In. split.
  - apply in_seq. pose proof (token_in_vocabulary p ltac:(lia)). lia.
  - apply existsb_exists. exists (token p). split; [apply token_listed; lia|apply Nat.eqb_refl].
Qed.

Notation averages := (map (average_of T A c f steps p) (attention_heads A)).
Lemma logits_from_averages : nth p (network_logits T (claim_offset c) sequence) [] =
  logits_of_averages T A (stream_at T A (claim_offset c) p (token p)) averages.
Proof.
  pose proof answer_inside as L.
  assert (Ls : length sequence = S p) by (apply firstn_length_le; unfold sequence_of; rewrite length_map; lia).
  assert (At : forall j, j <= p -> nth j sequence 0 = token j).
  { intros j J. apply nth_error_nth. rewrite firstn_at by lia. unfold sequence_of.
    rewrite nth_error_map, (nth_error_nth' _ outside_place) by lia. reflexivity. }
  rewrite (logits_after T A (claim_offset c) Causal Parts _ p Ls), (At p) by lia.
  rewrite (map_ext_in _ (fun j => seen_at T A (claim_offset c) j (token j)))
    by (intros j I; apply in_rev, in_seq in I; now rewrite At by lia).
  unfold logits_at, heads_write. rewrite (heads_written T A c f steps p (attention_heads A) 0) by auto. reflexivity.
Qed.
(* The averages lie in the box of a class, which is in the group of the answer. *)
Lemma averages_in_group : exists streams key x l tree b, all_streams T A c f bits = Some streams /\ In b l /\
  key = (key_place T p, token p, token_at c f steps answer) /\ at_ streams (key_place T p) (token p) = Some x /\
  check_group T A bits streams (claim_among c) (claim_threshold c) (key, l, tree) = true /\
  in_box bits b (concat averages) /\
  Forall2 (fun h a => length a = length (matrix_rows (affine_weight (head_value_map h)))) (attention_heads A) averages.
Proof.
  destruct parts_checked as ((Pn & Bn & Cap) & Known & Within & _ & streams & hs & groups & Streams & Hs & Groups &
    Trees
    & Each).
  pose proof answer_inside as L. pose proof answer_there as Ea.
  destruct query_exists as (q & e & Query & Iq & Edge & Sq & Fp & Fo).
  destruct (queries_find_boxes T A c f precision bits streams hs _ _ _ Groups q Iq) as (stated & Cq & Boxed).
  pose proof (edge_is_class c f steps es p q e Path Chain Steps Tokens Within L Query Edge) as Class.
  destruct (Boxed e Class) as (b & Ib & l & Il & Ibl). unfold check_token_query in Cq. rewrite Fp, Fo in Cq.
  destruct (at_ streams p (token p)) as [point|] eqn:Point; [|discriminate].
  destruct (traverse (weigh A c f precision q point) hs) as [ws|] eqn:Ws; [|discriminate].
  unfold check_ranges in Cq. rewrite forallb_forall in Cq.
  specialize (Cq b ltac:(apply nodup_In; exact (in_map snd _ _ Ib))). apply andb_prop in Cq as [Lb%Nat.eqb_eq Cq].
  cbv zeta in Cq. rewrite forallb_forall in Cq. specialize (Cq (e, b) Ib). cbn [fst snd] in Cq.
  destruct (box_dec b b) as [_|]; [|congruence].
  destruct (class_has_box groups trees _ ltac:(symmetry; exact Trees) Il) as (tree & It).
  rewrite forallb_forall in Each. specialize (Each _ It).
  assert (Key : key_of_class T c f q e = (key_place T p, token p, token_at c f steps answer)).
  { unfold key_of_class. rewrite Fp, Fo, Ea. f_equal. unfold token_of_edge, token_at. rewrite <- Ea, Sq. f_equal.
    symmetry. apply nth_error_nth. rewrite <- Steps, nth_error_map, Edge. reflexivity. }
  rewrite Key in Each. destruct (at_ streams (key_place T p) (token p)) as [x|] eqn:X.
  2: { unfold check_group in Each. rewrite X in Each. discriminate. }
  exists streams, (key_place T p, token p, token_at c f steps answer), x, l, tree, b.
  repeat split; try assumption.
  - exact (heads_in_box T A c f precision bits Pn Bn Cap streams Streams steps es p q e Path Chain Steps Tokens Known
      Within L Query Edge token_in_vocabulary point Point _ _ _ _ Hs Ws Lb Cq).
  - assert (G : forall m, (forall h, In h m -> In h (attention_heads A)) -> Forall2 (fun h a => length a = length
      (matrix_rows (affine_weight (head_value_map h)))) m (map (average_of T A c f steps p) m)); [|now apply G].
    induction m as [|h m IH]; intros I; [constructor|]. constructor; [|apply IH; intros; apply I; now right].
    destruct (traverse_in _ _ _ h Hs ltac:(apply I; now left)) as (ht & Ht & Iht).
    destruct (traverse_in _ _ _ ht Ws Iht) as (w & Hw & _). unfold average_of. apply softmax_width.
    exact (values_width T A c f precision bits Bn streams Streams steps p q L token_in_vocabulary point h ht w Ht Hw).
Qed.
Theorem layout_row other : In other (claim_among c) -> other <> token_at c f steps answer ->
  let x := nth p (network_logits T (claim_offset c) sequence) [] in
  (Q2R (claim_threshold c) < nth (token_at c f steps answer) x 0 - nth other x 0)%R.
Proof.
  intros O Other x. destruct parts_checked as ((_ & Bn & _) & _).
  destruct averages_in_group as (streams & key & point & l & tree & b & Streams & Ib & -> & Point & Group & InBox &
    Width).
  unfold check_group in Group. rewrite Point in Group. apply andb_prop in Group as [Widths Group].
  assert (Lengths : forall b0, In b0 l -> length b0 = length (concat averages)).
  { intros b0 I0. rewrite forallb_forall in Widths. specialize (Widths b0 I0). apply Nat.eqb_eq in Widths. rewrite
    Widths.
    unfold box_width. clear - Width. induction Width as [|h a hs' as' L W IH]; [reflexivity|]. cbn [fold_right concat].
    rewrite length_app. lia. }
  destruct (check_cells_holds bits _ (concat averages) tree l b Lengths Group Ib InBox) as (b' & Judged & InCell).
  pose proof (judge_cell_holds bits Bn T A _ point averages _ _ b' Width InCell Judged other O Other) as Row.
  cbv zeta in Row. unfold x. rewrite logits_from_averages.
  rewrite (stream_found T A c f bits Bn streams Streams _ _ _ Point) in Row.
  replace (stream_at T A (claim_offset c) (key_place T p) (token p)) with (stream_at T A (claim_offset c) p (token p))
    in
    Row; [exact Row|]. unfold stream_at, key_place, embedded. now destruct (network_positions T).
Qed.
End Layout.

Lemma check_layout_holds T c f evidence : check_layout T c (f, evidence) = true ->
  forall input steps, steps_of c f input = Some steps ->
  forall p answer, nth_error (layout_places f) (S p) = Some answer -> is_answer answer = true ->
  forall other, In other (claim_among c) -> other <> token_at c f steps answer ->
  let x := nth p (network_logits T (claim_offset c) (firstn (S p) (sequence_of c f steps))) [] in
  (Q2R (claim_threshold c) < nth (token_at c f steps answer) x 0 - nth other x 0)%R.
Proof.
  intros Check input steps E. unfold check_layout in Check.
  destruct (one_attention_of (network_steps T)) as [A|] eqn:Parts; [|discriminate].
  apply andb_prop in Check as [Causal Check]. unfold steps_of in E.
  destruct (path_of_steps c f (layout_tables f) 0 _ _ _ eq_refl E) as (es & Path & Chain & Steps & Tokens).
  intros p answer Answer Is other.
  exact (layout_row T A c f _ _ _ _ Causal Parts Check steps es Path Chain Steps Tokens p answer Answer Is other).
Qed.

Theorem check_tracks_holds evidence d : check_tracks evidence d = true -> tracks_hold d /\ have_inputs (tracks_claim d).
Proof.
  unfold check_tracks, tracks_hold, tracks_claim_holds, have_inputs. cbv zeta. intros Check.
  apply andb_prop in Check as [Check Each]. apply andb_prop in Check as [L%Nat.eqb_eq Inputs]. split.
  - intros f input steps I. destruct (class_has_box _ _ f L I) as (given & J). rewrite forallb_forall in Each.
    specialize (Each _ J). destruct given as [e|inputs].
    + exact (check_layout_holds _ _ f e Each input steps).
    + exact (check_each_input_holds _ _ f inputs Each input steps).
  - intros f I. rewrite forallb_forall in Inputs. specialize (Inputs f I). unfold has_input in Inputs.
    destruct (nth _ _ None) as [input|]; [|discriminate]. exists input.
    destruct (steps_of _ f input) as [steps|]; [now exists steps|discriminate].
Qed.
