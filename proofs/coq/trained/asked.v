(* Whether a claim about words asks anything: of some word, at a position where logits are judged, some row. A claim
   that does not is vacuous: it holds of every network.

   `is_asked` tries words by length, so for a claim that asks nothing of many words it takes long; the theorem is
   `is_asked_holds`. *)
From Coq Require Import List Bool Arith Lia.
From Certify Require Import formula syntax claim.
Import ListNotations.

(* Some word that continues w by so many letters passes. *)
Fixpoint some_word (passes : list nat -> bool) (letters depth : nat) (w : list nat) : bool :=
  match depth with
  | O => passes w
  | S depth => existsb (fun a => some_word passes letters depth (w ++ [a])) (seq 0 letters)
  end.
Lemma some_word_found passes letters depth : forall w, some_word passes letters depth w = true ->
  exists v, length v = depth /\ Forall (fun a => a < letters) v /\ passes (w ++ v) = true.
Proof.
  induction depth as [|depth IH]; intros w Found; cbn [some_word] in Found.
  - exists []. now rewrite app_nil_r.
  - apply existsb_exists in Found as (a & Letter%in_seq & Found). apply IH in Found as (v & Length & Letters & Passes).
    exists (a :: v). rewrite <- app_assoc in Passes. split; [now simpl; rewrite Length|].
    split; [constructor; [lia|exact Letters]|exact Passes].
Qed.

Section Asked.
Variables (c : claim_syntax) (rows : option nat).
Definition has_row_at (w : list nat) (i : nat) : bool := match rows_at c w i with [] => false | _ => true end.
Definition is_asked_of (w : list nat) : bool :=
  existsb (fun at_place => has_row_at w (fst at_place)) (judged c (length w)).
Definition is_asked : bool :=
  (claim_first_offset c <=? claim_last_offset c)
  && existsb (fun n => has_rows c rows (claim_first_offset c) n
       && some_word is_asked_of (length (claim_alphabet c)) n [])
     (seq (claim_min_n c) (S (claim_max_n c) - claim_min_n c)).

Definition asks_something : Prop := exists offset w i place,
  is_claimed c rows offset w /\ In (i, place) (judged c (length w)) /\ rows_at c w i <> [].
Theorem is_asked_holds : is_asked = true -> asks_something.
Proof.
  intros [Offsets Found]%andb_prop. apply Nat.leb_le in Offsets. apply existsb_exists in Found as (n & N & Found).
  apply in_seq in N. apply andb_prop in Found as [Rows Found].
  apply some_word_found in Found as (w & Length & Letters & Asked).
  apply existsb_exists in Asked as ([i place] & Judged & HasRow). simpl in Judged, HasRow.
  exists (claim_first_offset c), w, i, place. split; [|split; [exact Judged|]].
  - split; [lia|]. split; [rewrite Length; lia|]. split; [exact Letters|now rewrite Length].
  - unfold has_row_at in HasRow. now destruct (rows_at c w i).
Qed.
End Asked.
