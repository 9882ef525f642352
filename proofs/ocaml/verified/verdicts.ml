(* The verdict of certify-check on the text of a file.

   `Checker.judge_certificate` is extracted from proofs/coq/checker/check_certificate.v. If it returns `Accepted errors`
   for a text and a certificate, the text is that of a certificate whose claim holds, with these errors: this is the
   theorem judge_certificate_holds. The rest of this program passes it a certificate for the text of a file. *)

open Outcome

type answer = { word : string; lines : string list }

let status = function "accepted" -> 0 | "rejected" -> 1 | "malformed" -> 2 | _ -> 3
let gravest_first = [ "rejected"; "malformed"; "incomplete"; "accepted" ]
let refusal word path text = { word; lines = [ Printf.sprintf "%s: %s: %s" word (printable path) text ] }

let judge (asked : Requests.t) (given : Certificate.t) text =
  let c = given.certificate in
  let name d = quote given.model.directions.(Integers.int_of_nat d) in
  match Checker.judge_certificate (Texts.to_coq text) c with
  | Checker.Accepted errors when asked.strict && Checker.exceeds errors c.claimed_errors ->
    unsupported "bounds: the file states smaller errors of some directions, which this checker does not prove"
  | Accepted errors -> Claim.describe c errors
  | OtherText -> Certificate.refuse_spelling text (Texts.of_coq (Checker.certificate_text c))
  | NotWhole -> unsupported "its text does not say all of the certificate"
  | NotOfRegime -> unsupported "regime: it is not shown of some position embedding or temperature"
  | NotCausal -> rejected "causal: a head is not future-masked, or an embedding, a temperature or a weighting mentions n"
  | NotHeld f -> rejected "no direction means the truth of the subformula %s" (Requests.briefly c f)
  | Undefined -> unsupported "it is not shown that every embedding has a value and every temperature is positive"
  | NoError -> rejected "bounds: an error of a direction that is not approximate"
  | NotShown d ->
    let { Checker.model_network; model_meanings; _ } = c.certified in
    let lengths = { Checker.least_length = c.claimed_least; greatest_length = Some c.claimed_greatest } in
    let place = Messages.refusal given.model
        (Checker.refusal_through (Checker.with_definitions c.certified) lengths model_network model_meanings c.claimed_formula) in
    unsupported "the rules of the Coq library do not show what direction %s holds, which does not make it wrong: %s"
      (name d) place

(* The text of a certificate in the one spelling that is checked. *)
let canonical = function
  | Json.Object found as value when Decisions.is_one found -> Decisions.canonical value
  | value -> Texts.of_coq (Checker.certificate_text (Certificate.of_json value).certificate)

(* The verdict on a file that `read` reads. *)
let answer (asked : Requests.t) path read =
  try
    let text = read () in
    let lines = match Json.parse text "file" with
      | value when asked.canonical -> String.split_on_char '\n' (String.trim (canonical value))
      | Json.Object found as value when Decisions.is_one found ->
        if { asked with strict = false } <> Requests.nothing then
          unsupported "what is asked for is not compared with claims about trained networks";
        if Tracks.is_one found then Tracks.judge value text else Decisions.judge (Classes.covers value) value text
      | value ->
        let given = Certificate.read value text in
        Requests.check asked given;
        Composition.check given;
        judge asked given text
    in
    { word = "accepted"; lines = if asked.canonical then lines else lines @ [ "accepted: " ^ printable path ] }
  with
  | Malformed text -> refusal "malformed" path text
  | Rejected text -> refusal "rejected" path text
  | Unsupported text -> refusal "incomplete" path text
  | Sys_error problem -> refusal "malformed" path ("cannot be read: " ^ printable problem)
  | Stack_overflow | Out_of_memory -> refusal "incomplete" path "the check takes more memory, or a deeper stack, than is allowed"
  | problem -> refusal "incomplete" path ("the check could not be completed: " ^ printable (Printexc.to_string problem))

(* The exit status and the output lines for a text, for any claim. *)
let of_text path text =
  let found = answer Requests.nothing path (fun () -> text) in
  (status found.word, found.lines)
