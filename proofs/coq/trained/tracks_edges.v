(* A machine and a layout of a claim about aligned words as columns of edges, and one more column for the end: allowed
   inputs are paths through them (`path_of_steps`), and the cost of a path is a sum over the places of the layout
   (`path_and_fixed`). *)
From Coq Require Import ZArith List Lia Bool Arith.
From Certify Require Import tracks_claim longest_path average_range.
Import ListNotations. Open Scope nat_scope.

(* ---- the machine as columns of edges, the last one being the end ---- *)
Section Layout.
Variables (c : tracks_claim_syntax) (f : layout_syntax).
Notation places := (layout_places f).
Notation final := (length (layout_tables f)).
Notation machine := (claim_machine c).
Definition outside_place : place_syntax := TokenPlace 0.
Definition at_step (k : nat) (place : place_syntax) : bool :=
  match step_of_place f place with Some k' => k' =? k | None => false end.
Definition step_of_edge (e : edge) : step_data := (edge_letters e, edge_written e).
Definition token_of_edge (place : place_syntax) (e : edge) : nat := token_of_step c place (step_of_edge e).
Definition edge_from_step (k q target : nat) (step : step_data) : edge :=
  Edge q target (fst step) (snd step) (map (fun place => token_of_step c place step) (filter (at_step k) places)).
Definition edges_of_table (k table : nat) : list edge :=
  let rows := nth table (transducer_tables machine) [] in
  let letters := all_combinations c in
  flat_map (fun q => flat_map (fun s => match move_of c table q s with
    | Some (target, written) => [edge_from_step k q target (nth s letters [], written)]
    | None => [] end) (seq 0 (length (nth q rows [])))) (seq 0 (length rows)).
Definition edges_of_ends : list edge :=
  flat_map (fun q => match nth q (transducer_ends machine) None with
    | Some written => [edge_from_step final q 0 ([], written)]
    | None => [] end) (seq 0 (length (transducer_ends machine))).
Fixpoint edge_lists_from (k : nat) (tables : list nat) : list (list edge) :=
  match tables with [] => [edges_of_ends] | table :: tables => edges_of_table k table :: edge_lists_from (S k) tables
    end.
Definition edge_lists : list (list edge) := edge_lists_from 0 (layout_tables f).
Definition machine_states : nat := S (length (transducer_ends machine)).

(* The edges of inputs with this token at this place. *)
Fixpoint kept (place : place_syntax) (own k : nat) (lists : list (list edge)) : list (list edge) :=
  match lists with
  | [] => []
  | l :: lists => (if at_step k place then filter (fun e => token_of_edge place e =? own) l else l)
      :: kept place own (S k) lists
  end.

(* The places before p whose token is decided by step k; those with a token of the layout. *)
Definition positions (k p : nat) : list nat := filter (fun j => at_step k (nth j places outside_place)) (seq 0 p).
Definition fixed_places (p : nat) : list nat :=
  filter (fun j => match step_of_place f (nth j places outside_place) with None => true | Some _ => false end) (seq 0
    p).
Definition column_costs (rows : list (list Z)) (p : nat) : list costs :=
  map (fun k => map (fun j => nth j rows []) (positions k p)) (seq 0 (S final)).
Definition fixed_cost (rows : list (list Z)) (p : nat) : Z :=
  integer_total (map (fun j => nth (token_of_step c (nth j places outside_place) ([], [])) (nth j rows []) 0%Z)
    (fixed_places p)).

(* ---- paths are inputs ---- *)
Lemma path_of_steps tables : forall k q input steps, k + length tables = final ->
  steps_from c q tables input = Some steps -> exists es, is_path (edge_lists_from k tables) es /\ is_chain q es 0 /\
  map step_of_edge es = steps /\ forall i e, nth_error es i = Some e -> edge_tokens e =
    map (fun place => token_of_edge place e) (filter (at_step (k + i)) places).
Proof.
  induction tables as [|table tables IH]; intros k q [|s input] steps L E; try discriminate; cbn [steps_from] in E.
  - destruct (nth q (transducer_ends machine) None) as [written|] eqn:N; [|discriminate]. injection E as <-.
    exists [edge_from_step final q 0 ([], written)]. repeat split.
    + constructor; [|constructor]. apply in_flat_map. exists q. split; [|rewrite N; now left]. apply in_seq.
      destruct (Nat.lt_ge_cases q (length (transducer_ends machine))); [lia|]. rewrite nth_overflow in N by assumption.
      discriminate.
    + intros [|[|i]] e [= <-]. cbn [edge_from_step edge_tokens]. rewrite Nat.add_0_r. simpl in L. now rewrite <- L,
      Nat.add_0_r.
  - destruct (move_of c table q s) as [[target written]|] eqn:M; [|discriminate].
    destruct (steps_from c target tables input) as [rest|] eqn:S0; [|discriminate]. injection E as <-.
    destruct (IH (S k) target input rest ltac:(simpl in L; lia) S0) as (es & P & C & Es & Tk).
    exists (edge_from_step k q target (nth s (all_combinations c) [], written) :: es). repeat split.
    + constructor; [|exact P]. unfold edges_of_table. cbv zeta. unfold move_of in M.
      set (rows := nth table (transducer_tables machine) []) in *.
      assert (Ls : s < length (nth q rows [])).
      { destruct (Nat.lt_ge_cases s (length (nth q rows []))); [assumption|]. rewrite nth_overflow in M by assumption.
        discriminate. }
      assert (Lq : q < length rows).
      { destruct (Nat.lt_ge_cases q (length rows)); [assumption|]. rewrite (nth_overflow rows) in Ls by assumption.
        simpl in Ls. lia. }
      apply in_flat_map. exists q. split; [apply in_seq; lia|]. apply in_flat_map. exists s. split; [apply in_seq;
        lia|].
      unfold move_of. fold rows. rewrite M. now left.
    + exact C.
    + cbn [map]. now rewrite Es.
    + intros [|i] e N; cbn [nth_error] in N.
      * injection N as <-. now rewrite Nat.add_0_r.
      * rewrite Nat.add_succ_r. exact (Tk i e N).
Qed.
Lemma kept_path place own lists es : is_path lists es -> forall k, (forall i e, nth_error es i = Some e ->
  at_step (k + i) place = true -> token_of_edge place e = own) -> is_path (kept place own k lists) es.
Proof.
  induction 1 as [|l e lists es I P IH]; intros k H; [constructor|]. cbn [kept]. constructor.
  - specialize (H 0 e eq_refl). rewrite Nat.add_0_r in H. destruct (at_step k place); [|exact I].
    apply filter_In. split; [exact I|]. apply Nat.eqb_eq. now apply H.
  - apply IH. intros i e' N A. apply (H (S i) e' N). now rewrite Nat.add_succ_r.
Qed.
Lemma kept_length place own lists : forall k, length (kept place own k lists) = length lists.
Proof. induction lists; intros k; simpl; auto. Qed.
Lemma lists_length tables : forall k, length (edge_lists_from k tables) = S (length tables).
Proof. induction tables; intros k; simpl; auto. Qed.

(* ---- the cost of a path is the sum over places ---- *)
Section Totals.
Variables (steps : list step_data) (es : list edge) (rows : list (list Z)) (p : nat).
Hypothesis Steps : map step_of_edge es = steps.
Hypothesis Tokens : forall i e, nth_error es i = Some e -> edge_tokens e =
  map (fun place => token_of_edge place e) (filter (at_step i) places).
Hypothesis Known : forallb (fun place => match step_of_place f place with Some k => k <=? final | None => true end)
  places = true.
Hypothesis Edges : length es = S final.
Hypothesis Place : p <= length places.
Definition entry_at (j : nat) : Z := nth (token_at c f steps (nth j places outside_place)) (nth j rows []) 0%Z.

Lemma filter_places g : filter g places = map (fun j => nth j places outside_place) (filter (fun j => g (nth j places
  outside_place))
  (seq 0 (length places))).
Proof.
  generalize places as l. induction l as [|a l IH]; [reflexivity|]. cbn [length seq filter].
  change (nth 0 (a :: l) outside_place) with a. rewrite <- seq_shift.
  assert (F : forall m, filter (fun j => g (nth j (a :: l) outside_place)) (map S m) = map S (filter (fun j => g (nth
    j l
    outside_place)) m)).
  { induction m as [|k m IHm]; [reflexivity|]. cbn [map filter]. rewrite IHm.
    change (nth (S k) (a :: l) outside_place) with (nth k l outside_place). now destruct (g (nth k l outside_place)). }
  rewrite F, IH. destruct (g a); cbn [map]; now rewrite map_map.
Qed.
Lemma cost_of_positions tok l rest : cost (map (fun j => nth j rows []) l) (map tok (l ++ rest)) =
  integer_total (map (fun j => nth (tok j) (nth j rows []) 0%Z) l).
Proof. unfold integer_total. induction l as [|j l IH]; [reflexivity|]. cbn [map app cost fold_right]. now rewrite IH.
  Qed.
Lemma edge_cost i e : nth_error es i = Some e ->
  cost (map (fun j => nth j rows []) (positions i p)) (edge_tokens e) = integer_total (map entry_at (positions i p)).
Proof.
  intros N. rewrite (Tokens i e N), filter_places, map_map. replace (seq 0 (length places)) with
    (seq 0 p ++ seq (0 + p) (length places - p)) by (rewrite <- seq_app; f_equal; lia).
  rewrite filter_app. fold (positions i p). rewrite cost_of_positions. f_equal. apply map_ext_in. intros j J.
  unfold entry_at, token_at. apply filter_In in J as [_ J]. unfold at_step in J.
  destruct (step_of_place f (nth j places outside_place)) as [k|]; [|discriminate]. apply Nat.eqb_eq in J. subst k.
  do 2 f_equal. unfold token_of_edge. f_equal. symmetry. apply nth_error_nth. rewrite <- Steps, nth_error_map, N.
  reflexivity.
Qed.
Lemma path_costs : path_total (column_costs rows p) es =
  integer_total (map (fun k => integer_total (map entry_at (positions k p))) (seq 0 (S final))).
Proof.
  unfold column_costs. rewrite <- Edges. pose proof edge_cost as E. clear - E.
  assert (G : forall l s, (forall i e, nth_error l i = Some e -> nth_error es (s + i) = Some e) ->
    path_total (map (fun k => map (fun j => nth j rows []) (positions k p)) (seq s (length l))) l =
    integer_total (map (fun k => integer_total (map entry_at (positions k p))) (seq s (length l)))).
  { induction l as [|e l IH]; intros s H; [reflexivity|]. cbn [length seq map path_total]. unfold integer_total at 1.
    cbn [fold_right]. rewrite (E s e) by (rewrite <- (Nat.add_0_r s); now apply H). f_equal. apply IH.
    intros i e' N. rewrite Nat.add_succ_l, <- Nat.add_succ_r. now apply H. }
  now apply (G es 0).
Qed.
Lemma total_cons z l : integer_total (z :: l) = (z + integer_total l)%Z. Proof. reflexivity. Qed.
Lemma sum_by_steps l : (forall j, In j l -> j < length places) -> integer_total (map entry_at l) =
  (integer_total (map entry_at (filter (fun j => match step_of_place f (nth j places outside_place) with None => true
     | Some _ => false end) l)) +
   integer_total (map (fun k => integer_total (map entry_at (filter (fun j => at_step k (nth j places outside_place))
     l)))
     (seq 0 (S final))))%Z.
Proof.
  induction l as [|j l IH]; intros B.
  - cbn [filter map]. induction (seq 0 (S final)) as [|k m IHm]; [reflexivity|]. cbn [map]. rewrite total_cons.
    exact IHm.
  - cbn [map]. rewrite total_cons, IH by (intros; apply B; now right). clear IH.
    specialize (B j ltac:(now left)). cbn [filter]. unfold at_step at 2.
    destruct (step_of_place f (nth j places outside_place)) as [k|] eqn:E; [|cbn [map]; rewrite total_cons; lia].
    assert (K : k < 0 + S final).
    { rewrite forallb_forall in Known. specialize (Known (nth j places outside_place) ltac:(now apply nth_In)).
      rewrite E in Known. apply Nat.leb_le in Known. lia. }
    assert (K0 : 0 <= k) by lia. revert K K0. generalize (S final) as n, 0 as s.
    set (rest := fun k' => filter (fun j => at_step k' (nth j places outside_place)) l).
    assert (G : forall n s, k < s + n -> s <= k ->
      integer_total (map (fun k' => integer_total (map entry_at (if k =? k' then j :: rest k' else rest k'))) (seq s n))
      = (entry_at j + integer_total (map (fun k' => integer_total (map entry_at (rest k'))) (seq s n)))%Z).
    { induction n as [|n IHn]; intros s K K0; [lia|]. cbn [seq map]. rewrite !total_cons.
      destruct (Nat.eqb_spec k s) as [->|N].
      - cbn [map]. rewrite total_cons, <- Z.add_assoc. do 2 f_equal. f_equal. apply map_ext_in.
        intros k' I. apply in_seq in I. destruct (Nat.eqb_spec s k'); [lia|]. reflexivity.
      - rewrite IHn by lia. lia. }
    intros n s K K0. specialize (G n s K K0). unfold rest in G |- *. lia.
Qed.
Theorem path_and_fixed : (path_total (column_costs rows p) es + fixed_cost rows p)%Z =
  integer_total (map entry_at (seq 0 p)).
Proof.
  rewrite path_costs, sum_by_steps by (intros j J; apply in_seq in J; lia). rewrite Z.add_comm. f_equal.
  unfold fixed_cost, fixed_places. f_equal. apply map_ext_in. intros j J. apply filter_In in J as [_ J].
  unfold entry_at, token_at. now destruct (step_of_place f (nth j places outside_place)).
Qed.
End Totals.
End Layout.
