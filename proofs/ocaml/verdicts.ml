(* The verdict of certify-every-n on the text of a file.

   `Checker.check_file` is extracted from proofs/coq/checker/check_file.v. If it returns `true` for lengths, a model, a
   text and a formula, the text is that of a network that computes the formula, for every n among the lengths, every word
   and every position: this is the theorem check_file_computes. The rest of this program passes it a model for the text
   of a file; `check_file` decides whether the text is that of the model. *)

open Outcome

let most_shown = 2000
let every_length = "every n" (* as lengths_text has it *)

exception Too_costly

(* The request for each file: a proof of its own formula, or of another one, or the model in canonical form. *)
type question = Own | Asked of string | Canonical

(* A verdict, its exit status and its message. *)
type verdict = { word : string; status : int; text : string }

let find_claim (model : Model.t) question =
  match question, model.claim with
  | Asked text, _ ->
    (try Formulas.((asked model.scope text).node) with
     | Malformed problem -> malformed "--formula: %s" problem
     | Unsupported problem -> unsupported "--formula: %s" problem)
  | _, Some claim -> claim
  | _, None -> malformed "output: its meaning is not a truth, expected the truth of a formula, or --formula"

let briefly text = if String.length text <= most_shown then text else String.sub text 0 200 ^ "..."

let decide lengths (model : Model.t) text question =
  let written = Checker.model_text model.model in
  Model.check_canonical text (Texts.of_coq written);
  if not (Checker.is_whole model.model) then unsupported "its text does not say all of the network";
  let claim = find_claim model question in
  let formula = Checker.formula_text model.model claim in
  let shown = briefly (Texts.of_coq formula) in
  let among = Texts.of_coq (Checker.lengths_text lengths) in
  if Checker.check_file lengths model.model claim (Texts.to_coq text) formula then
    let letters = String.concat ", " (map Messages.letter model.model.model_letters) in
    let text = Printf.sprintf "for %s, every word of length n over {%s} and every position: \
                               the output is exactly 1 if %s, else 0%s" among letters shown
        (Messages.definitions model.model) in
    { word = "proved"; status = 0; text }
  else
    let { Checker.model_network; model_meanings; _ } = model.model in
    let users = Checker.model_users model.model in
    let place = Messages.refusal model (Checker.find_refusal_for users lengths model_network model_meanings claim) in
    let about = if among = every_length then shown else Printf.sprintf "%s, for %s" shown among in
    { word = "unproved"; status = 3;
      text = Printf.sprintf "%s: the checker does not accept this network, which does not make it wrong: %s"
          about place }

(* The verdict on a file that `read` reads. *)
let answer lengths read question =
  try
    let model, text = Model.read "file" (read ()) in
    if question = Canonical then { word = ""; status = 0; text = Texts.of_coq (Checker.model_text model.model) }
    else decide lengths model (Lazy.force text) question
  with
  | Malformed text -> { word = "malformed"; status = 2; text }
  | Unsupported text -> { word = "unsupported"; status = 3; text }
  | Sys_error problem -> { word = "malformed"; status = 2; text = printable problem }
  | Stack_overflow | Out_of_memory | Too_costly ->
    { word = "unknown"; status = 3;
      text = "the check needs more memory than 1 GiB, a larger stack, or more work than 2^32 words of allocation" }

let line path verdict = Printf.sprintf "%-11s %s: %s" verdict.word (printable path) verdict.text

(* The exit status and the output lines for a text, about every length. *)
let of_text path text =
  let lengths = { Checker.least_length = Numbers.unary 1; greatest_length = None } in
  let found = answer lengths (fun () -> text) Own in
  (found.status, [ line path found ])
