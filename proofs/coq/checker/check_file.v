(* The checker of model files, as it is extracted to OCaml: whoever reads a file need not be believed.

   A reader, whatever it does, offers a model (network, meanings, names) for a text. `check_file` writes the model as
   text, compares it with the text of the file, and checks the network. Proved: if it returns `true`, the file contains
   a network that computes the formula, with the predicates as the file defines them, for every n among these
   lengths, every word and every position; and there is such a word. *)
From Coq Require Import String List Bool.
From Certify Require Import formula network meaning well_defined check model_text.
Open Scope bool_scope.

Definition check_file (L : lengths) (m : model) (f : formula) (text formula : string) : bool := file_states L m f text
  (model_letters m) (predicate_texts m) formula && check_for (model_users m) L (model_network m) (model_meanings m) f.

Theorem check_file_computes L m f text formula : check_file L m f text formula = true ->
  file_computes_for L text (model_letters m) (predicate_texts m) formula.
Proof.
  unfold check_file. intros H. apply andb_prop in H as [S C]. apply (file_computes_for_if L m f); [exact S|].
  exact (check_for_computes (model_users m) L (model_network m) (model_meanings m) f C).
Qed.
